"""Absolute or Huber losses of linear functions and a convex quadratic over a ball: minimisers with their gaps.

Minimised is F(w) = Σ c_i·h(⟨w, x_i⟩ − y_i) + ½⟨w, Aw⟩ + ⟨b, w⟩ on ‖w‖ ≤ B for one b after the other, h = |r|, or r²/2
up to 1 and |r| − 1/2 beyond. F need have no curvature, so the certificate is a gap: for any |s_i| ≤ 1, |r| ≥ s_i·r, and
with the tangent of the quadratic F has a linear lower bound, whose least value over the ball is known. What floating
point leaves of a gap depends on the records; `interior` is slow and leaves none of more than its rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpbench.convex import interior
from dpbench.convex._newton import FLAT, certificate, into_ball, least_quadratics, model_minimiser
from dpbench.convex.loss_kernels import HUBER, ROUNDED_ABSOLUTE
from dpbench.convex.solver import Curve, Objective, Point

ENOUGH = 1e-12
"""A gap that ends a search, in units of Σ c_i + B‖b‖ + B²·tr A."""

_LEAST = 1e-13  # ρ, in units of the largest residual, at which the path ends
_BEGUN = 1e-2  # below which the path's direction is tried
_SMALL = 1e-8  # and below which its points are worth a certificate
_NEAR = (0.99, 0.9999)  # |s| below which a residual is taken for one that goes to 0
_RANK, _FLAT = 1e-10, 1e-140
_STEPS = 10
_CORRECTIONS = 4


@dataclass(frozen=True, eq=False)
class Losses:
    """F but for b.

    Attributes
    ----------
    X, y, weights : ndarray, shape (n, d), (n,) and (n,)
        x_i, y_i and c_i > 0; n may be 0.
    huber : bool
    bend : ndarray, shape (d, d)
        A, positive semidefinite.
    radius : float
    """

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    huber: bool
    bend: np.ndarray
    radius: float

    def minimise(self, slopes: np.ndarray, slow: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each row b of `slopes` a minimiser, a bound on what it misses the least value by, and s.

        Shapes (rows, d), (rows,) and (rows, n). The bounds are computed at the points that are returned, and hold but
        for their own rounding. They are about `ENOUGH`, for some records more; with `slow` never more.
        """
        rows, n, d = len(slopes), len(self.y), self.X.shape[1]
        points, gaps, duals = np.zeros((rows, d)), np.zeros(rows), np.zeros((rows, n))
        size = self.weights.sum() + self.radius**2 * np.trace(self.bend)
        if n == 0 and not slow:
            steepest = float(np.abs(slopes).max(initial=0.0))
            enough = ENOUGH * (size + self.radius * steepest)
            least_quadratics(self.bend, slopes, self.radius, enough, points, gaps, np.empty((d, d)))
            return points, gaps, duals
        for row, slope in enumerate(slopes):
            scale = size + self.radius * float(np.linalg.norm(slope))
            if scale > 0.0:
                search = self._certain if slow else self._smooth if self.huber else self._path
                points[row], gap, duals[row] = search(slope, scale)
                gaps[row] = gap * scale
        return points, gaps, duals

    @cached_property
    def x_bound(self) -> float:
        """max ‖x_i‖."""
        return math.sqrt(float(np.einsum("ij,ij->i", self.X, self.X).max())) or 1.0

    def _search(self, curve: Curve, scale: float, slope: np.ndarray, w: np.ndarray, target: float) -> Point:
        """Newton's method from w on F over `scale` with another loss."""
        return Objective(
            self.X, self.y, curve, self.x_bound, self.radius, 1.0 / scale, 0.0, self.weights, self.bend / scale,
            slope / scale,
        ).newton(w, target)  # fmt: skip

    def _smooth(self, slope: np.ndarray, scale: float) -> tuple[np.ndarray, float, np.ndarray]:
        minimum = self._search(Curve(HUBER, 1.0, 1.0), scale, slope, np.zeros(slope.size), ENOUGH)
        return minimum.w, minimum.distance, np.clip(self.X @ minimum.w - self.y, -1.0, 1.0)

    def _certain(self, slope: np.ndarray, scale: float) -> tuple[np.ndarray, float, np.ndarray]:
        """By `interior_point`, over the unit ball."""
        weights = np.maximum(self.weights / scale, np.finfo(float).tiny)
        bend, slope_here = self.radius**2 / scale * self.bend, self.radius / scale * slope
        w, s = interior.interior_point(self.radius * self.X, self.y, weights, bend, slope_here, self.huber)
        w *= self.radius
        into_ball(self.radius, False, w)
        return w, self._gap(w, s, slope) / scale, s

    def _path(self, slope: np.ndarray, scale: float) -> tuple[np.ndarray, float, np.ndarray]:
        """Of the absolute loss: the minimisers with its rounded form, whose ρ falls, until one leads to the end.

        The rounded form is what a logarithmic barrier makes of |r|: every record curves it, few steps a ρ are enough.
        """
        w, best = np.zeros(slope.size), (np.zeros(slope.size), math.inf, np.zeros(len(self.y)))
        rho = widest = float(np.abs(self.y).max()) + self.radius * self.x_bound
        while best[1] > ENOUGH * scale and rho > _LEAST * widest:
            w = self._search(Curve(ROUNDED_ABSOLUTE, rho, 0.5 / rho), scale, slope, w, min(1e-2 * rho, ENOUGH)).w
            r = self.X @ w - self.y
            root = np.sqrt(rho * rho + r * r)
            s, bends = r / (rho + root), rho / (root * (rho + root))
            for near in (np.abs(s) < share for share in _NEAR if rho < _BEGUN * widest):
                if best[1] > ENOUGH * scale and (near.sum() <= 2 * w.size or rho < _SMALL * widest):
                    far = np.where(near, s, np.sign(r))
                    point, tight = self._end(w, near, far, slope, 0.1 * ENOUGH * scale)
                    pliant = np.where(near, bends, np.where(tight, bends.max(), 0.0))
                    best = min(best, self._certified(point, far, pliant, slope), key=_first_gap)
            if rho < _SMALL * widest:
                best = min(best, self._certified(w, s, bends, slope), key=_first_gap)
            rho *= 0.01 if rho > _SMALL * widest else 0.2
        return best[0], best[1] / scale, best[2]

    def _end(
        self, w: np.ndarray, near: np.ndarray, s: np.ndarray, slope: np.ndarray, enough: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where the path leads, and the residuals that are 0 there: of those that would change their signs on the way
        the first joins `near`, and so on."""
        for _ in range(w.size + 1):
            point = self._ahead(w, near, s, slope, enough)
            r, change = self.X @ w - self.y, self.X @ (point - w)
            shares = np.full(r.size, math.inf)
            turns = ~near & (s * (r + change) < 0.0)
            if not turns.any():
                break
            with np.errstate(all="ignore"):  # a change of 0: the whole way
                shares[turns] = np.clip(-r[turns] / change[turns], 0.0, 1.0)
            first = int(shares.argmin())
            w, near = w + shares[first] * (point - w), near.copy()
            near[first] = True
        return point, near

    def _ahead(self, w: np.ndarray, near: np.ndarray, s: np.ndarray, slope: np.ndarray, enough: float) -> np.ndarray:
        """Where the path from w leads if the residuals of `near` go to 0 and no other changes its sign.

        In the directions that leave the residuals of `near` alone as near to w as the least value allows.
        """
        X = self.X[near]
        left, sizes, right = np.linalg.svd(X, full_matrices=len(X) < w.size)
        rank = int((sizes > max(_RANK * sizes.max(initial=0.0), _FLAT)).sum())
        fixed, free = right[:rank].T @ (self.y[near] @ left[:, :rank] / sizes[:rank]), right[rank:]
        room, eta = math.sqrt(max(0.0, self.radius**2 - fixed @ fixed)), free @ w
        into_ball(room, False, eta)
        point = fixed + free.T @ eta
        bend, space = np.ascontiguousarray(free @ self.bend @ free.T), (np.empty((len(free),) * 2), np.empty(len(free)))
        for _ in range(_STEPS if eta.size and room > 0.0 else 0):
            gradient = free @ self._gradient(point, np.where(near, 0.0, s), slope)
            if certificate(0.0, room, 0.0, eta, gradient) <= enough:
                break
            model_minimiser(bend, eta.copy(), gradient, room, FLAT, eta, *space)
            point = fixed + free.T @ eta
        into_ball(self.radius, False, point)
        return point

    def _certified(
        self, w: np.ndarray, s: np.ndarray, bends: np.ndarray, slope: np.ndarray
    ) -> tuple[np.ndarray, float, np.ndarray]:
        """w with its gap and s, corrected in proportion to `bends` so that the gradient vanishes or points outward."""
        pull = (self.X * np.sqrt(self.weights * bends)[:, None]).T
        on_sphere = w @ w >= self.radius**2 * (1.0 - 1e-9)
        best, dual = math.inf, s
        for _ in range(_CORRECTIONS):
            gradient = self._gradient(w, s, slope)
            gap = self._gap(w, s, slope)
            if not gap < best:
                break
            best, dual = gap, s
            if on_sphere:
                gradient = gradient + max(0.0, -(gradient @ w) / (w @ w)) * w
            with np.errstate(all="ignore"):  # of features that are nearly 0: what is no number ends the loop
                moved = np.sqrt(bends / self.weights) * np.linalg.lstsq(pull, gradient)[0]
            s = np.clip(s - moved, -1.0, 1.0)
        return w, best, dual

    def _gap(self, w: np.ndarray, s: np.ndarray, slope: np.ndarray) -> float:
        """By how much F(w) can exceed the least value: h(r) ≥ s·r − h*(s), where h*(s) is 0, or s²/2 of Huber's."""
        r, conjugate = self.X @ w - self.y, 0.0
        size = np.abs(r)
        if self.huber:
            size, conjugate = np.where(size <= 1.0, 0.5 * r * r, size - 0.5), 0.5 * s * s
        over = self.weights @ (size - s * r + conjugate)
        return float(over + certificate(0.0, self.radius, 0.0, w, self._gradient(w, s, slope)))

    def _gradient(self, w: np.ndarray, s: np.ndarray, slope: np.ndarray) -> np.ndarray:
        return np.asarray(self.X.T @ (self.weights * s) + self.bend @ w + slope)


def _first_gap(point: tuple[np.ndarray, float, np.ndarray]) -> float:
    return point[1]
