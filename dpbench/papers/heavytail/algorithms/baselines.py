"""What the exponential mechanism is compared with: two fits without privacy, and clipped noisy subgradients.

The truncated risk is summed by the mechanism's own kernel. The subgradients are BLAS's: a kernel that makes a step in
one pass over the records is no faster than BLAS's two. The linear program is
left to HiGHS; its solution is kept for a data set.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

import numpy as np

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import sample
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.truncation import columns, sums_at
from dpbench.papers.heavytail.problem import HeavyTailedProblem, heavy_tailed_problem
from dpbench.privacy.mechanism import BySingleTrials, Count, Epsilon, FloatArithmetic, Positive
from dpbench.privacy.profile import Profile, pure_profile

_POLISH = 60


@lru_cache(maxsize=4)
def least_absolute_deviations(problem: HeavyTailedProblem) -> np.ndarray:
    """A minimiser of Σ|y_i − ⟨x_i, w⟩| over R^d, by linear programming (HiGHS); shape (d,), read-only. No privacy.

    By its dual, max ⟨y, u⟩ with Xᵀu = 0 and |u_i| ≤ 1, which has d constraints for the primal's n: w are their
    multipliers. A fit outside the domain is replaced by its nearest point there.
    """
    from scipy.optimize import linprog

    dual = linprog(-problem.y, A_eq=problem.X.T, b_eq=np.zeros(problem.d), bounds=(-1.0, 1.0), method="highs")
    if dual.status != 0:
        raise RuntimeError(f"HiGHS found no least-absolute-deviations fit: {dual.message}")
    w = np.array(into_domain(-dual.eqlin.marginals, problem))
    w.flags.writeable = False
    return w


def truncated_estimator(problem: HeavyTailedProblem, iota: float) -> np.ndarray:
    """A local minimiser of the truncated risk of equation 2 near the least-absolute-deviations fit; no privacy.

    Pattern search along the axes, halving the step: the risk is neither convex nor smooth, and the fit starts near
    its minimum.
    """
    iota = validation.real("iota", iota, above=0.0)
    x = columns(problem)
    best = least_absolute_deviations(problem)
    value = float(sums_at(x, problem.y, best[None, :], iota, problem.theta)[0])
    step = 0.25 * problem.radius
    moves = np.vstack([np.eye(problem.d), -np.eye(problem.d)])
    for _ in range(_POLISH):
        tried = np.array([into_domain(best + step * move, problem) for move in moves])
        values = sums_at(x, problem.y, tried, iota, problem.theta)
        k = int(np.argmin(values))
        if values[k] < value:
            best, value = tried[k], float(values[k])
        else:
            step *= 0.5
    return best


@dataclass(frozen=True)
class TruncatedEstimator:
    """`truncated_estimator` in the shape of a mechanism: every trial the same fit, without any privacy.

    Parameters
    ----------
    epsilon : float
        Enters ι as in the theorems, and nothing else.
    """

    epsilon: float

    sample = sample

    def __post_init__(self) -> None:
        validation.epsilon(self.epsilon)

    def __call__(self, problem: HeavyTailedProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """The fit, `trials` times: shape (trials, d)."""
        trials = validation.integer("trials", trials, at_least=1)
        return np.tile(_truncated_fit(heavy_tailed_problem(problem), self.epsilon), (trials, 1))


@lru_cache(maxsize=4)
def _truncated_fit(problem: HeavyTailedProblem, epsilon: float) -> np.ndarray:
    iota = theory.truncation(
        problem.n, problem.d, epsilon, 0.05, theta=problem.theta, tau=problem.tau, moment=problem.moment,
        diameter=problem.diameter,
    )  # fmt: skip
    with one_blas_thread():
        return truncated_estimator(problem, iota)


@dataclass(frozen=True)
class ClippedSubgradient(BySingleTrials):
    """Projected subgradient descent on clipped subgradients with Laplace-type noise, ε-DP; the mean iterate.

    Step t adds to the mean of the clipped subgradients −sign(r_i)·x_i·min(1, C/‖x_i‖) a vector with density
    ∝ exp(−nε‖v‖/(2CT)): its direction is uniform and its length Gamma(d). A replaced record moves the mean by at
    most 2C/n, so a step is ε/T-DP, and T of them ε-DP.

    Parameters
    ----------
    epsilon : float
    steps : int
        T.
    clip : float, optional
        C; default the problem's τ (times √d under moments of the coordinates).
    step_size : float, optional
        Default 2R/(C'√T), C' the size of a noisy subgradient.
    arithmetic : "float"
        "exact" is refused: it is for noise that is added once.
    """

    epsilon: Epsilon
    _: KW_ONLY
    steps: Count = 20
    clip: Positive | None = None
    step_size: Positive | None = None
    arithmetic: FloatArithmetic = "float"

    checked = staticmethod(heavy_tailed_problem)
    replace_only = "n sets the noise of a mean, and the map from the noisy sums to the iterates"

    def bound(self, problem: HeavyTailedProblem) -> float:
        """C in use."""
        if self.clip is not None:
            return float(self.clip)
        return problem.tau * (math.sqrt(problem.d) if problem.moment == "coordinate" else 1.0)

    def _guarantee(self, problem: HeavyTailedProblem) -> Profile:
        """The budgets of the steps add up to ε.

        None for "add_remove": a step is η/n times a noisy sum, so that iterates are functions of n beside those sums.
        """
        return pure_profile(self.epsilon, why="T steps with noise of scale 2CT/(n epsilon) for a sensitivity of 2C/n")

    def _draw(self, problem: HeavyTailedProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        clip, n, d = self.bound(problem), problem.n, problem.d
        scale = 2.0 * clip * self.steps / (n * self.epsilon)
        size = self.step_size
        if size is None:
            size = 2.0 * problem.radius / (math.hypot(clip, scale * d) * math.sqrt(self.steps))
        lengths = np.linalg.norm(problem.X, axis=1)
        clipped = problem.X * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))[:, None]
        out = np.empty((rows, d))
        for row in out:
            w, total = np.zeros(d), np.zeros(d)
            for _ in range(self.steps):
                total += w
                direction = rng.standard_normal(d)
                noise = direction / np.linalg.norm(direction) * rng.gamma(d, scale)
                noisy = noise - (np.sign(problem.residuals(w)) @ clipped) / n
                w = into_domain(w - size * noisy, problem)
            row[:] = total / self.steps
        return out


def into_domain(w: np.ndarray, problem: HeavyTailedProblem) -> np.ndarray:
    """The point of the ball or box nearest to w."""
    if problem.domain == "box":
        return np.clip(w, -problem.radius, problem.radius)
    length = float(np.linalg.norm(w))
    return w if length <= problem.radius else w * (problem.radius / length)
