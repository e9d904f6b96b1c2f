"""One pass over the records: slopes, second derivatives, the gradient's sum and the Hessian's sum, tile by tile.

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


@kernel(types.void(arr(f8, 2), arr(f8, 2), arr(f8, 2, True)), fastmath={"contract", "reassoc"})
def add_gram(A, B, out):
    """out += AB' on and below the blocks of the diagonal, over `ROWS` columns: four by four entries in registers."""
    for i in range(0, A.shape[0], 4):
        a0, a1, a2, a3 = A[i], A[i + 1], A[i + 2], A[i + 3]
        for j in range(0, i + 1, 4):
            b0, b1, b2, b3 = B[j], B[j + 1], B[j + 2], B[j + 3]
            s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
            s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = 0.0
            for k in range(ROWS):
                s00 += a0[k] * b0[k]
                s01 += a0[k] * b1[k]
                s02 += a0[k] * b2[k]
                s03 += a0[k] * b3[k]
                s10 += a1[k] * b0[k]
                s11 += a1[k] * b1[k]
                s12 += a1[k] * b2[k]
                s13 += a1[k] * b3[k]
                s20 += a2[k] * b0[k]
                s21 += a2[k] * b1[k]
                s22 += a2[k] * b2[k]
                s23 += a2[k] * b3[k]
                s30 += a3[k] * b0[k]
                s31 += a3[k] * b1[k]
                s32 += a3[k] * b2[k]
                s33 += a3[k] * b3[k]
            row0, row1, row2, row3 = out[i], out[i + 1], out[i + 2], out[i + 3]
            row0[j] += s00
            row0[j + 1] += s01
            row0[j + 2] += s02
            row0[j + 3] += s03
            row1[j] += s10
            row1[j + 1] += s11
            row1[j + 2] += s12
            row1[j + 3] += s13
            row2[j] += s20
            row2[j + 1] += s21
            row2[j + 2] += s22
            row2[j + 3] += s23
            row3[j] += s30
            row3[j + 1] += s31
            row3[j + 2] += s32
            row3[j + 3] += s33


@kernel(
    f8(i8, f8, u1, arr(f8, 2), arr(f8, 1), arr(f8, 1), arr(f8, 1, True), arr(f8, 1, True), arr(f8, 2, True)),
    fastmath={"contract", "reassoc"},
)
def add_dense(code, parameter, curved, X, y, w, z, gradient, hessian):
    """Σ φ'(z_i, y_i)·x_i into `gradient`, Σ φ''·x_i·x_i' into `hessian` where `curved`, z_i = ⟨w, x_i⟩ into z.

    `gradient`, `hessian` and w are padded with zeros to a multiple of 4 coordinates; of `hessian` the lower triangle
    counts. Returns Σ|φ'|.
    """
    n, d = X.shape
    wide = w.shape[0]
    part, lost = np.zeros(wide), np.zeros(wide)
    scores, labels = np.zeros(ROWS), np.zeros(ROWS)
    slopes, curvatures = np.zeros(ROWS), np.zeros(ROWS)
    columns, weighted = np.zeros((wide, _STRIDE)), np.zeros((wide, _STRIDE))
    steepness = 0.0
    for start in range(0, n, ROWS):
        last = min(start + ROWS, n) - 1
        for k in range(0, ROWS, 4):  # past the end the last record stands in, and gets no weight
            i = start + k
            r0, r1, r2, r3 = X[min(i, last)], X[min(i + 1, last)], X[min(i + 2, last)], X[min(i + 3, last)]
            z0 = z1 = z2 = z3 = 0.0
            for j in range(d):
                z0 += r0[j] * w[j]
                z1 += r1[j] * w[j]
                z2 += r2[j] * w[j]
                z3 += r3[j] * w[j]
            scores[k] = z0
            scores[k + 1] = z1
            scores[k + 2] = z2
            scores[k + 3] = z3
        for k in range(last + 1 - start):
            labels[k] = y[start + k]
            z[start + k] = scores[k]
        to_slopes(code, parameter, scores, labels, slopes, curvatures)
        busy = 0
        for k in range(ROWS):
            if start + k > last:
                slopes[k] = 0.0
                curvatures[k] = 0.0
            steepness += abs(slopes[k])
            busy += curvatures[k] != 0.0
        for k in range(0, ROWS, 4):
            i = start + k
            r0, r1, r2, r3 = X[min(i, last)], X[min(i + 1, last)], X[min(i + 2, last)], X[min(i + 3, last)]
            s0, s1, s2, s3 = slopes[k], slopes[k + 1], slopes[k + 2], slopes[k + 3]
            for j in range(d):
                part[j] = part[j] + s0 * r0[j] + s1 * r1[j] + s2 * r2[j] + s3 * r3[j]
        add_part(part, lost, gradient)
        if curved and busy > 0:
            for k in range(ROWS):
                r0 = X[min(start + k, last)]
                for j in range(d):
                    columns[j, k] = r0[j]
            for j in range(d):
                plain, heavy = columns[j], weighted[j]
                for k in range(ROWS):
                    heavy[k] = curvatures[k] * plain[k]
            add_gram(weighted, columns, hessian)
    return steepness


@kernel(
    f8(
        i8, f8, u1, arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 1), arr(f8, 1),
        arr(f8, 1, True), arr(f8, 1, True), arr(f8, 2, True),
    ),
    fastmath={"contract"},
)  # fmt: skip
def add_sparse(code, parameter, curved, data, indices, indptr, y, w, z, gradient, hessian):
    """`add_dense` for X in compressed sparse rows with sorted columns."""
    n, wide = y.shape[0], w.shape[0]
    part, lost = np.zeros(wide), np.zeros(wide)
    scores, labels = np.zeros(ROWS), np.zeros(ROWS)
    slopes, curvatures = np.zeros(ROWS), np.zeros(ROWS)
    steepness = 0.0
    for start in range(0, n, ROWS):
        rows = min(ROWS, n - start)
        for k in range(rows):
            labels[k] = y[start + k]
            score = 0.0
            for entry in range(indptr[start + k], indptr[start + k + 1]):
                score += data[entry] * w[indices[entry]]
            scores[k] = score
            z[start + k] = score
        to_slopes(code, parameter, scores, labels, slopes, curvatures)
        for k in range(rows):
            low, high, slope = indptr[start + k], indptr[start + k + 1], slopes[k]
            steepness += abs(slope)
            for entry in range(low, high):
                part[indices[entry]] += slope * data[entry]
            if curved and curvatures[k] != 0.0:
                for entry in range(low, high):
                    share, row = curvatures[k] * data[entry], hessian[indices[entry]]
                    for other in range(low, entry + 1):
                        row[indices[other]] += share * data[other]
        add_part(part, lost, gradient)
    return steepness
