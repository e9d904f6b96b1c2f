"""Clipped losses of many models, summed over the records in one pass: what grid search and boosting choose by.

Models stand side by side, one a column; a tile of records meets all of them while it is in the cache of the core.
"""

from __future__ import annotations

from numba import types

from dpbench.convex.loss_kernels import ABSOLUTE, HUBER, LOGISTIC, loss_value
from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.papers.glm.algorithms._noisy_gd_kernels import ROWS


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
    n, width, dense = y.shape[0], models.shape[1], indptr.shape[0] == 0
    for start in range(0, n, ROWS):
        rows = min(ROWS, n - start)
        for i in range(rows):
            record, score = start + i, scores[i]
            for k in range(width):
                score[k] = 0.0
            for entry in range(0 if dense else indptr[record], X.shape[1] if dense else indptr[record + 1]):
                share, row = X[record, entry] if dense else data[entry], models[entry if dense else indices[entry]]
                for k in range(width):
                    score[k] += share * row[k]
        total, part = out[0], out[1]
        for k in range(width):
            part[k] = 0.0
        for i in range(rows):
            share, label, row = weights[start + i], y[start + i], scores[i]
            if code == LOGISTIC:  # a code that is a constant is sure to vectorise (measured)
                for k in range(width):
                    row[k] = loss_value(LOGISTIC, parameter, row[k], label)
            elif code == HUBER:
                for k in range(width):
                    row[k] = loss_value(HUBER, parameter, row[k], label)
            elif code == ABSOLUTE:
                for k in range(width):
                    row[k] = loss_value(ABSOLUTE, parameter, row[k], label)
            else:
                for k in range(width):
                    row[k] = loss_value(code, parameter, row[k], label)
            for k in range(width):
                value = row[k]
                value = low[k] if value < low[k] else value
                part[k] += share * (high[k] if value > high[k] else value)
        for k in range(width):
            total[k] += part[k]
