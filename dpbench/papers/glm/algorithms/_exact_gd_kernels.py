"""Sums of gradients in integers, for noisy gradient descent with `arithmetic="exact"`."""

from __future__ import annotations

import math

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.papers.glm.algorithms._noisy_gd_kernels import ROWS, add_product, to_derivatives

ROUND = 1.5 * 2.0**52
"""(v + ROUND) − ROUND is v rounded to an integer, ties to even, for |v| < 2⁵¹: additions vectorise."""


@kernel(
    types.void(
        i8, f8, arr(f8, 2), arr(f8, 1), arr(f8, 2), f8, arr(f8, 1), arr(f8, 2, True), arr(f8, 2, True),
    ),
)  # fmt: skip
def integer_gradients(code, parameter, X, y, w, inverse, largest, scores, sums):
    """sums[:, k] += Σ_i of record i's gradient at w[:, k] in whole steps of the grid, `inverse` its steps a unit.

    A record's contribution is a function of the record and of w[:, k] alone: its slope times `inverse`, clamped to
    ±`largest[i]` (NaN is 0), times each coordinate, rounded. Sums are whole numbers below 2⁵³, so that they are exact
    in floating point in whatever order. `scores` (ROWS, width) is scratch.
    """
    n, d = X.shape
    width = w.shape[1]
    for start in range(0, n, ROWS):
        tile = X[start : min(start + ROWS, n)]
        rows = tile.shape[0]
        part = scores[:rows]
        part[:] = 0.0
        add_product(tile, w, part)
        to_derivatives(code, parameter, y[start : start + rows], inverse, part)
        for i in range(rows):
            most, row = largest[start + i], part[i]
            for k in range(width):
                made = row[k]
                row[k] = min(max(made, -most), most) if not math.isnan(made) else 0.0
        whole = rows - rows % 4
        for i in range(0, whole, 4):
            s0, s1, s2, s3 = part[i], part[i + 1], part[i + 2], part[i + 3]
            for j in range(d):
                x0, x1, x2, x3 = tile[i, j], tile[i + 1, j], tile[i + 2, j], tile[i + 3, j]
                out = sums[j]
                for k in range(width):
                    out[k] += (
                        ((x0 * s0[k] + ROUND) - ROUND)
                        + ((x1 * s1[k] + ROUND) - ROUND)
                        + (((x2 * s2[k] + ROUND) - ROUND) + ((x3 * s3[k] + ROUND) - ROUND))
                    )
        for i in range(whole, rows):
            s0 = part[i]
            for j in range(d):
                x0, out = tile[i, j], sums[j]
                for k in range(width):
                    out[k] += (x0 * s0[k] + ROUND) - ROUND
