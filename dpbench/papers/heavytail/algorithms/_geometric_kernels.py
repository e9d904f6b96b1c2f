"""Kernels of truncated geometric laws, P(k) ∝ e^{tk} on 0 ≤ k < count: normaliser, moments and inversion."""

from __future__ import annotations

import math

from numba import types

from dpbench.core.kernel import f8, i8, kernel


@kernel(f8(f8, i8))
def log_geometric_sum(t, count):
    """log Σ_{k=0}^{count−1} e^{tk}."""
    if t > 0.0:
        return t * (count - 1) + log_geometric_sum_of_negative(-t, count)
    return log_geometric_sum_of_negative(t, count)


@kernel(f8(f8, i8))
def log_geometric_sum_of_negative(t, count):
    """log Σ_{k=0}^{count−1} e^{tk} for t ≤ 0."""
    if t * count > -1e-9:
        return math.log(count) + 0.5 * t * (count - 1)
    return math.log(math.expm1(t * count) / math.expm1(t))


@kernel(types.UniTuple(f8, 2)(f8, i8))
def geometric_moments(t, count):
    """Mean and variance of k with probabilities ∝ e^{tk}, k < count: they steer, and carry no guarantee."""
    if count == 1:
        return 0.0, 0.0
    s = abs(t)
    if s * count < 1e-3:
        mean, variance = 0.5 * (count - 1), (count * count - 1.0) / 12.0
    else:
        one, all_ = -math.expm1(-s), -math.expm1(-s * count)
        rest, whole = math.exp(-s), math.exp(-s * count)
        mean = rest / one - count * whole / all_
        variance = max(0.0, rest / (one * one) - count * count * whole / (all_ * all_))
    return (mean if t < 0.0 else count - 1 - mean), variance


@kernel(i8(f8, i8, f8))
def geometric_draw(t, count, u):
    """k < count with probability ∝ e^{tk}, by inversion of its distribution function at u in [0, 1)."""
    s = abs(t)
    k = int(u * count) if s * count < 1e-9 else int(-math.log1p(u * math.expm1(-s * count)) / s)
    k = min(max(k, 0), count - 1)
    return k if t <= 0.0 else count - 1 - k
