"""Integer noise in exact rational arithmetic, from the text of the modules of that name; imports nothing of ours.

Each function reads 64-bit words from an iterator, as the kernels do; a sign is the highest bit of a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, exp, factorial


def exp_minus(x: Fraction, terms: int = 400) -> tuple[Fraction, Fraction]:
    """Bounds of exp(−x) for 0 ≤ x < 100: 1 over partial sums of the series of exp(x), and its remainder's bound."""
    total = sum((x**k / factorial(k) for k in range(terms)), Fraction(0))
    rest = 2 * x**terms / factorial(terms)  # x < terms/2: the remainder is below twice its first term
    return 1 / (total + rest), 1 / total


def accepted(words: Iterator[int], coin: int, low: Fraction, high: Fraction) -> bool:
    """Whether a coin of 40 bits, and more from further words, is below a chance between `low` and `high`."""
    places = 40
    while not (Fraction(coin + 1, 1 << places) <= low or Fraction(coin, 1 << places) >= high):
        coin, places = (coin << 64) | next(words), places + 64
    return Fraction(coin + 1, 1 << places) <= low


def discrete_gaussian(
    words: Iterator[int], sigma: Fraction, bits: int, thresholds: list[int], aliases: list[int], weights: list[int],
    unit: int,
) -> int:  # fmt: skip
    """By rejection from weights[i]/unit over blocks of 2^bits integers, all decisions by rational numbers."""
    while True:
        word, other = next(words), next(words)
        column = word & 4095
        block = column if (word >> 12) & (2**48 - 1) < thresholds[column] else aliases[column]
        z = (block << bits) + ((other >> 40) & ((1 << bits) - 1))
        negative = word >> 63 == 1
        if negative and z == 0:
            continue
        low, high = (Fraction(unit, weights[block]) * end for end in exp_minus(Fraction(z * z) / (2 * sigma**2), 60))
        if accepted(words, other & (2**40 - 1), low, high):
            return -z if negative else z


def discrete_laplace(
    words: Iterator[int], t: int, bits: int, thresholds: list[int], aliases: list[int], weights: list[int], unit: int
) -> int | None:
    """By rejection from weights[i]/unit over blocks of 2^bits; None where the last block is met."""
    while True:
        word, other = next(words), next(words)
        column = word & 1023
        block = column if (word >> 10) & (2**48 - 1) < thresholds[column] else aliases[column]
        place = next(words) if bits > 24 else other >> 40
        z = (block << bits) + (place & ((1 << bits) - 1))
        negative = word >> 63 == 1
        if negative and z == 0:
            continue
        if block == 1023:
            return None
        whole, rest = divmod(z, t)
        inverse_e = [end**whole for end in exp_minus(Fraction(1), 60)]
        ends = zip(inverse_e, exp_minus(Fraction(rest, t), 60), strict=True)
        low, high = (Fraction(unit, weights[block]) * one * other_end for one, other_end in ends)
        if accepted(words, other & (2**40 - 1), low, high):
            return -z if negative else z


def choice_weights(exponents: list[int], t: int) -> tuple[list[int], int]:
    """Integers above 2^b·exp(−e/t), written from the text of `integer_choice`: b is 61 less the bits of N."""
    bits = 61 - len(exponents).bit_length()
    return [max(1, ceil(exp(-e / t) * (1.0 + 1e-9) * 2.0**bits)) for e in exponents], bits


def choices(words: list[int], exponents: list[int], t: int, count: int) -> list[int]:
    """Two words a proposal: a place below the sum of the weights, and a coin of 40 bits."""
    weights, bits = choice_weights(exponents, t)
    mask = (1 << sum(weights).bit_length()) - 1
    e_inverse, chances = exp_minus(Fraction(1), 60)[0], []
    for e in exponents:
        whole, rest = divmod(e, t)
        chances.append(e_inverse**whole * exp_minus(Fraction(rest, t), 60)[0] if whole <= 90 else Fraction(0))
    made: list[int] = []
    for word, other in zip(words[::2], words[1::2], strict=False):
        place, i = word & mask, 0
        while i < len(weights) and place >= weights[i]:
            place -= weights[i]
            i += 1
        if len(made) == count:
            break
        if i < len(weights) and ((other >> 24) + 1) * weights[i] <= chances[i] * (1 << (40 + bits)):
            made.append(i)
    return made
