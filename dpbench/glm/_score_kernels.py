"""Clipped losses of many models, summed over the records in one pass: what grid search and boosting choose by.

Models stand side by side, one a column; a tile of records meets all of them while it is in the cache of the core.
"""

from __future__ import annotations

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.glm._noisy_gd_kernels import ROWS, add_product
from dpbench.glm.losses import ABSOLUTE, CAPPED_LINEAR, HUBER, LOGISTIC, loss_value


@kernel(types.void(i8, f8, i8, arr(f8, 1), arr(f8, 2, True)))
def to_losses(code, parameter, rows, y, scores):
    """Replace the predictions scores[i, k] of the first `rows` records by φ(scores[i, k], y_i)."""
    for i in range(rows):
        row, label = scores[i], y[i]
        if code == LOGISTIC:
            for k in range(row.shape[0]):
                row[k] = loss_value(LOGISTIC, parameter, row[k], label)
        elif code == HUBER:
            for k in range(row.shape[0]):
                row[k] = loss_value(HUBER, parameter, row[k], label)
        elif code == ABSOLUTE:
            for k in range(row.shape[0]):
                row[k] = loss_value(ABSOLUTE, parameter, row[k], label)
        elif code == CAPPED_LINEAR:
            for k in range(row.shape[0]):
                row[k] = loss_value(CAPPED_LINEAR, parameter, row[k], label)
        else:
            for k in range(row.shape[0]):
                row[k] = loss_value(code, parameter, row[k], label)


@kernel(
    types.void(
        i8, f8, arr(f8, 2), arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 1), arr(f8, 1),
        arr(f8, 2), arr(f8, 1), arr(f8, 1), arr(f8, 2, True), arr(f8, 2, True),
    ),
    fastmath={"contract"},
)  # fmt: skip
def add_clipped(code, parameter, X, data, indices, indptr, y, weights, models, low, high, scores, out):
    """Σ_i weights_i·φ(⟨w_k, x_i⟩, y_i), each loss cut to [low_k, high_k], added to out[0, k]; NaN stays NaN.

    `models` has shape (d, width). X is dense, or `indptr` is not empty and the three arrays are compressed sparse rows.
    `scores`, of shape (`ROWS`, width), and out[1] are scratch.
    """
    n, width = y.shape[0], models.shape[1]
    for start in range(0, n, ROWS):
        rows = min(ROWS, n - start)
        for i in range(rows):
            for k in range(width):
                scores[i, k] = 0.0
        if indptr.shape[0] == 0:
            add_product(X[start : start + rows], models, scores)
        else:
            for i in range(rows):
                for entry in range(indptr[start + i], indptr[start + i + 1]):
                    x, row = data[entry], models[indices[entry]]
                    for k in range(width):
                        scores[i, k] += x * row[k]
        to_losses(code, parameter, rows, y[start : start + rows], scores)
        total, part = out[0], out[1]
        for k in range(width):
            part[k] = 0.0
        for i in range(rows):
            share, row = weights[start + i], scores[i]
            for k in range(width):
                value = row[k]
                value = low[k] if value < low[k] else value
                part[k] += share * (high[k] if value > high[k] else value)
        for k in range(width):
            total[k] += part[k]
