"""The trade-off curve that certified events allow, and what it says about attacks.

A mechanism is f-DP if every test of one data set against its neighbour with false-positive rate α has a false-negative
rate of at least f(α) (Dong, Roth & Su 2019). An event with P(S) = p and Q(S) = q is such a test, with rates (q, 1 − p),
and read backwards one with rates (1 − p, q). f is convex with f(0) ≤ 1 and f(1) = 0, so these points bound it from
above; what a confidence region leaves open is given to f.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dpbench.bounds import Region

LEAST_RATE = 1e-9
_TAIL = np.geomspace(LEAST_RATE, 0.5, 200)
RATES = np.unique(np.concatenate([_TAIL, 1.0 - _TAIL, np.linspace(0.0, 1.0, 1001)[1:-1]]))
"""False-positive rates at which the bound is made; between them it is convex."""


@dataclass(frozen=True)
class AttackRisk:
    """What an attacker can do at least, at the audit's confidence, all of it together.

    Attributes
    ----------
    advantage : float
        Largest true-positive rate minus false-positive rate: a lower bound on δ(0).
    true_positive_rates : tuple of (float, float)
        (false-positive rate, true-positive rate reached).
    prior : float
        Probability, before the attack, that the data set is the one looked for.
    success : float
        Probability of a right decision at that prior.
    """

    advantage: float
    true_positive_rates: tuple[tuple[float, float], ...]
    prior: float
    success: float

    def __str__(self) -> str:
        rates = ", ".join(f"{t:.4g} at a false-positive rate of {f:g}" for f, t in self.true_positive_rates)
        return (
            f"advantage >= {self.advantage:.4g}; right with probability >= {self.success:.4g} at a prior of "
            f"{self.prior:g}; true-positive rate >= {rates}"
        )


def upper_bound(regions: Iterable[Region], rates: np.ndarray) -> np.ndarray:
    """Upper bounds on f at these false-positive rates, valid together wherever all regions hold.

    Parameters
    ----------
    regions : iterable of Region
        Of events, each likelier on its own first side.
    rates : float64[m]
        In [0, 1].
    """
    best = 1.0 - RATES
    for region in regions:
        best = np.minimum(best, _through(region.low, region.high))
        best = np.minimum(best, _through(1.0 - region.high, 1.0 - region.low))
    x = np.concatenate([[0.0], RATES, [1.0]])
    y = np.concatenate([[1.0], best, [0.0]])
    keep = _hull(x, y)
    return np.interp(rates, x[keep], y[keep])


def attack_risk(regions: Iterable[Region], rates: Any, prior: float) -> AttackRisk:
    """What the upper bound on f says an attacker reaches."""
    regions = tuple(regions)
    grid = np.concatenate([[0.0], RATES, [1.0]])
    missed = upper_bound(regions, grid)
    wanted = np.asarray(rates, dtype=np.float64)
    reached = 1.0 - upper_bound(regions, wanted)
    error = np.minimum((1.0 - prior) * grid + prior * missed, prior * grid + (1.0 - prior) * missed).min()
    return AttackRisk(
        advantage=float((1.0 - grid - missed).max()),
        true_positive_rates=tuple((float(f), float(t)) for f, t in zip(wanted, reached, strict=True)),
        prior=prior,
        success=float(1.0 - error),
    )


def _through(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The worst over corners of the bound by lines from (0, 1) through (high, 1 − low) to (1, 0), at `RATES`."""
    apart = low > high
    if not apart.all():
        return 1.0 - RATES
    left = 1.0 - RATES[:, None] * (low / np.maximum(high, 1e-300))[None, :]
    right = (1.0 - RATES[:, None]) * ((1.0 - low) / np.maximum(1.0 - high, 1e-300))[None, :]
    return np.where(RATES[:, None] < high[None, :], left, right).max(axis=1)


def _hull(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Indices of the lower convex hull of points with increasing x (Andrew's monotone chain)."""
    kept: list[int] = []
    for k in range(len(x)):
        while len(kept) > 1:
            i, j = kept[-2], kept[-1]
            if (y[j] - y[i]) * (x[k] - x[i]) < (y[k] - y[i]) * (x[j] - x[i]):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept)
