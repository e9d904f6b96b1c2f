"""Noisy gradient descent: Algorithm 1 of the GLM paper (Theorem 1; Corollary 2; Corollary 1: no noise)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial

import numpy as np

from dpbench.core import aligned, validation
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms import _noisy_gd_kernels as kernels
from dpbench.papers.glm.algorithms._noisy_gd_members import one_run_each
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.privacy import gaussian
from dpbench.privacy.mechanism import (
    Calibration,
    Count,
    Epsilon,
    FloatArithmetic,
    Mechanism,
    NoiseScale,
    PositiveDelta,
    Size,
)
from dpbench.privacy.profile import Profile, shifted_gaussian

Constants = tuple[float, float, float]
"""η, σ and the radius of the ball: what a run needs beside the data and T."""

_WORK_PER_CALL = 2e8  # multiply-adds between two returns to Python: a fraction of a second


@dataclass(frozen=True)
class NoisyGD(Mechanism):
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
    arithmetic : "float"
        "exact" is refused: it is for noise that is added once.

    Notes
    -----
    A trial costs O(T·d) for a quadratic loss, after O(n·d² + d³) once a problem, and O(T·n·d) for another (T times the
    stored entries for sparse X).
    """

    epsilon: Epsilon
    delta: PositiveDelta
    _: KW_ONLY
    steps: Count | None = None
    step_size: Size | None = None
    calibration: Calibration = "exact"
    noise_scale: NoiseScale | None = None
    arithmetic: FloatArithmetic = "float"

    checked = staticmethod(glm_problem)
    fixed = ("steps", "step_size", "noise_scale")
    one_run_each = one_run_each
    moments_suffice = True  # on a quadratic loss: see `attacks.members`

    def number_of_steps(self, problem: GLMProblem) -> int:
        """T: w_1, …, w_T, so T − 1 noisy steps."""
        n = glm_problem(problem).n
        return n if self.steps is None else self.steps

    def sigma(self, problem: GLMProblem) -> float:
        """σ, the standard deviation of each coordinate of ξ_t: the noise in use."""
        if self.noise_scale is not None:
            return self.noise_scale
        steps = self.number_of_steps(problem)
        if self.calibration == "printed":
            return theory.noisy_gd_noise(printed_gradient_bound(problem), steps, problem.n, self.epsilon, self.delta)
        return exact_noise(_gap(problem), steps, problem.n, self.epsilon, self.delta)

    def eta(self, problem: GLMProblem) -> float:
        """η in use: `step_size`, or min(B/(√T·max(√H̃‖Y‖, σ√d)), 1/(4H̃)) of Theorem 1."""
        if self.step_size is not None:
            return self.step_size
        steps, loss = self.number_of_steps(problem), problem.loss
        noise = self.sigma(problem)
        if loss.smooth_nonnegative:
            y = math.sqrt(loss.at_zero(problem.y_bound))
            return theory.noisy_gd_step_size(
                problem.radius, steps, loss.smoothness, problem.x_bound, y, noise, problem.d
            )
        bound = printed_gradient_bound(problem)
        return problem.radius / (math.sqrt(steps) * max(bound, noise * math.sqrt(problem.d)))

    def _guarantee(self, problem: GLMProblem, records: int = 1) -> Profile:
        """All iterates released, for data sets `records` apart: each moves a step's mean by at most D/n, so that μ is
        (D/n)√(T−1)/σ for one."""
        steps = self.number_of_steps(problem)
        return all_iterates_profile(_gap(problem), steps, problem.n, self.sigma(problem), records)

    def pair_profile(self, problem: GLMProblem, neighbour: GLMProblem, *, released: str = "average") -> Profile:
        """The profile of one pair.

        Where the difference of the two gradients is one vector on the whole ball (linear, capped-linear),
        a lower profile that is exact up to the chance κ that a projection is ever active: δ_Gauss(ε) −
        (1 + e^ε)κ, with μ = ‖Δ‖√(T−1)/σ for all iterates and √(6T/(4(2T−1))) times that for the average, and
        κ ≤ 2 P(χ²_d > (r/(ησ√(T−1)))²) by Lévy's inequality, r the distance to the sphere after the drift. Elsewhere
        the guarantee, an upper profile, for as many records as the two problems differ in.
        """
        from scipy.stats import chi2

        validation.choice("released", released, ("average", "all"))
        apart = problem.records_apart(neighbour)
        if not _constant_gradients(problem):
            return self._guarantee(problem, apart)
        drifts = [-(p.X.T @ p.y) / p.n for p in (problem, neighbour)]
        steps, noise, eta = self.number_of_steps(problem), self.sigma(problem), self.eta(problem)
        distance = float(np.linalg.norm(drifts[0] - drifts[1])) * math.sqrt(steps - 1)
        if released == "average":
            distance *= math.sqrt(6.0 * steps / (4.0 * (2.0 * steps - 1.0)))
        room = problem.radius - eta * (steps - 1) * max(float(np.linalg.norm(g)) for g in drifts)
        if noise == 0.0 or steps == 1:
            kind = "exact" if room > 0.0 else "upper"  # beyond the ball, two different means may project alike
            return shifted_gaussian(distance, noise, kind=kind, why="no noise")
        reach = max(room, 0.0) / (eta * noise * math.sqrt(steps - 1))
        log_kappa = math.log(2.0) + float(chi2.logsf(reach**2, problem.d)) if room > 0.0 else 0.0
        mu = distance / noise

        active = f"chance of an active projection <= e^{log_kappa:.1f}"
        why = f"constant gradient difference, {released} released, {active}"
        return Profile("lower", why, partial(_unprojected_delta, mu, log_kappa), None, "replace", mu)

    def _draw(self, problem: GLMProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        steps, constants = self.number_of_steps(problem), self._constants(problem)
        if constants[1] == 0.0:  # every trial is the same run
            return np.repeat(descend(problem, 1, rng, steps, constants), rows, axis=0)
        return descend(problem, width, rng, steps, constants)[:rows]

    def _constants(self, problem: GLMProblem) -> Constants:
        return self.eta(problem), self.sigma(problem), problem.radius


def descend(problem: GLMProblem, width: int, rng: np.random.Generator, steps: int, constants: Constants) -> np.ndarray:
    """The means of w_1, …, w_T of `width` runs side by side, shape (width, d); where BLAS has one thread."""
    w, total = aligned.zeros(problem.d, width), aligned.zeros(problem.d, width)
    if not problem.loss.quadratic:
        _run_records(problem, rng, steps, constants, w, total)
        return (total / steps).T
    _run_axes(problem, rng, steps, constants, w, total)
    mean = total / steps
    return mean.T if problem.loss.affine else (problem.axes[1] @ mean).T


def _run_axes(
    problem: GLMProblem, rng: np.random.Generator, steps: int, constants: Constants, w: np.ndarray, total: np.ndarray
) -> None:
    """Quadratic losses, in the eigenvectors of XᵀX/n: the gradient is a scaling there.

    Neither the ball nor the law of the noise changes under a rotation; the noise drawn is that of the
    rotated coordinates.
    """
    _, cross, _ = problem.moments
    if problem.loss.affine:
        curvature, pull = np.zeros(problem.d), cross
    else:
        scale = problem.loss.smoothness
        curvature, pull = scale * problem.axes[0], scale * (problem.axes[1].T @ cross)
    for some in _chunks(steps, 20 * w.size):
        kernels.noisy_gd_axes(curvature, pull, *constants, some, rng, w, total)


def _run_records(
    problem: GLMProblem, rng: np.random.Generator, steps: int, constants: Constants, w: np.ndarray, total: np.ndarray
) -> None:
    """Any other loss: one pass over the records a step."""
    width, loss = w.shape[1], problem.loss
    gradient, scores = aligned.zeros(problem.d, width), aligned.zeros(kernels.ROWS, width)
    X: tuple[np.ndarray, ...] = (problem.X,)
    run, entries = kernels.noisy_gd_records, problem.n * problem.d
    if problem.sparse:
        X = (problem.X.data, problem.X.indices.astype(np.int64), problem.X.indptr.astype(np.int64))
        run, entries = kernels.noisy_gd_sparse, problem.X.nnz
    elif width == 1:
        X = (problem.X, np.ascontiguousarray(problem.X.T))
        run, scores = kernels.noisy_gd_single, np.empty(problem.n)
    fixed = (loss.code, loss.parameter, *X, problem.y, *constants)
    for some in _chunks(steps, (2 * entries + 10 * problem.n) * width):
        run(*fixed, some, rng, w, total, gradient, scores)


def _chunks(steps: int, work: int) -> Iterator[int]:
    """The T − 1 noisy steps in calls of a fraction of a second; `work` is the multiply-adds of a step."""
    left, most = steps - 1, max(1, int(_WORK_PER_CALL / work))
    while left > 0:
        yield min(most, left)
        left -= most


def printed_gradient_bound(problem: GLMProblem) -> float:
    """G as the theorem has it: Lemma 2 for a smooth non-negative loss, the Lipschitz bound otherwise."""
    loss = problem.loss
    if loss.smooth_nonnegative:
        y = math.sqrt(loss.at_zero(problem.y_bound))
        return theory.smooth_gradient_bound(loss.smoothness, problem.x_bound, y, problem.radius)
    return problem.x_bound * loss.derivative_bound(problem.radius * problem.x_bound, problem.y_bound)


def exact_noise(gap: float, steps: int, n: int, epsilon: float, delta: float) -> float:
    """The least σ with (D/n)√(T−1)/σ ≤ μ(ε, δ), `gap` = D."""
    return gap / n * math.sqrt(steps - 1) / _mu(epsilon, delta)


def all_iterates_profile(gap: float, steps: int, n: int, noise: float, records: int = 1) -> Profile:
    """Upper profile of T − 1 noisy steps on data sets `records` apart, all iterates released; `gap` = D."""
    why = (
        f"adaptive composition of T-1 Gaussian steps whose means differ by at most {records} D/n, projection and "
        "averaging are post-processing"
    )
    return shifted_gaussian(records * gap / n * math.sqrt(steps - 1), noise, kind="upper", why=why)


@lru_cache(maxsize=1024)
def _mu(epsilon: float, delta: float) -> float:
    """`gaussian.mu`, remembered: it is asked for once a block, and its search is slower than many a step."""
    return gaussian.mu(epsilon, delta)


def _gap(problem: GLMProblem) -> float:
    loss = glm_problem(problem).loss
    return gradient_gap(loss, problem.x_bound, problem.y_bound, problem.radius, problem.d)


def _unprojected_delta(mu: float, log_kappa: float, epsilon: float) -> float:
    """δ_Gauss(ε) − (1 + e^ε)κ, rounded down."""
    lost = math.exp(min(0.0, np.logaddexp(0.0, epsilon) + log_kappa))
    return max(0.0, gaussian.delta(epsilon, mu) * (1.0 - gaussian.ROUNDING) - lost)


def _constant_gradients(problem: GLMProblem) -> bool:
    """Whether every record's gradient is the same vector −y·x on the whole ball."""
    return bool(problem.radius * problem.x_bound <= problem.loss.linear_until)
