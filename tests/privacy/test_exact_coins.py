"""Coins that need more words than one, and the last block of the discrete Laplace law, from words given by hand."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from given_words import Words

from dpbench.core.bits import Source
from dpbench.privacy import _integer_kernels as kernels
from dpbench.privacy import integer_laplace
from dpbench.privacy.exact_coins import accepts

LAST = (1 << kernels.LAPLACE_COLUMNS) - 1


@pytest.mark.parametrize("exponent", [Fraction(7, 10), Fraction(3)])
def test_a_coin_at_its_chance_is_decided_by_the_words_behind_it(exponent):
    """The coin, a word and half of the next are the digits of ¾·exp(−x): one more or less in the last decides."""
    with mpmath.workdps(80):
        digits = int(mpmath.floor(mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator) * 3 * 2**166))
    coin, rest = digits >> 128, digits & ((1 << 128) - 1)
    for shift in (-(1 << 80), 1 << 80):
        left = rest + shift
        source = Source(Words(np.array([left >> 64, left & ((1 << 64) - 1), *[0] * 40], dtype=np.uint64)))
        assert accepts(Fraction(3, 4), exponent, coin, source) is (shift < 0)


@pytest.mark.kernel
@pytest.mark.parametrize("scale", [1, 1000, 2**40])
def test_the_last_block_is_left_to_the_caller_whatever_the_coin(scale):
    """It stands for all sizes beyond, so that a coin below its sure chance decides nothing."""
    table = integer_laplace.laplace_table(scale)
    assert table.thresholds[LAST] > 0  # so that the word of column `LAST` and nothing else chooses this block
    needed = 2 if table.bits <= kernels.PLACE else 3
    words = np.array([LAST] + [0] * (needed - 1), dtype=np.uint64)
    out, state = np.empty(1, dtype=np.int64), np.zeros(5, dtype=np.int64)
    made = kernels.discrete_laplace(
        words, table.bits, 1.0 / scale, table.thresholds, table.aliases, table.heights, table.sure, 0, out, state
    )
    assert made == 0 and state.tolist() == [needed, kernels.UNDECIDED, LAST << table.bits, LAST, 0]


def test_what_lies_beyond_is_start_plus_a_geometric_draw():
    """At scale 1000 all draws are at the start with probability below 1e-14, if the draw is made."""
    table = integer_laplace.laplace_table(1000)
    start, source = LAST << table.bits, Source(np.random.default_rng(0))
    for sign in (1, -1):
        draws = [integer_laplace._decide(table, sign * start, LAST, 0, source) for _ in range(5)]
        sizes = [sign * made for made in draws if made is not None]
        assert len(sizes) == 5 and min(sizes) >= start < max(sizes)
