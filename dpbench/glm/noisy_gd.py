"""Noisy gradient descent: Algorithm 1 of the GLM paper (Theorem 1; Corollary 1 without noise; Corollary 2)."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2

from dpbench import validation
from dpbench.blas import one_blas_thread
from dpbench.glm import _noisy_gd_kernels as kernels
from dpbench.glm import theory
from dpbench.glm.sensitivity import gradient_gap
from dpbench.losses import CAPPED_LINEAR, HALF_SQUARED, LINEAR, SQUARED
from dpbench.privacy import gaussian
from dpbench.privacy.profile import Profile, gaussian_profile, no_privacy
from dpbench.problems import GLMProblem
from dpbench.sampling import block_width, release, sample

_DENSE_LIMIT = 2**27  # entries of a sparse X that may be made dense for a loss that is not quadratic
_WORK_PER_CALL = 2e8  # multiply-adds between two returns to Python: a fraction of a second


@dataclass(frozen=True)
class NoisyGD:
    """w_{t+1} = Π_B(w_t − η(∇L̂(w_t) + ξ_t)), w_1 = 0, t < T; the output is the mean of w_1, …, w_T.

    Parameters
    ----------
    epsilon, delta : float
        The (ε, δ) that the noise is calibrated to, δ in (0, 1).
    steps : int, optional
        T; default n.
    step_size : float, optional
        η; default the one of Theorem 1. It has no influence on privacy.
    calibration : {"exact", "printed"}
        "printed": σ² = 8G²T log(1/δ)/(n²ε²) with G of Lemma 2 (for a loss that is not smooth, or can be
        negative, G is its Lipschitz bound on the ball). "exact": the least σ with (D/n)√(T−1)/σ ≤ μ(ε, δ),
        D the largest difference of two records' gradients.
    noise_scale : float, optional
        σ itself, in place of either calibration; 0 gives plain gradient descent (Corollary 1).
    """

    epsilon: float
    delta: float
    _: KW_ONLY
    steps: int | None = None
    step_size: float | None = None
    calibration: str = "exact"
    noise_scale: float | None = None

    sample = sample
    release = release

    def __post_init__(self) -> None:
        validation.epsilon(self.epsilon)
        validation.delta(self.delta, positive=True)
        validation.choice("calibration", self.calibration, ("exact", "printed"))
        if self.steps is not None:
            validation.integer("steps", self.steps, at_least=1)
        if self.step_size is not None:
            validation.real("step_size", self.step_size, above=0.0)
        if self.noise_scale is not None:
            validation.real("noise_scale", self.noise_scale, at_least=0.0)

    def number_of_steps(self, problem: GLMProblem) -> int:
        """T: w_1, …, w_T, so T − 1 noisy steps."""
        return problem.n if self.steps is None else self.steps

    def sigma(self, problem: GLMProblem) -> float:
        """σ, the standard deviation of each coordinate of ξ_t: the noise in use."""
        if self.noise_scale is not None:
            return float(self.noise_scale)
        steps = self.number_of_steps(problem)
        if self.calibration == "printed":
            return theory.noisy_gd_noise(printed_gradient_bound(problem), steps, problem.n, self.epsilon, self.delta)
        return _gap(problem) / problem.n * math.sqrt(steps - 1) / gaussian.mu(self.epsilon, self.delta)

    def eta(self, problem: GLMProblem) -> float:
        """η in use: `step_size`, or min(B/(√T·max(√H̃‖Y‖, σ√d)), 1/(4H̃)) of Theorem 1."""
        if self.step_size is not None:
            return float(self.step_size)
        loss, steps = problem.loss, self.number_of_steps(problem)
        noise = self.sigma(problem)
        if math.isfinite(loss.smoothness) and loss.nonnegative:
            y = math.sqrt(loss.at_zero(problem.y_bound))
            return theory.noisy_gd_step_size(
                problem.radius, steps, loss.smoothness, problem.x_bound, y, noise, problem.d
            )
        bound = printed_gradient_bound(problem)
        return problem.radius / (math.sqrt(steps) * max(bound, noise * math.sqrt(problem.d)))

    def guarantee(self, problem: GLMProblem) -> Profile:
        """Upper profile over all neighbours (replace-one), all iterates released: μ = (D/n)√(T−1)/σ."""
        shift = _gap(problem) / problem.n * math.sqrt(self.number_of_steps(problem) - 1)
        why = (
            "adaptive composition of T-1 Gaussian steps whose means differ by at most D/n, "
            "projection and averaging are post-processing"
        )
        return _gaussian_shift(shift, self.sigma(problem), why)

    def pair_profile(self, problem: GLMProblem, neighbour: GLMProblem, *, released: str = "average") -> Profile:
        """The profile of one pair.

        Where the difference of the two gradients is the same vector on the whole ball (linear, capped-linear),
        a lower profile that is exact up to the chance κ that a projection is ever active: δ_Gauss(ε) −
        (1 + e^ε)κ, with μ = ‖Δ‖√(T−1)/σ for all iterates and √(6T/(4(2T−1))) times that for the average, and
        κ ≤ 2 P(χ²_d > (r/(ησ√(T−1)))²) by Lévy's inequality, r the room that the drift leaves. Elsewhere the
        guarantee, an upper profile.
        """
        validation.choice("released", released, ("average", "all"))
        if not _constant_gradients(problem) or problem.loss != neighbour.loss:
            return self.guarantee(problem)
        drifts = [-(p.X.T @ p.y) / p.n for p in (problem, neighbour)]
        steps, noise, eta = self.number_of_steps(problem), self.sigma(problem), self.eta(problem)
        distance = float(np.linalg.norm(drifts[0] - drifts[1])) * math.sqrt(steps - 1)
        if released == "average":
            distance *= math.sqrt(6.0 * steps / (4.0 * (2.0 * steps - 1.0)))
        if noise == 0.0 or steps == 1:
            return _gaussian_shift(distance, noise, "no noise")
        room = problem.radius - eta * (steps - 1) * max(float(np.linalg.norm(g)) for g in drifts)
        reach = max(room, 0.0) / (eta * noise * math.sqrt(steps - 1))
        log_kappa = math.log(2.0) + float(chi2.logsf(reach**2, problem.d)) if room > 0.0 else 0.0
        mu = distance / noise

        def delta_of(e: float) -> float:
            lost = math.exp(min(0.0, math.log1p(math.exp(e)) + log_kappa)) if e < 700.0 else 1.0
            return max(0.0, gaussian.delta(e, mu) * (1.0 - gaussian.ROUNDING) - lost)

        def epsilon_of(d: float) -> float:
            raise validation.InvalidInput("epsilon(delta) must be asked of a guarantee, not of a pair's lower profile")

        why = f"constant gradient difference, {released} released, chance of an active projection <= e^{log_kappa:.1f}"
        return Profile("lower", why, delta_of, epsilon_of, "replace", mu)

    def __call__(self, problem: GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `trials` outputs, shape (trials, d), in blocks of `block_width(problem)`.

        Costs O(T·d²) a trial for a quadratic loss and O(T·n·d) for another; memory O(width·(d + 250)).
        """
        if not isinstance(problem, GLMProblem):
            raise validation.invalid("problem", "a GLMProblem", problem)
        trials = validation.integer("trials", trials, at_least=1)
        width = block_width(problem)
        outputs = np.empty((trials, problem.d))
        with one_blas_thread():
            for start in range(0, trials, width):
                outputs[start : start + width] = self._block(problem, width, rng)[: trials - start]
        return outputs

    def _block(self, problem: GLMProblem, width: int, rng: np.random.Generator) -> np.ndarray:
        steps, eta, sigma = self.number_of_steps(problem), self.eta(problem), self.sigma(problem)
        w, total, gradient = (np.zeros((problem.d, width)) for _ in range(3))
        left = steps - 1
        if problem.loss.quadratic:
            second, cross, _ = problem.moments
            curvature, pull = {SQUARED: (2.0, 2.0), HALF_SQUARED: (1.0, 1.0), LINEAR: (0.0, 1.0)}[problem.loss.code]
            second, cross = curvature * second, pull * cross
            chunk = max(1, int(_WORK_PER_CALL / (problem.d * width * (problem.d + 20))))
            while left > 0:
                now = min(chunk, left)
                kernels.noisy_gd_moments(second, cross, eta, sigma, problem.radius, now, rng, w, total, gradient)
                left -= now
        else:
            X = _dense(problem)
            scores = np.empty((min(kernels.ROWS, problem.n), width))
            chunk = max(1, int(_WORK_PER_CALL / (problem.n * width * (2 * problem.d + 10))))
            loss = problem.loss
            while left > 0:
                now = min(chunk, left)
                kernels.noisy_gd_records(
                    loss.code, loss.parameter, X, problem.y, eta, sigma, problem.radius, now, rng,
                    w, total, gradient, scores,
                )  # fmt: skip
                left -= now
        return (total / steps).T


def printed_gradient_bound(problem: GLMProblem) -> float:
    """G as the theorem has it: Lemma 2 for a smooth non-negative loss, the Lipschitz bound otherwise."""
    loss = problem.loss
    if math.isfinite(loss.smoothness) and loss.nonnegative:
        y = math.sqrt(loss.at_zero(problem.y_bound))
        return theory.smooth_gradient_bound(loss.smoothness, problem.x_bound, y, problem.radius)
    return problem.x_bound * loss.derivative_bound(problem.radius * problem.x_bound, problem.y_bound)


def _gap(problem: GLMProblem) -> float:
    return gradient_gap(problem.loss, problem.x_bound, problem.y_bound, problem.radius, problem.d)


def _gaussian_shift(distance: float, noise: float, why: str) -> Profile:
    if distance == 0.0:
        return gaussian_profile(0.0, kind="upper", why="the output does not depend on the data")
    if noise == 0.0:
        return no_privacy("no noise is added")
    return gaussian_profile(distance / noise, kind="upper", why=why)


def _constant_gradients(problem: GLMProblem) -> bool:
    """Whether every record's gradient is the same vector −y·x on the whole ball."""
    loss = problem.loss
    return loss.code == LINEAR or (
        loss.code == CAPPED_LINEAR and problem.radius * problem.x_bound <= loss.parameter
    )


def _dense(problem: GLMProblem) -> Any:
    if not problem.sparse:
        return problem.X
    if problem.n * problem.d > _DENSE_LIMIT:
        raise validation.InvalidInput(
            f"X must be dense, or have at most {_DENSE_LIMIT} entries when made dense, for the "
            f"{problem.loss.name} loss, got a sparse matrix of shape {problem.X.shape}"
        )
    return np.ascontiguousarray(problem.X.toarray())
