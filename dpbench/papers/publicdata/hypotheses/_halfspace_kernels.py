"""Kernels of halfspaces: a line turns by π about each point of the plane, a plane about each line in space."""

from __future__ import annotations

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1


@kernel(types.void(arr(f8, 2), arr(i8, 2), arr(i8, 2), arr(i8, 1), arr(f8, 2), arr(f8, 2, True), arr(i8, 2, True)))
def axis_ends(points, pivots, order, others, costs, own, ends):
    """own[c, row]: the least total of the points at one end of an axis, which goes through the pivots p and q.

    ends[c, row] says which: from p on (0, 1) or from q on (2, 3), in the direction of q − p (0, 2) or against it.
    order[row] has the points on the axis last, after `others[row]`. In the plane p = q is all of the axis.
    """
    n, d = points.shape
    for row in range(len(pivots)):
        p, q = pivots[row]
        for c in range(costs.shape[0]):
            own[c, row] = np.inf
            for end in range(4):
                start, total = q if end >= 2 else p, 0.0
                for at in range(others[row], n):
                    r, height = order[row, at], 0.0
                    for axis in range(d):
                        height += (points[q, axis] - points[p, axis]) * (points[r, axis] - points[start, axis])
                    if (height if end % 2 == 0 else -height) >= 0.0:
                        total += costs[c, r]
                if total < own[c, row]:
                    own[c, row], ends[c, row] = total, end


@kernel(
    types.void(
        i8, arr(f8, 2), arr(u1, 2), arr(i8, 2), arr(i8, 1), arr(f8, 2), arr(f8, 2), arr(f8, 1, True), arr(i8, 2, True)
    )
)  # fmt: skip
def turn(first, keys, upper, order, others, own, costs, best, places):
    """Try, for each row of costs, the open halfspaces beside every hyperplane through each axis, with that end of it.

    Points on the axis have infinite keys; `order` sorts the others by their angle in [0, π), and `upper` says that the
    point itself, not its mirror image, lies at that angle. best[c] is the least total so far, places[c] the number of
    the axis, counted from `first` on, that of the points passed, and whether the halfspace lies to the left (0) or the
    right (1). Only a strictly smaller total replaces another.
    """
    for row in range(keys.shape[0]):
        for c in range(costs.shape[0]):
            left, both = 0.0, 0.0
            for r in order[row, : others[row]]:
                both += costs[c, r]
                if upper[row, r]:
                    left += costs[c, r]
            if others[row] == 0 and own[c, row] < best[c]:
                best[c] = own[c, row]
                places[c, 0], places[c, 1], places[c, 2] = first + row, 0, 0
            for k in range(others[row]):
                r = order[row, k]
                left += -costs[c, r] if upper[row, r] else costs[c, r]
                if k + 1 < others[row] and keys[row, order[row, k + 1]] == keys[row, r]:
                    continue
                side = 0 if left <= both - left else 1
                total = own[c, row] + min(left, both - left)
                if total < best[c]:
                    best[c] = total
                    places[c, 0], places[c, 1], places[c, 2] = first + row, k + 1, side
