"""Kernels of classes that depend on one coordinate at a time: a scan of the costs in sorted order.

`order` sorts the points by a coordinate and `ends[k]` says that the next point in that order is a larger one, so
that points with equal coordinates are never parted. A cost is the objective at +1 less that at −1.
"""

from __future__ import annotations

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1


@kernel(types.void(arr(i8, 1), arr(u1, 1), arr(f8, 2), arr(i8, 1, True)))
def scan_thresholds(order, ends, costs, out):
    """out[c]: how many of the smallest points get −1, the others +1; the least such number in a tie."""
    for c in range(costs.shape[0]):
        below, best, rank = 0.0, 0.0, 0
        for k in range(order.shape[0]):
            below += costs[c, order[k]]
            if ends[k] and below > best:
                best, rank = below, k + 1
        out[c] = rank


@kernel(types.void(arr(i8, 1), arr(u1, 1), arr(f8, 2), arr(i8, 2, True)))
def scan_intervals(order, ends, costs, out):
    """out[c]: the points of rank out[c, 0] to out[c, 1] − 1 get +1; (0, 0) for none; the first pair in a tie."""
    for c in range(costs.shape[0]):
        before, top, start, best = 0.0, 0.0, 0, 0.0
        out[c, 0], out[c, 1] = 0, 0
        for k in range(order.shape[0]):
            before += costs[c, order[k]]
            if not ends[k]:
                continue
            if before - top < best:
                best = before - top
                out[c, 0], out[c, 1] = start, k + 1
            if before > top:
                top, start = before, k + 1


@kernel(types.void(arr(i8, 2), arr(u1, 2), arr(f8, 2), arr(i8, 2, True)))
def scan_stumps(order, ends, costs, out):
    """out[c]: feature j, sign s, rank r: the r points smallest in coordinate j get −s, the others s.

    In a tie the first feature, then s = 1, then the least rank.
    """
    d, n = order.shape
    for c in range(costs.shape[0]):
        total, best = 0.0, 0.0
        out[c, 0], out[c, 1], out[c, 2] = 0, 1, 0
        for j in range(d):
            below, highest, rank_up, lowest, rank_down = 0.0, 0.0, 0, 0.0, 0
            for k in range(n):
                below += costs[c, order[j, k]]
                if ends[j, k]:
                    if below > highest:
                        highest, rank_up = below, k + 1
                    if below < lowest:
                        lowest, rank_down = below, k + 1
            if j == 0:
                total = best = below
            if total - highest < best:
                best = total - highest
                out[c, 0], out[c, 1], out[c, 2] = j, 1, rank_up
            if lowest < best:
                best = lowest
                out[c, 0], out[c, 1], out[c, 2] = j, -1, rank_down


@kernel(
    i8(
        arr(i8, 1), arr(u1, 1), arr(f8, 1), i8, i8, arr(u1, 1, True), arr(i8, 1, True), arr(u1, 1, True),
        arr(i8, 1, True), arr(f8, 1, True),
    )
)  # fmt: skip
def shorten(order, ends, fixed, first, column, kept, columns, steps, ranks, sums):
    """A shorter line on which the scans above find the same boundaries, whatever the points from `first` on cost.

    Those points stay. Of the places between two of them one can hold the best boundary only if, of these places, it has
    the first largest or the first least sum of `fixed` costs below it, or is an end of the first cheapest interval
    between two of them: the points between such places become one, with the sum of their costs.

    Entry k of the shorter line has the costs of column columns[k], of point `first` + columns[k] or, from `column` on,
    the next of `sums`; steps[k] is its `ends`, and then ranks[k + 1] the number of points up to it (ranks[0] = 0).
    Returned is the length of the line, at most 6 for each point that stays, and 5 more.
    """
    n = order.shape[0]
    at = 0
    while at < n:
        start = at  # a run: one point that stays (but for the first run), and all up to the next
        below, top, bottom, cheapest = 0.0, -np.inf, np.inf, 0.0
        place_top = place_bottom = place_before = place_after = -1
        if start == 0 and order[0] < first:
            top = bottom = 0.0
        while at < n and (at == start or order[at] < first):
            if order[at] < first:
                below += fixed[order[at]]
            kept[at] = False
            if ends[at]:
                if below - top < cheapest:
                    cheapest, place_before, place_after = below - top, place_top, at
                if below > top:
                    top, place_top = below, at
                if below < bottom:
                    bottom, place_bottom = below, at
            at += 1
        for place in (place_top, place_bottom, place_before, place_after):
            if place >= 0:
                kept[place] = True
    count, written, waiting = 0, 0, 0.0
    pending = False
    ranks[0] = 0
    for k in range(n):
        stays = order[k] >= first
        if not stays:
            waiting += fixed[order[k]]
            pending = True
        if pending and (stays or kept[k] or k == n - 1):
            columns[count], steps[count] = column + written, kept[k] and not stays
            sums[written], ranks[count + 1] = waiting, k + 1
            count, written, waiting, pending = count + 1, written + 1, 0.0, False
        if stays:
            columns[count], steps[count], ranks[count + 1] = order[k] - first, ends[k], k + 1
            count += 1
    return count
