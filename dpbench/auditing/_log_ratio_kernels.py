"""Kernels of the learned scores: one Newton fit of a penalised logistic regression, cells, and fits of one mode."""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel

TINY_PIVOT = 1e-13
"""A pivot below this share of its diagonal entry is a repeated column: it gets no step and no variance."""

STRETCH = 4096
"""Values placed together: they and their places stay in the cache."""

COMPARED = 32
"""Edges that a value is compared with one after the other, once halvings have left so many."""


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 1), arr(f8, 1), i8, arr(f8, 1, True), arr(f8, 2, True)))
def newton_steps(x, hits, total, penalty, steps, beta, inverse):
    """Newton steps from `beta`, in place, on the ridge-penalised likelihood of `hits` of `total`.

    `inverse` gets the inverse of the last step's Hessian. No step moves a coefficient by more than 4.
    """
    cells, width = x.shape
    hessian, gradient = np.empty((width, width)), np.empty(width)
    for _ in range(steps):
        hessian[:] = 0.0
        for a in range(width):
            hessian[a, a] = penalty[a]
            gradient[a] = -penalty[a] * beta[a]
        for i in range(cells):
            linear = 0.0
            for a in range(width):
                linear += x[i, a] * beta[a]
            chance = 1.0 / (1.0 + math.exp(min(-linear, 700.0)))
            weight, left = total[i] * chance * (1.0 - chance), hits[i] - total[i] * chance
            for a in range(width):
                gradient[a] += left * x[i, a]
                scaled = weight * x[i, a]
                if scaled != 0.0:
                    for b in range(a + 1):
                        hessian[a, b] += scaled * x[i, b]
        invert(hessian, inverse)
        largest = 1e-300
        for a in range(width):
            step = 0.0
            for b in range(width):
                step += inverse[a, b] * gradient[b]
            largest = max(largest, abs(step))
        # A full step can overshoot where a cell holds one side alone.
        damped = min(1.0, 4.0 / largest)
        for a in range(width):
            for b in range(width):
                beta[a] += damped * inverse[a, b] * gradient[b]


@kernel(
    types.void(
        arr(f8, 3, True), arr(f8, 2), arr(f8, 2), arr(i8, 1), i8, f8, f8, f8, f8,
        arr(i8, 1, True), arr(i8, 2, True), arr(f8, 2, True), arr(f8, 3, True),
    )
)  # fmt: skip
def fit_evidence(x, hits, total, cells, rounds, start, least, most, gone, widths, live, beta, covariance):
    """Rounds of one Newton step and MacKay's update of the ridge weights, shared by all features up to a factor.

    Feature j has the design x[j, : cells[j], : widths[j]]; a column that gains less than `gone` of a degree of
    freedom is dropped: the rest move to the left, in place, and live[j] keeps their numbers. The first column's
    weight is fixed. Coefficients and their covariance go to the left parts of `beta` and `covariance`.
    """
    features, _, width = x.shape
    shared, own = np.full(width, start), np.ones(features)
    used, size = np.empty(width), np.empty(width)
    for round_ in range(rounds):
        used[:] = 1e-3
        size[:] = 1e-12
        for j in range(features):
            n, w = cells[j], widths[j]
            penalty, inverse = np.empty(w), np.empty((w, w))
            for a in range(w):
                penalty[a] = min(max(own[j] * shared[live[j, a]], least), most) if a > 0 else 1e-6
            design = x[j, :n, :w].copy()
            coefficients = beta[j, :w]
            newton_steps(design, hits[j, :n], total[j, :n], penalty, 3 if round_ == 0 else 1, coefficients, inverse)
            whole, squares, kept = 1e-3, 1e-12, 0
            for a in range(w):
                gained = min(max(1.0 - penalty[a] * inverse[a, a], 0.0), 1.0)
                square = coefficients[a] ** 2
                used[live[j, a]] += gained
                size[live[j, a]] += own[j] * square
                if a > 0:
                    whole += gained
                    squares += shared[live[j, a]] * square
                if a == 0 or gained > gone or round_ == rounds - 1:
                    penalty[kept] = a  # the weights have been used: numbers of the columns that stay
                    kept += 1
            if features > 1:
                own[j] = whole / squares
            widths[j] = kept
            for a in range(kept):
                old = int(penalty[a])
                live[j, a], beta[j, a] = live[j, old], beta[j, old]
                for i in range(n):
                    x[j, i, a] = x[j, i, old]
                for b in range(kept):
                    covariance[j, a, b] = inverse[old, int(penalty[b])]
        middle = 0.0
        for j in range(features):
            own[j] = min(max(own[j], 1e-9), 1e9)
            middle += math.log(own[j]) / features
        own /= math.exp(middle)
        for a in range(width):
            shared[a] = min(max(used[a] / size[a], least), most)


@kernel(types.void(arr(f8, 2, True), arr(f8, 2, True)))
def invert(matrix, inverse):
    """The inverse of a symmetric positive matrix, of which the lower triangle is read and overwritten (Cholesky)."""
    width = matrix.shape[0]
    inverse[:] = 0.0
    for a in range(width):
        whole = matrix[a, a]
        for b in range(a):
            total = matrix[a, b]
            for c in range(b):
                total -= matrix[a, c] * matrix[b, c]
            matrix[a, b] = total * matrix[b, b]  # the diagonal holds reciprocals
        pivot = whole
        for c in range(a):
            pivot -= matrix[a, c] * matrix[a, c]
        matrix[a, a] = 1.0 / math.sqrt(pivot) if pivot > TINY_PIVOT * whole else 0.0
    # The inverse L⁻¹ of the factor, in the upper triangle of `inverse` (transposed), then L⁻ᵀ L⁻¹.
    for a in range(width):
        inverse[a, a] = matrix[a, a]
        for b in range(a + 1, width):
            total = 0.0
            for c in range(a, b):
                total -= matrix[b, c] * inverse[a, c]
            inverse[a, b] = total * matrix[b, b]
    for a in range(width):
        for b in range(a, width):
            total = 0.0
            for c in range(b, width):
                total += inverse[a, c] * inverse[b, c]
            matrix[a, b] = total  # its upper triangle is free, the diagonal no longer needed
    for a in range(width):
        for b in range(a, width):
            inverse[a, b] = matrix[a, b]
            inverse[b, a] = matrix[a, b]


@kernel(i8(f8, f8, f8, i8))
def grid_cell(value, low, scale, cells):
    """The cell of a uniform grid that holds a value; the end cells are unbounded, NaN is in the first."""
    place = (value - low) * scale
    if not place > 0.0:
        return 0
    return cells - 1 if place >= cells - 1.0 else int(place)


@kernel(types.void(arr(f8, 1), f8, f8, arr(i8, 1, True)))
def count_cells(column, low, scale, counts):
    """Adds to `counts` the values of a column in each cell."""
    for value in column:
        counts[grid_cell(value, low, scale, counts.shape[0])] += 1


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 1), arr(f8, 2), arr(f8, 1, True)))
def add_tables(columns, low, scale, log_ratios, total):
    """total[i] += Σ_j log_ratios[j, cell of columns[i, j]]."""
    rows, width = columns.shape
    cells = log_ratios.shape[1]
    for i in range(rows):
        for j in range(width):
            total[i] += log_ratios[j, grid_cell(columns[i, j], low[j], scale[j], cells)]


@kernel(types.void(arr(f8, 1), arr(f8, 1), arr(i8, 1, True)))
def places(values, edges, found):
    """found[i]: how many of the increasing edges are at most values[i]; all of them for NaN.

    The halvings go over many values at a time: no branch waits for data. Among the last edges all are compared, many
    at a time.
    """
    size = edges.shape[0]
    found[:] = 0
    for start in range(0, values.shape[0] if size > 0 else 0, STRETCH):
        part, place = values[start : start + STRETCH], found[start : start + STRETCH]
        left = size
        while left > COMPARED:
            half = left // 2
            for i in range(part.shape[0]):
                place[i] += half * int(edges[place[i] + half - 1] <= part[i])
            left -= half
        for i in range(part.shape[0]):
            some, below = edges[place[i] : place[i] + left], 0
            for k in range(left):
                below += int(some[k] <= part[i])
            place[i] = size if part[i] != part[i] else place[i] + below


@kernel(f8(arr(f8, 1), arr(f8, 1), i8, arr(f8, 1, True)))
def rise_and_fall(hits, misses, mode, chance):
    """The most likely chances of a hit that rise in the first `mode` cells and fall in the others; log-likelihood.

    Pool adjacent violators (Ayer et al. 1955), on either side of the mode from its outer end.
    """
    size = hits.shape[0]
    level, weight, length = np.empty(size), np.empty(size), np.empty(size, dtype=np.int64)
    for side in range(2):
        pools = 0
        for k in range(mode if side == 0 else size - mode):
            i = k if side == 0 else size - 1 - k
            total = hits[i] + misses[i]
            level[pools], weight[pools], length[pools] = 0.5, 1e-9, 1
            if total > 0.0:
                level[pools], weight[pools] = hits[i] / total, total
            pools += 1
            while pools > 1 and level[pools - 2] >= level[pools - 1]:
                both = weight[pools - 2] + weight[pools - 1]
                level[pools - 2] += (level[pools - 1] - level[pools - 2]) * weight[pools - 1] / both
                weight[pools - 2] = both
                length[pools - 2] += length[pools - 1]
                pools -= 1
        k = 0
        for pool in range(pools):
            for _ in range(length[pool]):
                chance[k if side == 0 else size - 1 - k] = level[pool]
                k += 1
    found = 0.0
    for i in range(size):
        found += math.log(max(chance[i], 1e-300)) * hits[i] + math.log(max(1.0 - chance[i], 1e-300)) * misses[i]
    return found
