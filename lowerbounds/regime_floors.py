"""Theorem 4 of the GLM paper in numbers: its corrected minimum, and the constants that are proved by regime."""

from __future__ import annotations

import math

from lowerbounds.instances import count, positive

MIDDLE = 0.0438
"""`norm_packing` at 1/N ≤ r ≤ min(√d, √N): its floor over Y²·min(√d·r/N, r^{4/3}/N^{2/3}) is at least this."""
SMALL = 0.358
"""`norm_packing` at r < 1/N: its floor over B²‖X‖² is at least this."""
LARGE = 0.0079
"""`large_radius`, r ≥ 1: half its floor over Y²·min(1, r²/N) is at least this."""
PROVED = LARGE
"""With the larger of the two, Theorem 4 holds with this in place of Ω for d ≥ 2 and r ≥ 1/N, and its corrected form for
d ≥ 2 and every r."""


def corrected_minimum(
    n: int, d: int, epsilon: float, *, x_bound: float = 1.0, y_bound: float = 1.0, radius: float = 1.0
) -> float:
    """What replaces Theorem 4: the same for d ≥ 2 and r ≥ 1/N, at least r²/N for r ≥ 1; r² for r < 1/N.

    As printed, with the constant 1, it is min{Y², (B‖X‖)^{4/3}Y^{2/3}/N^{2/3}, √d·B‖X‖Y/N} with N = nε and r = B‖X‖/Y;
    the paper's H^{2/3} and √H (H = 2) are left to the constant, which lowers the claim. Corrected it is

    min{Y², B²‖X‖², max[(B‖X‖)²/N if r ≥ 1, min(r^{4/3}/N^{2/3}, √d·r/N)·Y²]} for d ≥ 2, and
    min{B²‖X‖², B‖X‖Y/N, Y²/N} for d = 1, where it is also attained up to a constant.
    """
    ratio = positive("radius", radius) * positive("x_bound", x_bound) / positive("y_bound", y_bound)
    size, d = count("n", n) * positive("epsilon", epsilon), count("d", d)
    if d == 1:
        return y_bound**2 * min(ratio**2, ratio / size, 1.0 / size)
    packed = min(ratio ** (4.0 / 3.0) / size ** (2.0 / 3.0), math.sqrt(d) * ratio / size)
    if ratio >= 1.0:
        packed = max(packed, ratio**2 / size)
    return y_bound**2 * min(1.0, ratio**2, packed)
