"""A one-dimensional mechanism with noise that can be made too small on purpose: the control of the accuracy
attack."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.core.sampling import check_rng, nothing_to_diagnose, release, sample
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.privacy import gaussian, integer_laplace, integer_noise
from dpbench.privacy.add_remove import refuse
from dpbench.privacy.arithmetic import ARITHMETICS
from dpbench.privacy.profile import Profile, gaussian_profile, laplace_profile, no_privacy
from lowerbounds.two_points import two_point_constant

NOISES = ("laplace", "gaussian")


@dataclass(frozen=True)
class NoisyMean:
    """Σ x_i y_i/(n‖X‖²) plus noise: private at (ε, δ) for `shrink` ≤ 1, and for no more.

    One record moves the sum by at most 2‖X‖Y, so the estimate by s = 2Y/(n‖X‖). Laplace noise of scale s/ε (δ
    = 0) or Gaussian noise of standard deviation s/μ(ε, δ) is exact; it is divided by `shrink`.

    Parameters
    ----------
    epsilon, delta : float
    noise : {"laplace", "gaussian"}
    shrink : float
        How many times too small the noise is; infinite for none.
    arithmetic : {"float", "exact"}
        "exact": each x_i y_i is rounded to a grid and clamped there, the integers are summed, and the noise is that of
        `privacy.integer_noise`.
    """

    epsilon: float
    delta: float = 0.0
    noise: str = "laplace"
    shrink: float = 1.0
    arithmetic: str = "float"

    sample = sample
    release = release
    diagnose = nothing_to_diagnose

    def __post_init__(self) -> None:
        validation.epsilon(self.epsilon)
        validation.choice("noise", self.noise, NOISES)
        validation.delta(self.delta, positive=self.noise == "gaussian")
        if not (isinstance(self.shrink, float) and self.shrink == math.inf):
            validation.real("shrink", self.shrink, above=0.0)
        validation.choice("arithmetic", self.arithmetic, ARITHMETICS)
        if self.arithmetic == "exact" and self.shrink == math.inf:
            raise validation.invalid("shrink", "finite where arithmetic is 'exact'", self.shrink)

    @property
    def moments_suffice(self) -> bool:
        """Whether runs on a quadratic loss need nothing but `moments` and what is declared."""
        return self.arithmetic == "float"

    def guarantee(self, problem: GLMProblem, *, neighbours: str = "replace") -> Profile:
        """Upper profile over all neighbours (replace-one), from the noise in use.

        None for "add-remove": the scale is 2Y/(n‖X‖ε), and Laplace laws of two scales b < b' have a ratio of densities
        that grows as e^{|x|(1/b − 1/b')}, beyond every ε. Gaussians of two variances have some δ at every ε, which
        is not derived here.
        """
        refuse(neighbours, "n sets the scale of the noise, and laws of two scales are told apart in their tails")
        if self.arithmetic == "exact":
            return self._exact_profile(problem)
        why = "noise on a sum that one record moves by at most 2 X Y"
        if self.shrink == math.inf:
            return no_privacy("no noise is added")
        if self.noise == "laplace":
            return laplace_profile(self.epsilon * self.shrink, kind="upper", why=why)
        return gaussian_profile(gaussian.mu(self.epsilon, self.delta) * self.shrink, kind="upper", why=why)

    def _grid(self, problem: GLMProblem) -> tuple[float, float]:
        """The spacing in use, and the noise in steps of it: t or σ."""
        moved = 2.0 * problem.x_bound * problem.y_bound
        if self.noise == "gaussian":
            deviation = integer_noise.gaussian_deviation(moved, 2.0, 1, self.epsilon, self.delta)
            grid = integer_noise.gaussian_grid(deviation / self.shrink)
            return grid.spacing, grid.sigma
        spacing, _ = integer_laplace.laplace_grid(moved / self.epsilon / self.shrink)
        limit = math.ceil(0.5 * moved / spacing)
        return spacing, float(math.ceil(2.0 * limit / self.epsilon / self.shrink * (1.0 + 1e-12)))

    def _exact_profile(self, problem: GLMProblem) -> Profile:
        spacing, noise = self._grid(problem)
        steps = 2.0 * math.ceil(problem.x_bound * problem.y_bound / spacing)
        why = "integer noise on a sum of integers that one record moves by at most 2 ceil(X Y/step)"
        if self.noise == "laplace":
            return laplace_profile(steps / noise * (1.0 + 1e-14), kind="upper", why=why)
        plain = gaussian_profile(steps / noise * (1.0 + 1e-14), kind="upper", why=why)
        return integer_noise.blurred(plain, integer_noise.distance_from_rounded(noise))

    def __call__(self, problem: GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Shape (trials, 1)."""
        if glm_problem(problem).d != 1:
            raise validation.invalid("problem", "of dimension 1", problem.d)
        check_rng(rng)
        trials = validation.integer("trials", trials, at_least=1)
        if self.arithmetic == "exact":
            return self._exact(problem, trials, rng)
        centre = float(problem.moments[1][0]) / problem.x_bound**2
        unit = 2.0 * problem.y_bound / (problem.n * problem.x_bound) / self.shrink
        if self.noise == "laplace":
            drawn = rng.laplace(0.0, unit / self.epsilon, (trials, 1))
        else:
            drawn = rng.normal(0.0, unit / gaussian.mu(self.epsilon, self.delta), (trials, 1))
        return centre + drawn

    def _exact(self, problem: GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        spacing, noise = self._grid(problem)
        features = problem.X.toarray() if problem.sparse else problem.X
        total, _ = integer_noise.integer_sum(features[:, 0] * problem.y, spacing, problem.x_bound * problem.y_bound)
        source = Source(rng)
        if self.noise == "laplace":
            drawn = integer_laplace.laplace(source, int(noise), trials)
        else:
            drawn = integer_noise.gaussian(source, noise, trials)
        return np.asarray((total + drawn) * spacing / (problem.n * problem.x_bound**2))[:, None]


def tripping_factor(
    epsilon: float, delta: float, noise: str = "laplace", distance: int | None = None, constants: str = "exact"
) -> float:
    """The `shrink` at which the expected absolute errors of `NoisyMean` sum to the two-point floor.

    2E|ξ| = c(Δ)·Δ·s with E|ξ| = s/(ε·shrink) (Laplace) or √(2/π)·s/(μ(ε, δ)·shrink) (Gaussian); without
    `distance` the least over Δ. A larger `shrink` beats the floor even without clipping.
    """
    validation.choice("noise", noise, NOISES)
    scale = 1.0 / epsilon if noise == "laplace" else math.sqrt(2.0 / math.pi) / gaussian.mu(epsilon, delta)
    distances = range(1, 2 + math.ceil(4.0 / epsilon)) if distance is None else (distance,)
    return min(
        2.0 * scale / (k * c) for k in distances if (c := two_point_constant(epsilon, delta, k, constants)) > 0.0
    )
