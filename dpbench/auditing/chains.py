"""The nested sets {score ≥ t} of a score, with estimates of their two probabilities.

Estimates go through `smooth_log_ratios`, or through the learned log-ratio itself where counts do not contradict it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpbench.auditing._log_ratio_kernels import places
from dpbench.auditing.log_ratio import SATURATED, calibrated, smooth_log_ratios

PER_TAIL = 300  # thresholds from each end of the pooled sample, geometric in rank
LEAST = 3  # pooled outputs beyond the outermost threshold
NEAR = 2.0  # errors of a learned log-ratio within which its values are drawn together
TINY = 1e-12
RUNS = 1000  # that are sorted faster by merging them than by starting from nothing


@dataclass(frozen=True)
class Chain:
    """The nested sets {score ≥ t} with estimates of their two probabilities.

    Attributes
    ----------
    thresholds : float64[m]
    smooth, raw : float64[2, m]
        P and Q of {score ≥ t}: through the smooth log-ratio, and plain frequencies.
    spread : float64[2, m]
        Posterior standard deviation of the smooth P of {score ≥ t} and of {score < t}, Q moving oppositely.
    rows : int
        Outputs a side that the estimates rest on.
    error : float64[2, m] or None
        Standard deviation of a log-ratio that was learned on other outputs, where the smooth estimate rests on it:
        its mean over {score ≥ t} and over {score < t}.
    atoms : bool
        Few values, each with a step of its own: no neighbour lends it strength.
    log_likelihood_gain : float
        Log-likelihood of the side of an output, by the smooth log-ratio, above that of a guess, nats per output.
    """

    thresholds: np.ndarray
    smooth: np.ndarray
    spread: np.ndarray
    raw: np.ndarray
    rows: int
    error: np.ndarray | None
    atoms: bool
    log_likelihood_gain: float


def chain(first: np.ndarray, second: np.ndarray, errors: tuple[np.ndarray, np.ndarray] | None = None) -> Chain:
    """The chain of a score, from its values on the two sides (equally many, no NaN).

    `errors` are the posterior standard deviations of a score that was learned on other outputs as a log-ratio; its
    extremes are partly luck, for which `shrunk` allows. None: the score is no log-ratio.
    """
    rows = len(first)
    sides = [increasing(side) for side in (first, second)]
    thresholds = cut_points(increasing(np.concatenate(sides)), min(PER_TAIL, max(30, rows // 20)))
    cells = np.stack([sorted_cells(side, thresholds) for side in sides]).astype(np.float64)
    mass = cells.sum(axis=0)
    error = None
    if errors is None:
        (fit,) = smooth_log_ratios([(cells[0], cells[1])])
    else:
        some = np.maximum(mass, 1.0)
        pool, spread = np.concatenate([first, second]), np.concatenate(errors)
        cell = placed(pool, thresholds)
        guess, off = (np.bincount(cell, x, len(thresholds) + 1) for x in (pool, spread))
        guess = np.where(mass > 0.0, guess / some, thresholds[0])
        fit, trusted = calibrated(cells[0], cells[1], shrunk(guess, mass, NEAR * off / some))
        if trusted:
            error = np.stack([x / np.maximum(n, 1.0) for x, n in zip(_sides(off), _sides(mass), strict=True)])
    chance = expit(fit.log_ratio)
    smooth = np.stack([_tops(mass * c) / rows for c in (chance, 1.0 - chance)])
    turn = (mass * chance * (1.0 - chance))[:, None] * fit.pieces
    spread = np.stack([_deviations(g, fit.covariance) / rows for g in _sides(turn)])
    raw = (_tops(cells.T).T + 1.0) / (rows + 2.0)
    atoms = len(mass) <= SATURATED
    surprise = cells[0] @ np.logaddexp(0.0, -fit.log_ratio) + cells[1] @ np.logaddexp(0.0, fit.log_ratio)
    log_likelihood_gain = float(np.log(2.0) - surprise / (2.0 * rows))
    return Chain(thresholds, np.clip(smooth, TINY, 1.0 - TINY), spread, raw, rows, error, atoms, log_likelihood_gain)


def shrunk(guess: np.ndarray, mass: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Each guess replaced by the mean of those near it, under a normal kernel of its standard deviation.

    Of guesses with errors the large ones are large by luck: where f is the density of the guesses, the truth at a
    guess g is g + error² (log f)′(g) on average (Tweedie's formula; Efron 2011). The mean under a kernel is that for
    the kernel's density. It draws the noise around a saturated log-ratio together, and only scales normal guesses,
    which `calibrated` undoes.
    """
    distance = (guess[:, None] - guess) / np.maximum(width, TINY)[:, None]
    weight = (mass + TINY) * np.exp(-0.5 * distance * distance)
    return np.asarray(weight @ guess / weight.sum(axis=1))


def _deviations(gradients: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    return np.sqrt(((gradients @ covariance) * gradients).sum(axis=1))


def _sides(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the cells from each threshold on, and over those below it."""
    tops = _tops(cells)
    return tops, cells.sum(axis=0) - tops


def _tops(cells: np.ndarray) -> np.ndarray:
    """Sums over the cells from each threshold on."""
    return np.cumsum(cells[::-1], axis=0)[::-1][1:]


def increasing(values: np.ndarray) -> np.ndarray:
    """The values sorted; in linear time where they are few runs of values that increase already."""
    runs = 1 + np.count_nonzero(values[1:] < values[:-1])
    return np.sort(values, kind="stable" if runs <= RUNS else None)


def sorted_cells(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """int64[edges + 1]: how many values, increasing and without NaN, are in each cell between increasing edges."""
    below = np.searchsorted(values, edges, side="left")
    return np.diff(below, prepend=0, append=len(values))


def placed(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How many of the increasing edges are at most each value (float64); all of them for NaN."""
    found = np.empty(len(values), dtype=np.int64)
    places(*(np.ascontiguousarray(x, dtype=np.float64) for x in (values, edges)), found)
    return found


def cut_points(pool: np.ndarray, per_tail: int) -> np.ndarray:
    """Increasing values of a sorted sample at which to cut it: all when few, else dense in both tails.

    A value that occurs more than once is followed by its successor, so that an atom is a cell of its own.
    """
    size = len(pool)
    every = _few_values(pool)
    if every is not None:
        return every[1:] if len(every) > 1 else every
    ranks = np.unique(np.geomspace(min(LEAST, size), max(size / 2, 1), per_tail).astype(np.int64))
    ranks = np.unique(np.clip(np.concatenate([ranks, size - ranks]), 0, size - 1))
    values = np.unique(pool[ranks])
    next_place = np.searchsorted(pool, values, side="right")
    tied = (next_place - np.searchsorted(pool, values, side="left") > 1) & (next_place < size)
    return np.unique(np.concatenate([values, pool[next_place[tied]]]))


def _few_values(pool: np.ndarray) -> np.ndarray | None:
    """The distinct values of a sorted sample, where there are at most `SATURATED`."""
    firsts: list[int] = []
    place = 0
    while place < len(pool):
        if len(firsts) == SATURATED:
            return None
        firsts.append(place)
        place = int(np.searchsorted(pool, pool[place], side="right"))
    return pool[firsts]
