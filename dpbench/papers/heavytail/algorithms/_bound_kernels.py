"""Kernels of the affine lower bounds of the score over a box.

Write S(w) = Σ_i ψ(ι|r_i(w)|), r_i = y_i − ⟨x_i, w⟩. Over a box of lattice points r_i lies in an interval
[r_c − ρ, r_c + ρ].

- One sign over the interval: ψ is concave on [0, ∞) (ψ'' ≤ 0: with u = x^{θ−1} and p = 1/(θ − 1) ≥ 1,
  (θ − 1)x^{θ−2}q ≥ (1 − u^p)/(p u^{p−1}) ≥ 1 − u ≥ (1 − u)², by the mean value theorem), so an affine
  function that is below ψ at the interval's two ends is below it throughout.
- A change of sign: by the same concavity and ψ(0) = 0, ψ(ι|r|) ≥ max(s₊r, −s₋r), s± the slopes of the chords
  from 0 to the ends; that is convex, and g·r with g = s₊ or g = −s₋ is below it: the one that touches it at a
  reference point of the box, where the mass is expected.

The ends' values are those of a series that stays below ψ (`psi_below`). The sum over the records is affine,
A + ⟨b, w⟩ ≤ S(w). Rounding is covered twice: each interval is widened by a bound on the rounding of a residual,
and A is lowered by a bound on the rounding of all sums (`SLACK`).

Records go through in tiles of `LANES`, every sum in as many lanes; a loop touches few arrays, so that the compiler
can tell that they do not overlap, and vectorises it.
"""

from __future__ import annotations

import math

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel
from dpbench.papers.heavytail.algorithms._score_kernels import LANES

UNIT = 1.2e-16
SLACK = 4.0
"""Roundings of size `UNIT` allowed for each term of each sum of n terms; recursive summation needs 1."""

CLOSE = 0.1
"""Share of a residual's range within which a kink passes near the reference."""

STEERING = 32
"""Tiles, evenly spread over the records, that the curvatures are estimated from."""

ROWS = 13
"""Rows of scratch that `affine_bound` needs beside four an axis."""


@kernel(types.void(arr(f8, 1, True), f8, i8), fastmath={"contract"})
def psi_below(x, theta, quarters):
    """x[k] ≥ 0 becomes a number in [ψ(x[k]) − 2e-10, ψ(x[k])], up to rounding.

    With p = x − x^θ/θ and z = p/(2 − p) = (θx − x^θ)/(2θ − θx + x^θ) in [0, 1/3], ψ = −log(1 − p) = 2(z + z³/3 + z⁵/5
    + …): the first terms of a series of positive ones.
    """
    size = x.shape[0]
    if quarters == 8:
        for k in range(size):
            v = min(x[k], 1.0)
            x[k] = 2.0 * v - v * v
    elif quarters == 7:
        for k in range(size):
            v = min(x[k], 1.0)
            root = math.sqrt(v)
            x[k] = theta * v - v * root * math.sqrt(root)
    elif quarters == 6:
        for k in range(size):
            v = min(x[k], 1.0)
            x[k] = theta * v - v * math.sqrt(v)
    elif quarters == 5:
        for k in range(size):
            v = min(x[k], 1.0)
            x[k] = theta * v - v * math.sqrt(math.sqrt(v))
    else:
        for k in range(size):
            v = min(x[k], 1.0)
            x[k] = theta * v - v**theta
    for k in range(size):
        z = x[k] / (2.0 * theta - x[k])
        s = z * z
        t = s * s
        low = 1.0 / 3.0 + s * (1.0 / 5.0) + t * (1.0 / 7.0 + s * (1.0 / 9.0))
        high = 1.0 / 11.0 + s * (1.0 / 13.0) + t * (1.0 / 15.0 + s * (1.0 / 17.0))
        x[k] = 2.0 * z * (1.0 + s * (low + t * t * high))


@kernel(f8(arr(f8, 1)))
def lanes_sum(x):
    """Σ_k x[k], one after another: ``x.sum()`` would be compiled again in every process."""
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k]
    return total


@kernel(
    types.UniTuple(f8, 2)(
        arr(f8, 2), arr(f8, 1), arr(f8, 1), f8, f8, i8, arr(f8, 1), arr(f8, 1), arr(f8, 1),
        arr(f8, 1, True), arr(f8, 2, True), arr(f8, 2, True), arr(f8, 2, True),
    ),
    fastmath={"contract"},
)  # fmt: skip
def affine_bound(columns, y, sizes, iota, theta, quarters, centre, half, reference, b, curvature, sides, buffer):
    """A and b with A + ⟨b, w⟩ ≤ S(w) for every w with |w_j − centre_j| ≤ half_j; returns A.

    And what `touched_bound` needs for another reference: the sum of the chords' constants, and in `sides` (2, n) each
    record's g where r > 0 at the reference, and where not.

    `sizes` bounds |y_i| + Σ_j |x_ij||w_j| over the domain. `curvature`[:, j] estimates how the gap grows along
    axis j: by the kinks, with the square of the distance from the reference; by the concave parts, with the
    square of the width of the box; by those of the kinks that nearly pass through the reference. It steers the
    splits and carries no guarantee. `buffer` is scratch of shape (`ROWS` + 4d, LANES).
    """
    d, n = columns.shape
    buffer[:, :] = 0.0
    r, rho, touch, g = buffer[0], buffer[1], buffer[2], buffer[3]
    kink, bow, close, chords, roundings = buffer[4], buffer[5], buffer[6], buffer[7], buffer[8]
    constants = buffer[12]
    ends = buffer[9:12].reshape(3 * LANES)
    at_low, at_high, middle = ends[:LANES], ends[LANES : 2 * LANES], ends[2 * LANES :]
    widening = UNIT * SLACK * (3.0 * d + 4.0)
    tiles = (n + LANES - 1) // LANES
    stride = (tiles + STEERING - 1) // STEERING
    steering = 0
    for tile in range(tiles):
        start = tile * LANES
        stop = min(n, start + LANES)
        size = stop - start
        response, bound = y[start:stop], sizes[start:stop]
        for k in range(size):
            r[k] = response[k]
        for k in range(size):
            touch[k] = response[k]
        for k in range(size):
            rho[k] = widening * bound[k]
        for j in range(d):
            x, at, reach, near = columns[j, start:stop], centre[j], half[j], reference[j]
            for k in range(size):
                r[k] -= x[k] * at
            for k in range(size):
                touch[k] -= x[k] * near
            for k in range(size):
                rho[k] += abs(x[k]) * reach
        steers = tile % stride == 0
        for k in range(size):
            at_low[k] = iota * abs(abs(r[k]) - rho[k])
        for k in range(size):
            at_high[k] = iota * (abs(r[k]) + rho[k])
        if steers:
            for k in range(size):
                middle[k] = iota * abs(r[k])
        psi_below(ends if steers else ends[: 2 * LANES], theta, quarters)
        above, below = sides[0, start:stop], sides[1, start:stop]
        for k in range(size):
            low, high = abs(r[k]) - rho[k], abs(r[k]) + rho[k]
            # One sign: the chord between the ends, which is flat where both are beyond 1. Else a chord through 0.
            rise, run = (at_high[k] - at_low[k], high - low) if low >= 0.0 else (at_high[k], high)
            outward = rise / max(run, 1e-300)
            outward = max(min(iota, outward), 0.0) if low >= 0.0 else outward
            inward = outward if low >= 0.0 else at_low[k] / min(low, -1e-300)
            above[k] = outward if r[k] > 0.0 else -inward
            below[k] = inward if r[k] > 0.0 else -outward
        for k in range(size):
            g[k] = above[k] if touch[k] > 0.0 else below[k]
        for k in range(size):
            low, high = abs(r[k]) - rho[k], abs(r[k]) + rho[k]
            slope = abs(g[k])
            chord = min(at_low[k] - slope * low, at_high[k] - slope * high)
            chords[k] += chord if low >= 0.0 else 0.0
        for k in range(size):
            constants[k] += g[k] * response[k]
        for k in range(size):
            roundings[k] += abs(g[k]) * bound[k]
        for j in range(d):
            x, pull = columns[j, start:stop], buffer[ROWS + 4 * j]
            for k in range(size):
                pull[k] += g[k] * x[k]
        if steers:
            steering += size
            for k in range(size):
                low, high, width = abs(r[k]) - rho[k], abs(r[k]) + rho[k], max(rho[k], 1e-100)
                far, other = at_high[k] / max(high, 1e-300), at_low[k] / max(-low, 1e-300)
                kink[k] = 0.0 if low >= 0.0 else (far + other) / (2.0 * width)
                lost = high * (iota - far) - low * (iota - other)
                bend = 2.0 * middle[k] - at_low[k] - at_high[k]
                bow[k] = (bend if low >= 0.0 else 0.5 * lost) / (width * width)
                close[k] = kink[k] if abs(touch[k]) < CLOSE * rho[k] else 0.0
            for j in range(d):
                x, sums = columns[j, start:stop], buffer[ROWS + 4 * j + 1 : ROWS + 4 * j + 4]
                for k in range(size):
                    sums[0, k] += kink[k] * x[k] * x[k]
                    sums[1, k] += bow[k] * x[k] * x[k]
                    sums[2, k] += close[k] * x[k] * x[k]
    for j in range(d):
        b[j] = -lanes_sum(buffer[ROWS + 4 * j])
        for part in range(3):
            curvature[part, j] = lanes_sum(buffer[ROWS + 4 * j + 1 + part]) * n / steering
    total, slack = lanes_sum(chords), UNIT * SLACK * (n + 4.0 * d + 64.0) * (lanes_sum(roundings) + n)
    return total + lanes_sum(constants) - slack, total


@kernel(
    f8(arr(f8, 2), arr(f8, 1), arr(f8, 1), f8, arr(f8, 2), arr(f8, 1), arr(f8, 1, True), arr(f8, 2, True)),
    fastmath={"contract"},
)
def touched_bound(columns, y, sizes, chords, sides, reference, b, buffer):
    """A and b of the same box as `affine_bound`, whose `chords` and `sides` these are, for another reference."""
    d, n = columns.shape
    buffer[:, :] = 0.0
    touch, g, constants, roundings = buffer[0], buffer[1], buffer[2], buffer[3]
    for start in range(0, n, LANES):
        stop = min(n, start + LANES)
        size = stop - start
        response, bound = y[start:stop], sizes[start:stop]
        above, below = sides[0, start:stop], sides[1, start:stop]
        for k in range(size):
            touch[k] = response[k]
        for j in range(d):
            x, near = columns[j, start:stop], reference[j]
            for k in range(size):
                touch[k] -= x[k] * near
        for k in range(size):
            g[k] = above[k] if touch[k] > 0.0 else below[k]
        for k in range(size):
            constants[k] += g[k] * response[k]
        for k in range(size):
            roundings[k] += abs(g[k]) * bound[k]
        for j in range(d):
            x, pull = columns[j, start:stop], buffer[ROWS + j]
            for k in range(size):
                pull[k] += g[k] * x[k]
    for j in range(d):
        b[j] = -lanes_sum(buffer[ROWS + j])
    return chords + lanes_sum(constants) - UNIT * SLACK * (n + 4.0 * d + 64.0) * (lanes_sum(roundings) + n)
