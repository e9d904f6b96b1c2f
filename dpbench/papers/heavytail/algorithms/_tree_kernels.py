"""Kernels of the tree sampler: bounds of boxes, their masses, splits and draws.

A box is one of lattice coordinates t (`_lattice_kernels`); h is the lattice's spacing. Over a box an affine function
lies below the score, A + ⟨b, h·t⟩ ≤ S(w) (`_bound_kernels`). So exp(−c(A + ⟨b, h·t⟩)) is at least the weight
exp(−cS(w)) of every lattice point of the box, and its sum over the box is a product of d geometric sums.

Bounds and pilots see the records in the tree's coordinates, draws see the features themselves.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, rng_t
from dpbench.papers.heavytail.algorithms._bound_kernels import ROWS, affine_bound, touched_bound
from dpbench.papers.heavytail.algorithms._geometric_kernels import geometric_draw, geometric_moments, log_geometric_sum
from dpbench.papers.heavytail.algorithms._lattice_kernels import inside, lift, place
from dpbench.papers.heavytail.algorithms._score_kernels import LANES, truncated_sum

WORTH = 0.2
"""Expected loss of log-acceptance above which a box's bound is computed a second time."""

REACH = 4.0
"""Standard deviations about its centre that a cut leaves to the mass."""

OUTSIDE = -1.0e300
"""Log-mass of a box without a net point."""

risk_t = (f8, f8, i8)  # iota, theta, quarters
net_t = (f8, f8, i8, i8, arr(f8, 2))  # weight, spacing, resolution, ball, shear
records_t = (arr(f8, 2), arr(f8, 1), arr(f8, 1))  # columns, y, sizes
boxes_t = (arr(i8, 2), arr(i8, 2), arr(f8, 1), arr(f8, 2))  # low, high, constant, slopes


@kernel(
    types.void(
        *records_t, *risk_t, *net_t, arr(i8, 2, True), arr(i8, 2, True), arr(f8, 1, True), arr(f8, 2, True),
        arr(f8, 3, True), arr(f8, 1, True), arr(f8, 1), arr(i8, 1),
    )
)  # fmt: skip
def bound_boxes(
    columns, y, sizes, iota, theta, quarters, weight, spacing, resolution, ball, shear,
    low, high, constant, slopes, curvature, log_mass, minimiser, chosen
):  # fmt: skip
    """Bound and log-mass of the boxes named in `chosen`; `weight` is c.

    The reference is first the point of the box nearest to `minimiser`; where the kinks about it are expected to
    cost more than `WORTH`, then the mean of the distribution that the first bound has over the box. The bound with
    the smaller mass stays.
    """
    d = low.shape[1]
    buffer, curves, offsets = np.empty((ROWS + 4 * d, LANES)), np.empty((3, d)), np.empty((2, d))
    centre, half, reference, b = np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    sides, chords = np.empty((2, y.shape[0])), 0.0
    for i in chosen:
        log_mass[i] = OUTSIDE
        if not place(low[i], high[i], shear, resolution, ball, offsets):
            continue
        for j in range(d):
            first, last = spacing * (low[i, j] + offsets[0, j]), spacing * (high[i, j] + offsets[0, j])
            centre[j], half[j] = 0.5 * (first + last), 0.5 * (last - first) + spacing * offsets[1, j]
            reference[j] = min(max(minimiser[j], first), last)
        for attempt in range(2):
            if attempt == 0:
                a, chords = affine_bound(
                    columns, y, sizes, iota, theta, quarters, centre, half, reference, b, curves, sides, buffer
                )
                for part in range(3):  # the last about the minimiser; not by a slice, which takes seconds to compile
                    for j in range(d):
                        curvature[i, part, j] = curves[part, j]
            else:
                a = touched_bound(columns, y, sizes, chords, sides, reference, b, buffer)
            for j in range(d):
                a += spacing * (b[j] * offsets[0, j] - abs(b[j]) * offsets[1, j])
            mass, cost = -weight * a, 0.0
            for j in range(d):
                t, count = -weight * spacing * b[j], high[i, j] - low[i, j] + 1
                mass += log_geometric_sum(t, count) + t * low[i, j]
                mean, variance = geometric_moments(t, count)
                away = spacing * (low[i, j] + offsets[0, j] + mean) - reference[j]
                cost += 0.5 * weight * curves[0, j] * (away * away + spacing * spacing * variance)
                reference[j] += away
            if attempt == 0 or mass < log_mass[i]:
                log_mass[i], constant[i] = mass, a
                for j in range(d):
                    slopes[i, j] = b[j]
            if cost < WORTH:
                break


@kernel(types.void(f8, f8, arr(i8, 2, True), arr(i8, 2, True), arr(f8, 2), arr(f8, 3), arr(f8, 1), arr(i8, 1), i8))
def split_boxes(weight, spacing, low, high, slopes, curvature, minimiser, chosen, free):
    """Cut each chosen box in two: the lower part takes its place, the upper ones go to `free`, `free` + 1, …

    Across the axis where the gap is expected to be largest. The mass sits within some standard deviations of the
    mean of the bound's distribution or, where the kinks curve the score within less than that, of the point
    nearest to `minimiser`; the cut parts it from the longer rest; where there is none, it goes through the mean, or
    through that point where most kinks pass near it.
    """
    d = low.shape[1]
    for p in range(chosen.shape[0]):
        i, new = chosen[p], free + p
        axis, largest = 0, -1.0
        for j in range(1, d):  # should no gain compare (overflow on absurd data): the longest axis, in the middle
            if high[i, j] - low[i, j] > high[i, axis] - low[i, axis]:
                axis = j
        cut = (high[i, axis] - low[i, axis]) // 2
        for j in range(d):
            count = high[i, j] - low[i, j] + 1
            if count == 1:
                continue
            mean, variance = geometric_moments(-weight * spacing * slopes[i, j], count)
            gain = curvature[i, 0, j] * variance + curvature[i, 1, j] * count * count / 12.0 + 1e-300 * count
            if gain > largest:
                axis, largest, cut = j, gain, int(mean)
                place, spread = mean, math.sqrt(variance)
                bend = weight * curvature[i, 0, j] * spacing * spacing
                nearest = min(max(minimiser[j] / spacing - low[i, j], 0.0), count - 1.0)
                if bend * (variance + (mean - nearest) ** 2) > REACH:
                    place, spread = nearest, 1.0 / math.sqrt(bend)
                    if 0.0 < nearest < count - 1.0 and curvature[i, 2, j] > 0.5 * curvature[i, 0, j]:
                        cut = int(nearest)
                reach = REACH * spread + 1.0
                above = place < 0.5 * count
                if (count - place if above else place) > 2.0 * reach:
                    cut = int(place + reach) if above else int(place - reach)
        cut = low[i, axis] + min(max(cut, 0), high[i, axis] - low[i, axis] - 1)
        for j in range(d):
            low[new, j], high[new, j] = low[i, j], high[i, j]
        high[i, axis], low[new, axis] = cut, cut + 1


@kernel(f8(f8, f8, *boxes_t, i8, rng_t, arr(i8, 1, True)))
def propose(weight, spacing, low, high, constant, slopes, i, rng, t):
    """Coordinates drawn from the bound's distribution over box i, into t; returns the bound A + ⟨b, h·t⟩ there."""
    bound = constant[i]
    for j in range(t.shape[0]):
        count = high[i, j] - low[i, j] + 1
        t[j] = low[i, j] + geometric_draw(-weight * spacing * slopes[i, j], count, rng.random())
        bound += slopes[i, j] * (spacing * t[j])
    return bound


@kernel(types.void(*records_t, *risk_t, *net_t, *boxes_t, arr(i8, 1), rng_t, arr(f8, 1, True)))
def pilot(
    columns, y, sizes, iota, theta, quarters, weight, spacing, resolution, ball, shear,
    low, high, constant, slopes, boxes, rng, chances
):  # fmt: skip
    """chances[p]: the acceptance of one proposal from boxes[p].

    It steers the cuts, and carries no guarantee.
    """
    d = low.shape[1]
    t, k, at, buffer = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d), np.empty((2, LANES))
    for p in range(boxes.shape[0]):
        bound = propose(weight, spacing, low, high, constant, slopes, boxes[p], rng, t)
        lift(t, shear, k)
        chances[p] = 0.0
        if inside(k, resolution, ball):
            for j in range(d):
                moved = 0.0
                for m in range(j + 1, d):
                    moved += shear[j, m] * k[m]
                at[j] = spacing * (k[j] - moved)
            score = truncated_sum(columns, y, at, iota, theta, quarters, buffer)
            chances[p] = math.exp(min(weight * (bound - score), 0.0))


@kernel(
    i8(arr(f8, 2), arr(f8, 1), *risk_t, *net_t, *boxes_t, arr(f8, 1), rng_t, i8, arr(i8, 1, True), arr(f8, 1, True))
)
def draw(
    columns, y, iota, theta, quarters, weight, spacing, resolution, ball, shear,
    low, high, constant, slopes, cumulative, rng, tries, k, worst
):  # fmt: skip
    """Up to `tries` proposals from the mixture of the boxes: the number made when one, k, was accepted; else 0.

    `columns` are the features themselves, not those of the coordinates. `cumulative` are the masses of the boxes,
    summed and scaled to end at 1. worst[0] becomes the largest log-acceptance so far: above 0 a bound would have been
    wrong.
    """
    d = k.shape[0]
    t, w, buffer = np.empty(d, np.int64), np.empty(d), np.empty((2, LANES))
    for attempt in range(1, tries + 1):
        at, i, last = rng.random(), 0, cumulative.shape[0] - 1
        while i < last:  # the first box whose mass reaches beyond `at`, or the last
            middle = (i + last) // 2
            if cumulative[middle] > at:
                last = middle
            else:
                i = middle + 1
        bound = propose(weight, spacing, low, high, constant, slopes, i, rng, t)
        log_uniform = math.log(1.0 - rng.random())
        lift(t, shear, k)
        if not inside(k, resolution, ball):
            continue
        for j in range(d):
            w[j] = spacing * k[j]
        log_chance = weight * (bound - truncated_sum(columns, y, w, iota, theta, quarters, buffer))
        worst[0] = max(worst[0], log_chance)
        if log_uniform < log_chance:
            return attempt
    return 0
