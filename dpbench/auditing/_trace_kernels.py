"""Kernels of the tests of independence: counts of packed bits in halves of groups of rows."""

from __future__ import annotations

from numba import types

from dpbench.core.kernel import arr, f8, i8, kernel

byte = types.uint8


@kernel(i8(i8))
def ones(bits):
    """How many of the low eight bits are set."""
    bits -= (bits >> 1) & 0x55
    bits = (bits & 0x33) + ((bits >> 2) & 0x33)
    return (bits + (bits >> 4)) & 0x0F


@kernel(types.void(arr(byte, 2), arr(f8, 1), arr(i8, 1), arr(i8, 3, True)))
def pair_halves(bits, shares, sizes, found):
    """Tables of pairs of halves of groups: found[feature, size] = both high, the first, the second, pairs.

    A half of one row (size 1) is high where its bit is set; the pairs are bits 7 and 6, 5 and 4, and so on, of each
    byte, the second one first. A half of a multiple of 8 rows is high where more than `shares` of its bits are set.
    """
    features, width = bits.shape
    for j in range(features):
        for k in range(sizes.shape[0]):
            both, first, second = 0, 0, 0
            if sizes[k] == 1:
                pairs = 4 * width
                for i in range(width):
                    row = int(bits[j, i])
                    one, other = row & 0x55, (row >> 1) & 0x55
                    both += ones(one & other)
                    first += ones(one)
                    second += ones(other)
            else:
                half = sizes[k] // 8
                pairs, bar = width // (2 * half), sizes[k] * shares[j]
                for group in range(pairs):
                    start, left, right = 2 * half * group, 0, 0
                    for i in range(half):
                        left += ones(int(bits[j, start + i]))
                        right += ones(int(bits[j, start + half + i]))
                    both += int(left > bar and right > bar)
                    first += int(left > bar)
                    second += int(right > bar)
            found[j, k, 0], found[j, k, 1], found[j, k, 2], found[j, k, 3] = both, first, second, pairs
