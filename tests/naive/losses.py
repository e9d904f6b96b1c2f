"""Losses from their definitions: one entry of `TWINS` each, in 200-digit arithmetic or for arrays of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp, mpf

DIGITS = 200  # 1 + e^(−300) must not be 1


class Digits:
    """What the definitions need beyond + − · /, in the working precision of mpmath."""

    largest, smallest, sign = staticmethod(max), staticmethod(min), staticmethod(mp.sign)
    sqrt, log = staticmethod(mp.sqrt), staticmethod(mp.log)

    @staticmethod
    def log_one_plus_exp(m: mpf) -> mpf:
        return mp.log(1 + mp.exp(m))

    @staticmethod
    def falling(m: mpf) -> mpf:
        """1/(1 + e^m)."""
        return 1 / (1 + mp.exp(m))


class Floats:
    """The same for arrays."""

    largest, smallest, sign = staticmethod(np.maximum), staticmethod(np.minimum), staticmethod(np.sign)
    sqrt, log = staticmethod(np.sqrt), staticmethod(np.log)

    @staticmethod
    def log_one_plus_exp(m: Any) -> Any:
        return np.logaddexp(0.0, m)

    @staticmethod
    def falling(m: Any) -> Any:
        return 0.5 * (1 - np.tanh(0.5 * m))


def _nearest(a: Any, r: Any, limit: Any) -> Any:
    """The number in [−limit, limit] nearest to r."""
    return a.smallest(a.largest(r, -limit), limit)


def _huber(a: Any, z: Any, y: Any, kappa: Any) -> Any:
    """The conjugate form: max over |s| ≤ κ of s·r − s²/2."""
    s = _nearest(a, z - y, kappa)
    return s * (z - y) - s**2 / 2


def _side(a: Any, y: Any) -> Any:
    """The sign of y, 1 at 0."""
    return a.sign(2 * a.sign(y) + 1)


def _capped(a: Any, z: Any, y: Any, end: Any) -> Any:
    """A parabola, and its tangent before the end."""
    past = _side(a, y) * z - end
    return (abs(y) - a.largest(past, 0 * past)) ** 2 / 2 + abs(y) * a.largest(-past, 0 * past)


def _capped_slope(a: Any, z: Any, y: Any, end: Any) -> Any:
    past = _side(a, y) * z - end
    return _side(a, y) * (a.largest(past, 0 * past) - abs(y))


def _rounded(a: Any, z: Any, y: Any, rho: Any) -> Any:
    """max over |s| < 1 of s·r + ρ·log(1 − s²), attained at s = r/(ρ + √(ρ² + r²)), for r = z − y."""
    s = _rounded_slope(a, z, y, rho)
    return s * (z - y) + rho * a.log(1 - s**2)


def _rounded_slope(a: Any, z: Any, y: Any, rho: Any) -> Any:
    return (z - y) / (rho + a.sqrt(rho**2 + (z - y) ** 2))


Definition = Callable[[Any, Any, Any, Any], Any]
TWINS: dict[str, tuple[Definition, Definition]] = {
    "squared": (lambda a, z, y, _: z**2 - 2 * z * y + y**2, lambda a, z, y, _: 2 * z - 2 * y),
    "half-squared": (lambda a, z, y, _: (z**2 - 2 * z * y + y**2) / 2, lambda a, z, y, _: z - y),
    "logistic": (lambda a, z, y, _: a.log_one_plus_exp(-y * z), lambda a, z, y, _: -y * a.falling(y * z)),
    "huber": (_huber, lambda a, z, y, kappa: _nearest(a, z - y, kappa)),
    "absolute": (lambda a, z, y, _: a.largest(z - y, y - z), lambda a, z, y, _: a.sign(z - y)),
    "linear": (lambda a, z, y, _: -(y * z), lambda a, z, y, _: -y + 0 * z),
    "capped-linear": (_capped, _capped_slope),
    "rounded-absolute": (_rounded, _rounded_slope),
}
"""φ(z, y) and ∂φ/∂z (0 at the corner of the absolute loss), as functions of the arithmetic, z, y and the parameter."""


def exponential(m: float) -> mpf:
    """e^m."""
    with mp.workdps(DIGITS):
        return mp.exp(mpf(m))


def curvature(name: str, parameter: float, z: float, y: float) -> float:
    """∂²φ/∂z²; at a corner of the slope the smaller of its two one-sided derivatives."""
    if name == "logistic":
        with mp.workdps(DIGITS):
            return float(Digits.falling(y * mpf(z)) * Digits.falling(-y * mpf(z)))
    if name == "huber":
        return float(abs(z - y) < parameter)
    if name == "rounded-absolute":  # the second derivative of √(ρ² + r²) − ρ·log(ρ + √(ρ² + r²)), by differences
        with mp.workdps(DIGITS):
            step = mpf(10) ** -60
            ends = [TWINS[name][1](Digits, mpf(z) + side * step, mpf(y), mpf(parameter)) for side in (1, -1)]
            return float((ends[0] - ends[1]) / (2 * step))
    if name == "capped-linear":
        return float((1 if y >= 0 else -1) * z > parameter)
    return {"squared": 2.0, "half-squared": 1.0, "linear": 0.0}[name]


def value(name: str, parameter: float, z: float, y: float) -> mpf:
    """φ(z, y)."""
    with mp.workdps(DIGITS):
        return TWINS[name][0](Digits, mpf(z), mpf(y), mpf(parameter))


def derivative(name: str, parameter: float, z: float, y: float) -> mpf:
    """∂φ/∂z."""
    with mp.workdps(DIGITS):
        return TWINS[name][1](Digits, mpf(z), mpf(y), mpf(parameter))


def values(name: str, parameter: float, z: Any, y: Any) -> Any:
    """φ(z, y) for floats or arrays."""
    return TWINS[name][0](Floats, z, y, parameter)


def slopes(name: str, parameter: float, z: Any, y: Any) -> Any:
    """∂φ/∂z for floats or arrays."""
    return TWINS[name][1](Floats, z, y, parameter)
