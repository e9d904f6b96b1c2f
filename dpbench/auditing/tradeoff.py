"""The trade-off curve that certified events allow.

A mechanism is f-DP if every test of one data set against its neighbour with false-positive rate α has a false-negative
rate of at least f(α) (Dong, Roth & Su 2019). An event with P(S) = p and Q(S) = q is such a test, with rates (q, 1 − p),
and read backwards one with rates (1 − p, q). f is convex with f(0) ≤ 1 and f(1) = 0, so these points bound it from
above; what a confidence region leaves open is given to f.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dpbench.bounds import Region

LEAST_RATE = 1e-9
_TAIL = np.geomspace(LEAST_RATE, 0.5, 200)
RATES = np.unique(np.concatenate([_TAIL, 1.0 - _TAIL, np.linspace(0.0, 1.0, 1001)[1:-1]]))
"""False-positive rates at which the bound is made; between them it is convex."""


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
