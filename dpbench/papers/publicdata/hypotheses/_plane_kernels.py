"""Kernels of halfspaces in the plane: a line turns by π about each point in turn.

Points have integer coordinates of size at most 2^23, so an angle's key is a quotient of integers below 2^25:
unequal quotients are at least 2^-50 apart, and equal ones round alike. Sorting the keys is exact.
"""

from __future__ import annotations

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1


@kernel(types.void(arr(f8, 2), i8, arr(f8, 2, True), arr(u1, 2, True)))
def line_angles(points, start, keys, upper):
    """Keys, increasing with the angle in [0, π), of the lines from points start, start + 1, … to each point.

    `upper` says that the point itself, not its mirror image, lies at that angle. A point's own key is infinite.
    """
    for p in range(keys.shape[0]):
        x, y = points[start + p, 0], points[start + p, 1]
        for q in range(points.shape[0]):
            if q == start + p:
                keys[p, q], upper[p, q] = np.inf, False
                continue
            dx, dy = points[q, 0] - x, points[q, 1] - y
            up = dy > 0.0 or (dy == 0.0 and dx > 0.0)
            if not up:
                dx, dy = -dx, -dy
            upper[p, q] = up
            keys[p, q] = dy / (dx + dy) if dx > 0.0 else 1.0 - dx / (dy - dx)


@kernel(types.void(i8, arr(f8, 2), arr(u1, 2), arr(i8, 2), arr(f8, 2), arr(f8, 1), arr(f8, 1, True), arr(i8, 2, True)))
def turn_lines(start, keys, upper, order, costs, totals, best, found):
    """Try, for each row of costs, the open halfplanes beside every line through each pivot, with the pivot.

    best[c] is the least total so far, found[c] its pivot, the number of points passed by the turning line, and
    whether the halfplane lies to the left (0) or the right (1). Only a strictly smaller total replaces another.
    """
    others = keys.shape[1] - 1
    for c in range(costs.shape[0]):
        for p in range(keys.shape[0]):
            pivot = start + p
            own = costs[c, pivot]
            left = 0.0
            for q in range(others + 1):
                if upper[p, q]:
                    left += costs[c, q]
            for k in range(others):
                q = order[p, k]
                left += -costs[c, q] if upper[p, q] else costs[c, q]
                if k + 1 < others and keys[p, order[p, k + 1]] == keys[p, q]:
                    continue
                if own + left < best[c]:
                    best[c] = own + left
                    found[c, 0], found[c, 1], found[c, 2] = pivot, k + 1, 0
                if totals[c] - left < best[c]:
                    best[c] = totals[c] - left
                    found[c, 0], found[c, 1], found[c, 2] = pivot, k + 1, 1
