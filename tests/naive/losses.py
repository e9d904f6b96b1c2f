"""Losses from their definitions, in 200-digit arithmetic, one pair (z, y) at a time."""

from __future__ import annotations

from mpmath import mp, mpf

DIGITS = 200  # 1 + e^(−300) must not be 1


def value(name: str, parameter: float, z: float, y: float) -> mpf:
    """φ(z, y)."""
    with mp.workdps(DIGITS):
        z, y, parameter = mpf(z), mpf(y), mpf(parameter)
        if name == "squared":
            return z**2 - 2 * z * y + y**2
        if name == "half-squared":
            return (z**2 - 2 * z * y + y**2) / 2
        if name == "logistic":
            return mp.log(1 + mp.exp(-y * z))
        if name == "huber":  # the conjugate form: max over |s| ≤ κ of s·r − s²/2
            s = _nearest(z - y, parameter)
            return s * (z - y) - s**2 / 2
        if name == "absolute":
            return max(z - y, y - z)
        if name == "linear":
            return -(y * z)
        if name == "capped-linear":  # a parabola, and its tangent before the end
            past = _side(y) * z - parameter
            return (abs(y) - max(past, 0)) ** 2 / 2 + abs(y) * max(-past, 0)
    raise KeyError(name)


def derivative(name: str, parameter: float, z: float, y: float) -> mpf:
    """∂φ/∂z, 0 at the corner of the absolute loss."""
    with mp.workdps(DIGITS):
        z, y, parameter = mpf(z), mpf(y), mpf(parameter)
        if name == "squared":
            return 2 * z - 2 * y
        if name == "half-squared":
            return z - y
        if name == "logistic":
            return -y * mp.exp(-y * z) / (mp.exp(-y * z) + 1)
        if name == "huber":
            return _nearest(z - y, parameter)
        if name == "absolute":
            return mp.sign(z - y)
        if name == "linear":
            return -y
        if name == "capped-linear":
            return _side(y) * (max(_side(y) * z - parameter, 0) - abs(y))
    raise KeyError(name)


def _nearest(r: mpf, limit: mpf) -> mpf:
    """The number in [−limit, limit] nearest to r."""
    return sorted((-limit, r, limit))[1]


def _side(y: mpf) -> int:
    return -1 if y < 0 else 1
