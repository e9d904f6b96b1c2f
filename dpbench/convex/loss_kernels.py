"""Losses φ(z, y) of a prediction z = ⟨w, x⟩: a branch each of one kernel by integer code, and the logistic function.

An integer code with a branch inside one small kernel compiles once and is cached; functions as arguments are
not (measured). The logistic function and its logarithm have neither calls nor branches, so that loops over them
vectorise.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel

SQUARED, HALF_SQUARED, LOGISTIC, HUBER, ABSOLUTE, LINEAR, CAPPED_LINEAR, ROUNDED_ABSOLUTE = range(8)

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # the leading bits of log 2: its product with a small integer is exact
LN2_LOW = 1.90821492927058770002e-10
TO_INTEGER = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to an integer, which stands in the last bits


@kernel(f8(f8), fastmath={"contract"})
def exponential(m):
    """e^m for |m| ≤ 708 with a relative error below 5e-16; m beyond counts as ±708. NaN stays NaN.

    e^m = 2^k·e^r with |r| ≤ log(2)/2 and the Taylor polynomial of degree 12 (its error is 2e-16); without
    calls and branches, so that loops over it vectorise, which the library's exp does not.
    """
    m = np.float64(min(max(m, -708.0), 708.0))
    shifted = np.float64(m * LOG2_E + TO_INTEGER)
    k = shifted - TO_INTEGER
    r = (m - k * LN2_HIGH) - k * LN2_LOW
    p = 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    power = np.int64((shifted.view(np.int64) + 1023) << 52).view(np.float64)
    return p * power


@kernel(f8(f8), fastmath={"contract"})
def falling_logistic(m):
    """1/(1 + e^m) with a relative error below 1e-14 for m ≤ 708, and a value below 1e-307 beyond. NaN stays NaN."""
    return 1.0 / (1.0 + exponential(m))


@kernel(f8(f8), fastmath={"contract"})
def log_one_plus_exp(m):
    """log(1 + e^m) with a relative error below 1e-14 for m ≥ −708, and a value below 1e-307 before. NaN stays NaN.

    max(m, 0) + log(1 + u) with u = e^(−|m|) ≤ 1. Where u > √2 − 1 the logarithm is log 2 + log((1 + u)/2); either is
    2·artanh(s), |s| ≤ 0.172, by its series (the first term left out is 2e-18 of it).
    """
    u = exponential(-abs(m))
    large = u > 0.41421356237309503
    s = (u - 1.0) / (u + 3.0) if large else u / (u + 2.0)
    t = s * s
    p = 1.0 / 21.0
    p = p * t + 1.0 / 19.0
    p = p * t + 1.0 / 17.0
    p = p * t + 1.0 / 15.0
    p = p * t + 1.0 / 13.0
    p = p * t + 1.0 / 11.0
    p = p * t + 1.0 / 9.0
    p = p * t + 1.0 / 7.0
    p = p * t + 1.0 / 5.0
    p = p * t + 1.0 / 3.0
    tail = 2.0 * (s + s * (t * p))
    return (m if m > 0.0 else 0.0) + (LN2_HIGH + (tail + LN2_LOW) if large else tail)


@kernel(f8(i8, f8, f8, f8))
def loss_value(code, parameter, z, y):
    """φ(z, y) of the loss with this code."""
    if code == SQUARED:
        return (z - y) * (z - y)
    if code == HALF_SQUARED:
        return 0.5 * (z - y) * (z - y)
    if code == LOGISTIC:
        return log_one_plus_exp(-y * z)
    if code == HUBER:
        r = abs(z - y)
        return 0.5 * r * r if r <= parameter else parameter * (r - 0.5 * parameter)
    if code == ABSOLUTE:
        return abs(z - y)
    if code == LINEAR:
        return -y * z
    if code == CAPPED_LINEAR:
        past = (z if y >= 0.0 else -z) - parameter
        if past <= 0.0:
            return 0.5 * y * y - abs(y) * past
        return 0.5 * (abs(y) - past) * (abs(y) - past)
    if code == ROUNDED_ABSOLUTE:
        root = math.sqrt(parameter * parameter + (z - y) * (z - y))
        return root - parameter - parameter * math.log((parameter + root) / (2.0 * parameter))
    return math.nan


@kernel(f8(i8, f8, f8, f8))
def loss_derivative(code, parameter, z, y):
    """∂φ/∂z of the loss with this code; 0 at the corner of the absolute loss."""
    if code == SQUARED:
        return 2.0 * (z - y)
    if code == HALF_SQUARED:
        return z - y
    if code == LOGISTIC:
        return -y * falling_logistic(y * z)
    if code == HUBER:
        return min(max(z - y, -parameter), parameter)
    if code == ABSOLUTE:
        return 1.0 if z > y else (-1.0 if z < y else 0.0)
    if code == LINEAR:
        return -y
    if code == CAPPED_LINEAR:
        sign = 1.0 if y >= 0.0 else -1.0
        past = sign * z - parameter
        return -y if past <= 0.0 else -sign * (abs(y) - past)
    if code == ROUNDED_ABSOLUTE:
        return (z - y) / (parameter + math.sqrt(parameter * parameter + (z - y) * (z - y)))
    return math.nan


@kernel(f8(i8, f8, f8, f8))
def loss_curvature(code, parameter, z, y):
    """∂²φ/∂z², at a corner of φ' one of its one-sided derivatives; NaN for a loss without: no Newton's method then."""
    if code == SQUARED:
        return 2.0
    if code == LOGISTIC:
        p = falling_logistic(y * z)
        return p * (1.0 - p)
    if code == HUBER:
        return 1.0 if abs(z - y) < parameter else 0.0
    if code == CAPPED_LINEAR:
        return 1.0 if (z if y >= 0.0 else -z) > parameter else 0.0
    if code == ROUNDED_ABSOLUTE:
        root = math.sqrt(parameter * parameter + (z - y) * (z - y))
        return parameter / (root * (parameter + root))
    return 1.0 if code == HALF_SQUARED else (0.0 if code == LINEAR else math.nan)


@kernel(types.void(i8, f8, i8, arr(f8, 1), arr(f8, 1), arr(f8, 1, writable=True)))
def map_loss(code, parameter, derivative, z, y, out):
    """φ (derivative = 0) or φ' (derivative = 1) at each pair (z_i, y_i)."""
    for i in range(z.shape[0]):
        if derivative == 1:
            out[i] = loss_derivative(code, parameter, z[i], y[i])
        else:
            out[i] = loss_value(code, parameter, z[i], y[i])
