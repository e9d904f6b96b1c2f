"""Convex minimisation with a certificate: absolute or Huber loss of linear functions, over a ball or a simplex.

Minimised is g(θ) = Σ counts_i·h(r_i) + ½θᵀAθ + ⟨b, θ⟩ with r = Mθ + e, where h is |r|, or r²/2 up to 1 and |r| − 1/2
beyond. For any |s_i| ≤ 1 and θ₀, h(r_i) ≥ s_i·r_i (less s_i²/2 for Huber's) and the quadratic lies above its tangent
at θ₀: g has a linear lower bound, whose minimum over the set is known. The certificate is how far it is below g(θ₀).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.papers.publicdata.hypotheses._ball_kernels import (
    barrier_factor,
    newton_steps,
    smoothed_slopes,
    solve_factored,
    solve_secular,
)
from dpbench.papers.publicdata.hypotheses._pieces import newton_on_pieces
from dpbench.papers.publicdata.objective import Objective, OnePrepared, continuous_loss, linear_rows

_STAGE = 0.1  # the barrier falls by this factor from stage to stage
_STEPS = 6  # Newton steps of one kernel call
_CALLS = 8
_CORRECTIONS = 4
_FINAL = 1e-12
_ENOUGH = 2e-12
_FLAT = 1e-140  # a slope below this is 0: its square would underflow
_BOUNDARY = 1e-6


@dataclass(frozen=True, eq=False)
class Convex:
    """One problem of the module.

    Attributes
    ----------
    features : ndarray, shape (N, k)
        M.
    shift, counts : ndarray, shape (N,)
        e; counts > 0.
    huber : bool
    bend : ndarray, shape (k, k)
        A, positive semidefinite.
    slope : ndarray, shape (k,)
        b.
    radius : float
        Of the ball; 0 for the simplex of k weights.
    """

    features: np.ndarray
    shift: np.ndarray
    counts: np.ndarray
    huber: bool
    bend: np.ndarray
    slope: np.ndarray
    radius: float

    def minimise(self) -> tuple[np.ndarray, float]:
        """θ and its certificate: g(θ) less a lower bound on the minimum, about 1e-12 of the size of g.

        The only minimiser of a Huber loss over the ball by Newton's method on its pieces; else by the barrier, and of
        many minimisers the limit of the barrier's: nothing but the problem decides it. Where the certificate stays
        above `_ENOUGH` of the size, the barrier falls again, by halves and with ten times the Newton steps, and the
        point with the least certificate of all stages is the answer: there always is one.
        """
        k = self.slope.shape[0]
        simplex = self.radius == 0.0
        theta = np.full(k, 1.0 / k) if simplex else np.zeros(k)
        reach = self.radius if self.radius > 0.0 else 1.0
        size = self.counts.sum() + reach * np.linalg.norm(self.slope) + reach**2 * np.trace(self.bend)
        if size == 0.0:
            return theta, 0.0
        scaled = replace(self, counts=self.counts / size, bend=self.bend / size, slope=self.slope / size)
        if self.huber and not simplex and len(self.counts):
            exact = newton_on_pieces(
                self.features, self.shift, scaled.counts, scaled.bend, scaled.slope, self.radius, _FINAL
            )
            if exact is not None:
                r = self.features @ exact + self.shift
                s = np.clip(r, -1.0, 1.0)
                gradient = self.features.T @ (scaled.counts * s) + scaled.bend @ exact + scaled.slope
                return exact, size * scaled._distance(exact, r, s, gradient)
        last = _FINAL / (len(self.counts) + k)
        found, gap = scaled._follow(theta.copy(), last, _STAGE, _CALLS)
        if gap > _ENOUGH:
            again, other = scaled._follow(theta.copy(), last, 0.5, 10 * _CALLS, every_stage=True)
            if other < gap:
                found, gap = again, other
        return found, size * gap

    def _follow(
        self, theta: np.ndarray, last: float, stage: float, calls: int, every_stage: bool = False
    ) -> tuple[np.ndarray, float]:
        """The barrier's minimisers down to τ = `last`, and the certificate: of the last, or the least of all stages."""
        best, least, tau = theta, np.inf, last / _FINAL
        while True:
            target = 1e-2 if tau > last and not every_stage else 1e-8
            for _ in range(calls):
                if newton_steps(*self._function, tau, target, _STEPS, theta) <= target:
                    break
            if every_stage or tau <= last:
                gap = self._gap(theta, tau)
                if gap < least:
                    best, least = theta.copy(), gap
            if tau <= last:
                return best, least
            tau *= stage

    @property
    def _function(self) -> tuple[Any, ...]:
        radius = self.radius
        return self.features, self.shift, self.counts, self.huber, self.bend, self.slope, radius == 0.0, radius

    def _gap(self, theta: np.ndarray, tau: float) -> float:
        """g(θ) less the lower bound: s from the smoothed loss, corrected where rounding of r decides it."""
        k, simplex = len(theta), self.radius == 0.0
        r = self.features @ theta + self.shift
        slopes = np.empty((2, len(r)))
        smoothed_slopes(r, tau / self.counts, self.huber, slopes)
        s, bends = slopes
        factor = np.zeros((k, k))
        function, radius = self._function, self.radius
        barrier_factor(*function[:5], simplex, radius, tau, theta, factor)
        best = np.inf
        for _ in range(_CORRECTIONS):
            gradient = self.features.T @ (self.counts * s) + self.bend @ theta + self.slope
            distance = self._distance(theta, r, s, gradient)
            if not distance < best:
                break
            best = distance
            step = -gradient - (-tau / theta if simplex else self._multiplier(theta, gradient, tau) * theta)
            solve_factored(factor, step)
            if simplex:
                ones = np.ones(k)
                solve_factored(factor, ones)
                step -= step.sum() / ones.sum() * ones
            s = np.clip(s + bends * (self.features @ step), -1.0, 1.0)
        return best

    def _multiplier(self, theta: np.ndarray, gradient: np.ndarray, tau: float) -> float:
        """Of the ball at θ: the barrier's, or near the boundary, where rounding decides that one, the gradient's."""
        room = self.radius**2 - theta @ theta
        if room > _BOUNDARY * self.radius**2:
            return float(2.0 * tau / room)
        return float(max(0.0, -(gradient @ theta) / (theta @ theta)))

    def _distance(self, theta: np.ndarray, r: np.ndarray, s: np.ndarray, gradient: np.ndarray) -> float:
        if self.huber:
            sizes = np.abs(r)
            above = np.where(sizes <= 1.0, 0.5 * (r - s) ** 2, sizes - 0.5 - s * r + 0.5 * s * s)
        else:
            above = np.abs(r) - s * r
        lowest = -self.radius * np.linalg.norm(gradient) if self.radius > 0.0 else gradient.min()
        return float(np.maximum(self.counts @ above + gradient @ theta - lowest, 0.0))


_SHARE = {"absolute": 0.5, "huber": 1.0 / 1.5}
"""ℓ in units of h."""


def quadratic_part(objective: Objective) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of f² and f, point by point, of all but the absolute and Huber losses."""
    if objective.loss != "squared":
        return objective.quadratic, np.zeros(objective.size)
    return objective.quadratic + 0.25 * objective.weights, -0.5 * objective.weights * objective.labels


@dataclass(frozen=True, eq=False)
class ConvexOracle(OnePrepared):
    """f = features·θ + offset at the points, θ in a ball, or in the simplex where the radius is 0."""

    features: np.ndarray
    offset: np.ndarray
    radius: float

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, width)."""
        return self.certified(objective, linear)[0]

    def certified(self, objective: Objective, linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same, and a bound on the excess of each over the least value, shape (calls,)."""
        rows = linear_rows(objective, linear, self.offset.shape[0])
        continuous_loss(objective)
        with one_blas_thread():
            if self.radius > 0.0 and (objective.loss not in _SHARE or not objective.weights.any()):
                return minimise_quadratic(objective, rows, self.features, self.offset, self.radius)
            return minimise_convex(objective, rows, self.features, self.offset, self.radius)


def minimise_quadratic(
    objective: Objective, linear: np.ndarray, features: np.ndarray, offset: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Over the ball, by the secular equation, convex or not: a minimiser for each row of `linear`, certificates.

    The dual value at multiplier ν is −½⟨b, (A + νI)⁻¹b⟩ − ½νR². Eigenvectors have a positive largest entry.
    """
    square, slope = quadratic_part(objective)
    bends, axes = np.linalg.eigh(2.0 * features.T @ (square[:, np.newaxis] * features))
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(len(bends))])
    slopes = np.ascontiguousarray((linear + slope + 2.0 * square * offset) @ features @ axes)
    tiny = np.abs(slopes) < _FLAT
    lost = radius * np.where(tiny, np.abs(slopes), 0.0).sum(axis=1)
    slopes[tiny] = 0.0
    z, multipliers = np.empty(slopes.shape), np.empty(len(slopes))
    solve_secular(bends, slopes, radius, z, multipliers)
    value = (0.5 * bends * z * z + slopes * z).sum(axis=1)
    shifted = bends + multipliers[:, np.newaxis]
    inverse = np.divide(slopes * slopes, shifted, out=np.zeros(slopes.shape), where=(z != 0.0) & (shifted > 0.0))
    dual = -0.5 * inverse.sum(axis=1) - 0.5 * multipliers * radius**2
    left_out = radius * np.abs(np.where(z == 0.0, slopes, 0.0)).sum(axis=1)
    return z @ axes.T, np.maximum(value - dual, 0.0) + left_out + lost


def minimise_convex(
    objective: Objective, linear: np.ndarray, features: np.ndarray, offset: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """By the barrier method, a convex problem: a minimiser for each row of `linear`, and certificates."""
    square, slope = quadratic_part(objective)
    if objective.weights.min() < 0.0 or square.min() < 0.0:
        raise validation.InvalidInput("weights and quadratic must be at least 0 here: only then is it a convex problem")
    k = features.shape[1]
    bend = 2.0 * features.T @ (square[:, np.newaxis] * features) if square.any() else np.zeros((k, k))
    slopes = (linear + slope + 2.0 * square * offset) @ features
    kept = (objective.weights > 0.0) & (objective.loss in _SHARE)
    seen = features if kept.all() else np.ascontiguousarray(features[kept])
    parts = (seen, (offset - objective.labels)[kept])
    counts = objective.weights[kept] * _SHARE.get(objective.loss, 0.0)
    made = [Convex(*parts, counts, objective.loss == "huber", bend, row, radius).minimise() for row in slopes]
    return np.stack([theta for theta, _ in made]), np.array([gap for _, gap in made])
