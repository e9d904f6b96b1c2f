"""Algorithm 3: the empirical risk plus η‖f‖²_m is minimised once, and the minimiser released through Perturb."""

from __future__ import annotations

import math
import threading
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import sample
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms._blocks import in_blocks, one_block
from dpbench.papers.publicdata.algorithms._release import release
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.algorithms.exact_perturb import exact_profile, exact_scale, exact_values
from dpbench.papers.publicdata.algorithms.oracles import joint, nearest, on_public, public_values
from dpbench.papers.publicdata.algorithms.perturb import INEXACT, NOISES, perturb_profile, standard_noise
from dpbench.papers.publicdata.complexity import uncounted
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.losses import CONVEX, LIPSCHITZ
from dpbench.papers.publicdata.objective import is_exact
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem, records_apart
from dpbench.privacy.add_remove import MEANS, NEIGHBOURS, as_add_remove, check_fixed, record_counts
from dpbench.privacy.arithmetic import ARITHMETICS
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
class RegularizedPerturbation:
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

    epsilon: float
    delta: float = 0.0
    _: KW_ONLY
    noise: str = "gaussian"
    normalization: str = "mean"
    regularization: float | None = None
    calibration: str = "exact"
    noise_scale: float | None = None
    arithmetic: str = "float"

    sample = sample
    release = release

    def __post_init__(self) -> None:
        put = object.__setattr__  # as floats, so that equal mechanisms have equal seeds
        validation.choice("noise", self.noise, NOISES)
        put(self, "epsilon", validation.epsilon(self.epsilon))
        put(self, "delta", validation.delta(self.delta, positive=self.noise == "gaussian"))
        validation.choice("normalization", self.normalization, ("mean", "sum"))
        validation.choice("calibration", self.calibration, ("exact", "printed"))
        if self.regularization is not None:
            put(self, "regularization", validation.real("regularization", self.regularization, above=0.0, size=True))
        if self.noise_scale is not None:
            put(self, "noise_scale", validation.real("noise_scale", self.noise_scale, at_least=0.0, size=True))
        validation.choice("arithmetic", self.arithmetic, ARITHMETICS)
        if self.arithmetic == "exact" and self.noise_scale == 0.0:
            raise validation.invalid("noise_scale", "above 0 where arithmetic is 'exact'", self.noise_scale)

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

        "add-remove", where `regularization` is given: each side's gap is that of its own number of records.
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
            return exact_scale(p.m, self.stability(p), width(p), self.epsilon, self.delta, self.noise)
        if self.calibration == "exact":
            return theory.perturb_scale(p.m, self.stability(p), self.epsilon, self.delta, self.noise)
        rho = theory.regularized_stability_printed(p.n, self.eta(p))
        return theory.perturb_scale_printed(p.m, rho, self.epsilon, 0.5 * self.delta, self.noise)

    def guarantee(self, problem: PublicDataProblem, *, neighbours: str = "replace") -> Profile:
        """Upper profile over all neighbours, from the noise in use; void for an inexact oracle.

        "add-remove": where regularization and noise_scale are given: objectives over n and n + 1 records differ by
        what a replaced record changes among n, at most. The grid of exact arithmetic is γ's, whatever n is.
        """
        validation.choice("neighbours", neighbours, NEIGHBOURS)
        if neighbours == "add-remove":
            check_fixed(self, ("regularization", "noise_scale"))
        p, rho = public_data_problem(problem), self.stability(problem, neighbours=neighbours)
        gamma = self.gamma(p)
        if self.arithmetic == "exact":
            profile = exact_profile(p, rho, gamma, self.noise, width(p))
        else:
            profile = perturb_profile(p, rho, gamma, self.noise)
        return profile if neighbours == "replace" else as_add_remove(profile, MEANS)

    def pair_profile(self, problem: PublicDataProblem, neighbour: PublicDataProblem) -> Profile:
        """Profile of one pair, from the two computed f̄: exact for constants under Gaussian noise, else upper.

        For constants the output is the mean of m Gaussians, cut to [−1, 1]; else it is a function of noise on Z. For
        exact arithmetic it is the guarantee.
        """
        records_apart(problem, neighbour)
        if not is_exact(problem.hypotheses):
            return no_privacy(INEXACT)
        if self.arithmetic == "exact":
            return self.guarantee(problem)
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

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `trials` outputs, shape (trials, width): a draw of m variables and one oracle call on Z each."""
        return in_blocks(partial(self._run, problem, rng), problem, trials, rng)

    def block(self, problem: PublicDataProblem, width: int, rng: np.random.Generator) -> np.ndarray:
        """`width` trials side by side and nothing beyond them, shape (width, width of the class)."""
        return one_block(partial(self._run, problem, rng), problem, width, rng)

    def _run(self, problem: PublicDataProblem, rng: np.random.Generator, width: int, rows: int) -> np.ndarray:
        """The first `rows` of a block of `width` trials."""
        gamma = self.gamma(problem)
        if self.arithmetic == "exact":
            return nearest(problem, exact_values(self.centre(problem), gamma, self.noise, rng, width)[:rows])
        zeta = standard_noise(self.noise, rng, (width, problem.m))[:rows]
        return nearest(problem, self.centre(problem) + gamma * zeta)


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
        found = known.get(key)
    if found is None:
        found = problem.hypotheses, *_minimised(problem, weight, quadratic, tau)
        with _lock:
            known[key] = found
    return found[1:]


def _minimised(problem: PublicDataProblem, weight: float, quadratic: float, tau: float) -> tuple[np.ndarray, float]:
    with one_blas_thread():
        oracle = joint(problem)
        objective = oracle.objective(problem.loss, weight, quadratic)
        certified = getattr(oracle.prepared, "certified", None)
        if certified is None:
            made, gap = oracle.prepared.erm(objective), 0.0
        else:
            rows, gaps = certified(objective, objective.linear[None, :], tau)
            made, gap = rows[0], float(gaps[0])
            if not gap <= tau:
                raise ArithmeticError(f"the oracle must end within {tau:g} of the least value, got {gap:g}")
    made.flags.writeable = False
    return made, gap
