"""Algorithm 5, RSPM (Neel, Roth, Vietri & Wu 2019): RRSPM on points that tell all functions of the class apart."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.algorithms.function_mechanism import FunctionMechanism
from dpbench.papers.publicdata.algorithms.rrspm import HALF, laplace_scale, separator_profile
from dpbench.papers.publicdata.algorithms.separator import DISCRETE, classification, weighted_minimisers
from dpbench.papers.publicdata.complexity import identifies
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy.add_remove import as_add_remove
from dpbench.privacy.mechanism import Arithmetic, Calibration, Epsilon, NoiseScale
from dpbench.privacy.profile import Profile


def identified(problem: PublicDataProblem) -> PublicDataProblem:
    """The problem itself, where its public points identify its class."""
    p = classification(problem)
    if not identifies(p.hypotheses, p.public):
        must_be = "a universal identification set of the class: points on which all its functions differ"
        raise validation.invalid("public", must_be, p.public)
    return p


@dataclass(frozen=True)
class RSPM(FunctionMechanism):
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

    epsilon: Epsilon
    _: KW_ONLY
    calibration: Calibration = "exact"
    noise_scale: NoiseScale | None = None
    arithmetic: Arithmetic = "float"

    checked = staticmethod(identified)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arithmetic == "exact" and self.noise_scale == 0.0:
            raise validation.invalid("noise_scale", "above 0 where arithmetic is 'exact'", self.noise_scale)

    @property
    def _law(self) -> str:
        return DISCRETE[0] if self.arithmetic == "exact" else "laplace"

    def scale(self, problem: PublicDataProblem) -> float:
        """Scale of the weights in use."""
        m = identified(problem).m
        return laplace_scale(m, self.epsilon, self.arithmetic) if self.noise_scale is None else self.noise_scale

    def _guarantee(self, problem: PublicDataProblem) -> Profile:
        """2m/scale, half of it for "add_remove"; void for an inexact oracle."""
        return separator_profile(problem, self._law, self.scale(problem))

    def _add_remove(self, problem: PublicDataProblem) -> Profile:
        return as_add_remove(separator_profile(problem, self._law, self.scale(problem), 1.0), HALF)

    def _draw(self, problem: PublicDataProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        return weighted_minimisers(problem, self._law, self.scale(problem), rng, width, rows)
