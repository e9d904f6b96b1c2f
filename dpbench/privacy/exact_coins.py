"""Draws in exact arithmetic: bounds of the exponential, acceptance by rational numbers, envelopes as alias tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpbench.core.bits import Source
from dpbench.privacy import _integer_kernels as kernels


def accepts(share: Fraction, exponent: Fraction, coin: int, source: Source, bits: int = kernels.COIN) -> bool:
    """Whether a coin whose first `bits` bits are `coin`, with as many more words as it takes, is < share·exp(−x)."""
    while True:
        low, high = (share * end for end in exp_bounds(exponent, bits + 32))
        if Fraction(coin + 1, 1 << bits) <= low:
            return True
        if Fraction(coin, 1 << bits) >= high:
            return False
        coin, bits = (coin << 64) | source.next(), bits + 64


def exp_bounds(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rational bounds of exp(−x), x ≥ 0, at most 2^−bits apart: Taylor's series at x/2^s ≤ 1/2, squared s times."""
    halvings = max(0, math.ceil(x).bit_length() + 1)
    digits = bits + 2 * halvings + 16
    one = 1 << digits
    small = Fraction(x, 1 << halvings)
    numerator = math.floor(small * one)  # the argument, rounded down
    term, total, k = one, one, 0
    while term:
        k += 1
        term = term * numerator // (one * k)
        total += -term if k % 2 else term
    # Each term loses at most 2 units, the argument 1, the rest of the series 1.
    low, high = max(total - 2 * k - 2, 0), min(total + 2 * k + 2, one)
    for _ in range(halvings):
        low, high = low * low // one, -(-high * high // one)
    return Fraction(low, one), Fraction(high, one)


def alias_table(weights: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Walker's alias table in integers: column i is block i below its threshold, of 2^`THRESHOLD`, else its alias."""
    full = 1 << kernels.THRESHOLD
    left = list(weights)
    thresholds, aliases = [full] * len(left), list(range(len(left)))
    small = [i for i, weight in enumerate(left) if weight < full]
    large = [i for i, weight in enumerate(left) if weight >= full]
    while small:
        i, j = small.pop(), large[-1]
        thresholds[i], aliases[i] = left[i], j
        left[j] -= full - left[i]
        if left[j] < full:
            small.append(large.pop())
    return np.array(thresholds, dtype=np.uint64), np.array(aliases, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Envelope:
    """An envelope of a decreasing law p_z ∝ f(z) on z ≥ 0, f(0) = 1, over blocks of 2^bits, as an alias table.

    Attributes
    ----------
    parameter : float or int
        Of f: t or σ.
    bits : int
    weights : tuple of int
        q_i, whose sum is 2^`THRESHOLD` a block: block i is proposed with that share.
    unit : int
        c: the envelope over block i is q_i/c ≥ f, whence the chance of acceptance c·f(z)/q_i.
    thresholds, aliases, heights, sure : ndarray, shape (blocks,)
        What the kernels read: the alias table, q_i/c, and coins below which acceptance is certain.
    """

    parameter: float
    bits: int
    weights: tuple[int, ...]
    unit: int
    thresholds: np.ndarray
    aliases: np.ndarray
    heights: np.ndarray
    sure: np.ndarray


def envelope(parameter: float, bits: int, first: np.ndarray, last: np.ndarray) -> Envelope:
    """The envelope, from values above those of f at the first place of each block, and its values at the last place."""
    total = first.size << kernels.THRESHOLD
    unit = int((total - 2 * first.size) / float(first.sum()) * (1.0 - 1e-12))
    weights = [max(1, math.ceil(unit * value)) for value in first]
    weights[0] += total - sum(weights)
    if weights[0] < unit:
        raise RuntimeError("the weights of the envelope do not add up; please report it")
    heights = np.array([weight / unit for weight in weights])
    coins = np.floor(last / heights * 2.0**kernels.COIN) - kernels.BAND
    sure = np.maximum(coins, 0.0).astype(np.uint64)
    return Envelope(parameter, bits, tuple(weights), unit, *alias_table(weights), heights, sure)


def drawn(
    kernel: Any, parameters: tuple[float, float], table: Envelope, source: Source, count: int, *,
    words: Callable[[int], int], decide: Callable[[Envelope, int, int, int, Source], int | None],
) -> np.ndarray:  # fmt: skip
    """`count` draws by a kernel of `_integer_kernels`, int64.

    `words` says how many random words so many draws may take. What the kernel leaves open, z, its block and its coin,
    `decide` accepts as a number, or rejects by None.
    """
    out, state = np.empty(count, dtype=np.int64), np.zeros(5, dtype=np.int64)
    made = 0
    while made < count:
        state[0] = 0
        made = kernel(
            source.at_hand, *parameters, table.thresholds, table.aliases, table.heights, table.sure, made, out, state
        )
        source.used(int(state[0]))
        if made == count:
            break
        if state[1] == kernels.UNDECIDED:
            z, block, coin = (int(part) for part in state[2:])
            accepted = decide(table, z, block, coin, source)
            if accepted is not None:
                out[made] = accepted
                made += 1
        else:
            source.more(words(count - made))
    return out
