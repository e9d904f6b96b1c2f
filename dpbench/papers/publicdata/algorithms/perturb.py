"""Algorithm 1, Perturb: the function of the class nearest to f̄ + γζ on the public points, and its privacy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import block_width, check_rng
from dpbench.papers.publicdata.algorithms.oracles import nearest
from dpbench.papers.publicdata.objective import is_exact
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem
from dpbench.privacy.profile import Profile, no_privacy, pure_profile, shifted_gaussian

INEXACT = "the class does not say that its oracle is exact: nothing is guaranteed"


def standard_noise(noise: str, rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """ζ: independent N(0, 1), or Laplace variables of scale 1."""
    return rng.standard_normal(shape) if noise == "gaussian" else rng.laplace(size=shape)


def perturb(
    problem: PublicDataProblem,
    values: Any,
    gamma: float,
    trials: int,
    rng: np.random.Generator,
    *,
    noise: str = "gaussian",
) -> np.ndarray:
    """Algorithm 1: f̂ = argmin over F of ‖f − f̄ − γζ‖_m, `trials` times.

    Parameters
    ----------
    problem : PublicDataProblem
        Only its public points and its class are looked at.
    values : array_like, shape (m,)
        f̄(Z_1), …, f̄(Z_m); f̄ need not be in F.
    gamma : float
        γ ≥ 0.
    trials : int
    rng : numpy.random.Generator
    noise : {"gaussian", "laplace"}

    Returns
    -------
    ndarray, shape (trials, width)
        One oracle call a trial. f̂ is a function of f̄(Z) + γζ alone.
    """
    p = public_data_problem(problem)
    centre = validation.array("values", values, ndim=1)
    if centre.shape[0] != p.m:
        raise validation.invalid("values", f"a vector of length m = {p.m}", centre)
    gamma = validation.real("gamma", gamma, at_least=0.0)
    validation.choice("noise", noise, ("gaussian", "laplace"))

    check_rng(rng)
    trials, width = validation.integer("trials", trials, at_least=1), block_width(p)
    rows = [min(width, trials - at) for at in range(0, trials, width)]
    return np.concatenate(
        [nearest(p, centre + gamma * standard_noise(noise, rng, (width, p.m))[:count]) for count in rows]
    )


def perturb_profile(problem: PublicDataProblem, rho: float, gamma: float, noise: str) -> Profile:
    """Upper profile of Algorithm 1 over all f̄, f̄' with ‖f̄ − f̄'‖_m ≤ ρ.

    f̂ is a function of f̄(Z) + γζ, whose centre moves by at most √m·ρ in ℓ2 (Gaussian noise) and mρ in ℓ1 (Laplace
    noise). The projection onto F can only lower the true δ(ε).
    """
    if not is_exact(problem.hypotheses):
        return no_privacy(INEXACT)
    if noise == "gaussian":
        why = "a function of Gaussian noise on f(Z), whose centre moves by at most sqrt(m) rho"
        return shifted_gaussian(math.sqrt(problem.m) * rho, gamma, kind="upper", why=why)
    if gamma == 0.0 and rho > 0.0:
        return no_privacy("no noise is added")
    why = "a function of Laplace noise on f(Z), whose centre moves by at most m rho in l1"
    return pure_profile(problem.m * rho / gamma if rho > 0.0 else 0.0, why=why)
