"""Laws whose rare records truncation hides, one for each ι: their excess is of the order of the theorems' bounds.

With the ι of a theorem, `HiddenLaw`, it is so with the bound's logarithms (the entries reached of Theorems 1 and 2). y
is ⟨x, w*⟩ or 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import pdtrik

from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.truncation import psi
from dpbench.papers.heavytail.problem import HeavyTailedProblem

_POINTS, _COUNTS = 2000, 100
GRID = (
    (10**5, 1, 1.0, 0.05), (10**8, 1, 1.0, 0.05), (10**16, 1, 1.0, 0.05), (10**32, 1, 1.0, 0.05),
    (10**12, 4, 1.0, 0.05), (10**12, 64, 1.0, 0.05), (10**12, 1024, 1.0, 0.05),
    (10**12, 4, 1e-3, 0.05), (10**12, 4, 4.0, 0.05), (10**12, 4, 1.0, 0.2), (10**12, 4, 1.0, 1e-8),
)  # fmt: skip
"""n, d, ε and η that the law is tried at."""


def rare_law(iota: float, theta: float, bound: float = 1.0) -> tuple[float, float, float]:
    """p, M, a with pM^θ + (1 − p)a^θ ≤ `bound`: x = y = M = 4/ι with chance p, else x = a = pM/2 and y = 0; |w| ≤ 1.

    The risk pM(1 − w) + (1 − p)a|w| is least at w = 1. Beyond |1 − w| = 1/4 the rare records are truncated: each
    counts log θ at most, less than the 2 that a move to w = 1 costs the others.
    """
    size = 4.0 / iota
    chance = bound * size**-theta
    chance /= 1.0 + 0.5**theta * chance ** (theta - 1.0)
    return chance, size, 0.5 * chance * size


def rare_excess(law: tuple[float, float, float], t: Any) -> Any:
    """Excess risk pM(1 − t) + (1 − p)a(|t| − 1) under `rare_law` (p, M, a) along u at t = ⟨u, w⟩ ≤ 1."""
    chance, size, common = law
    return chance * size * (1.0 - t) + (1.0 - chance) * common * (np.abs(t) - 1.0)


def hidden_quantile(
    n: int, d: int, epsilon: float, failure: float, iota: float, theta: float, moment: str
) -> tuple[float, float]:
    """The (1 − η)-quantile of the excess on a law whose rare records are hidden, and sup_w E|y − ⟨x, w⟩|^θ.

    `rare_law` along a direction u of the unit ball: u = e_1, or (1, …, 1)/√d with all coordinates of x equal, where
    E|⟨x, u⟩|^θ may be d^{θ/2}. Given K rare records, t = ⟨u, w⟩ has density ∝ (1 − t²)^{(d−1)/2}·e^{−cS(t)}, S(t) =
    Kψ(4|1−t|) + (n−K)ψ(ιa|t|): summed at `_POINTS` places. K is Poisson to within p (Le Cam), taken at `_COUNTS` of
    its quantiles. What is left out is the lattice, at ζ = 1/n.
    """
    chance, size, common = rare_law(iota, theta, d ** (0.5 * theta) if moment == "coordinate" else 1.0)
    t = -1.0 + (np.arange(_POINTS) + 0.5) * (2.0 / _POINTS)
    counts = np.ceil(pdtrik((np.arange(_COUNTS) + 0.5) / _COUNTS, n * chance))[:, None]
    score = counts * psi(4.0 * (1.0 - t), theta) + (n - counts) * psi(iota * common * np.abs(t), theta)
    logs = 0.5 * (d - 1) * np.log1p(-t * t) - 0.5 * epsilon / math.log(theta) * score
    masses = np.exp(logs - logs.max(axis=1, keepdims=True))
    below = np.cumsum((masses / masses.sum(axis=1, keepdims=True)).mean(axis=0))
    at = float(t[min(int(np.searchsorted(below, failure)), _POINTS - 1)])  # the excess falls as t grows
    spread = chance * (2.0 * size) ** theta + (1.0 - chance) * common**theta
    return float(rare_excess((chance, size, common), at)), spread


@dataclass(frozen=True)
class HiddenLaw:
    """`rare_law` along a direction u of the unit ball, made for the ι of the theorem.

    Attributes
    ----------
    records : int
        n of the ι that the law is made for.
    d : int
    epsilon, failure : float
        ε and η of that ι.
    theta : float
    moment : {"norm", "coordinate"}
        u = e_1, or (1, …, 1)/√d with all coordinates of x equal: there E|⟨x, u⟩|^θ may be d^{θ/2}.
    radius : float
    """

    records: int
    d: int
    epsilon: float
    failure: float
    theta: float = 2.0
    moment: str = "norm"
    radius: float = 1.0

    @cached_property
    def minimiser(self) -> np.ndarray:
        """w* = u."""
        return np.eye(self.d)[0] if self.moment == "norm" else np.full(self.d, 1.0 / math.sqrt(self.d))

    @cached_property
    def law(self) -> tuple[float, float, float]:
        """p, M and a of `rare_law`."""
        iota = theory.truncation(
            self.records, self.d, self.epsilon, self.failure, theta=self.theta, tau=1.0, moment=self.moment,
            diameter=2.0 * self.radius,
        )  # fmt: skip
        return rare_law(iota, self.theta, self.d ** (0.5 * self.theta) if self.moment == "coordinate" else 1.0)

    def draw(self, n: int, rng: np.random.Generator) -> HeavyTailedProblem:
        """x = y·u = M·u with chance p; else x = a·u and y = 0."""
        chance, size, common = self.law
        rare = rng.random(n) < chance
        x = np.where(rare, size, common)[:, None] * self.minimiser
        return HeavyTailedProblem(
            x, np.where(rare, size, 0.0), radius=self.radius, theta=self.theta, moment=self.moment
        )

    def excess_risk(self, outputs: np.ndarray) -> np.ndarray:
        """At t = ⟨u, w⟩ ≤ 1."""
        return rare_excess(self.law, np.asarray(outputs) @ self.minimiser)
