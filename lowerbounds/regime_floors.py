"""Theorem 4 of the GLM paper in numbers: its printed minimum, and the constants with which it is proved by regime."""

from __future__ import annotations

import math

from lowerbounds.instances import HardFamily, count, positive
from lowerbounds.large_radius_pair import large_radius
from lowerbounds.norm_packings import norm_packing

MIDDLE = 0.0438
"""`norm_packing` at 1/N ≤ r ≤ min(√d, √N): its floor over Y²·min(√d·r/N, r^{4/3}/N^{2/3}) is at least this."""
SMALL = 0.358
"""`norm_packing` at r < 1/N: its floor over B²‖X‖² is at least this."""
LARGE = 0.0079
"""`large_radius`, r ≥ 1: half its floor over Y²·min(1, r²/N) is at least this."""
PROVED = LARGE
"""Theorem 4 holds with this in place of Ω for d ≥ 2 and r ≥ 1/N, and its corrected form for d ≥ 2 and every r."""


def printed_minimum(
    n: int, d: int, epsilon: float, *, x_bound: float = 1.0, y_bound: float = 1.0, radius: float = 1.0
) -> float:
    """Theorem 4 with the constant 1, for the squared loss: min{Y², (B‖X‖)^{4/3}Y^{2/3}/N^{2/3}, √d·B‖X‖Y/N}, N = nε.

    The paper's H^{2/3} and √H (H = 2) are left to the constant, which lowers the claim.
    """
    ratio, size, d = _checked(n, d, epsilon, x_bound, y_bound, radius)
    return y_bound**2 * min(1.0, ratio ** (4.0 / 3.0) / size ** (2.0 / 3.0), math.sqrt(d) * ratio / size)


def corrected_minimum(
    n: int, d: int, epsilon: float, *, x_bound: float = 1.0, y_bound: float = 1.0, radius: float = 1.0
) -> float:
    """What replaces it: the same for d ≥ 2 and r ≥ 1/N, at least r²/N for r ≥ 1; r² for r < 1/N.

    min{Y², B²‖X‖², max[(B‖X‖)²/N if r ≥ 1, min(r^{4/3}/N^{2/3}, √d·r/N)·Y²]} for d ≥ 2, and
    min{B²‖X‖², B‖X‖Y/N, Y²/N} for d = 1, where it is also attained up to a constant.
    """
    ratio, size, d = _checked(n, d, epsilon, x_bound, y_bound, radius)
    if d == 1:
        return y_bound**2 * min(ratio**2, ratio / size, 1.0 / size)
    packed = min(ratio ** (4.0 / 3.0) / size ** (2.0 / 3.0), math.sqrt(d) * ratio / size)
    if ratio >= 1.0:
        packed = max(packed, ratio**2 / size)
    return y_bound**2 * min(1.0, ratio**2, packed)


def _checked(n: int, d: int, epsilon: float, x_bound: float, y_bound: float, radius: float) -> tuple[float, float, int]:
    """r = B‖X‖/Y, N = nε and d."""
    ratio = positive("radius", radius) * positive("x_bound", x_bound) / positive("y_bound", y_bound)
    return ratio, count("n", n) * positive("epsilon", epsilon), count("d", d)


def proved_floor(
    n: int,
    d: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    radius: float = 1.0,
    constants: str = "exact",
) -> float:
    """The largest floor on the worst mean excess risk that `norm_packing` and `large_radius` prove at these bounds."""
    family: HardFamily = norm_packing(
        n, d, epsilon, delta, x_bound=x_bound, y_bound=y_bound, radius=radius, constants=constants
    )
    best = family.floor
    if d >= 2 and n >= 3 and radius * x_bound >= y_bound:
        pair = large_radius(n, d, epsilon, delta, x_bound=x_bound, y_bound=y_bound, radius=radius, constants=constants)
        best = max(best, 0.5 * pair.floor)
    return best
