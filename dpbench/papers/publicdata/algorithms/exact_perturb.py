"""Perturb on integers: f̄(Z) rounded to a grid, noise from integers, and the privacy of what comes out.

f̂ is a function of the integers round(f̄(Z_j)/g) + N_j: the oracle that finds it may compute in floating point, for it
sees nothing else of the records. With |f̄| ≤ 1 computed to within e, the centre of one data set is within e + g/2 of the
true one in each coordinate, so that two of them are at most √m(ρ + g + 2e) apart in ℓ2, m(ρ + g + 2e) in ℓ1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core.bits import Source
from dpbench.papers.publicdata.algorithms.perturb import INEXACT
from dpbench.papers.publicdata.objective import is_exact
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy import integer_laplace, integer_noise
from dpbench.privacy.profile import Profile, no_privacy, pure_profile, shifted_gaussian

_EPS = float(np.finfo(float).eps)


def prediction_error(width: int) -> float:
    """e: what a sum of `width` products, of absolute values that add up to at most √width, loses to rounding."""
    return 2.0 * _EPS * (width + 2.0) * math.sqrt(width + 1.0)


def exact_scale(m: int, rho: float, width: int, epsilon: float, delta: float, noise: str) -> float:
    """γ for which `exact_profile` satisfies (ε, δ)."""
    apart = rho + 2.0 * prediction_error(width)
    if noise == "gaussian":
        return integer_noise.gaussian_deviation(math.sqrt(m) * apart, math.sqrt(m), m, epsilon, delta)
    scale = m * apart / epsilon
    spacing, _ = integer_laplace.laplace_grid(scale)
    return scale + m * 2.0 * spacing / epsilon * (1.0 + 1e-9)


def exact_profile(problem: PublicDataProblem, rho: float, gamma: float, noise: str, width: int) -> Profile:
    """Upper profile of Perturb on integers over all f̄, f̄' with ‖f̄ − f̄'‖_m ≤ ρ; `width` numbers name an f̄."""
    m, apart = problem.m, rho + 2.0 * prediction_error(width)
    if not is_exact(problem.hypotheses):
        return no_privacy(INEXACT)
    if noise == "gaussian":
        grid = integer_noise.gaussian_grid(gamma)
        why = "a function of rounded Gaussian noise on f(Z), rounded too, whose centre moves by sqrt(m)(rho + step)"
        moved = math.sqrt(m) * (apart + grid.spacing) * (1.0 + 1e-12)
        return integer_noise.blurred(shifted_gaussian(moved, gamma, kind="upper", why=why), m * grid.distance)
    spacing, scale = integer_laplace.laplace_grid(gamma)
    why = "a function of discrete Laplace noise on f(Z), rounded, whose centre moves by m(rho + step) in l1"
    return pure_profile(m * (apart + spacing) / (scale * spacing) * (1.0 + 1e-12), why=why)


def exact_values(centre: np.ndarray, gamma: float, noise: str, rng: Any, trials: int) -> np.ndarray:
    """The noisy values on Z, shape (trials, m): multiples of the grid."""
    source, size = Source(rng), trials * centre.shape[0]
    if noise == "gaussian":
        grid = integer_noise.gaussian_grid(gamma)
        spacing, draws = grid.spacing, integer_noise.gaussian(source, grid.sigma, size)
    else:
        spacing, scale = integer_laplace.laplace_grid(gamma)
        draws = integer_laplace.laplace(source, scale, size)
    steps = integer_noise.to_grid(centre, spacing, 1.0)
    return np.asarray((steps + draws.reshape(trials, -1)) * spacing)
