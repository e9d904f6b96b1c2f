"""Σ_i of each record's ψ in whole steps, for the exponential mechanism with `arithmetic="exact"`.

A record's part is a function of the record and the point alone, wherever it stands among the others: subtractions,
products, divisions and square roots in a fixed order, each rounded as IEEE 754 says, no library of logarithms (whose
vectors and remainders may differ in their last bits), no contraction.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.papers.heavytail.algorithms._score_kernels import LANES

TERMS = 17
"""Terms of ψ = 2(z + z³/3 + z⁵/5 + …), z in [0, 1/3]: what is left out is below 1e-17 of ψ."""


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 2), f8, f8, i8, f8, i8, arr(i8, 1, True)))
def exponent_sums(columns, y, points, iota, theta, quarters, inverse, largest, out):
    """out[p] = Σ_i min(⌊ψ(ι|y_i − ⟨x_i, points[p]⟩|)·`inverse` + ½⌋, `largest`); `largest` where ι|r| ≥ 1 or NaN.

    `columns` is X transposed. With p = v − v^θ/θ and z = p/(2 − p), ψ(v) = −log(1 − p) = 2 artanh z.
    """
    d, n = columns.shape
    v, part = np.empty(LANES), np.empty(LANES)
    for at in range(points.shape[0]):
        total = 0
        for start in range(0, n, LANES):
            stop = min(n, start + LANES)
            size, response = stop - start, y[start:stop]
            for k in range(size):
                v[k] = response[k]
            for j in range(d):
                x, weight = columns[j, start:stop], points[at, j]
                for k in range(size):
                    v[k] -= x[k] * weight
            for k in range(size):
                scaled = iota * abs(v[k])
                v[k] = scaled if scaled < 1.0 else 1.0  # NaN too
            if quarters == 8:
                for k in range(size):
                    part[k] = v[k] - 0.5 * (v[k] * v[k])
            elif quarters == 7:
                for k in range(size):
                    root = math.sqrt(v[k])
                    part[k] = v[k] - v[k] * root * math.sqrt(root) / theta
            elif quarters == 6:
                for k in range(size):
                    part[k] = v[k] - v[k] * math.sqrt(v[k]) / theta
            elif quarters == 5:
                for k in range(size):
                    part[k] = v[k] - v[k] * math.sqrt(math.sqrt(v[k])) / theta
            else:
                for k in range(size):
                    part[k] = v[k] - v[k] ** theta / theta
            for k in range(size):
                z = part[k] / (2.0 - part[k])
                square, series = z * z, 0.0
                for back in range(TERMS):
                    series = series * square + 1.0 / (2.0 * (TERMS - back) - 1.0)
                part[k] = math.floor(2.0 * z * series * inverse + 0.5)
            for k in range(size):
                steps = largest if v[k] >= 1.0 else int(part[k])
                total += min(max(steps, 0), largest)
        out[at] = total
