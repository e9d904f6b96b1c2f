"""Least squares in one dimension where |w*| = B is known: release B or −B by a noisy sign. Not in the GLM paper.

It is what Theorem 4's lower bound cannot be true beside for d = 1 and a large B‖X‖: its excess risk has the ceiling
min{B²‖X‖², 4B‖X‖Y/(e·nε), 4Y²/(e·nε)} (with zero for the first), whatever the data.

Proof. Let w* = B, g = F(0) − F(B) = B²·mean(x²), and a± = max(y² − (±Bx − y)², −Y²) a record's clipped gains over
zero, u = (a₊ − a₋)/2, |u| ≤ Y². As a₊ + a₋ ≤ 0 (each is at most y² ≤ Y², and unclipped their sum is −2B²x²), u ≥ a₊
and mean(u) ≥ mean(a₊) ≥ g. One record moves mean(u) by 2Y²/n, so Laplace noise of scale b = 2Y²/(nε) makes it
ε-DP, and the sign is wrong with probability at most ½e^{−g/b}. It then costs F(−B) − F(B) = 4g: on average
2g·e^{−g/b} ≤ 2b/e. Without clipping u = 2Bxy, mean(u) = 2g and one record moves it by 4B‖X‖Y/n: at most b/e with
b = 4B‖X‖Y/(nε).
"""

from __future__ import annotations

import math

import numpy as np


def ceiling(n: int, epsilon: float, *, x_bound: float, y_bound: float, radius: float) -> float:
    """min{B²‖X‖², 4B‖X‖Y/(e·nε), 4Y²/(e·nε)}: the excess risk of the best of the three on any data set, at most."""
    reach = radius * x_bound
    return min(reach**2, 4.0 * min(reach, y_bound) * y_bound / (math.e * n * epsilon))


def halved_gains(x: np.ndarray, y: np.ndarray, radius: float, y_bound: float) -> np.ndarray:
    """u_i, half the difference of a record's clipped gains at B and −B, shape (n,)."""
    gains = [np.maximum(y**2 - (side * radius * x - y) ** 2, -(y_bound**2)) for side in (1.0, -1.0)]
    return 0.5 * (gains[0] - gains[1])


def expected_excess(x: np.ndarray, y: np.ndarray, radius: float, y_bound: float, epsilon: float) -> float:
    """Mean excess risk of the clipped variant over that of the better sign, exact.

    Parameters
    ----------
    x, y : ndarray, shape (n,)
        Records; |y| ≤ `y_bound`.
    radius, y_bound, epsilon : float
        B, Y and ε of the Laplace noise.
    """
    mean = float(halved_gains(x, y, radius, y_bound).mean())
    scale = 2.0 * y_bound**2 / (x.size * epsilon)
    tail = 0.5 * math.exp(-abs(mean) / scale)
    minus = tail if mean > 0.0 else 1.0 - tail
    plus_risk, minus_risk = (float(np.mean((side * radius * x - y) ** 2)) for side in (1.0, -1.0))
    return minus * minus_risk + (1.0 - minus) * plus_risk - min(minus_risk, plus_risk)
