"""Sums of Laplace variables: tails, exact and from below.

A sum Z of k Laplace variables of scale 1 is √(2G)·N(0, 1) with G ~ Gamma(k), whose median is above k − 1/3 (Chen and
Rubin), so P(Z > u) ≥ Φ̄(u/√(2k − 2/3))/2; and log Φ̄(v) ≥ −log 2 − v²/2 − v√(2/π).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import betainc, gammaincc, gammaln

from dpbench.core.blas import one_blas_thread


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre: the eigenvalues of a matrix of 400 rows, found when they are used."""
    with one_blas_thread():
        return np.polynomial.legendre.leggauss(400)


def laplace_sum_tail(m: int, t: float) -> float:
    """P(ξ_1 + … + ξ_m > t) for Laplace variables of scale 1: the difference of two Gamma(m) variables."""
    reach = 12.0 * math.sqrt(m) + 40.0
    low = max(0.0, m - reach)
    at, weights = _nodes()
    nodes = low + 0.5 * (m + reach - low) * (at + 1.0)
    density = np.exp((m - 1) * np.log(nodes) - nodes - gammaln(m))
    beyond = np.where(t + nodes > 0.0, gammaincc(m, np.maximum(t + nodes, 0.0)), 1.0)
    return float(0.5 * (m + reach - low) * (weights * density * beyond).sum())


def log_laplace_tail(m: int, t: float) -> float:
    """log P(Z > t), t ≥ 0, Z a sum of m Laplace variables of scale 1.

    Z is G − G' with G, G' ~ Gamma(m): G > t + G' iff a Poisson process has fewer than m points up to t + G', that is
    Poisson(t) + NegativeBinomial(m, 1/2) < m. All terms are positive.
    """
    j = np.arange(m)
    with np.errstate(divide="ignore"):
        poisson = j * math.log(t) - t - gammaln(j + 1.0) if t > 0.0 else np.where(j == 0, 0.0, -np.inf)
        return float(np.logaddexp.reduce(poisson + np.log(betainc(m, m - j, 0.5))))


def bisected(within: Callable[[float], bool], low: float = 1e-9, high: float = 1e18) -> float:
    """The number from which on `within` is true, to a relative error of 1e-12."""
    for _ in range(140):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if within(middle) else (middle, high)
    return high
