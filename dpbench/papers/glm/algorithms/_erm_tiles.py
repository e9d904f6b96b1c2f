"""One pass over the records: slopes, second derivatives, the gradient's sum and the Hessian's sum, tile by tile.

One kernel for dense and for sparse records, and for many data sets side by side: each copy of such a loop costs a
second at a first start (measured).

A tile's part of the gradient is a sum of at most `ROWS` products a coordinate, in whatever order vectorises; the parts
are added with Kahan's compensation. So the rounding of the whole is that of one tile, however many records there are,
and below what the certificate allows for it (`_erm.certificate_rounding`). The Hessian only says where to go next.
"""

from __future__ import annotations

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, u1
from dpbench.papers.glm.losses import LOGISTIC, loss_curvature, loss_derivative

ROWS = 64
"""Records in a tile; a multiple of 4."""


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
        arr(f8, 1, True), arr(f8, 2, True), arr(f8, 3, True), arr(f8, 1, True), arr(f8, 2, True), arr(f8, 2, True),
    ),
    fastmath={"contract", "reassoc"},
)  # fmt: skip
def add_pass(
    code, parameter, curved, X, data, indices, indptr, y, starts, chosen, w, z, gradient, hessian, steepness,
    tile, columns,
):  # fmt: skip
    """Of each chosen data set m, the records starts[m] to starts[m + 1] − 1, with z_i = ⟨w[m], x_i⟩ put into z[i]:
    Σ φ'(z_i, y_i)·x_i into gradient[m], Σ|φ'| into steepness[m], and Σ φ''·x_i·x_i' into hessian[m] where `curved`.

    X is dense, or `indptr` is not empty and the three arrays are compressed sparse rows with sorted columns. w and
    `gradient` are padded with zeros to a multiple of 4 coordinates, and so is `hessian`, whose lower triangle counts.
    The last two rows of `gradient`, `tile`, of shape (5, `ROWS`), and `columns`, of shape (coordinates, at least
    `ROWS`), are scratch.
    """
    d, wide, dense, last = X.shape[1], w.shape[1], indptr.shape[0] == 0, gradient.shape[0] - 1
    scores, labels, slopes, curvatures, heavy = tile[0], tile[1], tile[2], tile[3], tile[4]
    part, lost = gradient[last - 1], gradient[last]
    for place in range(chosen.shape[0]):
        m = chosen[place]
        point, square, end = w[m], hessian[m if curved else 0], starts[m + 1]
        for j in range(wide):
            lost[j] = 0.0
        for start in range(starts[m], end, ROWS):
            rows = min(ROWS, end - start)
            for k in range(rows):
                i, score = start + k, 0.0
                if dense:
                    row = X[i]
                    for j in range(d):
                        score += row[j] * point[j]
                else:
                    for entry in range(indptr[i], indptr[i + 1]):
                        score += data[entry] * point[indices[entry]]
                scores[k] = score
                labels[k] = y[i]
                z[i] = score
            if code == LOGISTIC:  # a code that is a constant is sure to vectorise (measured)
                for k in range(rows):
                    slopes[k] = loss_derivative(LOGISTIC, parameter, scores[k], labels[k])
                    curvatures[k] = abs(slopes[k]) * (1.0 - abs(slopes[k]))
            else:
                for k in range(rows):
                    slopes[k] = loss_derivative(code, parameter, scores[k], labels[k])
                    curvatures[k] = loss_curvature(code, parameter, scores[k], labels[k])
            busy, steep = 0.0, 0.0
            for k in range(rows):
                steep += abs(slopes[k])
                busy += curvatures[k]
            steepness[m] += steep
            bent = curved and busy != 0.0
            if dense:
                for k in range(rows):
                    row, slope = X[start + k], slopes[k]
                    for j in range(d):
                        part[j] += slope * row[j]
                if bent:
                    for k in range(rows):
                        row = X[start + k]
                        for j in range(d):
                            columns[j, k] = row[j]
                    for i in range(d):
                        out, column = square[i], columns[i]
                        for k in range(rows):
                            heavy[k] = curvatures[k] * column[k]
                        for j in range(0, i + 1, 2):
                            one, two = columns[j], columns[j + 1]
                            s, t = 0.0, 0.0
                            for k in range(rows):
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
                        if bent and share != 0.0:
                            out = square[j]
                            for other in range(low, entry + 1):
                                out[indices[other]] += share * data[other]
            add_part(part, lost, gradient[m])
