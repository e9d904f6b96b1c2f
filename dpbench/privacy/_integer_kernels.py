"""Kernels of integer noise: discrete Laplace and discrete Gaussian variables from arrays of random words.

A kernel reads words from the front of its array and returns how many draws it made; state[0] is the number of words
that these took. Where the words end within a draw, that draw is not made: the caller begins it again with more words.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel

u8 = types.uint64

COLUMNS = 12
"""Bits of a word that choose a column of the alias table."""

THRESHOLD = 48
"""Bits of a word that choose between a column's two blocks."""

LAPLACE_COLUMNS = 10
"""The same for the discrete Laplace law."""

PLACE = 24
"""Bits of the second word that place a draw within its block."""

COIN = 40
"""Bits of a word compared with a chance of acceptance."""

BAND = 64
"""Units of 2^-COIN within which floating point does not decide: 2^-34, above what exp loses (below 2^-44)."""

OUT_OF_WORDS, UNDECIDED = 1, 2


@kernel(
    i8(
        arr(u8, 1), i8, f8, arr(u8, 1), arr(i8, 1), arr(f8, 1), arr(u8, 1), i8, arr(i8, 1, True), arr(i8, 1, True),
    ),
)  # fmt: skip
def discrete_laplace(words, bits, inverse, thresholds, aliases, heights, sure, start, out, state):
    """Draws `start`, … with probability ∝ exp(−|z|·inverse), by rejection from an envelope over blocks of 2^bits.

    As `discrete_gaussian`, with 2^`LAPLACE_COLUMNS` blocks; where a place has more than `PLACE` bits a third word has
    it. The last block is always left to the caller: state[1:5] = (`UNDECIDED`, z with its sign, block, coin).
    """
    columns, coins = np.uint64((1 << LAPLACE_COLUMNS) - 1), np.uint64((1 << COIN) - 1)
    half = np.uint64((1 << THRESHOLD) - 1)
    place = np.uint64((1 << bits) - 1)
    last = (1 << LAPLACE_COLUMNS) - 1
    needed = 2 if bits <= PLACE else 3
    at = state[0]
    i = start
    state[1] = 0
    while i < out.shape[0]:
        if at + needed > words.shape[0]:
            state[0], state[1] = at, OUT_OF_WORDS
            return i
        word, other = words[at], words[at + 1]
        within = words[at + 2] if needed == 3 else other >> np.uint64(COIN)
        at += needed
        column = np.int64(word & columns)
        block = column if ((word >> np.uint64(LAPLACE_COLUMNS)) & half) < thresholds[column] else aliases[column]
        z = (block << bits) + np.int64(within & place)
        negative = (word >> np.uint64(63)) == 1
        if negative and z == 0:
            continue
        coin = other & coins
        if coin >= sure[block] or block == last:
            chance = math.exp(-np.float64(z) * inverse) / heights[block] * np.float64(1 << COIN)
            if block == last or abs(np.float64(coin) - chance) <= BAND:
                state[0], state[1], state[2] = at, UNDECIDED, -z if negative else z
                state[3], state[4] = block, np.int64(coin)
                return i
            if np.float64(coin) > chance:
                continue
        out[i] = -z if negative else z
        i += 1
    state[0] = at
    return i


@kernel(
    i8(
        arr(u8, 1), f8, i8, arr(u8, 1), arr(i8, 1), arr(f8, 1), arr(u8, 1), i8, arr(i8, 1, True), arr(i8, 1, True),
    ),
)  # fmt: skip
def discrete_gaussian(words, sigma, bits, thresholds, aliases, heights, sure, start, out, state):
    """Draws `start`, … with probability ∝ exp(−z²/(2σ²)), by rejection from an envelope over blocks of 2^bits.

    One word chooses a block by the alias table (`thresholds`, `aliases`) and a sign; another the place in the block
    and a coin. The coin has `COIN` bits: below sure[block] the draw is accepted; else exp(−z²/(2σ²))/heights[block]
    decides, unless the coin is within `BAND` of it: then state[1:5] = (`UNDECIDED`, z, block, coin) and the caller
    decides. Returns the number of the draw that was not made, or the length of `out`.
    """
    columns, coins = np.uint64((1 << COLUMNS) - 1), np.uint64((1 << COIN) - 1)
    half = np.uint64((1 << THRESHOLD) - 1)
    place = np.uint64((1 << bits) - 1)
    at = state[0]
    i = start
    state[1] = 0
    while i < out.shape[0]:
        if at + 2 > words.shape[0]:
            state[0], state[1] = at, OUT_OF_WORDS
            return i
        word, other = words[at], words[at + 1]
        at += 2
        column = np.int64(word & columns)
        block = column if ((word >> np.uint64(COLUMNS)) & half) < thresholds[column] else aliases[column]
        z = (block << bits) + np.int64((other >> np.uint64(COIN)) & place)
        negative = (word >> np.uint64(63)) == 1
        if negative and z == 0:
            continue
        coin = other & coins
        if coin >= sure[block]:
            part = np.float64(z) / sigma
            chance = math.exp(-0.5 * part * part) / heights[block] * np.float64(1 << COIN)
            if abs(np.float64(coin) - chance) <= BAND:
                state[0], state[1], state[2] = at, UNDECIDED, -z if negative else z
                state[3], state[4] = block, np.int64(coin)
                return i
            if np.float64(coin) > chance:
                continue
        out[i] = -z if negative else z
        i += 1
    state[0] = at
    return i
