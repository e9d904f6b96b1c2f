"""The inner loops of noisy gradient descent (GLM paper, Algorithm 1), batched over the trials of a block.

State is held column by column: w and the running sum have shape (d, width), one trial a column, so that the
loops over trials run over neighbouring numbers and vectorise. Each call makes `steps` steps and returns, so
that Ctrl-C and progress are never more than about a second away. The noise of a step is drawn row by row:
coordinate 0 of all trials, then coordinate 1, and so on.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, rng_t
from dpbench.core.panels import BLOCK_ROWS, COLUMNS, DEPTH, add_block, add_row
from dpbench.core.vectors import wide_vectors
from dpbench.papers.glm.algorithms._loss_tiles import to_derivatives, to_mean_derivatives

ROWS = 64
"""Records in one tile: its predictions for a block of 64 trials stay in the cache of the core."""

any_layout = types.Array(f8, 2, "A", readonly=True)


@kernel(types.void(arr(f8, 1), arr(f8, 1), f8, f8, f8, i8, rng_t, arr(f8, 2, True), arr(f8, 2, True)))
def noisy_gd_axes(curvature, pull, step_size, noise, radius, steps, rng, w, total):
    """`steps` steps for a quadratic loss in the axes of its Hessian: the gradient is curvature·w − pull."""
    d, width = w.shape
    gradient = np.empty((d, width))
    for _ in range(steps):
        for j in range(d):
            for k in range(width):
                gradient[j, k] = curvature[j] * w[j, k] - pull[j]
        noisy_step(step_size, noise, radius, rng, gradient, w, total)


@kernel(
    types.void(
        i8, f8, arr(f8, 2), arr(f8, 1), f8, f8, f8, i8, rng_t,
        arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True),
    ),
)  # fmt: skip
def noisy_gd_records(code, parameter, X, y, step_size, noise, radius, steps, rng, w, total, gradient, scores):
    """`steps` steps for any loss: predictions, derivatives and gradients over tiles of `ROWS` records."""
    wide_vectors()
    n = X.shape[0]
    for _ in range(steps):
        gradient[:] = 0.0
        for start in range(0, n, ROWS):
            tile = X[start : min(start + ROWS, n)]
            part = scores[: tile.shape[0]]
            part[:] = 0.0
            add_product(tile, w, part)
            to_derivatives(code, parameter, y[start : start + ROWS], 1.0 / n, part)
            add_product(tile.T, part, gradient)
        noisy_step(step_size, noise, radius, rng, gradient, w, total)


@kernel(
    types.void(
        i8, f8, arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 1), f8, f8, f8, i8, rng_t,
        arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True),
    ),
    fastmath={"contract"},
)  # fmt: skip
def noisy_gd_sparse(
    code,
    parameter,
    data,
    indices,
    indptr,
    y,
    step_size,
    noise,
    radius,
    steps,
    rng,
    w,
    total,
    gradient,
    scores,
):
    """`noisy_gd_records` for X in compressed sparse rows, one record at a time."""
    wide_vectors()
    n, width = y.shape[0], w.shape[1]
    part = scores[0]
    for _ in range(steps):
        gradient[:] = 0.0
        for i in range(n):
            part[:] = 0.0
            for entry in range(indptr[i], indptr[i + 1]):
                x, row = data[entry], w[indices[entry]]
                for k in range(width):
                    part[k] += x * row[k]
            to_derivatives(code, parameter, y[i : i + 1], 1.0 / n, scores[:1])
            for entry in range(indptr[i], indptr[i + 1]):
                x, row = data[entry], gradient[indices[entry]]
                for k in range(width):
                    row[k] += x * part[k]
        noisy_step(step_size, noise, radius, rng, gradient, w, total)


@kernel(
    types.void(
        i8, f8, arr(f8, 2), arr(f8, 2), arr(f8, 1), f8, f8, f8, i8, rng_t,
        arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 1, True),
    ),
    fastmath={"contract"},
)  # fmt: skip
def noisy_gd_single(code, parameter, X, XT, y, step_size, noise, radius, steps, rng, w, total, gradient, scores):
    """`noisy_gd_records` for one trial, w of shape (d, 1): loops run over records, then over coordinates.

    `XT` is the transpose of X, held beside it, so that both products run over neighbouring numbers.
    """
    n, d = X.shape
    whole_d, whole_n = d - d % 4, n - n % 4
    slope = gradient.reshape(d)
    for _ in range(steps):
        scores[:] = 0.0
        for j in range(0, whole_d, 4):
            a0, a1, a2, a3 = XT[j], XT[j + 1], XT[j + 2], XT[j + 3]
            w0, w1, w2, w3 = w[j, 0], w[j + 1, 0], w[j + 2, 0], w[j + 3, 0]
            for i in range(n):
                scores[i] = scores[i] + w0 * a0[i] + w1 * a1[i] + w2 * a2[i] + w3 * a3[i]
        for j in range(whole_d, d):
            for i in range(n):
                scores[i] += w[j, 0] * XT[j, i]
        to_mean_derivatives(code, parameter, y, scores)
        slope[:] = 0.0
        for i in range(0, whole_n, 4):
            a0, a1, a2, a3 = X[i], X[i + 1], X[i + 2], X[i + 3]
            s0, s1, s2, s3 = scores[i], scores[i + 1], scores[i + 2], scores[i + 3]
            for j in range(d):
                slope[j] = slope[j] + s0 * a0[j] + s1 * a1[j] + s2 * a2[j] + s3 * a3[j]
        for i in range(whole_n, n):
            for j in range(d):
                slope[j] += scores[i] * X[i, j]
        noisy_step(step_size, noise, radius, rng, gradient, w, total)


@kernel(types.void(any_layout, arr(f8, 2), arr(f8, 2, True)), fastmath={"contract"})
def add_product(A, B, out):
    """out += AB for few columns, by blocks in registers: each entry is one sum, in the order of the inner dimension.

    Not left to BLAS: no bit here depends on a library's version, its threads, or the code it picks for the processor.
    """
    wide_vectors()
    rows, inner = A.shape
    width = B.shape[1]
    whole_rows, whole_width = rows - rows % BLOCK_ROWS, width - width % COLUMNS
    for first in range(0, inner, DEPTH):
        last = min(first + DEPTH, inner)
        for k in range(0, whole_width, COLUMNS):
            for i in range(0, whole_rows, BLOCK_ROWS):
                add_block(A, B, out, i, k, first, last)
            for i in range(whole_rows, rows):
                add_row(A, B, out, i, k, first, last)
    if whole_width < width:
        for i in range(rows):
            for j in range(inner):
                for k in range(whole_width, width):
                    out[i, k] += A[i, j] * B[j, k]


@kernel(types.void(f8, f8, f8, rng_t, arr(f8, 2), arr(f8, 2, True), arr(f8, 2, True)), fastmath={"contract"})
def noisy_step(step_size, noise, radius, rng, gradient, w, total):
    """w ← Π_B(w − η(gradient + ξ)) in each column; the result is added to `total`."""
    wide_vectors()
    d, width = w.shape
    xi, shrink = np.empty(width), np.zeros(width)
    for j in range(d):
        for k in range(width):
            xi[k] = rng.standard_normal()
        for k in range(width):
            w[j, k] -= step_size * (gradient[j, k] + noise * xi[k])
            shrink[k] += w[j, k] * w[j, k]
    for k in range(width):
        shrink[k] = radius / math.sqrt(shrink[k]) if shrink[k] > radius * radius else 1.0
    for j in range(d):
        for k in range(width):
            w[j, k] *= shrink[k]
            total[j, k] += w[j, k]
