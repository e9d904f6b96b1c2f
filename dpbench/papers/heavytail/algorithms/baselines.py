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
from scipy import sparse

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import nothing_to_diagnose, release, sample
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.truncation import columns, sums_at
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.privacy.add_remove import refuse
from dpbench.privacy.arithmetic import ARITHMETICS
from dpbench.privacy.integer_laplace import laplace, laplace_grid
from dpbench.privacy.integer_noise import to_grid
from dpbench.privacy.profile import Profile, pure_profile

_POLISH = 60


@lru_cache(maxsize=4)
def least_absolute_deviations(problem: HeavyTailedProblem) -> np.ndarray:
    """A minimiser of Σ|y_i − ⟨x_i, w⟩| over R^d, by linear programming (HiGHS); shape (d,), read-only. No privacy.

    min Σ(p_i + q_i) with Xw + p − q = y, p, q ≥ 0. A fit outside the domain is
    replaced by its nearest point there.
    """
    from scipy.optimize import linprog

    n, d = problem.n, problem.d
    eye = sparse.identity(n, format="csc")
    equal = sparse.hstack([sparse.csc_array(problem.X), eye, -eye], format="csc")
    cost = np.concatenate([np.zeros(d), np.ones(2 * n)])
    bounds = [(None, None)] * d + [(0.0, None)] * (2 * n)
    found = linprog(cost, A_eq=equal, b_eq=problem.y, bounds=bounds, method="highs")
    if found.status != 0:
        raise RuntimeError(f"HiGHS found no least-absolute-deviations fit: {found.message}")
    w = np.array(into_domain(found.x[:d], problem))
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
        if not isinstance(problem, HeavyTailedProblem):
            raise validation.invalid("problem", "a HeavyTailedProblem", problem)
        trials = validation.integer("trials", trials, at_least=1)
        return np.tile(_truncated_fit(problem, self.epsilon), (trials, 1))


@lru_cache(maxsize=4)
def _truncated_fit(problem: HeavyTailedProblem, epsilon: float) -> np.ndarray:
    iota = theory.truncation(
        problem.n, problem.d, epsilon, 0.05, theta=problem.theta, tau=problem.tau, moment=problem.moment,
        diameter=problem.diameter,
    )  # fmt: skip
    with one_blas_thread():
        return truncated_estimator(problem, iota)


@dataclass(frozen=True)
class ClippedSubgradient:
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
    arithmetic : {"float", "exact"}
        "exact": clipped subgradients in integers, summed exactly, and discrete Laplace noise on each coordinate. A
        record contributes at most L = ⌈√d·C/g⌉ + d steps of a grid in ℓ1 (coordinates are clamped, and a record that
        is longer still counts as nothing), so that replacing it moves the sum by at most 2L, and t = ⌈2LT/ε⌉ makes a
        step (ε/T)-DP. Iterates follow from noisy sums, so floating point is harmless in them.
    """

    epsilon: float
    _: KW_ONLY
    steps: int = 20
    clip: float | None = None
    step_size: float | None = None
    arithmetic: str = "float"

    sample = sample
    release = release
    diagnose = nothing_to_diagnose

    def __post_init__(self) -> None:
        validation.epsilon(self.epsilon)
        validation.integer("steps", self.steps, at_least=1)
        if self.clip is not None:
            validation.real("clip", self.clip, above=0.0)
        if self.step_size is not None:
            validation.real("step_size", self.step_size, above=0.0)
        validation.choice("arithmetic", self.arithmetic, ARITHMETICS)

    def bound(self, problem: HeavyTailedProblem) -> float:
        """C in use."""
        if self.clip is not None:
            return float(self.clip)
        return problem.tau * (math.sqrt(problem.d) if problem.moment == "coordinate" else 1.0)

    def guarantee(self, problem: HeavyTailedProblem, *, neighbours: str = "replace") -> Profile:
        """Upper profile over all neighbours (replace-one): the budgets of the steps add up to ε.

        None for "add-remove": a step is η/n times a noisy sum, so that iterates are functions of n beside those sums.
        """
        refuse(neighbours, "n sets the noise of a mean, and the map from the noisy sums to the iterates")
        if self.arithmetic == "exact":
            _, limit, scale = self._grid(problem)
            why = "T sums of integers that one record moves by at most 2L in l1, with discrete Laplace noise"
            return pure_profile(2.0 * limit * self.steps / scale * (1.0 + 1e-14), why=why)
        return pure_profile(self.epsilon, why="T steps with noise of scale 2CT/(n epsilon) for a sensitivity of 2C/n")

    def _grid(self, problem: HeavyTailedProblem) -> tuple[float, int, int]:
        """The spacing, L and t."""
        largest = self.bound(problem) * math.sqrt(problem.d)
        finest = math.ldexp(1.0, math.frexp(largest)[1] - 20)
        spacing, _ = laplace_grid(2.0 * largest * self.steps / self.epsilon, finest)
        limit = math.ceil(largest / spacing) + problem.d
        if not limit * problem.n < 2**62:
            raise validation.invalid("epsilon", "smaller for so many records where arithmetic is 'exact'", self.epsilon)
        return spacing, limit, math.ceil(2.0 * limit * self.steps / self.epsilon * (1.0 + 1e-12))

    def __call__(self, problem: HeavyTailedProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `trials` outputs, shape (trials, d)."""
        if not isinstance(problem, HeavyTailedProblem):
            raise validation.invalid("problem", "a HeavyTailedProblem", problem)
        trials = validation.integer("trials", trials, at_least=1)
        clip, n, d = self.bound(problem), problem.n, problem.d
        scale = 2.0 * clip * self.steps / (n * self.epsilon)
        size = self.step_size
        if size is None:
            size = 2.0 * problem.radius / (math.hypot(clip, scale * d) * math.sqrt(self.steps))
        lengths = np.linalg.norm(problem.X, axis=1)
        clipped = problem.X * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))[:, None]
        out = np.empty((trials, d))
        source = Source(rng) if self.arithmetic == "exact" else None
        with one_blas_thread():
            for row in out:
                w, total = np.zeros(d), np.zeros(d)
                for _ in range(self.steps):
                    total += w
                    if source is not None:
                        noisy = exact_sum(clipped, np.sign(problem.residuals(w)), source, *self._grid(problem)) / n
                    else:
                        direction = rng.standard_normal(d)
                        noise = direction / np.linalg.norm(direction) * rng.gamma(d, scale)
                        noisy = noise - (np.sign(problem.residuals(w)) @ clipped) / n
                    w = into_domain(w - size * noisy, problem)
                row[:] = total / self.steps
        return out


def exact_sum(
    clipped: np.ndarray, signs: np.ndarray, source: Source, spacing: float, limit: int, scale: int
) -> np.ndarray:
    """−Σ sign_i·x_i in integers, records above `limit` in ℓ1 left out, plus discrete Laplace noise: shape (d,)."""
    parts = to_grid(-signs[:, None] * clipped, spacing, limit * spacing)
    parts[np.abs(parts).sum(axis=1) > limit] = 0
    return np.asarray((parts.sum(axis=0) + laplace(source, scale, clipped.shape[1])) * spacing)


def into_domain(w: np.ndarray, problem: HeavyTailedProblem) -> np.ndarray:
    """The point of the ball or box nearest to w."""
    if problem.domain == "box":
        return np.clip(w, -problem.radius, problem.radius)
    length = float(np.linalg.norm(w))
    return w if length <= problem.radius else w * (problem.radius / length)
