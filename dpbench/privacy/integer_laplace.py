"""The discrete Laplace law, p_z ∝ exp(−|z|/t) on the integers, drawn exactly from random words.

A size z = W·i + p, W a power of two and 0 ≤ p < W. An alias table in integers proposes the block i with probability
q_i/2⁵⁸, p is uniform, and z is kept with probability c·exp(−z/t)/q_i ≤ 1: sizes kept have probability ∝ exp(−z/t). W
is t/32 to t/16, so that at least 96 proposals in 100 are kept, and nearly all of them without computing an
exponential. The last block stands for every size from 1023·W on: the law has no memory, so what lies beyond is a
further geometric draw (`_geometric`). A sign is drawn, and a negative zero proposed again. Floating point decides only
where the coin is far from its threshold; rational arithmetic takes the other coins (`exact_coins.accepts`). So the law
is exact, tail included, and what rests on it is purely ε-DP.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.privacy import _integer_kernels as kernels
from dpbench.privacy.exact_coins import Envelope, accepts, drawn, envelope, exp_bounds

LARGEST_SCALE = 2**40
"""Largest t: sizes up to thousands of t stay within 64 bits."""

LARGEST_STEP = 2.0**-19
"""Largest spacing of `laplace_grid`, as a part of the scale."""

_BLOCKS = 1 << kernels.LAPLACE_COLUMNS


def laplace(source: Source, scale: int, count: int) -> np.ndarray:
    """`count` draws with probability ∝ exp(−|z|/scale), int64; 1 ≤ scale ≤ `LARGEST_SCALE`."""
    scale = validation.integer("scale", scale, at_least=1)
    if scale > LARGEST_SCALE:
        raise validation.invalid("scale", f"at most {LARGEST_SCALE}", scale)
    table = laplace_table(scale)
    words = 2 if table.bits <= kernels.PLACE else 3
    return drawn(
        kernels.discrete_laplace, (table.bits, 1.0 / scale), table, source, count,
        words=lambda left: words * (left + left // 8 + 8), decide=_decide,
    )  # fmt: skip


@lru_cache(maxsize=64)
def laplace_table(scale: int) -> Envelope:
    """The envelope of exp(−z/t)."""
    bits = max(0, scale.bit_length() - 5)
    width = 1 << bits
    above = np.exp(-np.arange(_BLOCKS) * (width / scale)) * (1.0 + 1e-9)
    above[-1] *= (scale + 1.0) / width  # all that is beyond: 1/(1 − exp(−1/t)) ≤ t + 1
    last = (np.arange(_BLOCKS) * float(width) + (width - 1.0)) / scale
    return envelope(scale, bits, above, np.exp(-last))


def _decide(table: Envelope, z: int, block: int, coin: int, source: Source) -> int | None:
    """The draw of a proposal that the kernel left open, or None where it is rejected; `z` carries the sign."""
    if block < _BLOCKS - 1:
        kept = accepts(Fraction(table.unit, table.weights[block]), Fraction(abs(z), int(table.parameter)), coin, source)
        return z if kept else None
    start = block << table.bits
    if not _beyond_is_kept(table, Fraction(start, int(table.parameter)), coin, source):
        return None
    size = start + _geometric(int(table.parameter), source)
    return -size if z < 0 else size


def _beyond_is_kept(table: Envelope, exponent: Fraction, coin: int, source: Source) -> bool:
    """Whether the coin is below (c/W)·exp(−x)/((1 − exp(−1/t))·q): the mass from x·t on over the last weight."""
    share, bits = Fraction(table.unit, table.weights[-1] << table.bits), kernels.COIN
    while True:
        low, high = exp_bounds(exponent, bits + 64)
        least, most = exp_bounds(Fraction(1, int(table.parameter)), bits + 64)
        if Fraction(coin + 1, 1 << bits) <= share * low / (1 - least):
            return True
        if Fraction(coin, 1 << bits) >= share * high / (1 - most):
            return False
        coin, bits = (coin << 64) | source.next(), bits + 64


def _geometric(scale: int, source: Source) -> int:
    """z ≥ 0 with probability ∝ exp(−z/t): U uniform below t, kept with probability exp(−U/t), plus t times V.

    Canonne, Kamath & Steinke (2020), Algorithm 2: V counts successes of Bernoulli(exp(−1)).
    """
    mask = (1 << (scale - 1).bit_length()) - 1
    while True:
        u = source.next() & mask
        if u < scale and accepts(Fraction(1), Fraction(u, scale), source.next(), source, 64):
            break
    v = 0
    while accepts(Fraction(1), Fraction(1), source.next(), source, 64):
        v += 1
    return u + scale * v


def laplace_grid(scale: float, finest: float = 1e300) -> tuple[float, int]:
    """A spacing, a power of two and at most `finest`, and t: t·spacing ≥ `scale` is the scale in use, t ≥ 2¹⁹."""
    _, exponent = math.frexp(validation.real("scale", scale, above=0.0))
    spacing = min(math.ldexp(1.0, exponent - 20), finest)
    return spacing, math.ceil(scale / spacing)
