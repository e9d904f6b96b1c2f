"""A smooth estimate of log dP/dQ along ordered cells, from counts of two samples of equal size.

Sparse Bayesian logistic regression (Tipping 2001) of the side on pieces of the pooled rank: a line in the
normal score, ramps between knots (log-ratios with linear and flat pieces, as the Laplace mechanism's), and,
where there are few cells, a step at each border. Every piece has its own ridge weight, set by the evidence
(MacKay's fixed point), so that pieces the data do not ask for vanish and flat stays flat. Features fitted
together share these weights up to one factor a feature: what many weak features have in common is kept, and a
feature without information is dropped. It only guides the choice of events: no bound depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtri

from dpbench.auditing._log_ratio_kernels import fit_evidence, newton_steps

KNOTS = np.concatenate([np.arange(-3.25, -1.5, 0.25), np.arange(-1.5, 1.5, 0.125), np.arange(1.5, 3.5, 0.25)])
"""Normal scores between which the ramps rise."""

WIDE = 64
"""Of more features than this, columns have half as many cells and, if that fits, ramps between every other knot."""

MISFIT = 4.0
"""Standard deviations of a sum of squared residuals beyond which it does not."""

SATURATED = 40
"""Up to this many cells, each border has a step of its own."""

_ROUNDS = 16
_RIDGE = (1e-2, 1e9)
_START = 10.0
_CHOSEN = 2.0  # gain of a free fit over a line, in degrees of freedom, above which it is kept: a right line loses 3%
_GONE = 1e-2  # a piece that gains less from the data than this share of a degree of freedom is dropped


@dataclass(frozen=True)
class Fit:
    """A fitted log-ratio.

    Attributes
    ----------
    log_ratio : float64[cells]
        log P/Q of each cell, natural logarithm.
    pieces : float64[cells, k]
        The basis at the cells.
    covariance : float64[k, k]
        Of its coefficients, a posteriori.
    """

    log_ratio: np.ndarray
    pieces: np.ndarray
    covariance: np.ndarray

    def deviations(self) -> np.ndarray:
        """Posterior standard deviation of the log-ratio of each cell."""
        return np.sqrt(((self.pieces @ self.covariance) * self.pieces).sum(axis=1))


def smooth_log_ratios(counts: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[Fit]:
    """The fit of each feature.

    Parameters
    ----------
    counts : sequence of (float64[cells], float64[cells])
        For each feature the counts of the two sides in its cells, in the order of the feature's values.
    """
    if len(counts) > WIDE:
        made = _fitted(counts, KNOTS[::2])
        if not _misfit(counts, made):
            return made
    return _fitted(counts, KNOTS)


def _fitted(counts: Sequence[tuple[np.ndarray, np.ndarray]], knots: np.ndarray) -> list[Fit]:
    designs = [_pieces(first + second, knots) for first, second in counts]
    cells, widths = (np.array([x.shape[axis] for x in designs]) for axis in (0, 1))
    shape = len(designs), int(cells.max()), int(widths.max())
    x, hits, total = np.zeros(shape), np.zeros(shape[:2]), np.zeros(shape[:2])
    for j, ((first, second), design) in enumerate(zip(counts, designs, strict=True)):
        x[j, : cells[j], : widths[j]] = design
        hits[j, : cells[j]], total[j, : cells[j]] = first, first + second
    live = np.tile(np.arange(shape[2]), (shape[0], 1))
    beta, covariance = np.zeros((shape[0], shape[2])), np.zeros((shape[0], shape[2], shape[2]))
    fit_evidence(x, hits, total, cells, _ROUNDS, _START, *_RIDGE, _GONE, widths, live, beta, covariance)
    made = []
    for j, (n, w) in enumerate(zip(cells, widths, strict=True)):
        pieces = x[j, :n, :w]
        made.append(Fit(pieces @ beta[j, :w], pieces, covariance[j, :w, :w]))
    return made


def _misfit(counts: Sequence[tuple[np.ndarray, np.ndarray]], fits: Sequence[Fit]) -> bool:
    """Whether counts are further from their fits than by chance, in one feature or in all of them together."""
    excess = []
    for (first, second), fit in zip(counts, fits, strict=True):
        total, chance = first + second, expit(fit.log_ratio)
        away = (first - total * chance) ** 2 / np.maximum(total * chance * (1.0 - chance), 1.0)
        excess.append((float(away.sum()) - len(away)) / np.sqrt(2.0 * len(away)))
    return max(excess) > MISFIT or sum(excess) > MISFIT * np.sqrt(len(excess))


def calibrated(first: np.ndarray, second: np.ndarray, guess: np.ndarray) -> tuple[Fit, bool]:
    """The line a + b · guess through the log-ratio of these counts, or the smooth fit where that is clearly better.

    Parameters
    ----------
    first, second : float64[cells]
        Counts of the two sides.
    guess : float64[cells]
        A log-ratio learned from other outputs. Where it is right a tail's log-ratio is known from all the cells,
        not from the few counts in the tail.

    Returns
    -------
    (Fit, bool)
        The fit, and whether it is the line.
    """
    x = np.column_stack([np.ones_like(guess), guess])
    beta, covariance = np.array([0.0, 1.0]), np.empty((2, 2))
    newton_steps(x, first, first + second, np.full(2, 1e-6), _ROUNDS, beta, covariance)
    line = Fit(x @ beta, x, covariance)
    (free,) = smooth_log_ratios([(first, second)])
    gain = _log_likelihood(first, second, free) - _log_likelihood(first, second, line)
    trusted = gain < _CHOSEN * _freedom(first + second, free)
    return (line if trusted else free), trusted


def _log_likelihood(first: np.ndarray, second: np.ndarray, fit: Fit) -> float:
    return -float(first @ np.logaddexp(0.0, -fit.log_ratio) + second @ np.logaddexp(0.0, fit.log_ratio))


def _freedom(total: np.ndarray, fit: Fit) -> float:
    """Effective degrees of freedom of a penalised fit."""
    chance = expit(fit.log_ratio)
    hessian = (fit.pieces * (total * chance * (1.0 - chance))[:, None]).T @ fit.pieces
    return float((hessian * fit.covariance).sum())


def _pieces(weights: np.ndarray, knots: np.ndarray = KNOTS) -> np.ndarray:
    """The basis at the cells' pooled mid-ranks: a constant first."""
    score = _normal_scores(weights)
    if len(weights) > SATURATED:
        local = np.minimum(np.maximum(score[:, None] - knots[:-1], 0.0), np.diff(knots))
    else:
        places = np.arange(len(weights))
        local = (places[:, None] > places[:-1]) - 0.5
    return np.column_stack([np.ones_like(score), score, local])


def _normal_scores(weights: np.ndarray) -> np.ndarray:
    rank = (np.cumsum(weights) - 0.5 * weights + 0.25) / (weights.sum() + 0.5)
    return np.asarray(ndtri(rank))
