"""Noisy gradient descent in integers: what `NoisyGD(arithmetic="exact")` runs, and its privacy.

At each step every record contributes its gradient at w_t in whole steps of a grid, and integers add up exactly. Its
slope, in steps, is clamped to G/‖x‖, G the largest length of a gradient: the vector of its products with the
coordinates of x, each rounded once, is at most G(1 + 1e-9) + √d/2 ≤ `limit` long, whatever floating point made of the
slope, and one replaced record moves the sum by at most 2·limit steps. A record whose length is no finite number counts
as 0. Noise from integers is added. w_{t+1} is a function of w_t and of that noisy sum, which are released, so floating
point is harmless in it. Where the guarantee of floating point rests on D, the largest difference of two gradients,
this one rests on twice their length, which one record alone can be held to: between 1 and 2 times D.

*Quadratic losses* need no pass over the records at each step. Let x_i, y_i be held to the bounds X and Y first
(`held`), φ'(z, y) = H(z − y), or −y for the linear loss (H = 1 and no first term), and ‖w‖ ≤ B. The sum of the
gradients over the reals, H(Σ x_i x_iᵀw − Σ y_i x_i), is moved by one record by at most 2G = 2HX(BX + Y). What is
computed, from the sums of x_i x_iᵀ and of y_i x_i, made once a problem, is within

    E = H·n·X(BX + Y)·(c + n/c + d + 16)·2⁻⁵³·(1 + 1e-6)

of it, c the records of a part that one product sums: for any order of summation the computed Aᵀb is within
k·2⁻⁵³(1 + 1e-6)·|A|ᵀ|b| of it, k its number of terms (Higham 2002, 3.5), and ‖|X|ᵀ|X||w|‖ ≤ ΣX‖x_i‖B, ‖|X|ᵀ|y|‖ ≤
ΣY‖x_i‖. Rounding to the grid adds √d/2 steps for either data set. So wherever E is at most half a step, the computed
integers of neighbours are at most 2G/g + √d + 1 ≤ 2·limit steps apart, which is what the guarantee counts, and the sums
serve; where E may be more, the records do (`sums_serve`: n, d, σ and the declared bounds decide).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.papers.glm.algorithms._exact_gd_kernels import integer_gradients
from dpbench.papers.glm.algorithms._noisy_gd_kernels import ROWS
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.sensitivity import gradient_bound
from dpbench.privacy import integer_noise
from dpbench.privacy.profile import Profile, shifted_gaussian

_UP = 1.0 + 1e-9
_RECORDS = 4096  # of one kernel call
_DENSE_LIMIT = 2**27
_PART = 1024  # c: records that one product sums
_LARGEST_SIDE = 2000  # d up to which a step with the sums costs less than it saves


class Bounded(Protocol):
    """What is declared of a problem before its records are seen."""

    @property
    def loss(self) -> Loss: ...
    @property
    def n(self) -> int: ...
    @property
    def d(self) -> int: ...
    @property
    def x_bound(self) -> float: ...
    @property
    def y_bound(self) -> float: ...
    @property
    def radius(self) -> float: ...


class Bounds(NamedTuple):
    """The same, of a problem that is made later: the JL method's projected ones."""

    loss: Loss
    n: int
    d: int
    x_bound: float
    y_bound: float
    radius: float


@dataclass(frozen=True)
class Integers:
    """The grid of the sums, and how many steps of it one record may contribute in length."""

    grid: integer_noise.Grid
    limit: int


def integers(problem: Bounded, sigma: float) -> Integers:
    """For noise of standard deviation σ > 0 on the mean of the gradients."""
    grid = integer_noise.gaussian_grid(problem.n * sigma)
    slope = gradient_bound(problem.loss, problem.x_bound, problem.y_bound, problem.radius)
    limit = slope / grid.spacing * _UP + 0.5 * math.sqrt(problem.d) + 1.0
    if not limit * problem.n < 2.0**51:
        raise validation.invalid("noise_scale", "larger where arithmetic is 'exact'", sigma)
    return Integers(grid, math.ceil(limit))


def exact_deviation(problem: Bounded, steps: int, epsilon: float, delta: float) -> float:
    """σ for which `exact_guarantee` meets (ε, δ)."""
    slope = gradient_bound(problem.loss, problem.x_bound, problem.y_bound, problem.radius)
    root = math.sqrt(steps - 1)
    slack = (math.sqrt(problem.d) + 4.0) * root * _UP
    draws = (steps - 1) * problem.d
    return integer_noise.gaussian_deviation(2.0 * slope * _UP * _UP * root, slack, draws, epsilon, delta) / problem.n


def exact_guarantee(problem: Bounded, steps: int, sigma: float, records: int = 1) -> Profile:
    """Upper profile of T − 1 noisy steps on data sets `records` apart, all iterates released."""
    if steps == 1:
        return shifted_gaussian(0.0, sigma, kind="upper", why="no noisy step")
    made = integers(problem, sigma)
    moved = records * 2.0 * made.limit * _UP * math.sqrt(steps - 1)
    why = "adaptive composition of T-1 sums of integers that one record moves by at most 2 limit, with rounded noise"
    plain = shifted_gaussian(moved, made.grid.sigma, kind="upper", why=why)
    return integer_noise.blurred(plain, (steps - 1) * problem.d * made.grid.distance)


def bounded_rows(X: np.ndarray, made: Integers) -> tuple[np.ndarray, np.ndarray]:
    """The rows, those without a finite length as 0, and the largest slope, in steps, that each may have."""
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
    finite = np.isfinite(lengths)
    rows = X if finite.all() else np.where(finite[:, None], X, 0.0)
    room = (made.limit - 0.5 * math.sqrt(X.shape[1])) / _UP
    return np.ascontiguousarray(rows), room / np.where(finite, np.maximum(lengths, 1e-150), 1.0)


def held(problem: GLMProblem) -> tuple[np.ndarray, np.ndarray]:
    """Dense rows of length at most ‖X‖(1 + 1e-12) and labels of at most Y, functions of their record alone.

    What is no number counts as 0. Records of a problem are within its bounds already, up to rounding: the guarantee
    does not rest on it.
    """
    X = problem.X.toarray() if problem.sparse else problem.X
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
    sound = np.isfinite(lengths) & np.isfinite(problem.y)
    if not (sound.all() and lengths.max(initial=0.0) <= problem.x_bound):
        X = np.where(sound[:, None], X, 0.0)
        lengths = np.where(sound, lengths, 0.0)
        X = X * np.minimum(1.0, problem.x_bound / np.maximum(lengths, 1e-300))[:, None]
    y = np.clip(np.where(sound, problem.y, 0.0), -problem.y_bound, problem.y_bound)
    return np.ascontiguousarray(X), y


def summing_error(problem: Bounded) -> float:
    """E: a bound on the length of what floating point may add to the sum of the gradients of a quadratic loss."""
    slope = gradient_bound(problem.loss, problem.x_bound, problem.y_bound, problem.radius)
    terms = _PART + problem.n / _PART + problem.d + 16.0
    return problem.n * slope * terms * 2.0**-53 * (1.0 + 1e-6)


def sums_serve(problem: Bounded, made: Integers) -> bool:
    """Whether the gradients may be had from sums over the records (module docstring)."""
    simple = problem.loss.quadratic and problem.d <= _LARGEST_SIDE
    return simple and summing_error(problem) <= 0.5 * made.grid.spacing


@lru_cache(maxsize=4)
def _sums(problem: GLMProblem) -> tuple[np.ndarray, np.ndarray]:
    """H·Σ x_i x_iᵀ (0 for the linear loss) and H·Σ y_i x_i of the records as `held`, in parts of `_PART`."""
    X, y = held(problem)
    scale = 1.0 if problem.loss.affine else problem.loss.smoothness
    second, cross = np.zeros((problem.d, problem.d)), np.zeros(problem.d)
    for at in range(0, problem.n, _PART):
        part = X[at : at + _PART]
        cross += part.T @ y[at : at + _PART]
        if not problem.loss.affine:
            second += part.T @ part
    return second * scale, cross * scale


def _gradients(problem: GLMProblem, made: Integers, width: int) -> Callable[[np.ndarray], np.ndarray]:
    """w, shape (d, width), to the sums of the gradients in whole steps of the grid, int64."""
    d, n, inverse = problem.d, problem.n, 1.0 / made.grid.spacing
    if sums_serve(problem, made):
        second, cross = _sums(problem)

        def from_sums(w: np.ndarray) -> np.ndarray:
            return np.rint((second @ w - cross[:, None]) * inverse).astype(np.int64)

        return from_sums
    if problem.sparse and n * d > _DENSE_LIMIT:
        raise validation.invalid("X", f"of at most {_DENSE_LIMIT} entries when made dense", problem.X.shape)
    X = np.ascontiguousarray(problem.X.toarray() if problem.sparse else problem.X)
    X, largest = bounded_rows(X, made)
    scores, sums = np.empty((ROWS, width)), np.empty((d, width))

    def from_records(w: np.ndarray) -> np.ndarray:
        sums[:] = 0.0
        for at in range(0, n, _RECORDS):
            part = slice(at, at + _RECORDS)
            integer_gradients(
                problem.loss.code, problem.loss.parameter, X[part], problem.y[part], w, inverse, largest[part], scores,
                sums,
            )  # fmt: skip
        return sums.astype(np.int64)

    return from_records


def exact_descend(
    problem: GLMProblem, width: int, rng: np.random.Generator, steps: int, eta: float, sigma: float
) -> np.ndarray:
    """The means of w_1, …, w_T of `width` runs side by side, shape (width, d)."""
    d, n = problem.d, problem.n
    w, total = np.zeros((d, width)), np.zeros((d, width))
    if steps == 1:
        return total.T
    made, source = integers(problem, sigma), Source(rng)
    gradients = _gradients(problem, made, width)
    for _ in range(steps - 1):
        whole = gradients(w) + integer_noise.gaussian(source, made.grid.sigma, d * width).reshape(d, width)
        w = w - eta * (whole * (made.grid.spacing / n))
        length = np.sqrt((w * w).sum(axis=0))
        w = w * np.where(length > problem.radius, problem.radius / np.maximum(length, 1e-300) * (1.0 - 1e-15), 1.0)
        total += w
    return np.asarray((total / steps).T)
