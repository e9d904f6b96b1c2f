"""Kernels of the envelope of a net on a line: the score at the ends of intervals, and chords between them.

S(w) = Σ_i ψ(ι|r_i(w)|), r_i = y_i − x_i·w. A record whose residual keeps its sign over an interval is concave there
(`_bound_kernels`), so that the chord between the ends is below it. One whose residual changes sign is above the two
chords from the ends down to 0, hence above the chord between the ends less the height of that chord where r_i = 0. So
S is at least its own chord less the sum of these heights, which falls with the square of the interval's length.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.papers.heavytail.algorithms._bound_kernels import SLACK, UNIT
from dpbench.papers.heavytail.algorithms._geometric_kernels import log_geometric_sum
from dpbench.papers.heavytail.algorithms._score_kernels import LANES, truncated_sum


@kernel(f8(arr(f8, 1), arr(f8, 1), f8, f8, f8, f8))
def chord_loss(x, y, iota, theta, first, last):
    """By how much the chord of S from `first` to `last` has to be lowered to lie below S there, rounding included.

    What the rounding of r_i = y_i − x_i·w can change is nothing where both ends are truncated, and less the nearer the
    interval is to w = 0: there it is 0 however long x_i is.
    """
    limit, reach = math.log(theta), max(abs(first), abs(last))
    total = 0.0
    for k in range(x.shape[0]):
        left, right = y[k] - x[k] * first, y[k] - x[k] * last
        rounding = 4.0 * UNIT * SLACK * (abs(y[k]) + abs(x[k]) * reach)
        below, above = min(iota * abs(left), limit), min(iota * abs(right), limit)
        at = abs(left) / max(abs(left) + abs(right), 1e-300)
        total += below + at * (above - below) if left * right <= 0.0 else 0.0
        total += min(iota * rounding, limit) if iota * (min(abs(left), abs(right)) - rounding) < 1.0 else 0.0
    return total + UNIT * SLACK * (8.0 * x.shape[0] + 64.0) * (1.0 + limit)


@kernel(
    types.UniTuple(i8, 2)(
        arr(f8, 2), arr(f8, 1), f8, f8, i8, f8, f8, i8, f8, arr(i8, 2, True), arr(i8, 2, True), arr(f8, 1, True),
        arr(f8, 2, True), arr(f8, 1, True), arr(f8, 1, True),
    )
)  # fmt: skip
def cut_line(
    columns, y, iota, theta, quarters, weight, spacing, resolution, enough,
    low, high, constant, slopes, log_mass, chances
):  # fmt: skip
    """Intervals that hold all points of the net −m, …, m, with bounds: how many, and how many were bounded on the way.

    The interval that wastes most is cut in the middle, until a proposal is accepted with an expected chance of `enough`
    or the arrays are full. low[i], high[i]: first and last coordinate of interval i; constant[i] + slopes[i]·w is at
    most S(w) on it; chances[i]: the acceptance expected of a proposal from it, which steers, and carries no guarantee.
    """
    x, reach, buffer, at = columns[0], spacing * resolution, np.empty((2, LANES)), np.empty(1)
    room = low.shape[0]
    start, scores, sags, losses = np.empty(room, np.int64), np.empty((2, room)), np.empty(room), np.empty(room)
    start[0], low[0, 0], high[0, 0] = -resolution, -resolution, resolution  # chords begin at `start`: low, or low − 1
    for end in range(2):
        at[0] = reach if end == 1 else -reach
        scores[end, 0] = truncated_sum(columns, y, at, iota, theta, quarters, buffer)
    sags[0] = np.inf
    count, opened, cut = 1, 0, 0
    while True:
        for i in (cut, count - 1):
            if low[i, 0] == high[i, 0]:  # one point: the score itself
                start[i], scores[0, i], sags[i] = high[i, 0], scores[1, i], 0.0
            first, last = spacing * start[i], spacing * high[i, 0]
            losses[i] = loss = chord_loss(x, y, iota, theta, first, last)
            b = (scores[1, i] - scores[0, i]) / (last - first) if last > first else 0.0
            slopes[i, 0] = b
            constant[i] = min(scores[0, i] - b * first, scores[1, i] - b * last)
            constant[i] -= loss + 4.0 * UNIT * SLACK * abs(b) * reach
            inner = high[i, 0] - low[i, 0] + 1
            t = -weight * spacing * b
            log_mass[i] = -weight * constant[i] + log_geometric_sum(t, inner) + t * low[i, 0]
            chances[i] = math.exp(-weight * (loss + sags[i]))
            opened += 1
            if count == 1:
                break
        top = -np.inf
        for i in range(count):
            top = max(top, log_mass[i])
        total, accepted, most, cut = 0.0, 0.0, 0.0, -1
        for i in range(count):
            mass = math.exp(log_mass[i] - top)
            total += mass
            accepted += mass * chances[i]
            waste = mass * (1.0 - chances[i])
            if waste > most and high[i, 0] > low[i, 0]:
                most, cut = waste, i
        if accepted >= enough * total or cut < 0 or count == room:
            return count, opened
        middle = (start[cut] + high[cut, 0]) // 2
        if middle < low[cut, 0]:
            middle = low[cut, 0]
        at[0] = spacing * middle
        score = truncated_sum(columns, y, at, iota, theta, quarters, buffer)
        first, last = spacing * start[cut], spacing * high[cut, 0]
        share = (at[0] - first) / (last - first)
        sag = score - (scores[0, cut] + share * (scores[1, cut] - scores[0, cut]))
        low[count, 0], high[count, 0], start[count] = middle + 1, high[cut, 0], middle
        scores[0, count], scores[1, count] = score, scores[1, cut]
        high[cut, 0], scores[1, cut] = middle, score
        sags[cut] = sags[count] = 0.25 * (abs(sag) + losses[cut])  # kinks, which lower S there, may hide as much
        count += 1
