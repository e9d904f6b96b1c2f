"""Slow twins of the tests of independence: one row at a time, in whole numbers of any size."""

from __future__ import annotations

import struct

WORD = 1 << 64


def key(row: list[float] | list[int]) -> int:
    """The 64-bit mix of a row: of each entry's word, multiplied by 2^64 over the golden ratio (odd), and folded."""
    mixed = 0
    for entry in row:
        if isinstance(entry, float):
            word = struct.unpack("<Q", struct.pack("<d", float("nan") if entry != entry else entry + 0.0))[0]
        else:
            word = entry % WORD
        mixed = (mixed ^ word) * 0x9E3779B97F4A7C15 % WORD
        mixed ^= mixed >> 29
    return mixed


def halves(bits: list[bool], share: float, size: int) -> tuple[int, int, int, int]:
    """Over pairs of neighbouring halves of `size` rows: both high, the first, the second, and pairs.

    A half of one row is high where its bit is set, and then the later row of a pair is the first; a larger one where
    more than `share` of its bits are set.
    """
    pairs = [(bits[i : i + size], bits[i + size : i + 2 * size]) for i in range(0, len(bits) - 2 * size + 1, 2 * size)]
    if size == 1:
        high = [(right[0], left[0]) for left, right in pairs]
    else:
        high = [(sum(left) > share * size, sum(right) > share * size) for left, right in pairs]
    return sum(a and b for a, b in high), sum(a for a, _ in high), sum(b for _, b in high), len(pairs)
