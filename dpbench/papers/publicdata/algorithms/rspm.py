"""Algorithm 5, RSPM (Neel, Roth, Vietri & Wu 2019): RRSPM on points that tell all functions of the class apart."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import nothing_to_diagnose, sample
from dpbench.papers.publicdata.algorithms._blocks import in_blocks, one_block
from dpbench.papers.publicdata.algorithms._release import release
from dpbench.papers.publicdata.algorithms.rrspm import laplace_scale, separator_profile
from dpbench.papers.publicdata.algorithms.separator import (
    DISCRETE,
    classification,
    discrete_weights,
    weighted_minimisers,
)
from dpbench.papers.publicdata.complexity import identifies
from dpbench.papers.publicdata.problem import PublicDataProblem, records_apart
from dpbench.privacy.arithmetic import ARITHMETICS
from dpbench.privacy.profile import Profile


@dataclass(frozen=True)
class RSPM:
    """f̂ minimises Σ ℓ(f(x_i), y_i) + Σ ξ_j·1[f(U_j) ≠ Ỹ_j] with Laplace weights, and is released as it is.

    The public points of the problem are U, which must be a universal identification set of the class (Definition
    9): any two of its functions differ somewhere on U, so that f̂ is a function of f̂(U).

    Parameters
    ----------
    epsilon : float
        Weights have scale 2m/ε.
    calibration : {"exact", "printed"}
        The same noise: what is printed is proved.
    noise_scale : float, optional
        Scale of the weights, in place of 2m/ε.
    arithmetic : {"float", "exact"}
        "exact": discrete Laplace weights and exact sums, for the zero-one loss (`rrspm.separator_profile`).

    Notes
    -----
    One oracle call a trial over the n + m points; O(m) memory a trial, O(n + m) a problem.
    """

    epsilon: float
    _: KW_ONLY
    calibration: str = "exact"
    noise_scale: float | None = None
    arithmetic: str = "float"

    sample = sample
    release = release
    diagnose = nothing_to_diagnose

    def __post_init__(self) -> None:
        put = object.__setattr__  # as floats, so that equal mechanisms have equal seeds
        put(self, "epsilon", validation.epsilon(self.epsilon))
        validation.choice("calibration", self.calibration, ("exact", "printed"))
        if self.noise_scale is not None:
            put(self, "noise_scale", validation.real("noise_scale", self.noise_scale, at_least=0.0, size=True))
        validation.choice("arithmetic", self.arithmetic, ARITHMETICS)
        if self.arithmetic == "exact" and self.noise_scale == 0.0:
            raise validation.invalid("noise_scale", "above 0 where arithmetic is 'exact'", self.noise_scale)

    @property
    def _law(self) -> str:
        return DISCRETE[0] if self.arithmetic == "exact" else "laplace"

    def scale(self, problem: PublicDataProblem) -> float:
        """Scale of the weights in use."""
        m = identified(problem).m
        return laplace_scale(m, self.epsilon, self.arithmetic) if self.noise_scale is None else self.noise_scale

    def guarantee(self, problem: PublicDataProblem, *, neighbours: str = "replace") -> Profile:
        """Upper profile over all neighbours: 2m/scale, half of it for "add-remove"; void for an inexact oracle."""
        return separator_profile(identified(problem), self._law, self.scale(problem), neighbours)

    def pair_profile(self, problem: PublicDataProblem, neighbour: PublicDataProblem) -> Profile:
        """The guarantee."""
        records_apart(problem, neighbour)
        return self.guarantee(problem)

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `trials` outputs, shape (trials, width of the class)."""
        return in_blocks(partial(self._run, problem, rng), problem, trials, rng)

    def block(self, problem: PublicDataProblem, width: int, rng: np.random.Generator) -> np.ndarray:
        """`width` trials side by side and nothing beyond them, shape (width, width of the class)."""
        return one_block(partial(self._run, problem, rng), problem, width, rng)

    def _run(self, problem: PublicDataProblem, rng: np.random.Generator, width: int, rows: int) -> np.ndarray:
        """The first `rows` of a block of `width` trials."""
        p, scale = identified(problem), self.scale(problem)
        if self.arithmetic == "exact":
            discrete_weights(p, self._law, scale)
        return weighted_minimisers(p, self._law, scale, rng, width, rows)


def identified(problem: PublicDataProblem) -> PublicDataProblem:
    """The problem itself, where its public points identify its class."""
    p = classification(problem)
    if not identifies(p.hypotheses, p.public):
        must_be = "a universal identification set of the class: points on which all its functions differ"
        raise validation.invalid("public", must_be, p.public)
    return p
