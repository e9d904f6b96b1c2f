"""Kernels of classes on a finite domain and of classes with one parameter: sums over cells, then a scan."""

from __future__ import annotations

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel


@kernel(types.void(arr(i8, 1), arr(f8, 2), arr(f8, 2, True)))
def sum_cells(cells, values, out):
    """out[c, j]: the sum of values[c, i] over the points i in cell j."""
    for c in range(values.shape[0]):
        for j in range(out.shape[1]):
            out[c, j] = 0.0
        for i in range(cells.shape[0]):
            out[c, cells[i]] += values[c, i]


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 2), arr(i8, 1, True)))
def scan_table(columns, fixed, slopes, out):
    """out[c]: the first k with the least fixed[k] + Σ_j slopes[c, j]·columns[j, k]."""
    totals = np.empty(fixed.shape[0])
    for c in range(slopes.shape[0]):
        for k in range(totals.shape[0]):
            totals[k] = fixed[k]
        for j in range(columns.shape[0]):
            slope, column = slopes[c, j], columns[j]
            if slope != 0.0:
                for k in range(totals.shape[0]):
                    totals[k] += slope * column[k]
        best = 0
        for k in range(totals.shape[0]):
            if totals[k] < totals[best]:
                best = k
        out[c] = best


@kernel(types.void(arr(f8, 2), i8, arr(f8, 2, True)))
def choose_signs(costs, bits, out):
    """out[c]: the signs v of the parity cube with the least Σ_g costs[c, g]·1[v_g = 1] + costs[c, bits + 1]·1[∏v = 1].

    v_g = −1 at cost 0; the bit that costs least is turned, the first of such bits, if the parity gains more.
    """
    for c in range(costs.shape[0]):
        parity, cheapest = 1.0, 0
        for g in range(bits):
            out[c, g] = 1.0 if costs[c, g] < 0.0 else -1.0
            parity *= out[c, g]
            if abs(costs[c, g]) < abs(costs[c, cheapest]):
                cheapest = g
        if parity * costs[c, bits + 1] > abs(costs[c, cheapest]):
            out[c, cheapest] = -out[c, cheapest]


@kernel(types.void(arr(f8, 1), arr(f8, 1), arr(f8, 1), arr(f8, 1), arr(f8, 1), arr(f8, 1, True)))
def scan_pieces(breaks, square, slope, level, extra, out):
    """out[c]: the first minimiser of a piecewise quadratic: square·z² + (slope + extra[c])·z + level on each piece."""
    pieces = square.shape[0]
    for c in range(extra.shape[0]):
        best = np.inf
        for k in range(pieces):
            low, high = breaks[k], breaks[k + 1]
            a, b = square[k], slope[k] + extra[c]
            inner = low
            if a > 0.0:
                inner = min(max(-b / (2.0 * a), low), high)
            for z in (low, inner, high):
                value = (a * z + b) * z + level[k]
                if value < best:
                    best = value
                    out[c] = z
