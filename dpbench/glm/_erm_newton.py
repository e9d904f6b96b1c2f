"""Newton's method for a smooth loss over a ball, and the certificate of distance that all solvers share.

Each step minimises the quadratic model over the ball exactly (Moré & Sorensen 1983: Cholesky, and
Newton on the secular equation for the multiplier ν); a line search on the derivative of the convex F
makes it global. Huber and capped-linear have a generalised second derivative (semismooth Newton).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dpbench.glm._erm_ball import into_ball, quadratic_over_ball
from dpbench.glm._erm_tiles import ROWS, add_pass
from dpbench.glm.losses import Loss

_EPS = float(np.finfo(float).eps)
_KEEP = 0.2  # a Hessian is kept for the next step where the last one brought the certificate down to this share,
_WORK = 2.0**22  # and where another would take so many multiplications
_NONE, _INDICES = np.empty(0), np.empty(0, dtype=np.int64)
_FIRST = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class Records:
    """What the solver runs on.

    Attributes
    ----------
    X : ndarray or csr_array, shape (rows, d)
    y : ndarray, shape (rows,)
    x_bound : float
    second : ndarray, shape (d, d), optional
        XᵀX/n where the loss is quadratic.
    n : int
        What sums are divided by: the number of records, those left out among them.
    far : ndarray, shape (d,), or None
        Σ sign(r_i)·x_i/n over records left out, whose slope is ±κ of Huber's loss.
    """

    X: Any
    y: np.ndarray
    x_bound: float
    second: np.ndarray | None
    n: int
    far: np.ndarray | None = None

    @cached_property
    def stored(self) -> tuple[np.ndarray, ...]:
        """Arrays of X for the kernel: dense, or nothing, and the three of compressed sparse rows, or nothing."""
        if not sparse.issparse(self.X):
            return np.ascontiguousarray(self.X), _NONE, _INDICES, _INDICES
        rows = np.empty((0, self.X.shape[1]))
        return rows, self.X.data, self.X.indices.astype(np.int64), self.X.indptr.astype(np.int64)

    @cached_property
    def y_bound(self) -> float:
        """max |y_i|."""
        return float(np.abs(self.y).max(initial=0.0))


class Pass(NamedTuple):
    """What one pass over the records at a point gives, without the regularisation; the Hessian where asked for."""

    z: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray | None
    steepness: float  # mean |φ'|


class Found(NamedTuple):
    """The best point of a search, its certified distance before rounding, and the mean |φ'| there."""

    w: np.ndarray
    distance: float
    steepness: float


def tour(data: Records, loss: Loss, w: np.ndarray, curved: bool) -> Pass:
    """One pass over the records at w."""
    d, n = w.size, data.n
    summed = curved and data.second is None
    ends = np.array([0, data.y.size])
    z, slopes, hessians, totals = add_up(data, loss, summed, data.y, ends, _FIRST, w[None])
    slope, mean = slopes[0, :d] / n, float(totals[0]) / n
    if data.far is not None:
        slope += loss.parameter * data.far
    if not curved:
        return Pass(z, slope, None, mean)
    if data.second is not None:
        return Pass(z, slope, loss.smoothness * data.second, mean)
    return Pass(z, slope, symmetric(hessians[0, :d, :d] / n), mean)


def add_up(
    data: Any, loss: Loss, curved: bool, y: np.ndarray, starts: np.ndarray, chosen: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`add_pass` over the records `data.stored` from zero: z, gradients, Hessians (padded), Σ|φ'|."""
    count, d = w.shape
    wide = d + -d % 4
    points, gradients, z = np.zeros((count, wide)), np.zeros((count + 2, wide)), np.empty(y.size)
    points[:, :d] = w
    side = wide if curved else 0
    hessians, steepness = np.zeros((count if curved else 1, side, side)), np.zeros(count)
    add_pass(
        loss.code, loss.parameter, curved, *data.stored, y, starts, chosen, points, z, gradients, hessians, steepness,
        np.zeros((5, ROWS)), np.zeros((wide, ROWS + 8)),
    )  # fmt: skip
    return z, gradients, hessians, steepness


def symmetric(lower: np.ndarray) -> np.ndarray:
    """The symmetric matrices, last two axes, with these entries on and below the diagonal."""
    return np.asarray(np.tril(lower) + np.swapaxes(np.tril(lower, -1), -1, -2))


def certified_distance(
    residual: np.ndarray, slack: float, w: np.ndarray, regularization: float, radius: float, smoothness: float
) -> float:
    """A bound on the distance of w (‖w‖ ≤ B) from the minimiser w̃ of F over the ball.

    Let c_i be any numbers with φ_i(z) ≥ φ_i(z_i) − s_i + c_i(z − z_i) for all z, z_i = ⟨w, x_i⟩,
    `slack` the mean of s_i (0 for the derivative of a smooth loss; |r_i| − c_i·r_i for the absolute
    loss and |c_i| ≤ 1, when it is the duality gap), and v = X'c/n + λw the `residual`. For u in the
    ball and ν ≥ 0, F(u) ≥ F(w) − slack + ⟨v + νw, u − w⟩ − ν⟨w, u − w⟩ + (λ/2)‖u − w‖². Take u = w̃, ρ
    = ‖v + νw‖: by strong convexity F(w) − F(w̃) ≥ (λ/2)‖w − w̃‖², so λt² ≤ ρt + slack + ν(⟨w, w̃⟩ −
    ‖w‖²) for t = ‖w − w̃‖. With ν = 0, or on the sphere, where the last term is never positive, t ≤ (ρ
    + √(ρ² + 4λ·slack))/(2λ). A point short of the sphere by rounding is moved onto it first; v changes
    by at most (smoothness + λ)·(B − ‖w‖).
    """

    def bound(rho: float) -> float:
        return (rho + math.sqrt(rho * rho + 4.0 * regularization * slack)) / (2.0 * regularization)

    inside = bound(float(np.linalg.norm(residual)))
    norm = float(np.linalg.norm(w))
    short = abs(radius - norm)
    if not math.isfinite(radius) or short > 1e-12 * radius:
        return inside
    multiplier = max(0.0, -float(residual @ w) / norm**2)
    rho = float(np.linalg.norm(residual + multiplier * w))
    rho += (smoothness + regularization + multiplier) * short
    return min(inside, short + bound(rho))


def newton(
    data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray, steps: int = 100,
    near: bool = False,
) -> Found:  # fmt: skip
    """Newton's method over the ball, until the certificate is ≤ target or stalls; its best point.

    One pass over the records a step, at the end of the step: it tells whether the step was too long (F rises
    at its end, and the certificate is not halved), in which case a shorter one is searched along the segment, from the
    predictions at its two ends. A pass that is expected to be the
    last does without the Hessian. So do, with many records, those of steps that the Hessian before them serves as well:
    each certificate is then a small part of the one before, and a pass takes half the time (measured). `near` says that
    w is close enough to begin so.
    """
    smooth = loss.smoothness * data.x_bound**2
    keep = _KEEP if data.y.size * w.size**2 >= _WORK else 0.0
    best, stalled, origin, fall, kept = Found(w, math.inf, 0.0), 0, None, math.inf, None
    for _ in range(steps):
        here = tour(data, loss, w, curved=kept is None)
        gradient = here.gradient + lam * w
        distance = certified_distance(gradient, 0.0, w, lam, radius, smooth)
        if origin is not None:
            start, z, move, slope = origin
            origin, end = None, float(gradient @ move)
            if distance > 0.5 * best.distance and too_long(data, loss, lam, w, move, slope, end):
                w = start + line_search(data, loss, lam, start, move, z, here.z - z, slope, end) * move
                kept = None
                continue
        stalled = 0 if distance < 0.5 * best.distance else stalled + 1
        if math.isfinite(best.distance):
            fall, near = distance / best.distance, False
        if distance < best.distance:
            best = Found(w, distance, here.steepness)
        least, length = best.distance, math.sqrt(w @ w)
        if distance <= 0.25 * target or (stalled >= 5 and least < 1e-3 * length) or stalled >= 40:
            break
        if kept is not None and fall > 2.0 * keep:  # it does not serve
            here = tour(data, loss, w, curved=True)
        if here.hessian is not None:
            kept = here.hessian
            kept[np.diag_indices_from(kept)] += lam
        assert kept is not None
        there = quadratic_over_ball(kept, kept @ w - gradient, radius)
        origin = w, here.z, there - w, float(gradient @ (there - w))
        w = there
        if fall > keep and 10.0 * distance * fall**2 > 0.25 * target and not (near and keep):
            kept = None
    return best


def descend(data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray) -> Found:
    """Accelerated projected gradient steps from w until the certificate is ≤ target; the best point met.

    Nesterov's constant momentum (√L − √λ)/(√L + √λ), L = H‖X‖² + λ. In exact arithmetic F(w_t) − F* ≤
    (1 − √(λ/L))ᵗ·(F(w) − F* + (λ/2)‖w − w̃‖²) ≤ (1 − √(λ/L))ᵗ·L‖w − w̃‖²·(1 + ν), ν the multiplier of the ball over
    L: after a number of steps that is √(L/λ) times a logarithm, w_t is so close to w̃ that the certificate, at most
    (L(1 + ν)/λ)‖w_t − w̃‖ once the step reaches the sphere where w̃ is on it, is at most τ. `steps` is well above that.
    """
    top = loss.smoothness * data.x_bound**2 + lam

    def certified(w: np.ndarray) -> Found:
        here = tour(data, loss, w, curved=False)
        return Found(w, certified_distance(here.gradient + lam * w, 0.0, w, lam, radius, top), here.steepness)

    best = certified(w)
    ratio = math.sqrt(top / lam)
    steps = math.ceil(4.0 * ratio * math.log(16.0 * (top / lam) * (1.0 + best.distance / target)))
    momentum = (ratio - 1.0) / (ratio + 1.0)
    ahead, before = w, w
    for step in range(steps):
        gradient = tour(data, loss, ahead, curved=False).gradient + lam * ahead
        w = into_ball(ahead - gradient / top, radius)
        ahead, before = w + momentum * (w - before), w
        if step % 16 == 0 or step == steps - 1:
            best = min(best, certified(w), key=lambda found: found.distance)
            if best.distance <= target:
                break
    return best


def too_long(
    data: Records, loss: Loss, lam: float, w: np.ndarray, move: np.ndarray, start: float, end: float
) -> bool:
    """Whether F rises at the end w of a segment; a derivative that is lost in rounding does not count."""
    size = math.sqrt(w @ w)
    steepest = loss.smoothness * data.x_bound * (data.x_bound * size + data.y_bound)
    noise = 4.0 * _EPS * math.sqrt(move @ move) * (steepest + lam * size)
    return end > noise and start < -noise


def line_search(
    data: Records, loss: Loss, lam: float, w: np.ndarray, move: np.ndarray, z: np.ndarray, change: np.ndarray,
    start: float, end: float,
) -> float:  # fmt: skip
    """A step in (0, 1] along `move` from w where F' is ≤ 0 and at most half of `start`, so that F falls.

    F is convex, so its derivative along the segment rises from `start` to `end`.
    """
    outside = 0.0 if data.far is None else loss.parameter * float(data.far @ move)

    def derivative(step: float) -> float:
        slope = loss.derivative(z + step * change, data.y)
        return float(slope @ change) / data.n + outside + lam * float((w + step * move) @ move)

    low, high, at_low, at_high = 0.0, 1.0, start, end
    for trial in range(80):
        fraction = at_low / (at_low - at_high) if trial % 2 == 0 else 0.5
        middle = low + (high - low) * min(max(fraction, 1e-3), 1.0 - 1e-8)
        at_middle = derivative(middle)
        if at_middle <= 0.0:
            low, at_low = middle, at_middle
            if at_low >= 0.5 * start:
                break
        else:
            high, at_high = middle, at_middle
    return low if low > 0.0 else high
