"""The Gaussian privacy profile: δ(ε) of two unit Gaussians μ apart, its inverses, and calibration.

Sources: Balle & Wang 2018 (Theorem 8); Dong, Roth & Su 2019 (Corollary 1, Gaussian differential privacy).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx

ROUNDING = 1e-9
"""Relative error that an upper bound is widened by; the tests hold the formulas to a tenth of it."""


def log_delta(epsilon: float, mu: float) -> float:
    """log δ(ε) of a Gaussian pair: δ = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), in log space.

    Parameters
    ----------
    epsilon : float
        ε, any real number (negative values are legal for a profile).
    mu : float
        μ ≥ 0, the distance of the means in units of the standard deviation.

    Returns
    -------
    float
        −inf where δ is 0.
    """
    if mu == 0.0:
        return math.log(-math.expm1(epsilon)) if epsilon < 0.0 else -math.inf
    a = epsilon / mu - 0.5 * mu
    b = epsilon / mu + 0.5 * mu
    if a < -5.0:
        # Φ(−a) is near 1: 1 − δ = Φ(a) + e^ε Φ(−b) without cancellation.
        lost = _phi(a) * (_mills(-a) + _mills(b))
        return math.log1p(-lost)
    difference = _mills_difference(a, b)
    return -0.5 * a * a - 0.5 * math.log(2.0 * math.pi) + math.log(difference) if difference > 0.0 else -math.inf


def delta(epsilon: float, mu: float) -> float:
    """δ(ε) of a Gaussian pair with distance μ (see `log_delta`)."""
    return math.exp(log_delta(epsilon, mu))


def epsilon(delta: float, mu: float) -> float:
    """The least ε ≥ 0 with δ(ε) ≤ `delta`; infinite for δ = 0 and μ > 0."""
    if mu == 0.0 or (delta > 0.0 and log_delta(0.0, mu) <= math.log(delta)):
        return 0.0
    if delta <= 0.0:
        return math.inf
    target = math.log(delta)
    high = mu * mu / 2.0 + mu
    while log_delta(high, mu) > target:
        high *= 2.0
    return float(brentq(lambda e: max(log_delta(e, mu), -1e4) - target, 0.0, high, xtol=1e-300, rtol=1e-14))


def mu(epsilon: float, delta: float) -> float:
    """The largest μ whose Gaussian profile meets (ε, δ), rounded down so that it is met.

    This is the exact calibration of the Gaussian mechanism: noise σ = sensitivity/μ.
    """
    target = math.log(delta)
    low, high = 1e-12, 1.0
    while log_delta(epsilon, high) < target:
        high *= 2.0
    while log_delta(epsilon, low) > target:
        low *= 0.5
    root = float(brentq(lambda m: max(log_delta(epsilon, m), -1e6) - target, low, high, xtol=1e-300, rtol=1e-14))
    while math.exp(log_delta(epsilon, root)) * (1.0 + ROUNDING) > delta:
        root *= 1.0 - 0.1 * ROUNDING
    return root


def _phi(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def _mills(x: float) -> float:
    """Mills ratio Φ(−x)/φ(x)."""
    return math.sqrt(0.5 * math.pi) * float(erfcx(x / math.sqrt(2.0)))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def _mills_difference(a: float, b: float) -> float:
    """R(a) − R(b) for a < b, R the Mills ratio; by quadrature of −R' where the difference would cancel."""
    if b - a > 0.5:
        return _mills(a) - _mills(b)
    x = 0.5 * (a + b) + 0.5 * (b - a) * _NODES
    mills = math.sqrt(0.5 * math.pi) * erfcx(x / math.sqrt(2.0))
    slope = np.where(x < 30.0, 1.0 - x * mills, _slope_far(np.maximum(x, 30.0)))
    return float(0.5 * (b - a) * (_WEIGHTS @ slope))


def _slope_far(x: np.ndarray) -> np.ndarray:
    """1 − xR(x) for large x, by its asymptotic series (truncation below 1e-13 from x = 30)."""
    inverse = 1.0 / (x * x)
    return inverse * (1.0 - inverse * (3.0 - inverse * (15.0 - inverse * (105.0 - inverse * (945.0 - inverse * 10395.0)))))
