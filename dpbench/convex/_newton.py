"""Kernels of Newton's method over a ball: Cholesky factors, the least of a quadratic over a ball, and the search.

Minimised is F(w) = s·Σ c_i·φ(⟨w, x_i⟩, y_i) + (λ/2)‖w‖² + ½⟨w, Aw⟩ + ⟨b, w⟩ on ‖w‖ ≤ B. Each step goes to the exact
minimiser of the quadratic model over the ball (Moré & Sorensen 1983), or as far towards it as F falls: F is convex, so
its derivative along the step rises, and its sign says how far. Huber's and the capped-linear loss have a generalised
second derivative (semismooth Newton).
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.convex._passes import ROWS, add_pass, records_t
from dpbench.convex.loss_kernels import loss_derivative
from dpbench.core import aligned
from dpbench.core.kernel import arr, f8, i8, kernel, u1

EPS = 2.0**-52
FLAT, ROUNDED = 1e-11, 1e-15
"""A pivot below this share of its diagonal entry counts as 0, where λ = 0 and else: the model is then lifted by as much
of its trace. With the first, rounding moves no point along a direction that no record sees by more than 1e-5."""

KEEP = 0.2
"""A Hessian serves for another step where the certificate fell to this share."""

BEGIN = (math.inf, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0)
"""Of a search: the best certificate, the steepness there, passes without half the certificate, the last fall, the slope
at the start of the last step, whether the next pass has a Hessian, whether a step was made, whether it has begun."""


def workspace(n: int, d: int) -> tuple[np.ndarray, ...]:
    """What `newton` takes last, for n records of d coordinates: one allocation."""
    wide = d + -d % 4
    shapes = ((wide,), (2, n), (3, wide), (wide, wide), (5, ROWS), (wide, ROWS + 8), (2, d, d), (6, d), (8,))
    sizes = [math.prod(shape) + -math.prod(shape) % 8 for shape in shapes]  # each begins a line of the cache
    whole, arrays, at = aligned.zeros(sum(sizes)), [], 0
    for shape, size in zip(shapes, sizes, strict=True):
        arrays.append(whole[at : at + math.prod(shape)].reshape(shape))
        at += size
    return tuple(arrays)


@kernel(u1(arr(f8, 2), f8, f8, arr(f8, 2, True)), fastmath={"contract", "reassoc"})
def factorise(matrix, shift, flat, factor):
    """Cholesky's factor of the lower triangle of `matrix` + shift·I, into that of `factor`; False if it is singular."""
    for i in range(matrix.shape[0]):
        row = factor[i]
        for j in range(i + 1):
            other, left = factor[j], matrix[i, j]
            if i == j:
                left += shift
                whole = left
            for k in range(j):
                left -= row[k] * other[k]
            if i > j:
                row[j] = left / other[j]
            elif left > flat * whole:
                row[i] = math.sqrt(left)
            else:
                return False
    return True


@kernel(types.void(arr(f8, 2), arr(f8, 1, True)))
def solve_lower(factor, x):
    """x ← L⁻¹x."""
    for a in range(x.shape[0]):
        left = x[a]
        for b in range(a):
            left -= factor[a, b] * x[b]
        x[a] = left / factor[a, a]


@kernel(types.void(arr(f8, 2), arr(f8, 1, True)))
def solve_upper(factor, x):
    """x ← L⁻ᵀx."""
    for a in range(x.shape[0] - 1, -1, -1):
        x[a] /= factor[a, a]
        for b in range(a):
            x[b] -= factor[a, b] * x[a]


@kernel(f8(arr(f8, 1), arr(f8, 1)))
def inner(x, y):
    """⟨x, y⟩."""
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * y[j]
    return total


@kernel(types.void(f8, u1, arr(f8, 1, True)))
def into_ball(radius, on_sphere, w):
    """w, scaled to the sphere if outside (or if it is meant to lie there), but for what rounds its norm up."""
    length = math.sqrt(inner(w, w))
    most = radius * (1.0 - (4.0 + math.sqrt(w.shape[0])) * EPS)
    if length > most or (on_sphere and length > 0.0):
        for j in range(w.shape[0]):
            w[j] *= most / length


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 1), f8, f8, arr(f8, 1, True), arr(f8, 2, True), arr(f8, 1, True)))
def model_minimiser(matrix, w, gradient, radius, flat, out, factor, half):
    """out: argmin over ‖u‖ ≤ B of ⟨g, u − w⟩ + ½⟨u − w, M(u − w)⟩, M the lower triangle of `matrix`.

    Outside, Newton's method on 1/‖u(ν)‖ = 1/B rises to the multiplier ν. Where M + νI is singular, ν is raised to what
    lets it be factored (by tens); if that is too much, M is lifted instead, which makes the step shorter. A point that
    rounding leaves well inside the sphere where it should end stays there for a gap, which loses little by it; moved
    out, it would lose more along the curved directions. `factor` and `half` are scratch.
    """
    d, trace, lift, shift, tried, norm = w.shape[0], 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(d):
        trace += matrix[j, j]
        out[j] = w[j]
    least = flat * max(trace, math.sqrt(inner(gradient, gradient)) / radius)
    for _ in range(200):
        if not factorise(matrix, lift + shift, flat, factor):
            if shift > tried or not trace < math.inf:  # the last point stays
                break
            lift, shift = 0.0, max(10.0 * tried, least, 1e-300)
            tried = shift
            continue
        for j in range(d):
            out[j] = -gradient[j] - shift * w[j]
        solve_lower(factor, out)
        solve_upper(factor, out)
        for j in range(d):
            out[j] += w[j]
        norm = math.sqrt(inner(out, out))
        if norm <= radius * (1.0 + 1e-14):
            if shift == 0.0 or shift != tried:
                break
            lift, shift = tried, 0.0  # the multiplier is below what the factor needs
            continue
        for j in range(d):
            half[j] = out[j]
        solve_lower(factor, half)
        rise = (norm / radius - 1.0) * norm * norm / inner(half, half)
        if shift + rise == shift:
            break
        shift += rise
    into_ball(radius, shift > 0.0 and (flat == ROUNDED or norm > radius * (1.0 - 1e-12)), out)


@kernel(f8(f8, f8, f8, arr(f8, 1), arr(f8, 1)))
def certificate(lam, radius, smoothness, w, gradient):
    """A bound on the distance of w, ‖w‖ ≤ B, from argmin F where λ > 0; else on F(w) − min F.

    F(u) ≥ F(w) + ⟨g, u − w⟩ + (λ/2)‖u − w‖² for the gradient g at w. Let u be the minimiser, ν ≥ 0 and ρ = ‖g + νw‖.
    F(w) − F(u) ≥ (λ/2)‖u − w‖² gives λt² ≤ ρt + ν(⟨w, u⟩ − ‖w‖²) for t = ‖u − w‖: with ν = 0, or on the sphere, where
    the last term is never positive, t ≤ ρ/λ. A point short of the sphere by rounding is moved onto it first; g changes
    by at most `smoothness` times the way. For λ = 0 the minimum over u of the linear bound is F(w) − ⟨g, w⟩ − B‖g‖.
    """
    steep = math.sqrt(inner(gradient, gradient))
    along = inner(gradient, w)
    if lam == 0.0:
        return max(0.0, along + radius * steep)
    square = inner(w, w)
    short = abs(radius - math.sqrt(square))
    inside = steep / lam
    if not short <= 1e-12 * radius < math.inf:
        return inside
    multiplier, rho = max(0.0, -along / square), 0.0
    for j in range(w.shape[0]):
        rho += (gradient[j] + multiplier * w[j]) ** 2
    return min(inside, short + (math.sqrt(rho) + (smoothness + multiplier) * short) / lam)


@kernel(types.void(arr(f8, 2), arr(f8, 2), f8, f8, arr(f8, 2, True), arr(f8, 1, True), arr(f8, 2, True)))
def least_quadratics(matrix, slopes, radius, enough, out, gaps, factor):
    """out[c]: the minimiser of ½⟨w, Mw⟩ + ⟨b, w⟩ on ‖w‖ ≤ B for each row b of `slopes`, and its certificate in gaps[c].

    M is positive semidefinite. A step is exact but for a lift of a singular M: more steps then, until the certificate
    is `enough` or hardly falls any more.
    """
    d = matrix.shape[0]
    w, gradient, half = np.empty(d), np.empty(d), np.empty(d)
    for c in range(slopes.shape[0]):
        gaps[c] = math.inf
        for j in range(d):
            w[j] = 0.0
        for _ in range(100):
            for i in range(d):
                gradient[i] = slopes[c, i]
                for j in range(d):
                    gradient[i] += matrix[i, j] * w[j]
            gap = certificate(0.0, radius, 0.0, w, gradient)
            if gap < gaps[c]:
                stays = gap > 0.9 * gaps[c]
                gaps[c] = gap
                for j in range(d):
                    out[c, j] = w[j]
                if stays or gap <= enough:
                    break
            else:
                break
            model_minimiser(matrix, out[c], gradient, radius, FLAT, w, factor, half)


@kernel(
    f8(
        i8, f8, arr(f8, 1), arr(f8, 1), f8, f8, arr(f8, 2), arr(f8, 1), arr(f8, 1), arr(f8, 1), arr(f8, 1), arr(f8, 1),
        f8, f8,
    )
)  # fmt: skip
def falls_until(
    code, parameter, y, weights, share, lam, bend, slope, after, before, start, move, descent, end
):  # fmt: skip
    """A share of `move` from `start` where F', which rises from `descent` to `end` along it, is at most 0 and at most
    half of what it was; `before` and `after` are the predictions at both ends.
    """
    low, high, at_low, at_high = 0.0, 1.0, descent, end
    for trial in range(80):
        part = at_low / (at_low - at_high) if trial % 2 == 0 else 0.5
        middle, rate = low + (high - low) * min(max(part, 1e-3), 1.0 - 1e-8), 0.0
        for i in range(y.shape[0]):
            change = after[i] - before[i]
            derivative = loss_derivative(code, parameter, before[i] + middle * change, y[i])
            rate += derivative * change * (weights[i] if weights.shape[0] > 0 else 1.0)
        rate *= share
        for i in range(move.shape[0]):
            rate += (lam * (start[i] + middle * move[i]) + slope[i]) * move[i]
            for j in range(bend.shape[0]):
                rate += bend[i, j] * (start[j] + middle * move[j]) * move[i]
        if rate <= 0.0:
            low, at_low = middle, rate
            if rate >= 0.5 * descent:
                break
        else:
            high, at_high = middle, rate
    return low if low > 0.0 else high


@kernel(
    i8(
        i8, f8, *records_t, f8, f8, arr(f8, 2), arr(f8, 1), f8, f8, f8, f8, i8, arr(f8, 1, True),
        arr(f8, 1, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True),
        arr(f8, 3, True), arr(f8, 2, True), arr(f8, 1, True),
    )
)  # fmt: skip
def newton(
    code, parameter, X, data, indices, indptr, y, weights, share, lam, bend, slope, radius, smoothness, reach, target,
    steps, w, padded, predictions, sums, hessian, tile, columns, matrices, vectors, state
):  # fmt: skip
    """At most `steps` passes of Newton's method from w, until the certificate is at most a quarter of `target`; w
    becomes the best point met. Returns whether it is to go on (0), is done (1) or has stalled (2).

    One pass over the records a step, at its end, which says whether it was too long: F rises there, and the certificate
    is not halved. `smoothness` bounds ∇F's Lipschitz constant, `reach` |y_i|/‖x_i‖: for the rounding of derivatives.
    A pass that is expected to be the last does without the Hessian, and so does one after a step that brought the
    certificate to a small share of what it was. w and `slope` have d coordinates and `bend` (d, d), or none. `state`
    begins as `BEGIN`, and the next call goes on from it: state[0] is the best certificate, state[1] s·Σ c_i·|φ'| there.
    """
    n, d = y.shape[0], w.shape[0]
    z, before, model, factor = predictions[0], predictions[1], matrices[0], matrices[1]
    here, gradient, half, start, move, there = (
        vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5],
    )  # fmt: skip
    best, steepest, stalled, fall, descent = state[0], state[1], state[2], state[3], state[4]
    fresh, moved = state[5] == 1.0, state[6] == 1.0
    if state[7] == 0.0:
        for j in range(d):
            here[j] = w[j]
    status = 0
    for _ in range(steps):
        curved = fresh
        for j in range(d):
            padded[j] = here[j]
        steep = share * add_pass(
            code, parameter, curved, X, data, indices, indptr, y, weights, padded, z, sums, hessian, tile, columns
        )
        for i in range(d):
            gradient[i] = share * sums[0, i] + lam * here[i] + slope[i]
            for j in range(bend.shape[0]):
                gradient[i] += bend[i, j] * here[j]
        distance = certificate(lam, radius, smoothness, here, gradient)
        if moved and distance > 0.5 * best:
            noise = math.sqrt(inner(move, move)) * smoothness * (math.sqrt(inner(here, here)) + reach)
            noise *= 4.0 * EPS
            end = inner(gradient, move)
            if end > noise and descent < -noise:  # F falls no further than to some point of the segment
                part = falls_until(
                    code, parameter, y, weights, share, lam, bend, slope, z, before, start, move, descent, end
                )
                for j in range(d):
                    here[j] = start[j] + part * move[j]
                fresh, moved = True, False
                continue
        stalled = 0 if distance < 0.5 * best else stalled + 1
        fall = distance / best if best < math.inf else 1.0
        if distance < best:
            best, steepest = distance, steep
            for j in range(d):
                w[j] = here[j]
        length = math.sqrt(inner(w, w))
        if best <= 0.25 * target:
            status = 1
            break
        near = 1e-3 * length if lam > 0.0 else 64.0 * EPS * smoothness * (length + reach) ** 2
        if stalled >= (5 if best < near else 40) or not distance < math.inf:
            status = 2
            break
        if not curved and fall > 2.0 * KEEP:  # the kept Hessian does not serve
            fresh, moved, stalled = True, False, stalled - 1
            continue
        if curved:
            for i in range(d):
                for j in range(i + 1):
                    model[i, j] = share * hessian[i, j] + (bend[i, j] if bend.shape[0] > 0 else 0.0)
                model[i, i] += lam
        model_minimiser(model, here, gradient, radius, FLAT if lam == 0.0 else ROUNDED, there, factor, half)
        descent = 0.0
        for j in range(d):
            start[j], move[j] = here[j], there[j] - here[j]
            descent += gradient[j] * move[j]
            here[j] = there[j]
        for i in range(n):
            before[i] = z[i]
        moved = True
        fresh = fall > KEEP and 10.0 * distance * fall * fall > 0.25 * target
    state[0], state[1], state[2], state[3], state[4] = best, steepest, stalled, fall, descent
    state[5], state[6], state[7] = 1.0 if fresh else 0.0, 1.0 if moved else 0.0, 1.0
    return status
