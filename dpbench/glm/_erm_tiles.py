"""One pass over the records: slopes, second derivatives, the gradient's sum and the Hessian's sum, tile by tile.

One kernel for dense and for sparse records, and for many data sets side by side: each copy of such a loop costs a second
at a first start (measured).

A tile's part of the gradient is a sum of at most `ROWS` products a coordinate, in whatever order vectorises; the parts
are added with Kahan's compensation. So the rounding of the whole is that of one tile, however many records there are,
and below what the certificate allows for it (`_erm.certificate_rounding`). The Hessian only says where to go next.
"""

from __future__ import annotations

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1
from dpbench.glm.losses import HUBER, LOGISTIC, loss_curvature, loss_derivative

ROWS = 64
"""Records in a tile; a multiple of 4."""

_STRIDE = ROWS + 8  # of the transposed tile: rows that do not fall on the same sets of the cache


@kernel(types.void(i8, f8, arr(f8, 1), arr(f8, 1), arr(f8, 1, True), arr(f8, 1, True)))
def to_slopes(code, parameter, z, y, slopes, curvatures):
    """φ' and φ'' at `ROWS` pairs (z_k, y_k)."""
    if code == LOGISTIC:
        for k in range(ROWS):
            slopes[k] = loss_derivative(LOGISTIC, parameter, z[k], y[k])
            curvatures[k] = abs(slopes[k]) * (1.0 - abs(slopes[k]))
    elif code == HUBER:
        for k in range(ROWS):
            slopes[k] = loss_derivative(HUBER, parameter, z[k], y[k])
            curvatures[k] = 1.0 if abs(z[k] - y[k]) < parameter else 0.0
    else:
        for k in range(ROWS):
            slopes[k] = loss_derivative(code, parameter, z[k], y[k])
            curvatures[k] = loss_curvature(code, parameter, z[k], y[k])


@kernel(types.void(arr(f8, 1, True), arr(f8, 1, True), arr(f8, 1, True)))
def add_part(part, lost, total):
    """total += part, with the rounding kept in `lost` for the next part (Kahan 1965); clears `part`."""
    for j in range(part.shape[0]):
        more = part[j] - lost[j]
        whole = total[j] + more
        lost[j] = (whole - total[j]) - more
        total[j] = whole
        part[j] = 0.0


@kernel(
    types.void(
        i8, f8, u1, arr(f8, 2), arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 2),
        arr(f8, 1, True), arr(f8, 2, True), arr(f8, 3, True), arr(f8, 1, True),
    ),
    fastmath={"contract", "reassoc"},
)  # fmt: skip
def add_pass(
    code, parameter, curved, X, data, indices, indptr, y, starts, chosen, w, z, gradient, hessian, steepness
):  # fmt: skip
    """Of each chosen data set m, the records starts[m] to starts[m + 1] − 1, with z_i = ⟨w[m], x_i⟩ put into z[i]:
    Σ φ'(z_i, y_i)·x_i into gradient[m], Σ|φ'| into steepness[m], and Σ φ''·x_i·x_i' into hessian[m] where `curved`.

    X is dense, or `indptr` is not empty and the three arrays are compressed sparse rows with sorted columns. w and
    `gradient` are padded with zeros to a multiple of 4 coordinates, and so is `hessian`, whose lower triangle counts.
    """
    d, wide, dense = X.shape[1], w.shape[1], indptr.shape[0] == 0
    part, lost, heavy = np.zeros(wide), np.zeros(wide), np.zeros(ROWS)
    scores, labels, slopes, curvatures = np.zeros(ROWS), np.zeros(ROWS), np.zeros(ROWS), np.zeros(ROWS)
    columns = np.zeros((wide if dense else 0, _STRIDE))
    for m in chosen:
        point, square, end = w[m], hessian[m if curved else 0], starts[m + 1]
        for j in range(wide):
            lost[j] = 0.0
        for start in range(starts[m], end, ROWS):
            rows, last = min(ROWS, end - start), end - 1
            for k in range(rows):
                labels[k] = y[start + k]
            if dense:
                for k in range(0, ROWS, 4):  # past the end the last record stands in, and gets no weight
                    i = start + k
                    r0, r1, r2, r3 = X[min(i, last)], X[min(i + 1, last)], X[min(i + 2, last)], X[min(i + 3, last)]
                    for j in range(d):
                        column = columns[j]
                        column[k] = r0[j]
                        column[k + 1] = r1[j]
                        column[k + 2] = r2[j]
                        column[k + 3] = r3[j]
                for k in range(ROWS):
                    scores[k] = 0.0
                for j in range(d):
                    share, column = point[j], columns[j]
                    for k in range(ROWS):
                        scores[k] += share * column[k]
            else:
                for k in range(rows):
                    score = 0.0
                    for entry in range(indptr[start + k], indptr[start + k + 1]):
                        score += data[entry] * point[indices[entry]]
                    scores[k] = score
            to_slopes(code, parameter, scores, labels, slopes, curvatures)
            for k in range(rows, ROWS):
                slopes[k] = 0.0
                curvatures[k] = 0.0
            busy, steep = 0.0, 0.0
            for k in range(ROWS):
                steep += abs(slopes[k])
                busy += curvatures[k]
            for k in range(rows):
                z[start + k] = scores[k]
            steepness[m] += steep
            if dense:
                for j in range(d):
                    total, column = 0.0, columns[j]
                    for k in range(ROWS):
                        total += slopes[k] * column[k]
                    part[j] = total
                if curved and busy != 0.0:
                    for i in range(d):
                        column, out = columns[i], square[i]
                        for k in range(ROWS):
                            heavy[k] = curvatures[k] * column[k]
                        for j in range(0, i + 1, 4):
                            c0, c1, c2, c3 = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
                            s0 = s1 = s2 = s3 = 0.0
                            for k in range(ROWS):
                                s0 += heavy[k] * c0[k]
                                s1 += heavy[k] * c1[k]
                                s2 += heavy[k] * c2[k]
                                s3 += heavy[k] * c3[k]
                            out[j] += s0
                            out[j + 1] += s1
                            out[j + 2] += s2
                            out[j + 3] += s3
            else:
                for k in range(rows):
                    low, high = indptr[start + k], indptr[start + k + 1]
                    for entry in range(low, high):
                        part[indices[entry]] += slopes[k] * data[entry]
                    if curved and curvatures[k] != 0.0:
                        for entry in range(low, high):
                            share, out = curvatures[k] * data[entry], square[indices[entry]]
                            for other in range(low, entry + 1):
                                out[indices[other]] += share * data[other]
            add_part(part, lost, gradient[m])
