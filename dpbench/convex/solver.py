"""Convex losses of linear functions over a ball: a minimiser, and a bound on how far it is from the exact one.

F(w) = s·Σ c_i·φ(⟨w, x_i⟩, y_i) + (λ/2)‖w‖² + ½⟨w, Aw⟩ + ⟨b, w⟩ on ‖w‖ ≤ B. Newton's method runs in one kernel
(`_newton`), many records from a start that few of them give; then accelerated gradient steps, which always get there
where λ > 0 (Nesterov 2004, 2.2.1). Neither is trusted: the certificate is computed from all records at the point that
is returned. A loss with a corner is approached through its smoothings, κ falling by tens (Madsen & Nielsen 1993).
Many data sets go one after the other: what a call costs beside the kernel is a few microseconds.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dpbench.convex._newton import BEGIN, EPS, ROUNDED, certificate, into_ball, model_minimiser, newton, workspace
from dpbench.convex._passes import ROWS, add_pass
from dpbench.convex.loss_kernels import HALF_SQUARED, HUBER, SQUARED, loss_curvature
from dpbench.core import aligned
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import InvalidInput

FEW = 256
"""Records that are worth a search of their own, whose end is the start of the whole one."""

LARGEST_SIDE = 5000
"""min(n, d): the Hessian is dense."""

_NONE, _INDICES, _SQUARE = np.empty(0), np.empty(0, dtype=np.int64), np.empty((0, 0))
_STEPS = 100
_REACH = 60.0  # residuals of so many κ may come to matter, once the first records led within 10κ
_SMALL = 2**16
_WORK = 2e8  # multiplications in a call of the kernel: a fraction of a second


_kept = threading.local()  # of a thread, the workspace of its last small search


def _workspace(n: int, d: int) -> tuple[np.ndarray, ...]:
    if n * (d + 2) > _SMALL:
        return workspace(n, d)
    if getattr(_kept, "shape", None) != (n, d):
        _kept.shape, _kept.space = (n, d), workspace(n, d)
    space: tuple[np.ndarray, ...] = _kept.space
    return space


class Curve(NamedTuple):
    """φ: a code of `loss_kernels`, its parameter and its smoothness H."""

    code: int
    parameter: float
    smoothness: float


class Point(NamedTuple):
    """A point of the ball, its certificate (`_newton.certificate`), and s·Σ c_i·|φ'| there."""

    w: np.ndarray
    distance: float
    steepness: float = 0.0


@dataclass(frozen=True, eq=False)
class Objective:
    """F over the ball.

    Attributes
    ----------
    X : ndarray or csr_array, shape (n, d)
    y : ndarray, shape (n,)
    curve : Curve
        φ; of the Huber losses, code `HUBER`, wider ones lead to it.
    x_bound, radius : float
        A bound on ‖x_i‖; B.
    share : float
        s.
    lam : float
        λ. At 0 certificates bound F(w) − min F, else ‖w − argmin F‖.
    weights : ndarray, shape (n,)
        c_i ≥ 0; empty for 1.
    bend, slope : ndarray, shape (d, d) and (d,)
        A, positive semidefinite, or empty; b.
    second : ndarray, shape (d, d), or None
        Of a quadratic loss s·H·Σ x_i·x_i', where it is known; no weights, A and b then.
    """

    X: Any
    y: np.ndarray
    curve: Curve
    x_bound: float
    radius: float
    share: float
    lam: float = 0.0
    weights: np.ndarray = field(default_factory=lambda: _NONE)
    bend: np.ndarray = field(default_factory=lambda: _SQUARE)
    slope: np.ndarray = field(default_factory=lambda: _NONE)
    second: np.ndarray | None = None

    @property
    def affine(self) -> bool:
        """Whether F is (λ/2)‖w‖² plus an affine function."""
        return self.curve.smoothness == 0.0 and not self.bend.size

    @cached_property
    def smoothness(self) -> float:
        """A Lipschitz constant of ∇F."""
        total = self.share * (float(self.weights.sum()) if self.weights.size else self.y.size)
        return total * self.curve.smoothness * self.x_bound**2 + self.lam + float(np.linalg.norm(self.bend))

    @cached_property
    def stored(self) -> tuple[np.ndarray, ...]:
        """The records as the kernels take them."""
        if sparse.issparse(self.X):
            rows = np.empty((0, self.X.shape[1]))
            indices, edges = (part.astype(np.int64) for part in (self.X.indices, self.X.indptr))
            return rows, self.X.data, indices, edges, self.y, self.weights
        return np.ascontiguousarray(self.X), _NONE, _INDICES, _INDICES, self.y, self.weights

    def gradient(self, w: np.ndarray) -> tuple[np.ndarray, float]:
        """∇F and s·Σ c_i·|φ'|."""
        d = w.size
        wide = d + -d % 4
        padded, sums, square = aligned.zeros(wide), aligned.zeros(3, wide), aligned.zeros(0, 0)
        padded[:d] = w
        steep = add_pass(
            self.curve.code, self.curve.parameter, False, *self.stored, padded, np.empty(self.y.size), sums, square,
            aligned.zeros(5, ROWS), aligned.zeros(wide, 0),
        )  # fmt: skip
        gradient = self.share * sums[0, :d] + self.lam * w
        if self.bend.size:
            gradient += self.bend @ w
        if self.slope.size:
            gradient += self.slope
        return gradient, self.share * steep

    def certified(self, w: np.ndarray) -> Point:
        """The point with its certificate, rounding included."""
        gradient, steep = self.gradient(w)
        point = Point(w, certificate(self.lam, self.radius, self.smoothness, w, gradient), steep)
        return point._replace(distance=point.distance + self.rounding(point))

    def rounding(self, point: Point) -> float:
        """What rounding may have taken from a certified distance; 0 for a gap, whose user allows for it."""
        if self.lam == 0.0:
            return 0.0
        size = self.x_bound * point.steepness + (self.smoothness + self.lam) * math.sqrt(point.w @ point.w)
        return EPS * (64.0 + math.sqrt(self.y.size)) * size / self.lam

    def newton(self, w: np.ndarray, target: float) -> Point:
        """Newton's method from w until the certificate is at most a quarter of `target` or stalls; its best point."""
        n, d = self.X.shape
        iterate, space = w.copy(), _workspace(n, d)
        space[-1][:] = BEGIN
        slope = self.slope if self.slope.size else np.zeros(d)
        reach = float(np.abs(self.y).max(initial=0.0)) / self.x_bound
        a_call = int(min(_STEPS, max(1.0, _WORK / (n * d * d + d**3 + 1.0))))
        for _ in range(0, _STEPS, a_call):
            if newton(
                self.curve.code, self.curve.parameter, *self.stored, self.share, self.lam, self.bend, slope,
                self.radius, self.smoothness, reach, target, a_call, iterate, *space,
            ):  # fmt: skip
                break
        return Point(iterate, *space[-1][:2].tolist())

    def widened(self, factor: float) -> Objective:
        """`factor` times F with a κ that is `factor` times as large, of Huber's loss."""
        curve = self.curve._replace(parameter=factor * self.curve.parameter)
        return replace(self, curve=curve, lam=factor * self.lam, bend=factor * self.bend, slope=factor * self.slope)

    def near(self, w: np.ndarray, reach: float) -> Objective:
        """Huber's F near w: slopes of records whose residual is beyond `reach` are added up once, as they are at w."""
        residuals = self.X @ w - self.y
        beyond = np.abs(residuals) > reach
        slopes = self.curve.parameter * np.sign(residuals) * beyond
        if self.weights.size:
            slopes *= self.weights
        slope = self.share * (self.X.T @ slopes)
        return self._of(np.flatnonzero(~beyond), slope=slope + self.slope if self.slope.size else slope)

    def first(self, rows: int) -> Objective:
        """F of the first records alone."""
        return self._of(slice(rows), share=self.share * self.y.size / rows)

    def _of(self, rows: Any, **changes: Any) -> Objective:
        weights = self.weights[rows] if self.weights.size else self.weights
        return replace(self, X=self.X[rows], y=self.y[rows], weights=weights, **changes)


def minimise(F: Objective, target: float) -> Point:
    """A point whose certificate is at most `target`, or the best that was found; with d > n in the span of the records.

    Raises
    ------
    InvalidInput
        Where both n and d are above `LARGEST_SIDE`, for a loss that is not affine.
    """
    n, d = F.X.shape
    if F.affine:
        w = -F.gradient(np.zeros(d))[0] / F.lam
        into_ball(F.radius, False, w)
        return F.certified(w)
    if min(n, d) > LARGEST_SIDE:
        raise InvalidInput(f"X must have a side of at most {LARGEST_SIDE} rows or columns, got {n} by {d}")
    if d <= n:
        return _minimised(F, target)
    import scipy.linalg as linalg  # of wide problems alone: it takes longer to import than most entries need

    dense = F.X.toarray() if sparse.issparse(F.X) else F.X
    with one_blas_thread():
        basis, triangle = linalg.qr(dense.T, mode="economic")
        w = basis @ _minimised(replace(F, X=np.ascontiguousarray(triangle.T)), target).w
    into_ball(F.radius, False, w)
    return F.certified(w)


def _minimised(F: Objective, target: float) -> Point:
    nearest = refine(F, target) if F.curve.code in (SQUARED, HALF_SQUARED) else follow(F, target)
    nearest = nearest._replace(distance=nearest.distance + F.rounding(nearest))
    if nearest.distance > target and F.lam > 0.0:
        nearest = min(nearest, descend(F, nearest.w, target), key=lambda point: point.distance)
    return nearest


def refine(F: Objective, target: float) -> Point:
    """The minimiser of a quadratic F, in as many steps as rounding asks for."""
    d = F.X.shape[1]
    matrix = F.share * F.curve.smoothness * (F.X.T @ F.X) if F.second is None else F.second
    matrix = matrix + F.lam * np.eye(d)
    best, w, space = Point(np.zeros(d), math.inf), np.zeros(d), (np.empty((d, d)), np.empty(d))
    for _ in range(_STEPS):
        gradient, steep = F.gradient(w)
        point = Point(w, certificate(F.lam, F.radius, F.smoothness, w, gradient), steep)
        if not point.distance < 0.5 * best.distance:
            return min(best, point, key=lambda point: point.distance)
        best, w = point, np.empty(d)
        if best.distance <= 0.25 * target:
            break
        model_minimiser(matrix, best.w, gradient, F.radius, ROUNDED, w, *space)
    return best


def follow(F: Objective, target: float) -> Point:
    """Newton's method from 0, through wider Huber losses; with many records the first few lead."""
    n, d = F.X.shape
    w = np.zeros(d)
    if math.isnan(loss_curvature(F.curve.code, F.curve.parameter, 0.0, 1.0)):
        return Point(w, math.inf)
    factors, widest, led = [1.0], 0.0, False
    if F.curve.code == HUBER:
        widest = float(np.abs(F.y).max(initial=0.0)) / F.curve.parameter
        factors = [10.0**k for k in range(math.ceil(math.log10(max(1.0, widest))), -1, -1)]
    if n >= 16 * max(FEW, 16 * d):
        w = follow(F.first(n // 16), target).w
        factors, led = factors[-2:], widest > _REACH
    for factor in factors:
        wide = F if factor == 1.0 else F.widened(factor)
        goal = target if factor == 1.0 else max(target, 1e-2 * wide.curve.parameter / F.x_bound)
        closer = nearby(wide, w, _REACH * F.curve.parameter, goal) if led else None
        if closer is not None:
            w = closer
        if closer is None or factor == 1.0:
            point = wide.newton(w, goal)
            w = point.w
    return point


def nearby(F: Objective, w: np.ndarray, reach: float, target: float) -> np.ndarray | None:
    """Newton's method from w where slopes of residuals beyond `reach` stay; None where a prediction moves by more, or
    most records stay within."""
    with one_blas_thread():
        for _ in range(3):
            near = F.near(w, reach)
            if near.y.size > F.y.size // 2:
                break
            before, w = w, near.newton(w, target).w
            if np.abs(F.X @ (w - before)).max() <= reach:
                return w
    return None


def descend(F: Objective, w: np.ndarray, target: float) -> Point:
    """Accelerated projected gradient steps from w until the certificate is at most `target`; the best point met.

    Nesterov's constant momentum (√L − √λ)/(√L + √λ), L the smoothness. In exact arithmetic F(w_t) − F* ≤
    (1 − √(λ/L))ᵗ·L‖w − w̃‖²·(1 + ν), ν the multiplier of the ball over L: after a number of steps that is √(L/λ) times
    a logarithm, w_t is so close to w̃ that the certificate is at most `target`. `steps` is well above that.
    """
    ratio = math.sqrt(F.smoothness / F.lam)
    best, ahead, before = F.certified(w), w, w
    steps = math.ceil(4.0 * ratio * math.log(16.0 * ratio**2 * (1.0 + best.distance / target)))
    for step in range(steps):
        w = ahead - F.gradient(ahead)[0] / F.smoothness
        into_ball(F.radius, False, w)
        ahead, before = w + (ratio - 1.0) / (ratio + 1.0) * (w - before), w
        if step % 16 == 0 or step == steps - 1:
            best = min(best, F.certified(w), key=lambda point: point.distance)
            if best.distance <= target:
                break
    return best


def certificate_rounding(slope: float, curvature: float, x_bound: float, n: int, lam: float, radius: float) -> float:
    """`Objective.rounding` at most, for any records, where s = 1/n, c_i = 1, A = 0 and b = 0.

    Parameters
    ----------
    slope, curvature : float
        sup |φ'| and sup φ''.
    x_bound, lam, radius : float
        ‖X‖, λ and a bound on ‖w‖.
    n : int
    """
    size = x_bound * slope + (curvature * x_bound**2 + 2.0 * lam) * radius
    return EPS * (64.0 + math.sqrt(n)) * size / lam
