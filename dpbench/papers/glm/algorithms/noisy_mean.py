"""A one-dimensional mechanism with noise that can be made too small on purpose: the control of the accuracy
attack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.privacy import gaussian
from dpbench.privacy.mechanism import BySingleTrials, Delta, Epsilon, FloatArithmetic, Noise
from dpbench.privacy.profile import Profile, gaussian_profile, laplace_profile, no_privacy
from lowerbounds.two_points import two_point_constant


def _factor(name: str, value: Any) -> float:
    """A number > 0, or infinity."""
    return math.inf if isinstance(value, float) and value == math.inf else validation.real(name, value, above=0.0)


@dataclass(frozen=True)
class NoisyMean(BySingleTrials):
    """Σ x_i y_i/(n‖X‖²) plus noise: private at (ε, δ) for `shrink` ≤ 1, and for no more.

    One record moves the sum by at most 2‖X‖Y, so the estimate by s = 2Y/(n‖X‖). Laplace noise of scale s/ε (δ
    = 0) or Gaussian noise of standard deviation s/μ(ε, δ) is exact; it is divided by `shrink`.

    Parameters
    ----------
    epsilon, delta : float
    noise : {"laplace", "gaussian"}
    shrink : float
        How many times too small the noise is; infinite for none.
    arithmetic : "float"
        "exact" is refused: this is a control in floating point.
    """

    epsilon: Epsilon
    delta: Delta = 0.0
    noise: Noise = "laplace"
    shrink: Annotated[float, _factor] = 1.0
    arithmetic: FloatArithmetic = "float"

    checked = staticmethod(glm_problem)
    moments_suffice = True  # on a quadratic loss: see `attacks.members`
    replace_only = "n sets the scale of the noise, and laws of two scales are told apart in their tails"

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.delta(self.delta, positive=self.noise == "gaussian")

    def _guarantee(self, problem: GLMProblem) -> Profile:
        """None for "add_remove": the scale is 2Y/(n‖X‖ε), and Laplace laws of two scales b < b' have a ratio of
        densities that grows as e^{|x|(1/b − 1/b')}, beyond every ε. Gaussians of two variances have some δ at every ε,
        which is not derived here.
        """
        why = "noise on a sum that one record moves by at most 2 X Y"
        if self.shrink == math.inf:
            return no_privacy("no noise is added")
        if self.noise == "laplace":
            return laplace_profile(self.epsilon * self.shrink, kind="upper", why=why)
        return gaussian_profile(gaussian.mu(self.epsilon, self.delta) * self.shrink, kind="upper", why=why)

    def _draw(self, problem: GLMProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        if problem.d != 1:
            raise validation.invalid("problem", "of dimension 1", problem.d)
        centre = float(problem.moments[1][0]) / problem.x_bound**2
        unit = 2.0 * problem.y_bound / (problem.n * problem.x_bound) / self.shrink
        if self.noise == "laplace":
            return centre + rng.laplace(0.0, unit / self.epsilon, (rows, 1))
        return centre + rng.normal(0.0, unit / gaussian.mu(self.epsilon, self.delta), (rows, 1))


def tripping_factor(
    epsilon: float, delta: float, noise: str = "laplace", distance: int | None = None, constants: str = "exact"
) -> float:
    """The `shrink` at which the expected absolute errors of `NoisyMean` sum to the two-point floor.

    2E|ξ| = c(Δ)·Δ·s with E|ξ| = s/(ε·shrink) (Laplace) or √(2/π)·s/(μ(ε, δ)·shrink) (Gaussian); without
    `distance` the least over Δ. A larger `shrink` beats the floor even without clipping.
    """
    validation.choice("noise", noise, ("laplace", "gaussian"))
    scale = 1.0 / epsilon if noise == "laplace" else math.sqrt(2.0 / math.pi) / gaussian.mu(epsilon, delta)
    distances = range(1, 2 + math.ceil(4.0 / epsilon)) if distance is None else (distance,)
    return min(
        2.0 * scale / (k * c) for k in distances if (c := two_point_constant(epsilon, delta, k, constants)) > 0.0
    )
