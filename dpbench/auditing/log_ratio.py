"""A smooth estimate of log dP/dQ along ordered cells, from counts of two samples of equal size.

Sparse Bayesian logistic regression (Tipping 2001) of the side on pieces of the pooled rank: a line in the
normal score, ramps between knots (log-ratios with linear and flat pieces, as the Laplace mechanism's), and,
where there are few cells, a step at each border. Every piece has its own ridge weight, set by the evidence
(MacKay's fixed point), so that pieces the data do not ask for vanish and flat stays flat. Features fitted
together share these weights up to one factor a feature: what many weak features have in common is kept, and a
feature that tells nothing is dropped. It only guides the choice of events: no bound depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import expit, ndtri

KNOTS = np.concatenate(
    [np.arange(-3.25, -1.5, 0.25), np.arange(-1.5, 1.5, 0.125), np.arange(1.5, 3.5, 0.25)]
)  # fmt: skip
"""Normal scores between which the ramps rise."""

SATURATED = 40
"""Up to this many cells, each border has a step of its own."""

_ROUNDS = 16
_RIDGE = (1e-2, 1e9)
_START = 10.0
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


def smooth_log_ratios(counts: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[Fit]:
    """The fit of each feature.

    Parameters
    ----------
    counts : sequence of (float64[cells], float64[cells])
        For each feature the counts of the two sides in its cells, in the order of the feature's values.
    """
    designs = [_pieces(a + b) for a, b in counts]
    live = [np.arange(x.shape[1]) for x in designs]
    width = max(x.shape[1] for x in designs)
    shared = np.full(width, _START)
    own = np.ones(len(designs))
    beta = [np.zeros(x.shape[1]) for x in designs]
    spread = [np.empty((0, 0))] * len(designs)
    for round_ in range(_ROUNDS):
        used, size = np.full(width, 1e-3), np.full(width, 1e-12)
        for j, ((first, second), x) in enumerate(zip(counts, designs, strict=True)):
            penalty = np.clip(own[j] * shared[live[j]], *_RIDGE)
            penalty[0] = 1e-6
            beta[j], spread[j] = _newton(x, first, first + second, beta[j], penalty, 3 if round_ == 0 else 1)
            gained = np.clip(1.0 - penalty * np.diag(spread[j]), 0.0, 1.0)
            squares = beta[j] ** 2
            used[live[j]] += gained
            size[live[j]] += own[j] * squares
            if len(designs) > 1:
                own[j] = (gained[1:].sum() + 1e-3) / ((shared[live[j]] * squares)[1:].sum() + 1e-12)
            kept = (gained > _GONE) | (live[j] == 0)
            if round_ < _ROUNDS - 1 and not kept.all():
                designs[j], beta[j], live[j] = x[:, kept], beta[j][kept], live[j][kept]
        own = np.clip(own, 1e-9, 1e9)
        own /= np.exp(np.mean(np.log(own)))
        shared = np.clip(used / size, *_RIDGE)
    return [Fit(x @ b, x, s) for x, b, s in zip(designs, beta, spread, strict=True)]


def _pieces(weights: np.ndarray) -> np.ndarray:
    """The basis at the cells' pooled mid-ranks: a constant first."""
    rank = (np.cumsum(weights) - 0.5 * weights + 0.25) / (weights.sum() + 0.5)
    score = ndtri(rank)
    columns = [np.ones_like(score), score]
    if len(weights) <= SATURATED:
        columns.extend((np.arange(len(weights)) > k).astype(float) - 0.5 for k in range(len(weights) - 1))
    else:
        columns.extend(np.clip(score - low, 0.0, high - low) for low, high in pairwise(KNOTS))
    return np.column_stack(columns)


def _newton(
    x: np.ndarray, hits: np.ndarray, total: np.ndarray, beta: np.ndarray, penalty: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Newton steps on the penalised likelihood; the coefficients and their posterior covariance."""
    inverse = np.empty((0, 0))
    for _ in range(steps):
        chance = expit(x @ beta)
        hessian = (x * (total * chance * (1.0 - chance))[:, None]).T @ x + np.diag(penalty)
        inverse = np.linalg.inv(hessian)
        step = inverse @ (x.T @ (hits - total * chance) - penalty * beta)
        # A full step can overshoot where a cell holds one side alone.
        beta = beta + step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
    return beta, inverse
