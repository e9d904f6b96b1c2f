"""The inner loops of the constructions on a scaled basis: records, sufficient statistics and excess risks.

Each takes a batch of members or one Generator and fills what it is given. The draws are those of NumPy's array calls
in the same order, so that a data set does not depend on which of the two made it. Uniform coordinates are left to
NumPy's own array call: as fast, and numba takes seconds to compile its own.
"""

from __future__ import annotations

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel, rng_t, u1


@kernel(types.void(arr(i8, 1), arr(i8, 1, True), arr(i8, 1, True)))
def compress_rows(columns, indices, starts):
    """CSR indices of a design whose i-th row is a multiple of e_{columns[i]}, or zero where columns[i] < 0."""
    stored = 0
    starts[0] = 0
    for i in range(columns.shape[0]):
        if columns[i] >= 0:
            indices[stored] = columns[i]
            stored += 1
        starts[i + 1] = stored


@kernel(types.void(arr(f8, 2), i8, i8, i8, f8, f8, f8, arr(f8, 2, True)))
def sign_block_labels(sigma, block, same, changed, low, middle, high, y):
    """Labels of S_σ, one member a row: in the j-th block `same` are low, `changed` are σ_j·middle, the rest high."""
    members, active = sigma.shape
    for k in range(members):
        row = y[k]
        for j in range(active):
            start = j * block
            for i in range(start, start + same):
                row[i] = low
            label = sigma[k, j] * middle
            for i in range(start + same, start + same + changed):
                row[i] = label
            for i in range(start + same + changed, start + block):
                row[i] = high
        for i in range(active * block, row.shape[0]):
            row[i] = 0.0


@kernel(i8(arr(f8, 2), f8, f8, f8, arr(f8, 2, True), arr(f8, 1, True)))
def sign_block_moments(sigma, up, down, total, cross, square):
    """Xᵀy/n, shape (members, d): `up` or `down` by the sign of each block, 0 beyond; yᵀy/n, `total` for all members.

    Returns how many of σ are no signs.
    """
    members, active = sigma.shape
    odd = 0
    if active == cross.shape[1]:
        # One long loop, which fills vector registers where rows are short.
        signs, out = sigma.reshape(sigma.size), cross.reshape(cross.size)
        for i in range(signs.size):
            odd += abs(signs[i]) != 1.0
            out[i] = up if signs[i] > 0.0 else down
    else:
        for k in range(members):
            for j in range(active):
                sign = sigma[k, j]
                odd += abs(sign) != 1.0
                cross[k, j] = up if sign > 0.0 else down
            for j in range(active, cross.shape[1]):
                cross[k, j] = 0.0
    square[:] = total
    return odd


@kernel(types.void(rng_t, arr(f8, 1), f8, arr(i8, 1), arr(f8, 1, True), arr(i8, 2, True)))
def draw_cube(rng, sigma, bias, columns, labels, counts):
    """The cube of Theorem 17: labels ±1 of mean σ_j·bias on given coordinates; counts[j]: its labels 1 and −1."""
    counts[:] = 0
    for i in range(columns.shape[0]):
        j = columns[i]
        up = rng.random() < 0.5 * (1.0 + bias * sigma[j])
        labels[i] = 1.0 if up else -1.0
        counts[j, 0 if up else 1] += 1


@kernel(types.void(rng_t, arr(f8, 1), f8, arr(f8, 1), arr(i8, 1, True), arr(f8, 1, True)))
def draw_fingerprints(rng, means, mass, uniforms, columns, bits):
    """Theorem 11: where uniforms[i] < mass a bit of mean μ_j on the given coordinate, else column −1 and bit 0."""
    for i in range(columns.shape[0]):
        hit = rng.random() < means[columns[i]]
        if uniforms[i] < mass:
            bits[i] = 1.0 if hit else 0.0
        else:
            bits[i] = 0.0
            columns[i] = -1


@kernel(i8(rng_t, f8, arr(f8, 1, True)))
def draw_hits(rng, chance, hits):
    """1.0 with probability `chance`, else 0.0; returns how many."""
    total = 0
    for i in range(hits.shape[0]):
        hit = rng.random() < chance
        hits[i] = 1.0 if hit else 0.0
        total += hit
    return total


@kernel(types.void(i8, arr(f8, 2), arr(f8, 2), arr(f8, 3), arr(f8, 2, True)))
def distances(power, weights, centres, outputs, out):
    """out[m, t] = Σ_j weights[m, j]·|outputs[m, t, j] − centres[m, j]|^power, power 1 or 2."""
    members, size = centres.shape
    for m in range(members):
        for t in range(outputs.shape[1]):
            total = 0.0
            for j in range(size):
                gap = outputs[m, t, j] - centres[m, j]
                total += weights[m, j] * (gap * gap if power == 2 else abs(gap))
            out[m, t] = total


@kernel(i8(i8, f8, f8, arr(f8, 2), arr(f8, 3), arr(f8, 2, True)), fastmath={"reassoc"})
def sign_distances(power, weight, target, sigma, outputs, out):
    """out[m, t] = weight·Σ_j |outputs[m, t, j] − σ[m, j]·target|^power, power 1 or 2; returns how many are no signs.

    The sums may be taken in any order, so that they fill vector registers.
    """
    members, size = sigma.shape
    odd = 0
    for m in range(members):
        for j in range(size):
            odd += abs(sigma[m, j]) != 1.0
        for t in range(outputs.shape[1]):
            total = 0.0
            if power == 2:
                for j in range(size):
                    gap = outputs[m, t, j] - sigma[m, j] * target
                    total += gap * gap
            else:
                for j in range(size):
                    total += abs(outputs[m, t, j] - sigma[m, j] * target)
            out[m, t] = weight * total
    return odd


@kernel(i8(arr(f8, 2), f8, f8, u1, arr(f8, 3), arr(f8, 2, True)), fastmath={"reassoc"})
def absolute_excess(means, weight, scale, rounded, outputs, out):
    """Risk Σ_j weight·(μ_j|scale − w_j| + (1 − μ_j)|w_j|) of each output less that of its member's point.

    The point is scale·μ, μ rounded to 0 or 1 where `rounded`. Returns how many means lie outside [0, 1].
    """
    members, active = means.shape
    odd = 0
    for m in range(members):
        for j in range(active):
            odd += not 0.0 <= means[m, j] <= 1.0
        for t in range(outputs.shape[1]):
            total = 0.0
            for j in range(active):
                w, mean = outputs[m, t, j], means[m, j]
                p = scale * ((1.0 if mean > 0.5 else 0.0) if rounded else mean)
                total += mean * (abs(scale - w) - abs(scale - p)) + (1.0 - mean) * (abs(w) - abs(p))
            out[m, t] = weight * total
    return odd


@kernel(types.void(arr(f8, 1), f8, f8, f8, f8, arr(f8, 3), arr(f8, 2, True)))
def two_piece_excess(signs, bias, label, x_bound, least, outputs, out):
    """Theorem 16: mean two-piece loss of σ‖X‖w against labels ±label of mean bias·label, less `least`."""
    up = 0.5 * (1.0 + bias)
    for m in range(signs.shape[0]):
        for t in range(outputs.shape[1]):
            z = x_bound * outputs[m, t, 0] * signs[m]
            near, far = abs(z - label), abs(z + label)
            first = near * near if near <= 0.5 else near - 0.25
            second = far * far if far <= 0.5 else far - 0.25
            out[m, t] = up * first + (1.0 - up) * second - least
