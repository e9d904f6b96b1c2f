"""Kernels of classes that depend on one coordinate at a time: a scan of the costs in sorted order.

`order` sorts the points by a coordinate and `ends[k]` says that the next point in that order is a larger one, so
that points with equal coordinates are never parted. A cost is the objective at +1 less that at −1.
"""

from __future__ import annotations

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


@kernel(types.void(arr(i8, 2), arr(u1, 2), arr(f8, 2), arr(i8, 2, True)), ahead=False)
def scan_stumps(order, ends, costs, out):
    """out[c]: feature j, sign s, rank r: the r points smallest in coordinate j get −s, the others s.

    In a tie the first feature, then s = 1, then the least rank.
    """
    d, n = order.shape
    for c in range(costs.shape[0]):
        total = 0.0
        for i in range(n):
            total += costs[c, i]
        best = total
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
            if total - highest < best:
                best = total - highest
                out[c, 0], out[c, 1], out[c, 2] = j, 1, rank_up
            if lowest < best:
                best = lowest
                out[c, 0], out[c, 1], out[c, 2] = j, -1, rank_down
