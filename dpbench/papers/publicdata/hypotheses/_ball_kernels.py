"""Kernels of convex minimisation over a ball or a simplex: the secular equation, and Newton steps on a barrier."""

from __future__ import annotations

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1

NULL = 1e-13
"""Relative size below which an eigenvalue, or a slope along its eigenvector, is a rounded 0."""


@kernel(types.void(arr(f8, 1), arr(f8, 2), f8, arr(f8, 2, True), arr(f8, 1, True)))
def solve_secular(curvatures, slopes, radius, out, multipliers):
    """out[c]: the minimiser of Σ_j ½·curvatures[j]·z_j² + slopes[c, j]·z_j over ‖z‖ ≤ radius, and its multiplier.

    `curvatures` increase and may be negative. Of many minimisers the one of least norm, or, where a negative
    curvature leaves a direction open, the one with a positive first coordinate.
    """
    d = curvatures.shape[0]
    size = max(abs(curvatures[0]), abs(curvatures[d - 1]))
    floor = -curvatures[0] if curvatures[0] < -NULL * size else 0.0
    for c in range(slopes.shape[0]):
        steepest = 0.0
        for j in range(d):
            steepest = max(steepest, abs(slopes[c, j]))
        inside, open_slope = 0.0, False
        for j in range(d):
            bend, slope = curvatures[j] + floor, slopes[c, j]
            out[c, j] = 0.0
            if bend > NULL * size:
                out[c, j] = -slope / bend
                inside += out[c, j] * out[c, j]
            elif abs(slope) > NULL * steepest:
                open_slope = True
        multipliers[c] = floor
        if not open_slope and inside <= radius * radius:
            if floor > 0.0:
                out[c, 0] = np.sqrt(radius * radius - inside)
            continue
        low, high, length = 0.0, 0.0, 0.0
        for j in range(d):
            length += slopes[c, j] * slopes[c, j]
        high = np.sqrt(length) / radius
        shift = 0.5 * high if open_slope else 0.0
        for _ in range(200):
            square, change = 0.0, 0.0
            for j in range(d):
                bend = max(curvatures[j] + floor, 0.0)
                slope = slopes[c, j]
                if bend <= NULL * size and abs(slope) <= NULL * steepest:
                    continue
                part = slope / (bend + shift)
                square += part * part
                change += part * part / (bend + shift)
            norm = np.sqrt(square)
            if norm > radius:
                low = shift
            else:
                high = shift
            following = shift + (norm - radius) / radius * square / change
            if not low <= following <= high:
                following = 0.5 * (low + high)
            if abs(following - shift) <= 1e-16 * shift:
                break
            shift = following
        multipliers[c] = floor + shift
        square = 0.0
        for j in range(d):
            bend = max(curvatures[j] + floor, 0.0)
            zero = bend <= NULL * size and abs(slopes[c, j]) <= NULL * steepest
            out[c, j] = 0.0 if zero else -slopes[c, j] / (bend + shift)
            square += out[c, j] * out[c, j]
        shrink = min(1.0, radius / np.sqrt(square))
        for j in range(d):
            out[c, j] *= shrink


@kernel(types.UniTuple(f8, 2)(f8, f8, u1))
def smoothed_slope(r, rho, huber):
    """Derivatives of a smooth |r|, or of Huber's loss with threshold 1: the first, in (−1, 1), and the second."""
    if huber:
        up, down = r + 1.0, r - 1.0
        right, left = np.sqrt(up * up + rho * rho), np.sqrt(down * down + rho * rho)
        return 0.5 * (right - left), 0.5 * (up / right - down / left)
    root = np.sqrt(rho * rho + r * r)
    return r / (rho + root), rho / (root * (rho + root))


@kernel(types.void(arr(f8, 1), arr(f8, 1), u1, arr(f8, 2, True)))
def smoothed_slopes(r, rho, huber, out):
    """The first derivatives into out[0], the second into out[1]."""
    for i in range(r.shape[0]):
        out[0, i], out[1, i] = smoothed_slope(r[i], rho[i], huber)


@kernel(
    types.void(arr(f8, 2), arr(f8, 1), arr(f8, 1), u1, arr(f8, 2), arr(f8, 1), u1, f8, f8, arr(f8, 1), arr(f8, 1, True))
)
def barrier_gradient(features, shift, counts, huber, bend, slope, simplex, radius, tau, theta, out):
    """Gradient of Σ counts·smooth loss(features·θ + shift) + ½θᵀ bend θ + slope·θ + τ·barrier at θ."""
    k = theta.shape[0]
    room = radius * radius
    for a in range(k):
        room -= theta[a] * theta[a]
    room = max(room, 1e-16 * radius * radius)
    for a in range(k):
        out[a] = slope[a] + (-tau / theta[a] if simplex else 2.0 * tau * theta[a] / room)
        for b in range(k):
            out[a] += bend[a, b] * theta[b]
    for i in range(features.shape[0]):
        r = shift[i]
        for a in range(k):
            r += features[i, a] * theta[a]
        first, _ = smoothed_slope(r, tau / counts[i], huber)
        for a in range(k):
            out[a] += counts[i] * first * features[i, a]


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 1), u1, arr(f8, 2), u1, f8, f8, arr(f8, 1), arr(f8, 2, True)))
def barrier_factor(features, shift, counts, huber, bend, simplex, radius, tau, theta, out):
    """Cholesky factor, in the lower triangle, of the second derivative of the same function.

    On the simplex, whose directions add up to 0, a multiple of the matrix of ones is added: it changes no step.
    """
    k = theta.shape[0]
    room = radius * radius
    for a in range(k):
        room -= theta[a] * theta[a]
    room = max(room, 1e-16 * radius * radius)
    for a in range(k):
        for b in range(a + 1):
            out[a, b] = bend[a, b]
            if not simplex:
                out[a, b] += 4.0 * tau * theta[a] * theta[b] / (room * room)
        out[a, a] += tau / (theta[a] * theta[a]) if simplex else 2.0 * tau / room
    for i in range(features.shape[0]):
        r = shift[i]
        for a in range(k):
            r += features[i, a] * theta[a]
        _, second = smoothed_slope(r, tau / counts[i], huber)
        for a in range(k):
            part = counts[i] * second * features[i, a]
            for b in range(a + 1):
                out[a, b] += part * features[i, b]
    if simplex:
        largest = 0.0
        for a in range(k):
            largest = max(largest, out[a, a])
        for a in range(k):
            for b in range(a + 1):
                out[a, b] += largest
    for a in range(k):
        for b in range(a + 1):
            left = out[a, b]
            for j in range(b):
                left -= out[a, j] * out[b, j]
            if a == b:
                out[a, a] = np.sqrt(max(left, 1e-15 * out[a, a], 1e-300))
            else:
                out[a, b] = left / out[b, b]


@kernel(types.void(arr(f8, 2), arr(f8, 1, True)))
def solve_factored(factor, x):
    """x ← (LLᵀ)⁻¹ x for the lower triangle L of `factor`."""
    k = x.shape[0]
    for a in range(k):
        for b in range(a):
            x[a] -= factor[a, b] * x[b]
        x[a] /= factor[a, a]
    for a in range(k - 1, -1, -1):
        for b in range(a + 1, k):
            x[a] -= factor[b, a] * x[b]
        x[a] /= factor[a, a]


@kernel(f8(arr(f8, 2), arr(f8, 1), arr(f8, 1), u1, arr(f8, 2), arr(f8, 1), u1, f8, f8, f8, i8, arr(f8, 1, True)))
def newton_steps(features, shift, counts, huber, bend, slope, simplex, radius, tau, target, steps, theta):
    """At most `steps` Newton steps on θ, until the squared decrement is `target`·τ; that decrement over τ."""
    k = theta.shape[0]
    gradient, direction, ones, trial = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    factor = np.zeros((k, k))
    decrement = 0.0
    for _ in range(steps):
        barrier_gradient(features, shift, counts, huber, bend, slope, simplex, radius, tau, theta, gradient)
        barrier_factor(features, shift, counts, huber, bend, simplex, radius, tau, theta, factor)
        for a in range(k):
            direction[a], ones[a] = -gradient[a], 1.0
        solve_factored(factor, direction)
        if simplex:
            solve_factored(factor, ones)
            total, whole = 0.0, 0.0
            for a in range(k):
                total += direction[a]
                whole += ones[a]
            for a in range(k):
                direction[a] -= total / whole * ones[a]
        decrement = 0.0
        for a in range(k):
            decrement -= gradient[a] * direction[a]
        if decrement <= target * tau:
            break
        length = 1.0
        for _ in range(60):
            norm, positive = 0.0, True
            for a in range(k):
                trial[a] = theta[a] + length * direction[a]
                norm += trial[a] * trial[a]
                positive = positive and trial[a] > 0.0
            if positive if simplex else norm < radius * radius:
                barrier_gradient(features, shift, counts, huber, bend, slope, simplex, radius, tau, trial, gradient)
                ahead = 0.0
                for a in range(k):
                    ahead += gradient[a] * direction[a]
                if ahead <= 0.5 * decrement:
                    break
            length *= 0.5
        else:
            break
        total = 0.0
        for a in range(k):
            total += trial[a]
        for a in range(k):
            theta[a] = trial[a] / total if simplex else trial[a]
    return decrement / tau
