"""A smooth estimate of log dP/dQ along ordered cells, from counts of two samples of equal size.

Ridge logistic regression of the side on a basis of the pooled rank: the normal score, hinges (log-ratios with
linear pieces, as the Laplace mechanism's), Haar steps, and, where there are few cells, one indicator a cell.
Each group of the basis has its own ridge weight, set by the evidence (MacKay's fixed point), and several
features may share them, so that what many weak features have in common is kept and what none of them has is
dropped. It only guides the choice of events: no bound depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, ndtri

HINGES = (-2.3, -1.3, -0.5, 0.5, 1.3, 2.3)
LEVELS = 3  # of Haar steps: 1, 2 and 4
SATURATED = 40  # up to this many cells, each has an indicator of its own
_ROUNDS = 8
_GUIDE = 20.0  # nats
_RIDGE = (1e-2, 1e9)


def smooth_log_ratios(
    counts: Sequence[tuple[np.ndarray, np.ndarray]], guides: Sequence[np.ndarray] | None = None
) -> list[np.ndarray]:
    """The fitted log-ratio of each cell, for each feature.

    Parameters
    ----------
    counts : sequence of (float64[cells], float64[cells])
        For each feature the counts of the two sides in its cells, in the order of the feature's values.

    guides : sequence of float64[cells], optional
        For each feature a first guess of the log-ratio, which then needs no ridge.

    Returns
    -------
    list of float64[cells]
        log P/Q of each cell, natural logarithm.
    """
    designs = [_design(a + b, None if guides is None else guides[j]) for j, (a, b) in enumerate(counts)]
    groups = [np.asarray(g) for _, g in designs]
    ridge = np.full(2 + LEVELS + 1, 30.0)
    fitted = [np.zeros(x.shape[1]) for x, _ in designs]
    for round_ in range(_ROUNDS):
        wanted = np.full_like(ridge, 1e-3)
        size = np.full_like(ridge, 1e-12)
        for j, ((first, second), (x, _)) in enumerate(zip(counts, designs, strict=True)):
            penalty = np.where(groups[j] < 0, 1e-6, ridge[groups[j]])
            fitted[j], spread = _newton(x, first, first + second, fitted[j], penalty, 6 if round_ == 0 else 2)
            penalised = groups[j] >= 0
            which = groups[j][penalised]
            wanted += np.bincount(which, 1.0 - (penalty * spread)[penalised], len(ridge))
            size += np.bincount(which, fitted[j][penalised] ** 2, len(ridge))
        ridge = np.clip(wanted / size, *_RIDGE)
    return [x @ beta for (x, _), beta in zip(designs, fitted, strict=True)]


def _design(weights: np.ndarray, guide: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Basis functions at the cells' pooled mid-ranks, and the group of each (−1: not penalised)."""
    rank = (np.cumsum(weights) - 0.5 * weights + 0.25) / (weights.sum() + 0.5)
    score = ndtri(rank)
    columns = [np.ones_like(score), score]
    groups = [-1, 0]
    if guide is not None and np.ptp(guide) > 1e-9:
        columns.append(np.clip(guide, -_GUIDE, _GUIDE))
        groups.append(-1)
    for knot in HINGES:
        columns.append(np.maximum(score - knot, 0.0))
        groups.append(1)
    for level in range(LEVELS):
        for k in range(2**level):
            place = rank * 2**level - k
            columns.append(np.where((place >= 0) & (place < 1), np.where(place < 0.5, -1.0, 1.0), 0.0))
            groups.append(2 + level)
    if len(weights) <= SATURATED:
        columns.extend(np.eye(len(weights)))
        groups.extend([2 + LEVELS] * len(weights))
    return np.column_stack(columns), np.asarray(groups)


def _newton(
    x: np.ndarray, hits: np.ndarray, total: np.ndarray, beta: np.ndarray, penalty: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Newton steps on the penalised likelihood; the coefficients and their posterior variances."""
    inverse = np.empty((0, 0))
    for _ in range(steps):
        chance = expit(x @ beta)
        hessian = (x * (total * chance * (1.0 - chance))[:, None]).T @ x + np.diag(penalty)
        inverse = np.linalg.inv(hessian)
        step = inverse @ (x.T @ (hits - total * chance) - penalty * beta)
        # A full step can overshoot where a cell holds one side alone.
        beta = beta + step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
    return beta, np.diag(inverse)
