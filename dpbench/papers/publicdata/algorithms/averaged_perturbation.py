"""Algorithm 2: J minimisers of the empirical risk plus a Gaussian process, averaged, released through Perturb."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from functools import partial

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import block_width
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.function_mechanism import FunctionMechanism, Normalization
from dpbench.papers.publicdata.algorithms.oracles import joint, nearest, public_values
from dpbench.papers.publicdata.algorithms.perturb import INEXACT
from dpbench.papers.publicdata.complexity import gaussian_complexity
from dpbench.papers.publicdata.losses import LIPSCHITZ
from dpbench.papers.publicdata.objective import is_exact, minimum_norm
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem
from dpbench.privacy import gaussian
from dpbench.privacy.mechanism import Calibration, Count, Epsilon, FloatArithmetic, NoiseScale, PositiveDelta, Size
from dpbench.privacy.profile import Profile, gaussian_profile, no_privacy

_ENTRIES = 2**18  # normal draws held at once: several of the J calls go to the oracle together
_DRAWS = 2**14  # normal draws of a block's J calls, where it has more than eight trials: those not asked for are waste


def bounded_away(problem: PublicDataProblem) -> PublicDataProblem:
    """The problem itself, where no function of its class has norm 0 on the public points."""
    p = public_data_problem(problem)
    if not minimum_norm(p.hypotheses, p.public) > 0.0:
        must_be = (
            "a class with inf ||f||_m > 0 on the public points for Algorithm 2 "
            "(dpbench.papers.publicdata.algorithms.anchored.with_anchor adds the point z* where all f are 1)"
        )
        raise validation.invalid("hypotheses", must_be, p.hypotheses)
    return p


@dataclass(frozen=True)
class AveragedPerturbation(FunctionMechanism):
    """f̄ = (1/J)·Σ_j argmin over F of L_D(f) + η·ω_m^{(j)}(f); the output is Perturb(f̄) with Gaussian noise.

    Parameters
    ----------
    epsilon, delta : float
        The (ε, δ) that γ is calibrated to, δ in (0, 1).
    calls : int
        J, oracle calls a trial.
    normalization : {"mean", "sum"}
        L_D: the mean of the losses, which all proofs use, or their sum, which equation 6 prints. With the sum, η
        does the work of η/n only.
    perturbation : float, optional
        η; default `theory.perturbation`.
    calibration : {"exact", "printed"}
        "exact": γ from `stability` at half of δ, and the exact shift at the other half. "printed": γ from (102).
    noise_scale : float, optional
        γ itself, in place of either.
    arithmetic : "float"
        "exact" is refused: it is for mechanisms of one call.

    Notes
    -----
    Refuses a class with functions of norm 0 on the public points (a linear ball without the paper's point z*):
    Theorem 2 and (102) are for inf ‖f‖_m > 0. The stability proved in `theory.one_call_stability`, on which the
    guarantee rests, does not need it.

    f̄ is not in F unless F is convex, so f̂ may be far from it: see Theorem 6 in the ledger. J + 1 oracle calls a
    trial; O(m) memory a trial, O(n + m) a problem.
    """

    epsilon: Epsilon
    delta: PositiveDelta
    _: KW_ONLY
    calls: Count = 64
    normalization: Normalization = "mean"
    perturbation: Size | None = None
    calibration: Calibration = "exact"
    noise_scale: NoiseScale | None = None
    arithmetic: FloatArithmetic = "float"

    checked = staticmethod(bounded_away)
    fixed = ("perturbation", "noise_scale")

    def eta(self, problem: PublicDataProblem) -> float:
        """η in use, beside the loss of the normalisation in use."""
        p = bounded_away(problem)
        if self.perturbation is not None:
            return self.perturbation
        size = gaussian_complexity(p.hypotheses, p.public)
        eta = theory.perturbation(p.n, size, LIPSCHITZ.get(p.loss, 1.0), p.smoothness, self.epsilon, self.delta)
        return eta if self.normalization == "mean" else eta * p.n

    def stability(self, problem: PublicDataProblem) -> float:
        """ρ: ‖f̄ − f̄'‖_m exceeds it with probability at most δ/2 for any neighbours under common ω, as proved.

        Where `perturbation` is given, for a record added or removed too: objectives over n and n + 1 records differ by
        1/n at most. The oracle's minimiser is taken to be exact.
        """
        p = bounded_away(problem)
        eta = self.eta(p) / (1.0 if self.normalization == "mean" else p.n)
        size = gaussian_complexity(p.hypotheses, p.public)
        return theory.averaged_stability(p.n, eta, size, self.calls, 0.5 * self.delta)

    def gamma(self, problem: PublicDataProblem) -> float:
        """γ, the scale of the noise in use."""
        p = bounded_away(problem)
        if self.noise_scale is not None:
            return self.noise_scale
        if self.calibration == "exact":
            return theory.perturb_scale(p.m, self.stability(p), self.epsilon, 0.5 * self.delta, "gaussian")
        size = gaussian_complexity(p.hypotheses, p.public)
        rho = theory.lemma10_stability_printed(p.n, self.eta(p), size, self.calls, self.delta)
        return theory.perturb_scale_printed(p.m, rho, self.epsilon, 0.5 * self.delta, "gaussian")

    def _guarantee(self, problem: PublicDataProblem) -> Profile:
        """Void for an inexact oracle.

        Given ω, the output is a function of Gaussian noise whose centre moves by at most √m·ρ, but for ω of
        probability δ/2: δ(ε) is at most δ/2 plus that of the shift, whatever ε is. At ρ = 2 no ω is left out.
        "add_remove": the same, for ω does not depend on n.
        """
        p = problem
        if not is_exact(p.hypotheses):
            return no_privacy(INEXACT)
        gamma, rho = self.gamma(p), self.stability(p)
        if rho == 0.0:
            return gaussian_profile(0.0, kind="upper", why="all functions of the class agree on the public points")
        if gamma == 0.0:
            return no_privacy("no noise is added")
        left_out = 0.0 if rho == theory.DIAMETER else 0.5 * self.delta
        why = "Gaussian noise on f(Z), whose centre moves by at most sqrt(m) rho save with probability delta/2"
        shift = math.sqrt(p.m) * rho
        delta = partial(_delta, mu=shift / gamma, left_out=left_out)
        return Profile("upper", why, delta, law=("lost", left_out, ("gaussian", shift, gamma)))

    def centres(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """f̄(Z_1), …, f̄(Z_m) of `trials` runs, shape (trials, m): the same ω for the same generator."""
        p = bounded_away(problem)
        width = self._width(p, trials)
        return np.concatenate([self._centres(p, rng, width, min(width, trials - at)) for at in range(0, trials, width)])

    def _width(self, problem: PublicDataProblem, trials: int) -> int:
        return min(block_width(problem), 8 * max(1, _DRAWS // (8 * self.calls * problem.m)))

    def _centres(self, problem: PublicDataProblem, rng: np.random.Generator, width: int, rows: int) -> np.ndarray:
        oracle = joint(problem)
        objective = oracle.objective(problem.loss, 1.0 / problem.n if self.normalization == "mean" else 1.0)
        share = self.eta(problem) / math.sqrt(problem.m)
        total = np.zeros((rows, problem.m))
        together = max(1, _ENTRIES // (width * problem.m))
        for at in range(0, self.calls, together):
            count = min(together, self.calls - at)
            xi = rng.standard_normal((count, width, problem.m))[:, :rows]
            minimisers = oracle.erm_many(objective, share * xi.reshape(count * rows, problem.m))
            total += public_values(problem, minimisers).reshape(count, rows, problem.m).sum(axis=0)
        return total / self.calls

    def _draw(self, problem: PublicDataProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        gamma = self.gamma(problem)
        zeta = rng.standard_normal((width, problem.m))[:rows]
        return nearest(problem, self._centres(problem, rng, width, rows) + gamma * zeta)


def _delta(epsilon: float, mu: float, left_out: float) -> float:
    return min(1.0, left_out + gaussian.delta(epsilon, mu) * (1.0 + gaussian.ROUNDING))
