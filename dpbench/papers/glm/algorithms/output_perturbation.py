"""Regularised output perturbation: Algorithm 3 of the GLM paper (Theorem 3 smooth, Theorem 5 Lipschitz)."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial
from typing import Annotated

import numpy as np

from dpbench.convex.solver import certificate_rounding
from dpbench.core import validation
from dpbench.core.sampling import block_width
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms.centres import minimiser_of
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.privacy import gaussian
from dpbench.privacy.add_remove import MEANS, as_add_remove
from dpbench.privacy.mechanism import (
    Arithmetic,
    BySingleTrials,
    Calibration,
    Epsilon,
    Flag,
    NoiseScale,
    PositiveDelta,
    Size,
    number_of,
)
from dpbench.privacy.one_shot import scale_for, step_noise
from dpbench.privacy.profile import Profile, shifted_gaussian

_MOVED = "Gaussian noise on a centre that one record moves by at most D/(lambda n) + 2 tau"
_UP = 1.0 + 1e-14  # so that sensitivity/σ, as a float, does not come out above μ(ε, δ)
_mu = lru_cache(maxsize=4096)(gaussian.mu)  # asked for in every block of trials


@dataclass(frozen=True)
class OutputPerturbation(BySingleTrials):
    """w̃ = argmin over ‖w‖ ≤ B of L̂(w) + (λ/2)‖w‖²; the output is w̃ + N(0, σ²I).

    Parameters
    ----------
    epsilon, delta : float
        The (ε, δ) that λ and σ are calibrated to, δ in (0, 1).
    regularization : float, optional
        λ; default the one of the theorem in use.
    theorem : {None, 3, 5}
        Whose λ and printed σ: 3 for smooth non-negative losses, 5 for Lipschitz losses. By default 5
        where the loss is Lipschitz (absolute, Huber, logistic, linear), else 3 (squared, half-squared,
        capped-linear).
    calibration : {"exact", "printed"}
        "printed": σ² = 4G²‖X‖²L/(λnε)² (Theorem 5), C(‖Y‖² + H²B²‖X‖⁴)L/(λnε)² (Theorem 3), L = log(1/δ).
        "exact": σ = s/μ(ε, δ), s the proven sensitivity (`sensitivity`).
    tolerance : float
        τ as a fraction of D/(λn): the distance from w̃ within which the solver must prove its point to
        lie. Fixed before the data are seen; 2τ is part of the sensitivity.
    noise_constant : float
        C, which Theorem 3 leaves in O(·); default the 4 that Theorem 5 prints.
    noise_scale : float, optional
        σ itself, in place of either calibration; 0 gives the regularised minimiser.
    constrained : bool
        False: the minimum over R^d, the variant of Jain & Thakurta 2014, for Lipschitz losses only.
    arithmetic : {"float", "exact"}
        "exact": the computed centre is rounded to a grid of σ/2²⁸ or finer, which moves the two centres of neighbours
        apart by √d steps at most, and the noise is that of `privacy.integer_noise`: the guarantee is of the numbers
        that come out.

    Notes
    -----
    λ, σ and τ depend on the declared bounds, n, d, ε and δ alone. Centres are cached by problem and parameters,
    so that any number of trials costs one solve, and O(d) each. Whether there is an answer depends on the declared
    bounds alone: bounds for which the certificate's rounding might exceed τ/2 are refused, whatever the records are,
    and so are those that would need a κ above B‖X‖ (with the default tolerance from about 5 million records on).

    The absolute loss has corners, at which no gradient certifies a point. It is smoothed: w̃ minimises the mean of
    φ_κ(r) = r²/(2κ) up to κ, |r| − κ/2 beyond, with a κ that the declared bounds fix (`smoothing`). A record's
    gradients are no longer than those of |r|, so D/(λn) stands; the empirical risk of w̃ is at most κ/2 higher.
    """

    epsilon: Epsilon
    delta: PositiveDelta
    _: KW_ONLY
    regularization: Size | None = None
    theorem: Annotated[int, partial(number_of, options=(3, 5))] | None = None
    calibration: Calibration = "exact"
    tolerance: Size = 1e-5
    noise_constant: Size = 4.0
    noise_scale: NoiseScale | None = None
    constrained: Flag = True
    arithmetic: Arithmetic = "float"

    checked = staticmethod(glm_problem)
    fixed = ("regularization", "noise_scale")

    def theorem_in_use(self, problem: GLMProblem) -> int:
        """3 or 5; refuses a theorem whose conditions the loss does not meet."""
        loss = glm_problem(problem).loss
        lipschitz = math.isfinite(loss.lipschitz_over(problem.y_bound))
        if not self.constrained and not lipschitz:
            raise validation.invalid("loss", "Lipschitz where constrained is False", loss.name)
        chosen = (5 if lipschitz else 3) if self.theorem is None else self.theorem
        if chosen == 5 and not lipschitz:
            raise validation.invalid("loss", "Lipschitz for Theorem 5", loss.name)
        if chosen == 3 and not loss.smooth_nonnegative:
            raise validation.invalid("loss", "smooth and non-negative for Theorem 3", loss.name)
        if not math.isfinite(loss.smoothness) and loss.smoothing is None:
            raise validation.invalid("loss", "smooth, or one with a smoothing", loss.name)
        return chosen

    def lam(self, problem: GLMProblem) -> float:
        """λ in use: `regularization`, or the theorem's."""
        theorem = self.theorem_in_use(problem)
        if self.regularization is not None:
            return self.regularization
        p = problem
        if theorem == 5:
            return theory.lipschitz_erm_regularization(
                p.loss.lipschitz_over(p.y_bound), p.x_bound, p.radius, p.n, self.epsilon, self.delta
            )
        y = math.sqrt(p.loss.at_zero(p.y_bound))
        return theory.smooth_erm_regularization(
            p.loss.smoothness, p.x_bound, y, p.radius, p.n, self.epsilon, self.delta
        )

    def tau(self, problem: GLMProblem) -> float:
        """τ: the solver's point is certified to be within this distance of w̃."""
        return self.tolerance * self._one_record(problem)

    def sensitivity(self, problem: GLMProblem) -> float:
        """Most that one record can move the computed centre: D/(λn) + 2τ, and never more than the ball's 2B.

        D is the largest difference of two records' gradients at one w (`gradient_gap`). If w̃ and w̃' minimise
        F = L̂ + (λ/2)‖w‖² and F' = F + (ℓ' − ℓ)/n, strong convexity of F' gives λ‖w̃ − w̃'‖² ≤
        ⟨∇ℓ'(w̃) − ∇ℓ(w̃), w̃ − w̃'⟩/n ≤ (D/n)‖w̃ − w̃'‖.
        """
        shift = self._one_record(problem) + 2.0 * self.tau(problem)
        return min(shift, 2.0 * problem.radius) if self.constrained else shift

    def sigma(self, problem: GLMProblem) -> float:
        """σ, the standard deviation of each coordinate of the noise in use."""
        if self.noise_scale is not None:
            return self.noise_scale
        p, lam = problem, self.lam(problem)
        if self.calibration == "exact" and self.arithmetic == "exact":
            return scale_for("gaussian", self.sensitivity(p), p.d, self.epsilon, self.delta)
        if self.calibration == "exact":
            return _UP * self.sensitivity(p) / _mu(self.epsilon, self.delta)
        if self.theorem_in_use(p) == 5:
            bound = p.loss.lipschitz_over(p.y_bound)
            return theory.lipschitz_erm_noise(bound, p.x_bound, p.n, self.epsilon, self.delta, lam)
        y = math.sqrt(p.loss.at_zero(p.y_bound))
        return theory.smooth_erm_noise(
            p.loss.smoothness, p.x_bound, y, p.radius, p.n, self.epsilon, self.delta, lam,
            constant=self.noise_constant,
        )  # fmt: skip

    def _guarantee(self, problem: GLMProblem) -> Profile:
        """μ = `sensitivity`/σ."""
        return self._profile(problem, self.sensitivity(problem), "upper", _MOVED)

    def _add_remove(self, problem: GLMProblem) -> Profile:
        """For losses that are not smoothed (κ depends on n).

        The proof is that of `sensitivity`, with ∇ℓ' − ∇ℓ over n replaced by a difference of means; the one of n − 1
        records has a larger τ.
        """
        if not math.isfinite(problem.loss.smoothness):
            must = "'replace' for a loss with a corner: n sets its smoothing"
            raise validation.invalid("neighbours", must, "add_remove")
        fewer = self.tau(problem) * problem.n / max(problem.n - 1, 1)
        moved = self._one_record(problem) + self.tau(problem) + fewer
        moved = min(moved, 2.0 * problem.radius) if self.constrained else moved
        return as_add_remove(self._profile(problem, moved, "upper", _MOVED), MEANS)

    def _profile(self, problem: GLMProblem, moved: float, kind: str, why: str) -> Profile:
        """Of two centres `moved` apart before they are rounded."""
        sigma = self.sigma(problem)
        if self.arithmetic == "float" or sigma == 0.0:
            return shifted_gaussian(moved, sigma, kind=kind, why=why)
        return step_noise("gaussian", sigma).profile(moved, problem.d, why)

    def pair_profile(self, problem: GLMProblem, neighbour: GLMProblem) -> Profile:
        """The exact profile of any pair: two Gaussians of one σ, centred at the two computed centres.

        For exact arithmetic an upper profile, above it by what the grid adds.
        """
        problem.records_apart(neighbour)
        distance = float(np.linalg.norm(self.centre(problem) - self.centre(neighbour)))
        why = "two Gaussians with one covariance, around the two computed centres"
        return self._profile(problem, distance, "exact", why)

    def centre(self, problem: GLMProblem) -> np.ndarray:
        """The computed w̃, shape (d,), read-only; certified to be within τ of the exact minimiser.

        Raises
        ------
        InvalidInput
            For declared bounds whose certificate's rounding may exceed τ/2: for each data set within them, or none.
        """
        return minimiser_of(self, problem).w

    def diagnose(self, problem: GLMProblem) -> dict[str, float]:
        """What the solver met: it depends on the data, is not private, and is in no release.

        Returns
        -------
        dict
            "distance": the certified distance of the computed centre from w̃, and "tau", which it is to meet.
        """
        return {"distance": minimiser_of(self, problem).distance, "tau": self.tau(problem)}

    def smoothing(self, problem: GLMProblem) -> float:
        """κ of a loss with a corner, else 0: 1e-6·B‖X‖, or what holds the certificate's rounding under τ/4."""
        if math.isfinite(problem.loss.smoothness):
            return 0.0
        p, lam, reach = problem, self.lam(problem), self._reach(problem)
        slope = p.loss.lipschitz_over(p.y_bound)
        flat = certificate_rounding(slope, 0.0, p.x_bound, p.n, lam, reach)
        bent = certificate_rounding(slope, 1.0, p.x_bound, p.n, lam, reach) - flat
        return max(1e-6 * p.x_bound * reach, bent / max(0.25 * self.tau(p) - flat, 1e-300))

    def _reach(self, problem: GLMProblem) -> float:
        """A bound on ‖w̃‖."""
        if self.constrained:
            return problem.radius
        return problem.loss.lipschitz_over(problem.y_bound) * problem.x_bound / self.lam(problem)

    def _check_certifiable(self, problem: GLMProblem) -> None:
        p, lam, tau, reach = problem, self.lam(problem), self.tau(problem), self._reach(problem)
        slope = p.loss.derivative_bound(p.x_bound * reach, p.y_bound)
        kappa, widest = self.smoothing(p), p.x_bound * reach  # beyond all predictions nothing of the loss is left
        curvature, share = (1.0 / min(kappa, widest), 0.25) if kappa > 0.0 else (p.loss.smoothness, 0.5)
        rounding = certificate_rounding(slope, curvature, p.x_bound, p.n, lam, reach)
        if kappa > widest or not rounding <= 0.5 * tau:
            least = rounding / (share * tau) * self.tolerance
            raise validation.invalid("tolerance", f"at least {least:.2g} for these bounds and n", self.tolerance)

    def _draw(self, problem: GLMProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        sigma = self.sigma(problem)
        if self.arithmetic == "exact" and sigma > 0.0:
            return step_noise("gaussian", sigma).around(self.centre(problem), self._reach(problem), rng, rows)
        outputs = rng.standard_normal((rows + -rows % block_width(problem), problem.d))  # whole blocks, ever
        outputs *= sigma
        outputs += self.centre(problem)
        return outputs[:rows]

    def _one_record(self, problem: GLMProblem) -> float:
        """D/(λn); the unconstrained minimiser has ‖w̃‖ ≤ G‖X‖/λ, for λw̃ is a mean of (sub)gradients."""
        p, lam = problem, self.lam(problem)
        return gradient_gap(p.loss, p.x_bound, p.y_bound, self._reach(p), p.d) / (lam * p.n)
