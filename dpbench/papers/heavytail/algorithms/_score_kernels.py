"""Kernels of the truncated risk: Σ_i ψ(ι|y_i − ⟨x_i, w⟩|) at given points.

ψ = −log q with q = 1 − x + x^θ/θ in [1/θ, 1], so a product of many q's has one logarithm: the sum costs no more
than the residuals. Records go through in tiles of `LANES`, each lane with a product of its own.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel

LANES = 64
FACTORS = 512
"""Factors in a product before its logarithm is taken: (1/2)^512 is far from underflow."""


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 2), f8, f8, i8, arr(f8, 1, True)))
def truncated_sums(columns, y, points, iota, theta, quarters, out):
    """out[p] = Σ_i ψ(ι|y_i − ⟨x_i, points[p]⟩|); `columns` is X transposed."""
    buffer = np.empty((2, LANES))
    for p in range(points.shape[0]):
        out[p] = truncated_sum(columns, y, points[p], iota, theta, quarters, buffer)


@kernel(f8(arr(f8, 2), arr(f8, 1), arr(f8, 1), f8, f8, i8, arr(f8, 2, True)))
def truncated_sum(columns, y, w, iota, theta, quarters, buffer):
    """Σ_i ψ(ι|y_i − ⟨x_i, w⟩|) at one point; `buffer` is scratch of shape (2, LANES)."""
    d, n = columns.shape
    r, product = buffer[0], buffer[1]
    product[:] = 1.0
    total, factors = 0.0, 0
    for start in range(0, n, LANES):
        stop = min(n, start + LANES)
        size, response = stop - start, y[start:stop]
        for k in range(size):
            r[k] = response[k]
        for j in range(d):
            x, weight = columns[j, start:stop], w[j]
            for k in range(size):
                r[k] -= x[k] * weight
        multiply_complements(r[:size], iota, theta, quarters, product)
        factors += 1
        if factors == FACTORS:
            total += drain(product)
            factors = 0
    return total + drain(product)


@kernel(types.void(arr(f8, 1), f8, f8, i8, arr(f8, 1, True)))
def multiply_complements(r, iota, theta, quarters, product):
    """product[k] *= exp(−ψ(ι|r_k|)); one loop a power, so that each is vectorised."""
    size, inverse = r.shape[0], 1.0 / theta
    if quarters == 8:
        for k in range(size):
            x = min(iota * abs(r[k]), 1.0)
            product[k] *= 1.0 - x + 0.5 * x * x
    elif quarters == 7:
        for k in range(size):
            x = min(iota * abs(r[k]), 1.0)
            root = math.sqrt(x)
            product[k] *= 1.0 - x + x * root * math.sqrt(root) * inverse
    elif quarters == 6:
        for k in range(size):
            x = min(iota * abs(r[k]), 1.0)
            product[k] *= 1.0 - x + x * math.sqrt(x) * inverse
    elif quarters == 5:
        for k in range(size):
            x = min(iota * abs(r[k]), 1.0)
            product[k] *= 1.0 - x + x * math.sqrt(math.sqrt(x)) * inverse
    else:
        for k in range(size):
            x = min(iota * abs(r[k]), 1.0)
            product[k] *= 1.0 - x + x**theta * inverse


@kernel(f8(arr(f8, 1, True)))
def drain(product):
    """−Σ log of the products, which become 1."""
    total = 0.0
    for k in range(product.shape[0]):
        total -= math.log(product[k])
        product[k] = 1.0
    return total
