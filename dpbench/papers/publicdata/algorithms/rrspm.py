"""Algorithm 4, RRSPM: the minimiser under random weights on the public points, rounded to its values there."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import nothing_to_diagnose, sample
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms._blocks import in_blocks, one_block
from dpbench.papers.publicdata.algorithms._release import release
from dpbench.papers.publicdata.algorithms.oracles import nearest, public_values
from dpbench.papers.publicdata.algorithms.perturb import INEXACT, NOISES
from dpbench.papers.publicdata.algorithms.separator import (
    DISCRETE,
    classification,
    discrete_weights,
    weight_grid,
    weighted_minimisers,
)
from dpbench.papers.publicdata.complexity import log_patterns, uncounted
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.objective import is_exact
from dpbench.papers.publicdata.problem import PublicDataProblem, records_apart
from dpbench.privacy import gaussian
from dpbench.privacy.add_remove import NEIGHBOURS, as_add_remove
from dpbench.privacy.arithmetic import ARITHMETICS
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.integer_laplace import laplace_grid
from dpbench.privacy.integer_noise import SIGMA_BITS, blurred, distance_from_rounded
from dpbench.privacy.profile import Profile, discrete_profile, no_privacy, pure_profile
from lowerbounds.parity_cubes import parity_cube


@dataclass(frozen=True)
class RRSPM:
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

    epsilon: float
    delta: float = 0.0
    _: KW_ONLY
    noise: str = "laplace"
    calibration: str = "exact"
    noise_constant: float | None = None
    noise_scale: float | None = None
    arithmetic: str = "float"

    sample = sample
    release = release
    diagnose = nothing_to_diagnose

    def __post_init__(self) -> None:
        put = object.__setattr__  # as floats, so that equal mechanisms have equal seeds
        validation.choice("noise", self.noise, NOISES)
        put(self, "epsilon", validation.epsilon(self.epsilon))
        put(self, "delta", validation.delta(self.delta, positive=self.noise == "gaussian"))
        validation.choice("calibration", self.calibration, ("exact", "printed"))
        if self.noise_constant is not None:
            put(self, "noise_constant", validation.real("noise_constant", self.noise_constant, above=0.0, size=True))
        if self.noise_scale is not None:
            put(self, "noise_scale", validation.real("noise_scale", self.noise_scale, at_least=0.0, size=True))
        validation.choice("arithmetic", self.arithmetic, ARITHMETICS)
        if self.arithmetic == "exact" and self.noise_scale == 0.0:
            raise validation.invalid("noise_scale", "above 0 where arithmetic is 'exact'", self.noise_scale)

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

    def guarantee(self, problem: PublicDataProblem, *, neighbours: str = "replace") -> Profile:
        """Upper profile over all neighbours, from the weights in use; void for an inexact oracle.

        Laplace: 2m/b, from the shift of Lemma 18 coordinate by coordinate. Gaussian: `theory.rrspm_log_delta`. A record
        added or removed moves scores by 0 to 1 and not by −1 to 1: half the shift.
        """
        return separator_profile(classification(problem), self._law, self.scale(problem), neighbours)

    def pair_profile(self, problem: PublicDataProblem, neighbour: PublicDataProblem) -> Profile:
        """Exact on the parity cube, for records at x° and where all f agree (`lowerbounds.parity_cube`).

        Else the guarantee: no other law of f̃(Z) is known.
        """
        records_apart(problem, neighbour)
        if self.arithmetic == "exact":
            return self.guarantee(problem)
        laws = [parity_law(p, self.noise, self.scale(problem)) for p in (problem, neighbour)]
        if laws[0] is None or laws[1] is None:
            return self.guarantee(problem)
        why = "all choices of one parity are equally likely, and the law of the parity is known"
        return discrete_profile(pair_from_logs(laws[0], laws[1]), why=why)

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `trials` outputs, shape (trials, width of the class)."""
        return in_blocks(partial(self._run, problem, rng), problem, trials, rng)

    def block(self, problem: PublicDataProblem, width: int, rng: np.random.Generator) -> np.ndarray:
        """`width` trials side by side and nothing beyond them, shape (width, width of the class)."""
        return one_block(partial(self._run, problem, rng), problem, width, rng)

    def _run(self, problem: PublicDataProblem, rng: np.random.Generator, width: int, rows: int) -> np.ndarray:
        """The first `rows` of a block of `width` trials."""
        scale = self.scale(problem)
        p = discrete_weights(problem, self._law, scale) if self.arithmetic == "exact" else classification(problem)
        found = weighted_minimisers(p, self._law, scale, rng, width, rows)
        return nearest(problem, public_values(problem, found))


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


def separator_profile(problem: PublicDataProblem, noise: str, scale: float, neighbours: str = "replace") -> Profile:
    """Upper profile of Algorithms 4 and 5 with weights of this scale, for every class and every pair.

    `DISCRETE` (zero-one loss): weights are multiples of a grid, and sums of them and of the losses are exact. A tie
    between two functions may be broken by the records then, where continuous weights leave none; so each weight is
    shifted by 2 and one step g more, with which what wins on one data set wins strictly on the other: m(2 + g)/b for
    Laplace weights. A rounded Gaussian weight shifted by 2 + g, whole steps, is the shifted weight rounded: the bound
    for continuous weights at s·2/(2 + g), and m times the distance from the rounded Gaussian.
    """
    validation.choice("neighbours", neighbours, NEIGHBOURS)
    if neighbours == "add-remove":
        return as_add_remove(_separator_profile(problem, noise, scale, 1.0), "a shift by 1 is enough")
    return _separator_profile(problem, noise, scale, 2.0)


def _separator_profile(problem: PublicDataProblem, noise: str, scale: float, moved: float) -> Profile:
    """`separator_profile` where one record changes the difference of two scores by at most `moved`."""
    if not is_exact(problem.hypotheses):
        return no_privacy(INEXACT)
    if scale == 0.0:
        return no_privacy("no noise is added")
    if noise == DISCRETE[1]:
        spacing, sigma, _ = weight_grid(noise, scale)
        shift = 0.5 * (moved + spacing) * (1.0 + 1e-12)
        why = "a shift by 2 and a step of each of the m rounded Gaussian weights keeps the choice strictly"
        delta = partial(_gaussian_delta, m=problem.m, scale=scale / shift, log_patterns=patterns(problem))
        law = ("sign weights", problem.m, scale / shift, patterns(problem))
        return blurred(Profile("upper", why, delta, law=law), problem.m * distance_from_rounded(sigma))
    if noise == DISCRETE[0]:
        spacing, size, _ = weight_grid(noise, scale)
        why = "a shift by 2 and a step of each of the m discrete Laplace weights keeps the choice strictly"
        return pure_profile(problem.m * (moved + spacing) / (size * spacing) * (1.0 + 1e-12), why=why)
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
