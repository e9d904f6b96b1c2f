"""Slow twins of the tests of independence: one row at a time, in whole numbers of any size."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from math import comb

from scipy.stats import chi2, norm

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


def neighbours(bits: list[bool]) -> tuple[int, int, int, int]:
    """Over pairs of neighbouring rows: both set, the later, the earlier, and pairs."""
    pairs = [(bits[i + 1], bits[i]) for i in range(0, len(bits) - 1, 2)]
    return sum(a and b for a, b in pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs), len(pairs)


def dispersion(hits: list[int], sizes: list[int], uniforms: Sequence[float]) -> float:
    """Twice the smaller tail of the sum of squared normal scores of counts, each given those of the calls up to it."""
    total = 0.0
    for k in range(1, len(hits)):
        rows, set_bits, n = sum(sizes[: k + 1]), sum(hits[: k + 1]), sizes[k]

        def chance(x: int, rows: int = rows, set_bits: int = set_bits, n: int = n) -> Fraction:
            return Fraction(comb(set_bits, x) * comb(rows - set_bits, n - x), comb(rows, n))

        below, here = sum((chance(x) for x in range(hits[k])), Fraction(0)), chance(hits[k])
        upper = hits[k] * rows > n * set_bits
        tail = (1 - below - here if upper else below) + Fraction(uniforms[k]) * here
        total += float(norm.ppf(float(tail))) ** 2
    freedom = len(hits) - 1
    return min(1.0, 2.0 * min(float(chi2.sf(total, freedom)), float(chi2.cdf(total, freedom))))
