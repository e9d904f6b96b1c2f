"""The inner loop of noisy gradient descent (GLM paper, Algorithm 1), batched over the trials of a block.

State is held column by column: w and the running sum have shape (d, width), one trial a column. Each call makes
`steps` steps and returns, so that Ctrl-C and progress are never more than about a second away.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.losses import loss_derivative
from lowerbounds._kernel import arr, f8, i8, kernel, rng_t

ROWS = 250
"""Rows of X in one tile of the product: small enough for the small-matrix path of BLAS (measured)."""


@kernel(
    types.void(
        arr(f8, 2), arr(f8, 1), f8, f8, f8, i8, rng_t, arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True)
    )
)
def noisy_gd_moments(second, cross, step_size, noise, radius, steps, rng, w, total, gradient):
    """`steps` steps w ← Π_B(w − η(Aw − c + ξ)) for a quadratic loss, A = `second` (d, d), c = `cross` (d,)."""
    d, width = w.shape
    for _ in range(steps):
        np.dot(second, w, gradient)
        for j in range(d):
            for k in range(width):
                w[j, k] -= step_size * (gradient[j, k] - cross[j] + noise * rng.standard_normal())
        project_columns(radius, w, total)


@kernel(
    types.void(
        i8, f8, arr(f8, 2), arr(f8, 1), f8, f8, f8, i8, rng_t,
        arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True),
    )
)  # fmt: skip
def noisy_gd_records(
    code, parameter, X, y, step_size, noise, radius, steps, rng, w, total, gradient, scores
):
    """`steps` steps for any loss: predictions and gradients as products over tiles of records."""
    n, d = X.shape
    width = w.shape[1]
    share = 1.0 / n
    for _ in range(steps):
        gradient[:] = 0.0
        for start in range(0, n, ROWS):
            stop = min(start + ROWS, n)
            tile = X[start:stop]
            part = scores[: stop - start]
            np.dot(tile, w, part)
            for i in range(stop - start):
                for k in range(width):
                    part[i, k] = loss_derivative(code, parameter, part[i, k], y[start + i])
            gradient += np.dot(tile.T, part)
        for j in range(d):
            for k in range(width):
                w[j, k] -= step_size * (share * gradient[j, k] + noise * rng.standard_normal())
        project_columns(radius, w, total)


@kernel(types.void(f8, arr(f8, 2, True), arr(f8, 2, True)))
def project_columns(radius, w, total):
    """Π_B of each column of w, which is then added to `total`."""
    d, width = w.shape
    for k in range(width):
        square = 0.0
        for j in range(d):
            square += w[j, k] * w[j, k]
        if square > radius * radius:
            shrink = radius / math.sqrt(square)
            for j in range(d):
                w[j, k] *= shrink
    for j in range(d):
        for k in range(width):
            total[j, k] += w[j, k]
