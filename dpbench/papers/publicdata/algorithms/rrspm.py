"""Algorithm 4, RRSPM: the minimiser under random weights on the public points, rounded to its values there."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.function_mechanism import FunctionMechanism
from dpbench.papers.publicdata.algorithms.oracles import nearest, public_values
from dpbench.papers.publicdata.algorithms.perturb import INEXACT
from dpbench.papers.publicdata.algorithms.regularized_perturbation import check_noise
from dpbench.papers.publicdata.algorithms.separator import (
    DISCRETE,
    classification,
    weight_grid,
    weighted_minimisers,
)
from dpbench.papers.publicdata.complexity import log_patterns, uncounted
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.objective import is_exact
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy import gaussian
from dpbench.privacy.add_remove import as_add_remove
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.integer_laplace import laplace_grid
from dpbench.privacy.integer_noise import SIGMA_BITS, blurred, distance_from_rounded
from dpbench.privacy.mechanism import Arithmetic, Calibration, Delta, Epsilon, Noise, NoiseScale, Size
from dpbench.privacy.profile import Profile, discrete_profile, no_privacy, pure_profile
from lowerbounds.parity_cubes import parity_cube


@dataclass(frozen=True)
class RRSPM(FunctionMechanism):
    """f̃ minimises Σ ℓ(f(x_i), y_i) + Σ ξ_j·1[f(Z_j) ≠ Ỹ_j]; the output agrees with f̃ on Z and is chosen by f̃(Z).

    For classes with values ±1. Ỹ_j are fair coins and the weights ξ_j have either sign.

    Parameters
    ----------
    epsilon : float
    delta : float
        The (ε, δ) that the weights are calibrated to. δ in (0, 1) for Gaussian weights; Laplace weights are ε-DP
        whatever δ is.
    noise : {"laplace", "gaussian"}
    calibration : {"exact", "printed"}
        Laplace weights have scale 2m/ε in both. Gaussian ones: "printed" is Theorem 4's C√(m·log(1/δ))/ε, which is
        not (ε, δ)-DP for every class; "exact" is the least for which one of the two bounds of
        `theory.rrspm_log_delta` meets (ε, δ): 2√m/μ(ε, δ/N) for a class with N labellings of the public points, or
        about 1.6m/ε for any.
    noise_constant : float, optional
        C; default see `theory.rrspm_gaussian_scale_printed`.
    noise_scale : float, optional
        Scale of the Laplace weights, or standard deviation of the Gaussian ones, in place of either.
    arithmetic : {"float", "exact"}
        "exact": weights from integers and exact sums, for the zero-one loss (`separator_profile`).

    Notes
    -----
    "Any f̂ that agrees with f̃ on Z" includes f̃ itself, whose values off Z may give the records away. Here f̂ is the
    answer of a fresh oracle call on the points Z labelled by f̃: a function of f̃(Z) and of what is public.

    Two oracle calls a trial, over the n + m points and over Z; O(m) memory a trial, O(n + m) a problem.
    """

    epsilon: Epsilon
    delta: Delta = 0.0
    _: KW_ONLY
    noise: Noise = "laplace"
    calibration: Calibration = "exact"
    noise_constant: Size | None = None
    noise_scale: NoiseScale | None = None
    arithmetic: Arithmetic = "float"

    checked = staticmethod(classification)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_noise(self)

    @property
    def _law(self) -> str:
        return f"discrete {self.noise}" if self.arithmetic == "exact" else self.noise

    def scale(self, problem: PublicDataProblem) -> float:
        """Scale of the weights in use: Laplace's b, or the standard deviation."""
        m = classification(problem).m
        if self.noise_scale is not None:
            return self.noise_scale
        if self.noise == "laplace":
            return laplace_scale(m, self.epsilon, self.arithmetic)
        if self.calibration == "exact" and self.arithmetic == "exact":
            return discrete_gaussian_scale(m, self.epsilon, self.delta, patterns(problem))
        if self.calibration == "exact":
            return theory.rrspm_gaussian_scale(m, self.epsilon, self.delta, patterns(problem))
        return theory.rrspm_gaussian_scale_printed(m, self.epsilon, self.delta, self.noise_constant)

    def _guarantee(self, problem: PublicDataProblem) -> Profile:
        """Void for an inexact oracle.

        Laplace: 2m/b, from the shift of Lemma 18 coordinate by coordinate. Gaussian: `theory.rrspm_log_delta`. A record
        added or removed moves scores by 0 to 1 and not by −1 to 1: half the shift.
        """
        return separator_profile(problem, self._law, self.scale(problem))

    def _add_remove(self, problem: PublicDataProblem) -> Profile:
        return as_add_remove(separator_profile(problem, self._law, self.scale(problem), 1.0), HALF)

    def pair_profile(self, problem: PublicDataProblem, neighbour: PublicDataProblem) -> Profile:
        """Exact on the parity cube, for records at x° and where all f agree (`lowerbounds.parity_cube`).

        Else the guarantee: no other law of f̃(Z) is known.
        """
        self.checked(problem).records_apart(neighbour)
        if self.arithmetic == "exact":
            return super().pair_profile(problem, neighbour)
        laws = [parity_law(p, self.noise, self.scale(problem)) for p in (problem, neighbour)]
        if laws[0] is None or laws[1] is None:
            return super().pair_profile(problem, neighbour)
        why = "all choices of one parity are equally likely, and the law of the parity is known"
        return discrete_profile(pair_from_logs(laws[0], laws[1]), why=why)

    def _draw(self, problem: PublicDataProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        minimisers = weighted_minimisers(problem, self._law, self.scale(problem), rng, width, rows)
        return nearest(problem, public_values(problem, minimisers))


def parity_law(problem: PublicDataProblem, noise: str, scale: float) -> np.ndarray | None:
    """Log-probabilities of the parities −1 and 1 of what RRSPM returns on the parity cube; None where not known."""
    cube = uncounted(problem.hypotheses)
    if not isinstance(cube, ParityCube) or scale == 0.0:
        return None
    counts = np.bincount(problem.public.astype(np.int64), minlength=cube.bits + 2)
    sizes = counts[: cube.bits]
    if sizes.min() < 1 or counts[-1] > 0 or problem.x.min() < cube.bits:
        return None
    gap = float(problem.y[problem.x > cube.bits].sum())  # by how much parity 1 scores below parity −1
    pair = replace(parity_cube(1), bits=cube.bits, public=problem.m, sizes=sizes)
    rare = pair.log_survival(abs(gap), noise, scale) - math.log(2.0)
    law = np.array([rare, math.log1p(-math.exp(rare))])
    return law if gap > 0.0 else law[::-1]


HALF = "a shift by 1 is enough"


def separator_profile(problem: PublicDataProblem, noise: str, scale: float, moved: float = 2.0) -> Profile:
    """Upper profile of Algorithms 4 and 5 with weights of this scale, for every class and every pair whose scores'
    differences one record changes by at most `moved`: 2 for a replaced one, 1 for one added or removed.

    `DISCRETE` (zero-one loss): weights are multiples of a grid, and sums of them and of the losses are exact. A tie
    between two functions may be broken by the records then, where continuous weights leave none; so each weight is
    shifted by 2 and one step g more, with which what wins on one data set wins strictly on the other: m(2 + g)/b for
    Laplace weights. A rounded Gaussian weight shifted by 2 + g, whole steps, is the shifted weight rounded: the bound
    for continuous weights at s·2/(2 + g), and m times the distance from the rounded Gaussian.
    """
    if not is_exact(problem.hypotheses):
        return no_privacy(INEXACT)
    if scale == 0.0:
        return no_privacy("no noise is added")
    if noise == DISCRETE[1]:
        grid = weight_grid(noise, scale)
        shift = 0.5 * (moved + grid.spacing) * (1.0 + 1e-12)
        why = "a shift by 2 and a step of each of the m rounded Gaussian weights keeps the choice strictly"
        delta = partial(_gaussian_delta, m=problem.m, scale=scale / shift, log_patterns=patterns(problem))
        law = ("sign weights", problem.m, scale / shift, patterns(problem))
        return blurred(Profile("upper", why, delta, law=law), problem.m * distance_from_rounded(grid.size))
    if noise == DISCRETE[0]:
        grid = weight_grid(noise, scale)
        why = "a shift by 2 and a step of each of the m discrete Laplace weights keeps the choice strictly"
        return pure_profile(problem.m * (moved + grid.spacing) / (grid.size * grid.spacing) * (1.0 + 1e-12), why=why)
    if noise == "laplace":
        why = "a shift by 2 of each of the m Laplace weights keeps the choice when one record changes"
        return pure_profile(moved * problem.m / scale, why=why)
    why = "a shift by 2 of each of the m Gaussian weights keeps the choice, one labelling at a time or all at once"
    delta = partial(_gaussian_delta, m=problem.m, scale=2.0 * scale / moved, log_patterns=patterns(problem))
    law = ("sign weights", problem.m, 2.0 * scale / moved, patterns(problem))
    return Profile("upper", why, delta, law=law)


def laplace_scale(m: int, epsilon: float, arithmetic: str) -> float:
    """b for ε: 2m/ε, or for discrete weights m(2 + g)/ε, g the step of the grid."""
    scale = theory.rrspm_laplace_scale(m, epsilon)
    if arithmetic == "float":
        return scale
    spacing, _ = laplace_grid(scale, 1.0)
    return scale * (1.0 + spacing) * (1.0 + 1e-12)  # a coarser step by the rounding up is at most twice as wide


def discrete_gaussian_scale(m: int, epsilon: float, delta: float, log_patterns: float) -> float:
    """s for which rounded Gaussian weights satisfy (ε, δ): a step is at most 2⁻²⁷s, and the distance comes off δ."""
    lost = (1.0 + math.exp(min(epsilon, 700.0))) * m * distance_from_rounded(2.0**SIGMA_BITS)
    if not delta > lost:
        raise validation.invalid("delta", "larger, or epsilon smaller, where arithmetic is 'exact'", delta)
    scale = theory.rrspm_gaussian_scale(m, epsilon, (delta - lost) * (1.0 - 1e-9), log_patterns)
    return scale * (1.0 + scale * 2.0**-27)


def patterns(problem: PublicDataProblem) -> float:
    """log of the number of labellings of the public points that the class has, at most; inf where none is known."""
    counted = log_patterns(uncounted(problem.hypotheses), problem.m)
    return math.inf if counted is None else counted


def _gaussian_delta(epsilon: float, m: int, scale: float, log_patterns: float) -> float:
    return min(1.0, math.exp(theory.rrspm_log_delta(epsilon, m, scale, log_patterns)) * (1.0 + gaussian.ROUNDING))
