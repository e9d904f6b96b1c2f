"""The JL method: Algorithm 2 of the GLM paper (Theorem 2 smooth, Theorem 10 Lipschitz)."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated

import numpy as np

from dpbench.core import validation
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms._jl_profiles import (
    drift_on_a_line,
    fixed_stretch_profile,
    line_profile,
    log_active,
    unclipped_profile,
)
from dpbench.papers.glm.algorithms.noisy_gd import all_iterates_profile, descend, exact_noise, printed_gradient_bound
from dpbench.papers.glm.algorithms.random_map import MAPS, RandomMap, by_columns
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.papers.glm.sensitivity import gradient_bound, gradient_gap
from dpbench.privacy.mechanism import (
    BySingleTrials,
    Calibration,
    Count,
    Epsilon,
    FloatArithmetic,
    NoiseScale,
    PositiveDelta,
    Size,
    number_of,
)
from dpbench.privacy.profile import Profile, no_privacy


@dataclass(frozen=True)
class JLMethod(BySingleTrials):
    """Φ random, w̃ = NoisyGD on the records (Φx_i, y_i) over the ball of radius 2B in R^k; the output is Φᵀw̃.

    Each trial has its own Φ. The output is not projected.

    Parameters
    ----------
    epsilon, delta : float
        The (ε, δ) that the noise is calibrated to, δ in (0, 1).
    dimension : int, optional
        k; by default the theorem's ("printed") or the one that balances its two terms ("exact"), at most d.
    map : {"gaussian", "rademacher", "sparse"}
        Independent entries of Φ: normal, ±1/√k, or ±√(3/k) with probability 1/6 each and else 0.
    theorem : {None, 2, 10}
        Whose parameters: 2 for smooth non-negative losses, 10 for Lipschitz losses. By default 2 where it
        applies, else 10 (absolute, linear).
    calibration : {"exact", "printed"}
        "printed": k, σ, η and T to the letter, ‖Φx_i‖ as it falls. "exact": Φx_i is clipped to norm
        (1 + α)‖X‖ and σ is the least with (D/n)√(T−1)/σ ≤ μ(ε, δ), D the largest difference of two records'
        gradients at that norm on the ball of radius 2B, so that privacy does not rest on what Φ does; η has σ√k
        and (1 + α)‖X‖ where the theorem has σ√d and ‖X‖.
    distortion : float, optional
        α of "exact"; default min(1, √(log(2n/δ)/k)), the α that goes with k = log(2n/δ)/α².
    steps : int, optional
        T; default n, but the n² of Theorem 10 where that is printed. (For "exact" n steps are enough there: the
        Rademacher complexity of the ball bounds the generalisation error, and no stability is needed.)
    step_size : float, optional
        η. It has no influence on the guarantee.
    dimension_constant : float
        The factor that the theorem leaves in k = O(·).
    noise_scale : float, optional
        σ itself, in place of either calibration.
    arithmetic : "float"
        "exact" is refused: it is for noise that is added once.

    Notes
    -----
    k, α, σ, η and T depend on the declared bounds, n, d, ε and δ alone.

    A trial costs O(k) for each stored entry of X, O(dk) for the lift, and the descent: O(nk² + k³ + Tk) for
    a quadratic loss, O(Tnk) for another. Beside the outputs, memory is O(nk) and one chunk of Φ.
    """

    epsilon: Epsilon
    delta: PositiveDelta
    _: KW_ONLY
    dimension: Count | None = None
    map: Annotated[str, partial(validation.choice, options=MAPS)] = "gaussian"
    theorem: Annotated[int, partial(number_of, options=(2, 10))] | None = None
    calibration: Calibration = "exact"
    distortion: Size | None = None
    steps: Count | None = None
    step_size: Size | None = None
    dimension_constant: Size = 1.0
    noise_scale: NoiseScale | None = None
    arithmetic: FloatArithmetic = "float"

    checked = staticmethod(glm_problem)
    fixed = ("dimension", "distortion", "steps", "step_size", "noise_scale")

    @property
    def _printed(self) -> bool:
        return self.calibration == "printed"

    def _add_remove(self, problem: GLMProblem) -> Profile:
        """Of clipped projections: a record added is compared with the mean of all others, which else has no bound."""
        if self._printed:
            raise validation.invalid("calibration", "'exact' where neighbours is 'add_remove'", self.calibration)
        return super()._add_remove(problem)

    def theorem_in_use(self, problem: GLMProblem) -> int:
        """2 or 10; refuses a theorem whose conditions the loss does not meet."""
        loss = glm_problem(problem).loss
        smooth = loss.smooth_nonnegative
        chosen = (2 if smooth else 10) if self.theorem is None else self.theorem
        if chosen == 2 and not smooth:
            raise validation.invalid("loss", "smooth and non-negative for Theorem 2", loss.name)
        if chosen == 10 and not math.isfinite(loss.lipschitz_over(problem.y_bound)):
            raise validation.invalid("loss", "Lipschitz for Theorem 10", loss.name)
        return chosen

    def number_of_steps(self, problem: GLMProblem) -> int:
        """T: w_1, …, w_T, so T − 1 noisy steps."""
        n = glm_problem(problem).n
        if self.steps is not None:
            return self.steps
        return n**2 if self._printed and self.theorem_in_use(problem) == 10 else n

    def projected_dimension(self, problem: GLMProblem) -> int:
        """k in use: `dimension`, or the theorem's, rounded up and at most d."""
        p, factor = glm_problem(problem), self.dimension_constant
        if self.dimension is not None:
            return self.dimension
        if self.theorem_in_use(p) == 10:
            k = theory.lipschitz_jl_dimension(p.n, self.epsilon, self.delta, factor)
            if not self._printed:
                k = factor * p.n * self.epsilon  # balances √k/(nε) and 1/√k
        else:
            shape = (p.loss.smoothness, p.x_bound, math.sqrt(p.loss.at_zero(p.y_bound)), p.radius, p.n, self.epsilon)
            k = theory.smooth_jl_balance(*shape, factor)
            if self._printed:
                k = theory.smooth_jl_dimension(*shape, self.delta, factor)
        return max(1, min(p.d, math.ceil(min(k, float(p.d)))))

    def norm_bound(self, problem: GLMProblem) -> float:
        """(1 + α)‖X‖, to which "exact" clips ‖Φx_i‖."""
        n, alpha = glm_problem(problem).n, self.distortion
        if alpha is None:
            k = self.projected_dimension(problem)
            alpha = min(1.0, math.sqrt(math.log(2.0 * n / self.delta) / k))
        return min((1.0 + alpha) * problem.x_bound, validation.LARGEST_SIZE)

    def prediction_bound(self, problem: GLMProblem) -> float:
        """2B(1 + α)‖X‖ ≥ |⟨w̃, Φx⟩| = |⟨Φᵀw̃, x⟩| where ‖Φx‖ ≤ (1 + α)‖X‖: the reach of an output's predictions."""
        return 2.0 * problem.radius * self.norm_bound(problem)

    def sigma(self, problem: GLMProblem) -> float:
        """σ, the standard deviation of each coordinate of ξ_t: the noise in use."""
        p, steps = problem, self.number_of_steps(problem)
        if self.noise_scale is not None:
            return self.noise_scale
        if not self._printed:
            return exact_noise(self._gap(p, self.norm_bound(p)), steps, p.n, self.epsilon, self.delta)
        if self.theorem_in_use(p) == 10:
            lipschitz = p.loss.lipschitz_over(p.y_bound)
            return theory.lipschitz_jl_noise(lipschitz, p.x_bound, steps, p.n, self.epsilon, self.delta)
        return theory.noisy_gd_noise(printed_gradient_bound(p), steps, p.n, self.epsilon, self.delta)

    def eta(self, problem: GLMProblem) -> float:
        """η in use: `step_size`, or the theorem's, with σ√k and (1 + α)‖X‖ for "exact"."""
        p, noise, steps = problem, self.sigma(problem), self.number_of_steps(problem)
        if self.step_size is not None:
            return self.step_size
        k, printed = self.projected_dimension(p), self._printed
        x_bound = p.x_bound if printed else self.norm_bound(p)
        if self.theorem_in_use(p) == 2:
            y = math.sqrt(p.loss.at_zero(p.y_bound))
            return theory.noisy_gd_step_size(
                p.radius, steps, p.loss.smoothness, x_bound, y, noise, p.d if printed else k
            )
        if printed:
            lipschitz = p.loss.lipschitz_over(p.y_bound)
            return theory.lipschitz_jl_step_size(lipschitz, x_bound, p.radius, steps, p.n, k, self.epsilon, self.delta)
        slope = gradient_bound(p.loss, x_bound, p.y_bound, 2.0 * p.radius)
        return p.radius / (math.sqrt(steps) * max(slope, noise * math.sqrt(k)))

    def _guarantee(self, problem: GLMProblem, records: int = 1) -> Profile:
        """All iterates and Φ released, for data sets `records` apart.

        "exact": μ = (D/n)√(T−1)/σ, whatever Φ does. "printed": the same at each norm ρ that ‖Φx‖ may reach, and
        the chance that one of two records is longer (`_jl_profiles`).
        """
        if not self._printed:
            return self._profile_at(problem, self.norm_bound(problem), records)
        if self.sigma(problem) == 0.0:
            return no_privacy("no noise is added")

        def mu_at(stretch: float) -> float:
            return float(self._profile_at(problem, stretch * problem.x_bound, records).mu or 0.0)

        return unclipped_profile(self.map, self.projected_dimension(problem), mu_at, 2 * records)

    def pair_profile(
        self, problem: GLMProblem, neighbour: GLMProblem, *, released: str = "average", stretch: float | None = None
    ) -> Profile:
        """The profile of one pair.

        For "printed" with the normal map, where all features lie along one line and the gradients are constant
        with opposite means (linear, and capped-linear where ‖Φx‖ keeps to its linear part): a lower profile that
        is exact up to the chance that a projection on the ball is active (`_jl_profiles`). `stretch` fixes
        ‖Φx‖/‖x‖ in place of averaging over Φ; `released` is "average" (the output) or "all" (every iterate).
        Elsewhere the guarantee, an upper profile, for as many records as the two problems differ in.
        """
        validation.choice("released", released, ("average", "all"))
        if stretch is not None:
            validation.real("stretch", stretch, above=0.0)
        p, noise, steps = problem, self.sigma(problem), self.number_of_steps(problem)
        apart = p.records_apart(neighbour)
        drift = drift_on_a_line(p, neighbour)
        if not self._printed or self.map != "gaussian" or drift is None or noise == 0.0 or steps == 1:
            return self._guarantee(p, apart)
        mu = 2.0 * drift * math.sqrt(steps - 1) / noise
        if released == "average":
            mu *= math.sqrt(6.0 * steps / (4.0 * (2.0 * steps - 1.0)))
        k, eta = self.projected_dimension(p), self.eta(p)
        longest = p.loss.linear_until / (2.0 * p.radius * p.x_bound)
        kappa = partial(log_active, k, 2.0 * p.radius, eta * (steps - 1) * drift, eta * noise * math.sqrt(steps - 1))
        if stretch is None:
            return line_profile(k, mu, kappa, longest)
        return self._guarantee(p, apart) if stretch > longest else fixed_stretch_profile(mu * stretch, kappa(stretch))

    def _draw(self, problem: GLMProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        """One after the other: each has its own projected data."""
        k, features = self.projected_dimension(problem), by_columns(problem.X)
        steps, eta, noise = self.number_of_steps(problem), self.eta(problem), self.sigma(problem)
        outputs = np.empty((rows, problem.d))
        for output in outputs:
            phi = RandomMap(self.map, k, problem.d, rng)
            projected = self.projected(problem, phi.project(features))
            output[:] = phi.lift(descend(projected, 1, rng, steps, (eta, noise, projected.radius))[0])
        return outputs

    def projected(self, problem: GLMProblem, features: np.ndarray) -> GLMProblem:
        """The problem in R^k, its features clipped for "exact"."""
        p = problem
        bound = self.norm_bound(p)
        if self._printed:
            bound = max(bound, math.sqrt(float(np.einsum("ij,ij->i", features, features).max())))
        largest = validation.LARGEST_SIZE  # of any bound; a smaller norm or ball only leaks less
        return GLMProblem(
            features,
            p.y,
            loss=p.loss,
            x_bound=min(bound, largest),
            y_bound=p.y_bound,
            radius=min(2.0 * p.radius, largest),
            on_excess="clip",
        )

    def _gap(self, problem: GLMProblem, norm: float) -> float:
        """D where projected records have at most this norm; that of a plane for k = 1 too, where D is smaller, so
        that more budget, which may raise k, never means more noise."""
        k = self.projected_dimension(problem)
        return gradient_gap(problem.loss, norm, problem.y_bound, 2.0 * problem.radius, max(2, k))

    def _profile_at(self, problem: GLMProblem, norm: float, records: int) -> Profile:
        gap, steps = self._gap(problem, norm), self.number_of_steps(problem)
        return all_iterates_profile(gap, steps, problem.n, self.sigma(problem), records)
