"""One pass over the records: slopes, second derivatives, the gradient's sum and the Hessian's sum, tile by tile.

One kernel for dense and for sparse records: each copy of such a loop costs a second at a first start (measured).

A tile's part of the gradient is a sum of at most `ROWS` products a coordinate, in whatever order vectorises; the parts
are added with Kahan's compensation. So the rounding of the whole is that of one tile, however many records there are,
and below what the certificate allows for it (`solver.certificate_rounding`). The Hessian only says where to go next.
"""

from __future__ import annotations

from numba import types

from dpbench.convex.loss_kernels import LOGISTIC, loss_curvature, loss_derivative
from dpbench.core.kernel import arr, f8, i8, kernel, u1

ROWS = 64
"""Records in a tile; a multiple of 4."""

records_t = (arr(f8, 2), arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 1), arr(f8, 1))
"""X, data, indices, indptr, y, weights: X is dense, or `indptr` is not empty and the three arrays are compressed sparse
rows with sorted columns; weights may be empty, for weights of 1."""


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
    f8(
        i8, f8, u1, *records_t, arr(f8, 1), arr(f8, 1, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True),
        arr(f8, 2, True),
    ),
    fastmath={"contract", "reassoc"},
)  # fmt: skip
def add_pass(code, parameter, curved, X, data, indices, indptr, y, weights, w, z, sums, hessian, tile, columns):
    """z_i = ⟨w, x_i⟩, Σ c_i·φ'(z_i, y_i)·x_i into sums[0] and, where `curved`, Σ c_i·φ''·x_i·x_i' into `hessian`; the
    weights are c_i. Returns Σ c_i·|φ'|.

    w, `sums` and `hessian` are padded with zeros to a multiple of 4 coordinates; the Hessian's lower triangle counts.
    The other rows of `sums`, of shape (3, coordinates), `tile`, of shape (5, `ROWS`), and `columns`, of shape
    (coordinates, at least `ROWS`), are scratch.
    """
    d, dense, weighted, n = X.shape[1], indptr.shape[0] == 0, weights.shape[0] > 0, y.shape[0]
    labels, slopes, curvatures, kept, heavy = tile[0], tile[1], tile[2], tile[3], tile[4]
    part, lost = sums[1], sums[2]
    steepness = 0.0
    for j in range(w.shape[0]):
        sums[0, j], lost[j] = 0.0, 0.0
    if curved:
        for i in range(w.shape[0]):
            for j in range(w.shape[0]):
                hessian[i, j] = 0.0
    for start in range(0, n, ROWS):
        rows = min(ROWS, n - start)
        scores = z[start : start + rows]
        for k in range(rows):
            i, score = start + k, 0.0
            if dense:
                row = X[i]
                for j in range(d):
                    score += row[j] * w[j]
            else:
                for entry in range(indptr[i], indptr[i + 1]):
                    score += data[entry] * w[indices[entry]]
            scores[k] = score
            labels[k] = y[i]
        if code == LOGISTIC:  # a code that is a constant is sure to vectorise (measured)
            for k in range(rows):
                slopes[k] = loss_derivative(LOGISTIC, parameter, scores[k], labels[k])
                curvatures[k] = abs(slopes[k]) * (1.0 - abs(slopes[k]))
        else:
            for k in range(rows):
                slopes[k] = loss_derivative(code, parameter, scores[k], labels[k])
                curvatures[k] = loss_curvature(code, parameter, scores[k], labels[k])
        if weighted:
            for k in range(rows):
                slopes[k] *= weights[start + k]
                curvatures[k] *= weights[start + k]
        for k in range(rows):
            steepness += abs(slopes[k])
        if dense:
            for k in range(rows):
                row, slope = X[start + k], slopes[k]
                for j in range(d):
                    part[j] += slope * row[j]
            if curved:
                bent = 0  # the records that curve, side by side: few of Huber's loss with a small κ
                for k in range(rows):
                    if curvatures[k] != 0.0:
                        row, kept[bent] = X[start + k], curvatures[k]
                        for j in range(d):
                            columns[j, bent] = row[j]
                        bent += 1
                for i in range(d if bent > 0 else 0):
                    out, column = hessian[i], columns[i]
                    for k in range(bent):
                        heavy[k] = kept[k] * column[k]
                    for j in range(0, i + 1, 2):
                        one, two = columns[j], columns[j + 1]
                        s, t = 0.0, 0.0
                        for k in range(bent):
                            s += heavy[k] * one[k]
                            t += heavy[k] * two[k]
                        out[j] += s
                        out[j + 1] += t
        else:
            for k in range(rows):
                low, high = indptr[start + k], indptr[start + k + 1]
                for entry in range(low, high):
                    j, share = indices[entry], curvatures[k] * data[entry]
                    part[j] += slopes[k] * data[entry]
                    if curved and share != 0.0:
                        out = hessian[j]
                        for other in range(low, entry + 1):
                            out[indices[other]] += share * data[other]
        add_part(part, lost, sums[0])
    return steepness
