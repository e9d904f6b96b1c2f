"""Laws of a positive heavy-tailed size A, with moments and survival function in closed form or by quadrature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from dpbench.core import validation

NAMES = ("student", "pareto", "lognormal", "stable", "contaminated")
_CONTAMINATION = 0.05
_NODES = 400
_ROWS = 4096
_NEAR, _FAR = 0.5, 30.0


@dataclass(frozen=True)
class Tail:
    """The law of A > 0.

    Parameters
    ----------
    name : {"student", "pareto", "lognormal", "stable", "contaminated"}
        |t| of Student's t; Pareto on [1, ∞); log-normal; |S|, S symmetric stable with characteristic function
        e^{−|t|^α}; |Z| of a normal whose standard deviation is 1, or `parameter` for 5% of the draws.
    parameter : float
        Degrees of freedom; tail index; σ of the logarithm; α in (1, 2); the large standard deviation. The first
        two and the fourth bound the finite moments: E A^θ < ∞ iff θ < `parameter`.
    """

    name: str
    parameter: float

    def __post_init__(self) -> None:
        validation.choice("name", self.name, NAMES)
        lower = 0.0 if self.name in ("lognormal", "contaminated") else 1.0  # the mean must be finite
        validation.real("parameter", self.parameter, above=lower)
        if self.name == "stable" and self.parameter >= 2.0:
            raise validation.invalid("parameter", "in (1, 2) for a stable law", self.parameter)

    def moment(self, theta: float) -> float:
        """E A^θ; infinite where it is."""
        a = self.parameter
        if self.name == "lognormal":
            return math.exp(0.5 * (theta * a) ** 2)
        if self.name == "contaminated":
            normal = 2.0 ** (0.5 * theta) * math.gamma(0.5 * (theta + 1.0)) / math.sqrt(math.pi)
            return normal * (1.0 - _CONTAMINATION + _CONTAMINATION * a**theta)
        if theta >= a:
            return math.inf
        if self.name == "pareto":
            return a / (a - theta)
        if self.name == "student":
            ratio = math.lgamma(0.5 * (theta + 1.0)) + math.lgamma(0.5 * (a - theta)) - math.lgamma(0.5 * a)
            return a ** (0.5 * theta) * math.exp(ratio) / math.sqrt(math.pi)
        ratio = math.gamma(0.5 * (1.0 + theta)) * math.gamma(1.0 - theta / a) / math.gamma(1.0 - 0.5 * theta)
        return 2.0**theta * ratio / math.sqrt(math.pi)

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Independent sizes, shape (size,)."""
        a = self.parameter
        if self.name == "student":
            return np.abs(rng.standard_t(a, size))
        if self.name == "pareto":
            return 1.0 + rng.pareto(a, size)
        if self.name == "lognormal":
            return rng.lognormal(0.0, a, size)
        if self.name == "contaminated":
            return np.abs(rng.standard_normal(size)) * np.where(rng.random(size) < _CONTAMINATION, a, 1.0)
        # Chambers, Mallows & Stuck (1976).
        u = math.pi * (rng.random(size) - 0.5)
        e = rng.exponential(size=size)
        return np.abs(np.sin(a * u) / np.cos(u) ** (1.0 / a) * (np.cos((1.0 - a) * u) / e) ** ((1.0 - a) / a))

    def survival(self, s: Any) -> np.ndarray:
        """P(A > s) for s > 0."""
        s, a = np.asarray(s, dtype=np.float64), self.parameter
        if self.name == "student":
            return 2.0 * special.stdtr(a, -s)
        if self.name == "pareto":
            return np.minimum(1.0, s ** (-a))
        if self.name == "lognormal":
            return special.ndtr(-np.log(s) / a)
        if self.name == "contaminated":
            rest = (1.0 - _CONTAMINATION) * special.ndtr(-s) + _CONTAMINATION * special.ndtr(-s / a)
            return 2.0 * rest
        return _stable_survival(s, a)


def _stable_survival(s: np.ndarray, a: float) -> np.ndarray:
    """P(|S| > s), 1 < α < 2: a power series near 0, its asymptotic series far out, Nolan's integral (1997) between."""
    flat = s.reshape(-1)
    made = np.empty_like(flat)
    near, far = flat < _NEAR, flat > _FAR
    x, total = flat[near], np.zeros(int(near.sum()))
    for k in range(20):
        logs = math.lgamma((2 * k + 1) / a) - math.lgamma(2 * k + 1)
        total += (-1.0) ** k * math.exp(logs) / (2 * k + 1) * x ** (2 * k + 1)
    made[near] = 1.0 - 2.0 / (math.pi * a) * total
    x, total = flat[far], np.zeros(int(far.sum()))
    for k in range(1, 11):
        logs = math.lgamma(a * k) - math.lgamma(k + 1)
        total -= (-1.0) ** k * math.exp(logs) * math.sin(0.5 * math.pi * k * a) * x ** (-a * k)
    made[far] = 2.0 / math.pi * total
    nodes, weights = _legendre()
    angle = 0.25 * math.pi * (1.0 + nodes)
    power = a / (a - 1.0)
    v = (np.cos(angle) / np.sin(a * angle)) ** power * np.cos((a - 1.0) * angle) / np.cos(angle)
    middle = ~(near | far)
    scaled = np.exp(np.minimum(power * np.log(flat[middle]), 690.0))
    parts = [np.exp(-np.multiply.outer(scaled[i : i + _ROWS], v)) @ weights for i in range(0, scaled.size, _ROWS)]
    if parts:
        made[middle] = 0.5 * np.concatenate(parts)
    return made.reshape(s.shape)


@cache
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(_NODES)
