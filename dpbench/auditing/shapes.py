"""A log-ratio of a number that rises up to a mode and falls beyond it, or falls and then rises.

Its events are intervals, half-lines and pairs of tails: the most informative for a location with heavy tails, for a
scale, and for noise that is flat or bounded. The fit is the maximum-likelihood one under that shape: isotonic
regression of the side (Barlow et al. 1972) on either side of the mode, the mode by the likelihood. It has no width to
choose, and the events that it gives are the intervals with the largest P − λQ in the sample, for one λ after the other.
It only guides the choice of events: no bound depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpbench.auditing._log_ratio_kernels import rise_and_fall
from dpbench.auditing.chains import cut_points, increasing, placed, sorted_cells

PER_TAIL = 100  # cells in each tail, geometric in rank
MODES = 9  # modes tried in the first round, evenly in mass; then as many between the neighbours of the best


@dataclass(frozen=True)
class Unimodal:
    """Piecewise constant between edges; rises, then falls (`peak`), or falls, then rises.

    Attributes
    ----------
    edges : float64[k]
    log_ratios : float64[k + 1]
        Of the cells between them; NaN counts as the highest value.
    peak : bool
    gain : float
        Of the log-likelihood over a fit that only rises or only falls, whose events are half-lines.
    """

    edges: np.ndarray
    log_ratios: np.ndarray
    peak: bool
    gain: float

    @property
    def words(self) -> str:
        """What the score is called."""
        return f"log-ratio of the output, {'rising and then falling' if self.peak else 'falling and then rising'},"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        return self.log_ratios[placed(outputs, self.edges)]


def both_shapes(first: np.ndarray, second: np.ndarray) -> tuple[Unimodal, Unimodal]:
    """The fits of a peak and of a valley to two samples of increasing numbers, equally many."""
    edges = cut_points(increasing(np.concatenate([first, second])), PER_TAIL)
    one, other = (sorted_cells(side, edges).astype(np.float64) for side in (first, second))
    half = 0.5 / len(first)  # so that cells of one side alone stay finite
    chance, gain = rising_falling(one, other)
    peak = Unimodal(edges, np.log((chance + half) / (1.0 - chance + half)), True, gain)
    chance, gain = rising_falling(other, one)
    return peak, Unimodal(edges, np.log((1.0 - chance + half) / (chance + half)), False, gain)


def rising_falling(hits: np.ndarray, misses: np.ndarray) -> tuple[np.ndarray, float]:
    """float64[cells]: the most likely chances of a hit that rise up to a mode and fall from there; and `Unimodal.gain`.

    Parameters
    ----------
    hits, misses : float64[cells]
        Counts.
    """
    mass = np.cumsum(hits + misses) / (hits.sum() + misses.sum())
    size = len(hits)
    chance = np.empty(size)
    tried: dict[int, float] = {}

    def best(modes: np.ndarray) -> int:
        for mode in np.unique(modes).tolist():
            if mode not in tried:
                tried[mode] = rise_and_fall(hits, misses, mode, chance)
        return max(tried, key=lambda mode: tried[mode])

    coarse = np.unique(np.append(np.searchsorted(mass, np.arange(MODES) / (MODES - 1)), [0, size]))
    place = int(np.searchsorted(coarse, best(coarse)))
    low, high = coarse[max(place - 1, 0)], coarse[min(place + 1, len(coarse) - 1)]
    mode = best(np.linspace(low, high, MODES).astype(np.int64))
    rise_and_fall(hits, misses, mode, chance)
    return chance, tried[mode] - max(tried[0], tried[size])
