"""`HiddenLaw`: the law, one for each n, d, ε and η, whose rare records Algorithms 1 and 2 do not see at their own ι.

Its excess is of the order of the bounds of Theorems 1 and 2, with their logarithms (`claims.extremal`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems.truncation_bias import rare_excess, rare_law


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
