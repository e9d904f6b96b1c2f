"""Kernels of the sheared lattice: integer coordinates in which the curvature of the risk is nearly diagonal.

With a strictly upper triangular `shear` M, |M_jl| ≤ 1, the map t ↦ k, k_j = t_j + round(Σ_{l>j} M_jl·k_l) from the
last axis to the first, takes the integer vectors one to one onto themselves: k_l, l > j, fix what t_j is moved by.
So a box of t's is a set of lattice points along axes of our choice, and its points need no sampling of cosets. With
x' the features after the matching column operations (`coordinates`), ⟨x, k⟩ = Σ_j x'_j·(t_j + e_j), where e_j, what
the rounding adds, lies in [−1/2, 1/2], and is 0 for an axis that M leaves alone.
"""

from __future__ import annotations

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1

TINY = 1e-6
"""More than the rounding of Σ_l M_jl·k_l can be, for |k| up to 2^25 and some dozens of axes."""


@kernel(types.void(arr(i8, 1), arr(f8, 2), arr(i8, 1, True)))
def lift(t, shear, k):
    """The lattice point k of the coordinates t."""
    d = t.shape[0]
    for back in range(d):
        j = d - 1 - back
        moved = 0.0
        for m in range(j + 1, d):
            moved += shear[j, m] * k[m]
        k[j] = t[j] + round(moved)


@kernel(i8(arr(i8, 1), arr(i8, 1)))
def least_square(low, high):
    """Σ_j min k_j² over a box of integers."""
    total = 0
    for j in range(low.shape[0]):
        if low[j] > 0:
            total += low[j] * low[j]
        elif high[j] < 0:
            total += high[j] * high[j]
    return total


@kernel(u1(arr(i8, 1), i8, i8))
def inside(k, resolution, ball):
    """Whether k belongs to the net: ‖k‖ ≤ m, Euclidean where `ball` is 1, else the largest modulus."""
    square, largest = 0, 0
    for j in range(k.shape[0]):
        square += k[j] * k[j]
        largest = max(largest, abs(k[j]))
    return square <= resolution * resolution if ball == 1 else largest <= resolution


@kernel(u1(arr(i8, 1), arr(i8, 1), arr(f8, 2), i8, i8, arr(f8, 2, True)))
def place(low, high, shear, resolution, ball, offsets):
    """Whether some point of a box of t's may belong to the net; offsets[:, j]: centre and half-width of e_j over it.

    By interval arithmetic from the last axis to the first: never false for a box that holds a net point.
    """
    d = low.shape[0]
    least, most = low.copy(), high.copy()
    for back in range(d):
        j = d - 1 - back
        first, last, sheared = 0.0, 0.0, False
        for m in range(j + 1, d):
            ratio = shear[j, m]
            if ratio != 0.0:
                sheared = True
                first += ratio * (least[m] if ratio > 0.0 else most[m])
                last += ratio * (most[m] if ratio > 0.0 else least[m])
        offsets[0, j], offsets[1, j] = 0.0, 0.0
        if sheared:
            below, above = round(first - TINY), round(last + TINY)
            if first == last:  # the axes behind are fixed: what `lift` rounds, to the bit, halves included
                below = above = round(first)
            least[j], most[j] = low[j] + below, high[j] + above
            offsets[1, j] = 0.5 + TINY
            if below == above and last - first < TINY:
                offsets[0, j], offsets[1, j] = below - first, 2.0 * TINY
    if ball == 1:
        return least_square(least, most) <= resolution * resolution
    within = True
    for j in range(d):
        within = within and least[j] <= resolution and most[j] >= -resolution
    return within
