"""Derivatives of many predictions at once, for the loops of noisy gradient descent.

A new loss needs nothing here: the last loop of each kernel is for any loss. The others hold a code as a constant: only
then are they sure to vectorise (measured).
"""

from __future__ import annotations

from numba import types

from dpbench.convex.loss_kernels import ABSOLUTE, CAPPED_LINEAR, HUBER, LOGISTIC, loss_derivative
from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.core.vectors import map_scaled, wide_vectors


@kernel(f8(f8, f8), fastmath={"contract"})
def logistic_derivative(z, y):
    """φ'(z, y) of the logistic loss."""
    return loss_derivative(LOGISTIC, 0.0, z, y)


@kernel(types.void(i8, f8, arr(f8, 1), f8, arr(f8, 2, True)))
def to_derivatives(code, parameter, y, share, scores):
    """Replace each prediction scores[i, k] by share·φ'(scores[i, k], y_i)."""
    wide_vectors()
    for i in range(scores.shape[0]):
        row, label = scores[i], y[i]
        if code == LOGISTIC:
            map_scaled(logistic_derivative, share, label, row)
        elif code == HUBER:
            for k in range(row.shape[0]):
                row[k] = share * loss_derivative(HUBER, parameter, row[k], label)
        elif code == ABSOLUTE:
            for k in range(row.shape[0]):
                row[k] = share * loss_derivative(ABSOLUTE, parameter, row[k], label)
        elif code == CAPPED_LINEAR:
            for k in range(row.shape[0]):
                row[k] = share * loss_derivative(CAPPED_LINEAR, parameter, row[k], label)
        else:
            for k in range(row.shape[0]):
                row[k] = share * loss_derivative(code, parameter, row[k], label)


@kernel(types.void(i8, f8, arr(f8, 1), arr(f8, 1, True)), fastmath={"contract"})
def to_mean_derivatives(code, parameter, y, scores):
    """Replace each prediction scores[i] by φ'(scores[i], y_i)/n: `to_derivatives` for one trial."""
    n = scores.shape[0]
    if code == LOGISTIC:
        for i in range(n):
            scores[i] = loss_derivative(LOGISTIC, parameter, scores[i], y[i]) / n
    else:
        for i in range(n):
            scores[i] = loss_derivative(code, parameter, scores[i], y[i]) / n
