"""Algorithm 3: the empirical risk plus η‖f‖²_m is minimised once, and the minimiser released through Perturb."""

from __future__ import annotations

import math
import threading
from dataclasses import KW_ONLY, dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.algorithms.function_mechanism import FunctionMechanism, Normalization
from dpbench.papers.publicdata.algorithms.oracles import joint, nearest, on_public, public_values
from dpbench.papers.publicdata.algorithms.perturb import INEXACT, perturb_profile, standard_noise
from dpbench.papers.publicdata.complexity import uncounted
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.losses import CONVEX, LIPSCHITZ
from dpbench.papers.publicdata.objective import is_exact
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem
from dpbench.privacy.add_remove import MEANS, as_add_remove, record_counts
from dpbench.privacy.mechanism import Arithmetic, Calibration, Delta, Epsilon, Noise, NoiseScale, Size
from dpbench.privacy.one_shot import scale_for, step_noise
from dpbench.privacy.profile import Profile, no_privacy, pure_profile, shifted_gaussian

_minimisers: WeakKeyDictionary[PublicDataProblem, dict[Any, tuple[Any, np.ndarray, float]]] = WeakKeyDictionary()
_lock = threading.Lock()
GAP = 2e-9
"""τ: the gap of f̄ in units of 1 + η, which the oracle meets for any records or gives no f̄.

2√(τ/η) is paid for in noise beside 1/√(ηn): up to n = 10,000 that is 0.9% of it for η ≤ 1.
"""

_ROUNDING = 32.0 * 2.0**-53
"""Of the objective and of its certificate, for each term of their sums, in the same units."""


@dataclass(frozen=True)
class RegularizedPerturbation(FunctionMechanism):
    """f̄ = argmin over F of L_D(f) + η‖f‖²_m; the output is Perturb(f̄): nearest on Z to f̄ + γζ.

    Made for a convex class and a convex loss. On others it runs, and the stability that noise and guarantee rest
    on is the trivial ‖f̄ − f̄'‖_m ≤ 2.

    Parameters
    ----------
    epsilon : float
    delta : float
        The (ε, δ) that γ is calibrated to. δ in (0, 1) for Gaussian noise; Laplace noise is ε-DP whatever δ is.
    noise : {"gaussian", "laplace"}
        The law of ζ: N(0, 1) or Laplace of scale 1.
    normalization : {"mean", "sum"}
        L_D: the mean of the losses, which all proofs use, or their sum, which equation 8 prints. With the sum, η
        does the work of η/n only and f̄ is stable for η ≥ 1/4 alone.
    regularization : float, optional
        η; default `theory.regularization`.
    calibration : {"exact", "printed"}
        "exact": γ from the proven ρ (`stability`) and the exact shift. "printed": γ from (104) or (105).
    noise_scale : float, optional
        γ itself, in place of either; 0 gives f̄ where F is convex.
    arithmetic : {"float", "exact"}
        "exact": f̄(Z) is rounded to a grid and the noise is that of `privacy.integer_noise`; the output is a function
        of their integer sum, whatever floating point does with it. Needs γ > 0.

    Notes
    -----
    Two oracle calls: one for f̄ a problem (its values on Z are kept), one a trial. A trial takes O(m) memory. Rows
    are the parametrisation of the class.
    """

    epsilon: Epsilon
    delta: Delta = 0.0
    _: KW_ONLY
    noise: Noise = "gaussian"
    normalization: Normalization = "mean"
    regularization: Size | None = None
    calibration: Calibration = "exact"
    noise_scale: NoiseScale | None = None
    arithmetic: Arithmetic = "float"

    fixed = ("regularization", "noise_scale")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_noise(self)

    def eta(self, problem: PublicDataProblem) -> float:
        """η in use, beside the loss of the normalisation in use."""
        p = public_data_problem(problem)
        if self.regularization is not None:
            return self.regularization
        delta = self.delta if self.noise == "gaussian" else 0.0
        eta = theory.regularization(p.n, width(p), LIPSCHITZ.get(p.loss, 1.0), p.smoothness, self.epsilon, delta)
        return eta if self.normalization == "mean" else eta * p.n

    def stability(self, problem: PublicDataProblem, *, neighbours: str = "replace") -> float:
        """ρ: ‖f̄ − f̄'‖_m is at most this for all neighbours, as proved for the normalisation in use.

        "add_remove", where `regularization` is given: each side's gap is that of its own number of records.
        """
        p = public_data_problem(problem)
        if p.loss not in CONVEX or not getattr(p.hypotheses, "convex", False):
            return theory.DIAMETER
        eta = self._mean_eta(p, p.n)
        gap = max(
            allowed_gap(p, of_mean) * eta / of_mean
            for of_mean in (self._mean_eta(p, n) for n in record_counts(p.n, neighbours))
        )
        return theory.regularized_stability(p.n, eta, gap)

    def _mean_eta(self, problem: PublicDataProblem, n: int) -> float:
        """η beside the mean of n losses."""
        return self.eta(problem) / (1.0 if self.normalization == "mean" else n)

    def gamma(self, problem: PublicDataProblem) -> float:
        """γ, the scale of the noise in use."""
        p = public_data_problem(problem)
        if self.noise_scale is not None:
            return self.noise_scale
        if self.calibration == "exact" and self.arithmetic == "exact":
            moved = _moved(self.noise, p.m, self.stability(p) + 2.0 * prediction_error(width(p)))
            return scale_for(self.noise, moved, p.m, self.epsilon, self.delta)
        if self.calibration == "exact":
            return theory.perturb_scale(p.m, self.stability(p), self.epsilon, self.delta, self.noise)
        rho = theory.regularized_stability_printed(p.n, self.eta(p))
        return theory.perturb_scale_printed(p.m, rho, self.epsilon, 0.5 * self.delta, self.noise)

    def _guarantee(self, problem: PublicDataProblem) -> Profile:
        """Void for an inexact oracle."""
        return self._profile(problem, "replace")

    def _add_remove(self, problem: PublicDataProblem) -> Profile:
        """Objectives over n and n + 1 records differ by what a replaced record changes among n, at most. The grid of
        exact arithmetic is γ's, whatever n is."""
        return as_add_remove(self._profile(problem, "add_remove"), MEANS)

    def _profile(self, p: PublicDataProblem, neighbours: str) -> Profile:
        rho, gamma = self.stability(p, neighbours=neighbours), self.gamma(p)
        if self.arithmetic == "float" or not is_exact(p.hypotheses):
            return perturb_profile(p, rho, gamma, self.noise)
        moved = _moved(self.noise, p.m, rho + 2.0 * prediction_error(width(p))) * (1.0 + 1e-12)
        why = "a function of noise on f(Z), whose centre moves by sqrt(m) rho in l2 and m rho in l1"
        return step_noise(self.noise, gamma).profile(moved, p.m, why)

    def pair_profile(self, problem: PublicDataProblem, neighbour: PublicDataProblem) -> Profile:
        """Profile of one pair, from the two computed f̄: exact for constants under Gaussian noise, else upper.

        For constants the output is the mean of m Gaussians, cut to [−1, 1]; else it is a function of noise on Z. For
        exact arithmetic it is the guarantee.
        """
        self.checked(problem).records_apart(neighbour)
        if not is_exact(problem.hypotheses):
            return no_privacy(INEXACT)
        if self.arithmetic == "exact":
            return super().pair_profile(problem, neighbour)
        gamma = self.gamma(problem)
        if isinstance(uncounted(problem.hypotheses), Constants) and self.noise == "gaussian" and gamma > 0.0:
            free = float(np.count_nonzero(problem.hypotheses.predict([[0.0]], problem.public) == 0.0))
            if free > 0.0:
                first, second = (float(self.minimiser(p)[0]) for p in (problem, neighbour))
                return clipped_gaussians(first, second, gamma / math.sqrt(free))
        moved = self.centre(problem) - self.centre(neighbour)
        why = "a function of noise on f(Z) around the two computed minimisers"
        if self.noise == "gaussian":
            return shifted_gaussian(float(np.linalg.norm(moved)), gamma, kind="upper", why=why)
        shift = float(np.abs(moved).sum())
        if gamma == 0.0 and shift > 0.0:
            return no_privacy("no noise is added")
        return pure_profile(shift / gamma if shift > 0.0 else 0.0, why=why)

    def minimiser(self, problem: PublicDataProblem) -> np.ndarray:
        """f̄ as parameters, shape (width,), read-only. One oracle call, kept with the problem.

        It always answers: nothing that depends on the records is refused. An oracle of ours meets the gap that
        `stability` counts (`allowed_gap`) for any records; where floating point does not, it goes on in exact
        arithmetic, which takes seconds for hundreds of different records.
        """
        return self._solved(problem)[0]

    def diagnose(self, problem: PublicDataProblem) -> dict[str, float]:
        """Diagnostics of the oracle: they depend on the data, are not private, and are in no release.

        Returns
        -------
        dict
            "gap": a bound on the excess of f̄ over the least objective, where the oracle gives one, else 0; the loss is
            a mean;
            "allowed": the gap that `stability` counts.
        """
        p = public_data_problem(problem)
        share = 1.0 if self.normalization == "mean" else 1.0 / p.n
        return {"gap": self._solved(p)[1] * share, "allowed": allowed_gap(p, self.eta(p) * share)}

    def _solved(self, problem: PublicDataProblem) -> tuple[np.ndarray, float]:
        p = public_data_problem(problem)
        per_record = 1.0 / p.n if self.normalization == "mean" else 1.0
        return _minimiser(p, per_record, self.eta(p) / p.m, GAP * (per_record * p.n + self.eta(p)))

    def centre(self, problem: PublicDataProblem) -> np.ndarray:
        """f̄(Z_1), …, f̄(Z_m)."""
        return np.asarray(public_values(problem, self.minimiser(problem)[None, :])[0])

    def _draw(self, problem: PublicDataProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        centre, gamma = self.centre(problem), self.gamma(problem)
        if self.arithmetic == "exact":
            return nearest(problem, step_noise(self.noise, gamma).around(centre, 1.0, rng, width)[:rows])
        return nearest(problem, centre + gamma * standard_noise(self.noise, rng, (width, problem.m))[:rows])


def check_noise(mechanism: Any) -> None:
    """Refuse Gaussian noise for δ = 0, and no noise in exact arithmetic."""
    validation.delta(mechanism.delta, positive=mechanism.noise == "gaussian")
    if mechanism.arithmetic == "exact" and mechanism.noise_scale == 0.0:
        raise validation.invalid("noise_scale", "above 0 where arithmetic is 'exact'", mechanism.noise_scale)


def _moved(noise: str, m: int, rho: float) -> float:
    """How far f̄(Z) moves at most for ‖f̄ − f̄'‖_m ≤ ρ: in ℓ2 for Gaussian noise, in ℓ1 for Laplace noise."""
    return (math.sqrt(m) if noise == "gaussian" else m) * rho


def prediction_error(width: int) -> float:
    """e: what a sum of `width` products, of absolute values that add up to at most √width, loses to rounding."""
    return 4.0 * 2.0**-53 * (width + 2.0) * math.sqrt(width + 1.0)


def allowed_gap(problem: PublicDataProblem, eta: float) -> float:
    """What the objective, a mean of losses, may miss its minimum by: 0 for an oracle that is no iteration.

    What the oracle's certificate is held to, and what rounding can take from it.
    """
    if not hasattr(on_public(problem), "certified"):
        return 0.0
    return (GAP + _ROUNDING * (problem.n + problem.m + width(problem))) * (1.0 + eta)


def width(problem: PublicDataProblem) -> int:
    """Numbers that name one function of the class; 1 for a class that does not say."""
    return int(getattr(problem.hypotheses, "width", 1))


def _minimiser(problem: PublicDataProblem, weight: float, quadratic: float, tau: float) -> tuple[np.ndarray, float]:
    """A minimiser, and a bound on its excess over the least value, where the oracle gives one; else 0.

    Kept while the problem lives, so that its blocks of trials share it. Equal problems may hold one class twice, once
    with its calls counted: each class has minimisers of its own.
    """
    key = weight, quadratic, id(problem.hypotheses)
    with _lock:
        known = _minimisers.setdefault(problem, {})
        minimiser = known.get(key)
    if minimiser is None:
        minimiser = problem.hypotheses, *_minimised(problem, weight, quadratic, tau)
        with _lock:
            known[key] = minimiser
    return minimiser[1:]


def _minimised(problem: PublicDataProblem, weight: float, quadratic: float, tau: float) -> tuple[np.ndarray, float]:
    with one_blas_thread():
        oracle = joint(problem)
        objective = oracle.objective(problem.loss, weight, quadratic)
        certified = getattr(oracle.prepared, "certified", None)
        if certified is None:
            minimiser, gap = oracle.prepared.erm(objective), 0.0
        else:
            rows, gaps = certified(objective, objective.linear[None, :], tau)
            minimiser, gap = rows[0], float(gaps[0])
            if not gap <= tau:
                raise ArithmeticError(f"the oracle must end within {tau:g} of the least value, got {gap:g}")
    minimiser.flags.writeable = False
    return minimiser, gap
