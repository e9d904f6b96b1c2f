"""Exact joint bounds on two binomial probabilities, and what they say about privacy.

X ~ Bin(n, p) and Y ~ Bin(m, q) are independent. The one-sided Clopper–Pearson p-values U = P_p(X ≥ x) and
V = P_q(Y ≤ y) are each stochastically at least uniform, so any increasing combination of their normal scores
z₁ = Φ⁻¹(1 − U), z₂ = Φ⁻¹(1 − V) keeps its exact level in finite samples. The region used here is

    w₁ max(z₁, −B) + w₂ max(z₂, −B) ≤ c,    z₁ ≤ C,    z₂ ≤ C,    w₁² + w₂² = 1,

with P(Z > C) = α/50 and c solved so that two standard normals leave the region with probability α. Weights
in proportion to the two standard errors make the bound on a ratio about z_α √(s₁² + s₂²) deep, where
two bounds at α/2 each pay z_{α/2} (s₁ + s₂). The caps C keep the bound finite where one weight is small (a
zero count). The weights may depend on anything but the certifying counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy.special import betainccinv, betaincinv, ndtr, ndtri

FLOOR = 1.0
"""B: scores below −B count as −B, so that one lucky count cannot pay without limit for the other."""

ANGLES = 32
"""Weights are (sin, cos) of a multiple of π/2 divided by this, so that the critical values can be kept."""

CAP_SHARE = 0.02
"""Share of α at which each score is capped by itself."""

_PAD = 1e-11  # relative error that the quantiles and the critical value are widened by


@dataclass(frozen=True)
class Region:
    """A confidence region for (p, q): for some k, p ≥ low[k] and q ≤ high[k].

    Everything read from one region holds simultaneously, at the region's confidence.
    """

    low: np.ndarray
    high: np.ndarray

    def epsilon(self, delta: float) -> float:
        """A lower bound on ε ≥ 0 with p ≤ e^ε q + δ."""
        above = self.low - delta
        if (above <= self.high).any():
            return 0.0
        return float(np.log(above / self.high).min())

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε) = p − e^ε q, at least 0, one for each ε."""
        with np.errstate(over="ignore"):
            gaps = self.low[:, None] - np.exp(epsilons)[None, :] * self.high[:, None]
        return np.maximum(gaps.min(axis=0), 0.0)

    def mu(self) -> float:
        """A lower bound on Φ⁻¹(p) − Φ⁻¹(q), at least 0."""
        return max(0.0, float((ndtri(self.low) - ndtri(self.high)).min()))


def lower(hits: int, trials: int, tail: np.ndarray | float) -> np.ndarray:
    """Clopper–Pearson: the p at which `hits` or more have probability `tail`."""
    tail = np.asarray(tail, dtype=np.float64)
    if hits == 0:
        return np.zeros_like(tail)
    return np.asarray(betaincinv(float(hits), trials - hits + 1.0, tail)) * (1.0 - _PAD)


def upper(hits: int, trials: int, tail: np.ndarray | float) -> np.ndarray:
    """Clopper–Pearson: the q at which `hits` or fewer have probability `tail`."""
    tail = np.asarray(tail, dtype=np.float64)
    if hits == trials:
        return np.ones_like(tail)
    return np.minimum(np.asarray(betainccinv(hits + 1.0, float(trials - hits), tail)) * (1.0 + _PAD), 1.0)


def joint_region(hits: tuple[int, int], trials: tuple[int, int], alpha: float, angle: int, cells: int = 256) -> Region:
    """The region above, covered by `cells` corners (each cell by its worst corner, so the cover is rigorous).

    Parameters
    ----------
    hits : (int, int)
        Counts of the event on the side whose probability is bounded below, then on the other.
    trials : (int, int)
    alpha : float
        Probability of missing (p, q), at most.
    angle : int
        Weights: w₁ = sin, w₂ = cos of ``angle/ANGLES`` right angles, 0 < angle < `ANGLES` (see `best_angle`).
    cells : int
        More cells make the cover tighter: 256 lose about 1% of the shortfall.
    """
    w1, w2 = _weights(angle)
    critical, cap = critical_value(angle, alpha), _cap(alpha)
    edges = np.linspace(-FLOOR, min((critical + w2 * FLOOR) / w1, cap), cells + 1)
    low = lower(hits[0], trials[0], ndtr(-edges[1:]))
    high = upper(hits[1], trials[1], ndtr(-np.minimum((critical - w1 * edges[:-1]) / w2, cap)))
    return Region(low, high)


def best_angle(first: float, second: float) -> int:
    """The angle whose weights are nearest in proportion to two standard errors."""
    return min(ANGLES - 1, max(1, round(ANGLES * math.atan2(first, second) / (0.5 * math.pi))))


def _weights(angle: int) -> tuple[float, float]:
    theta = 0.5 * math.pi * angle / ANGLES
    return math.sin(theta), math.cos(theta)


def _cap(alpha: float) -> float:
    return float(-ndtri(CAP_SHARE * alpha))


@lru_cache(maxsize=4096)
def critical_value(angle: int, alpha: float) -> float:
    """c such that independent standard normals leave the region with probability α, rounded up."""
    w1, w2 = _weights(angle)
    cap = _cap(alpha)

    def excess(c: float) -> float:
        return math.log(_exceedance(w1, w2, c, cap)) - math.log(alpha)

    high = (w1 + w2) * cap
    least = -(w1 + w2) * FLOOR  # nothing is smaller
    if excess(least) <= 0.0:
        return least
    low = high - 1.0
    while excess(low) < 0.0:
        low = max(low - 1.0, least)
    root = _falling_root(excess, low, high)
    return root + 1e-10 * max(1.0, abs(root))


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a continuous falling function, at least 0 at `low`, is 0 or just below: regula falsi (Illinois).

    scipy's brentq costs a quarter of a second at its import.
    """
    above, below, side, least = function(low), function(high), 0, -math.inf
    while least < -1e-12 and high - low > 1e-13 * max(1.0, abs(high)):
        middle = low + (high - low) * above / (above - below)
        value = function(middle)
        if value > 0.0:
            low, above = middle, value
            below *= 0.5 if side > 0 else 1.0  # the same end was kept twice
            side = 1
        else:
            high, below, least = middle, value, value
            above *= 0.5 if side < 0 else 1.0
            side = -1
    return high


def _exceedance(w1: float, w2: float, c: float, cap: float) -> float:
    """P(not in the region) for standard normals: over z₁ ≤ −B, between, and beyond the cap."""
    nodes, weights = _legendre()
    kink = (c - w2 * cap) / w1  # below it the cap on z₂ binds
    floor = (c + w2 * FLOOR) / w1  # above it nothing is inside
    cuts = [-FLOOR, *(t for t in (kink, floor) if -FLOOR < t < cap), cap]
    total = float(ndtr(-cap)) + float(ndtr(-FLOOR) * ndtr(-min((c + w1 * FLOOR) / w2, cap)))
    for start, stop in pairwise(sorted(cuts)):
        x = start + 0.5 * (stop - start) * (nodes + 1.0)
        reach = (c - w1 * x) / w2
        out = np.where(reach < -FLOOR, 1.0, ndtr(-np.minimum(reach, cap)))
        total += 0.5 * (stop - start) * float(weights @ (np.exp(-0.5 * x * x) * out)) / math.sqrt(2.0 * math.pi)
    return total


@lru_cache(maxsize=1)
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(100)
    return nodes, weights
