"""Constants of single losses that are sharper than what any Lipschitz or smooth loss has, with their proofs.

Each field of `Sharper` is optional: where it is None, generic bounds and generic routes take its place. The functions
take the loss itself as their first argument.

Derivation of D. Write w = r·e₁ (r ≤ B), a = BX, b = `y_bound`, and for a record at angle t to w and of
norm ρ, z = rρ·cos t. Every loss here is odd: φ'(−z, −y) = −φ'(z, y), so (x, y) and (−x, −y) have the
same gradient and only records with φ' ≥ 0 matter; f(z) = max_y φ'(z, y) is the largest. A record with
prediction z has gradient c·(z/r, √(ρ² − z²/r²)·u), u a unit vector orthogonal to w and 0 ≤ c ≤ f(z).
The second part may point anywhere in w's orthogonal complement, so the most distant pair lies in one
plane, has ρ = X (a shorter record is a mixture of two such with opposite u), and D is the diameter of
the region inside the curve X·f(rX·cos t)·(cos t, ± sin t).

*Two dimensions or more, f non-decreasing, concave, f(0) ≥ 0* (squared, half-squared, Huber, absolute,
linear, and capped-linear while a ≤ end + b): D = 2X·max_t f(a cos t)·sin t, the pair of records
symmetric about w. Proof. Let x* = cos t* maximise f(ax)√(1 − x²), f* = f(ax*), M = f*√(1 − x*²). The
region lies in the disc of radius XM around (Xf*x*, 0), hence has diameter at most 2XM. For, with s =
f(ax)/f*, that says s² − 2s·x*x + 2x*² − 1 ≤ 0. Concavity and f(0) ≥ 0 give x*f'(x*) ≤ f*, and
optimality f'(x*)(1 − x*²) = f*x* (a supporting slope at a kink), so x*² ≤ 1/2; then the larger root
U(x) = x*x + √(x*²x² + 1 − 2x*²) is convex, has U(x*) = 1 and U'(x*) = x*/(1 − x*²), the slope of s
there, so s ≤ tangent ≤ U; the smaller root is never positive; c < f(z) is between 0 and the curve, and
0 is in the disc. A smaller r has a smaller maximum, as f is non-decreasing. *Logistic*: f is the
logistic function, concave for x ≥ 0 only; s ≤ U on x < 0 is a scalar inequality in (a, x) that
`tests/papers/glm/test_sensitivity.py` checks on a grid.

*One dimension*: no orthogonal part; D = X·max over a' ≤ a of f(a') + max_{0≤u≤1} u·f(−a'u), the records
x = X and x = −uX. The best w may lie inside the ball (logistic, Huber).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, lambertw


class Constants(Protocol):
    """What is asked of a loss here: values, derivatives, and its constants."""

    @property
    def parameter(self) -> float: ...
    @property
    def smoothness(self) -> float: ...
    @property
    def lipschitz(self) -> float: ...
    def value(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """φ(z, y)."""

    def derivative(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """φ'(z, y)."""


@dataclass(frozen=True)
class Sharper:
    """What is proved of one loss.

    Attributes
    ----------
    slope : callable, optional
        ``slope(loss, z_bound, y_bound)``: sup |φ'(z, y)| over |z| ≤ z_bound and admissible labels |y| ≤ y_bound.
    gap : callable, optional
        ``gap(loss, a, b, one_dimensional)``: D/‖X‖ for a = B‖X‖ and |y| ≤ b, with the derivation above.
    span : callable, optional
        ``span(loss, z_bound, y_bound)``: inf and sup of φ over |z| ≤ z_bound and |y| ≤ y_bound, and sup − inf.
    basis_minimiser : callable, optional
        ``basis_minimiser(loss, bias, y)``: the least minimiser in z ≥ 0 of ((1+b)/2)φ(z, y) + ((1−b)/2)φ(z, −y), for
        an array of b ≥ 0.
    """

    slope: Callable[[Constants, float, float], float] | None = None
    gap: Callable[[Constants, float, float, bool], float] | None = None
    span: Callable[[Constants, float, float], tuple[float, float, float]] | None = None
    basis_minimiser: Callable[[Constants, np.ndarray, float], np.ndarray] | None = None


GENERIC = Sharper()
"""Of a loss of which nothing more is proved."""


# Losses r ↦ Hr²/2 of the residual r = z − y up to |r| = G/H, linear beyond: squared, half-squared, Huber


def _slope_at_corner(loss: Constants, z_bound: float, y_bound: float) -> float:
    """φ' rises in z and falls in y: the supremum is at a corner."""
    corners = np.array([(z, y) for z in (-z_bound, z_bound) for y in (-y_bound, y_bound)])
    return float(np.abs(loss.derivative(corners[:, 0], corners[:, 1])).max())


def _residual_gap(loss: Constants, a: float, b: float, one_dimensional: bool) -> float:
    knee = loss.lipschitz / loss.smoothness
    return loss.smoothness * (_quadratic_line(a, b, knee) if one_dimensional else _quadratic_plane(a, b, knee))


def _quadratic_plane(a: float, b: float, knee: float) -> float:
    """2·max_x min(ax + b, κ)√(1 − x²): at the quadratic's own maximum, or at the kink before it."""
    if b >= knee:
        return 2.0 * knee
    x = 2.0 * a / (b + math.hypot(b, math.sqrt(8.0) * a))  # root of 2ax² + bx − a
    if a * x + b > knee:
        x = (knee - b) / a
    return 2.0 * min(a * x + b, knee) * math.sqrt(1.0 - x * x)


def _quadratic_line(a: float, b: float, knee: float) -> float:
    """f(a') + max_u u·f(−a'u) is 2b up to a' = b/2, then a' + b + b²/(4a'), which grows until f reaches κ."""
    if b >= knee:
        return 2.0 * knee
    best = min(a, knee - b)
    return 2.0 * b if best <= 0.5 * b else best + b + b * b / (4.0 * best)


def _residual_span(loss: Constants, z_bound: float, y_bound: float) -> tuple[float, float, float]:
    """0 where z = y; the supremum is at the largest residual."""
    high = float(loss.value(np.array([z_bound]), np.array([-y_bound]))[0])
    return 0.0, high, high


def _residual_minimiser(loss: Constants, bias: np.ndarray, y: float) -> np.ndarray:
    """Where (1+b)φ'(z − y) + (1−b)φ'(z + y) = 0: by, or past the knee y − (G/H)(1−b)/(1+b)."""
    knee = loss.lipschitz / loss.smoothness
    if math.isinf(knee):
        return bias * y
    return np.where(y * (1.0 + bias) <= knee, bias * y, y - knee * (1.0 - bias) / (1.0 + bias))


RESIDUAL_SHARPER = Sharper(_slope_at_corner, _residual_gap, _residual_span, _residual_minimiser)


# The absolute loss: D = 2‖X‖G is what any Lipschitz loss has


def _absolute_minimiser(loss: Constants, bias: np.ndarray, y: float) -> np.ndarray:
    return np.full_like(bias, y)


ABSOLUTE_SHARPER = Sharper(span=_residual_span, basis_minimiser=_absolute_minimiser)


# The logistic loss


def _logistic_slope(loss: Constants, z_bound: float, y_bound: float) -> float:
    """1/(1 + e^(−z)) at the far end."""
    return float(abs(loss.derivative(np.array([-z_bound]), np.ones(1))[0]))


def _logistic_gap(loss: Constants, a: float, b: float, one_dimensional: bool) -> float:
    return _logistic_line(a) if one_dimensional else _logistic_plane(a)


def _logistic_plane(a: float) -> float:
    """2·max_x s(ax)√(1 − x²); the maximum solves a·s(−ax)(1 − x²) = x, which has one root in [0, 1/√2]."""
    from scipy.optimize import brentq

    x = float(brentq(lambda x: a * expit(-a * x) * (1.0 - x * x) - x, 0.0, 0.75, xtol=1e-300, rtol=1e-14, maxiter=2000))
    return 2.0 * float(expit(a * x)) * math.sqrt(1.0 - x * x)


def _logistic_line(a: float) -> float:
    """s(a') + max_u u·s(−a'u) is 1 up to a' = 1 + W, W = W(1/e) = 0.278…; then s(a') + W/a'."""
    from scipy.optimize import brentq

    w = float(lambertw(math.exp(-1.0)).real)
    if a <= 1.0 + w:
        return 1.0
    peak = float(brentq(lambda q: expit(q) * expit(-q) - w / q**2, 2.0, 20.0, xtol=1e-14))
    best = min(a, peak)
    return float(expit(best)) + w / best


def _logistic_span(loss: Constants, z_bound: float, y_bound: float) -> tuple[float, float, float]:
    """sup − inf is z_bound exactly, where the two ends would cancel."""
    least = math.log1p(math.exp(-z_bound))
    return least, z_bound + least, z_bound


def _logistic_minimiser(loss: Constants, bias: np.ndarray, y: float) -> np.ndarray:
    return np.log((1.0 + bias) / (1.0 - bias))


LOGISTIC_SHARPER = Sharper(_logistic_slope, _logistic_gap, _logistic_span, _logistic_minimiser)


# The capped-linear loss


def _capped_slope(loss: Constants, z_bound: float, y_bound: float) -> float:
    """−y where φ is linear; beyond, largest for y near 0."""
    return max(y_bound, z_bound - loss.parameter)


def _capped_gap(loss: Constants, a: float, b: float, one_dimensional: bool) -> float:
    return _capped_line(a, b, loss.parameter) if one_dimensional else b + max(b, a - loss.parameter)


def _capped_line(a: float, b: float, end: float) -> float:
    """Beyond a' = end + b the slope a' − end of labels near 0 is steeper than b."""
    if a <= end + b:
        return 2.0 * b
    other = 0.25 * (b + end) ** 2 if b >= end else b * end
    return max(2.0 * b, a - end + other / a)


def _capped_span(loss: Constants, z_bound: float, y_bound: float) -> tuple[float, float, float]:
    """Beyond its linear part the steepest labels are those near 0."""
    high = float(loss.value(np.array([z_bound]), np.array([-y_bound]))[0])
    high = max(high, 0.5 * max(0.0, z_bound - loss.parameter) ** 2)
    return 0.0, high, high


def _capped_minimiser(loss: Constants, bias: np.ndarray, y: float) -> np.ndarray:
    return loss.parameter + y * 2.0 * bias / (1.0 + bias)


CAPPED_SHARPER = Sharper(_capped_slope, _capped_gap, _capped_span, _capped_minimiser)
