"""Laws of a positive heavy-tailed size A, with moments and survival function in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dpbench.core import validation

NAMES = ("student", "pareto")


@dataclass(frozen=True)
class Tail:
    """The law of A > 0.

    Parameters
    ----------
    name : {"student", "pareto"}
        |t| of Student's t; Pareto on [1, ∞).
    parameter : float
        Degrees of freedom; tail index. Above 1, so that the mean is finite: E A^θ < ∞ iff θ < `parameter`.
    """

    name: str
    parameter: float

    def __post_init__(self) -> None:
        validation.choice("name", self.name, NAMES)
        validation.real("parameter", self.parameter, above=1.0)

    def moment(self, theta: float) -> float:
        """E A^θ; infinite where it is."""
        a = self.parameter
        if theta >= a:
            return math.inf
        if self.name == "pareto":
            return a / (a - theta)
        ratio = math.lgamma(0.5 * (theta + 1.0)) + math.lgamma(0.5 * (a - theta)) - math.lgamma(0.5 * a)
        return a ** (0.5 * theta) * math.exp(ratio) / math.sqrt(math.pi)

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Independent sizes, shape (size,)."""
        if self.name == "pareto":
            return 1.0 + rng.pareto(self.parameter, size)
        return np.abs(rng.standard_t(self.parameter, size))

    def survival(self, s: Any) -> np.ndarray:
        """P(A > s) for s > 0."""
        s, a = np.asarray(s, dtype=np.float64), self.parameter
        return np.minimum(1.0, s ** (-a)) if self.name == "pareto" else 2.0 * special.stdtr(a, -s)
