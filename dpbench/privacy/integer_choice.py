"""Private choices from integers: one of N with probability ∝ exp(−e_i/t), and the selection built on integers.

`choose` draws exactly that law for integers e_i ≥ 0 and t: candidate i is proposed with probability ∝ an integer w_i ≥
2^b·exp(−e_i/t) and kept with probability 2^b·exp(−e_i/t)/w_i; floating point decides only where the coin is far from
its threshold (`exact_coins.accepts`). If one record moves every e_i by at most s, the choice is (2s/t)-DP; where all
e_i move the same way, by 0 to s, it is (s/t)-DP. A number taken off all e_i changes nothing.

*Report noisy max*: the least of q_i + discrete Laplace(t), the first of equals. One record moves every q_i by at most
Δ. Given the noise of the others, i is chosen iff its own is at most some integer k, which moves by at most 2Δ; and
P(Z ≤ k) ≤ e^{2Δ/t}·P(Z ≤ k − 2Δ), term by term. So the choice is (2Δ/t)-DP, ties included.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.privacy import _integer_kernels as kernels
from dpbench.privacy.exact_coins import accepts
from dpbench.privacy.integer_laplace import LARGEST_SCALE, laplace


def choose(source: Source, exponents: np.ndarray, scale: int, count: int) -> np.ndarray:
    """`count` indices i, each with probability ∝ exp(−e_i/t).

    Parameters
    ----------
    source : Source
    exponents : ndarray of int64, shape (N,)
        e_i, the least of which is 0.
    scale : int
        t ≥ 1.
    count : int

    Returns
    -------
    ndarray of int64, shape (count,)
    """
    bits = 61 - int(exponents.size).bit_length()
    heights = np.exp(-exponents.astype(np.float64) / scale) * (1.0 + 1e-9)
    weights = np.maximum(np.ceil(heights * 2.0**bits), 1.0).astype(np.int64)
    ends = np.cumsum(weights)
    total = np.uint64(ends[-1])
    mask = np.uint64((1 << int(ends[-1]).bit_length()) - 1)
    chances = np.exp(-exponents.astype(np.float64) / scale) * 2.0**bits / weights * 2.0**kernels.COIN
    chosen = np.empty(0, dtype=np.int64)
    while chosen.size < count:
        left = count - chosen.size
        source.more(max(0, 4 * left + 16 - source.at_hand.size))
        pairs = source.at_hand[: 4 * left + 16].reshape(-1, 2)
        place, coin = pairs[:, 0] & mask, (pairs[:, 1] >> np.uint64(64 - kernels.COIN)).astype(np.float64)
        index = np.searchsorted(ends, place.astype(np.int64), side="right")
        inside = place < total
        index[~inside] = 0
        kept = inside & (coin < chances[index])
        near = np.flatnonzero(inside & (np.abs(coin - chances[index]) <= kernels.BAND))
        wanted = np.flatnonzero(kept | (np.abs(coin - chances[index]) <= kernels.BAND) & inside)
        used = len(pairs) if wanted.size <= left else int(wanted[left - 1]) + 1
        source.used(2 * used)
        for at in near[near < used]:
            i = int(index[at])
            share, exponent = Fraction(1 << bits, int(weights[i])), Fraction(int(exponents[i]), scale)
            kept[at] = accepts(share, exponent, int(coin[at]), source)
        chosen = np.concatenate([chosen, index[:used][kept[:used]]])
    return chosen[:count]


def report_noisy_max(source: Source, scores: np.ndarray, scale: int) -> np.ndarray:
    """The index of the least integer score + discrete Laplace(t) in each row of `scores`, shape (trials, N)."""
    return np.asarray(np.argmin(scores + laplace(source, scale, scores.size).reshape(scores.shape), axis=-1))


def noisy_max_scale(scale: float) -> int:
    """t for a Laplace scale in steps of the grid: rounded up."""
    steps = max(1, math.ceil(scale * (1.0 + 1e-9)))
    if steps > LARGEST_SCALE:
        raise validation.invalid("noise_scale", f"at most {LARGEST_SCALE} steps of the grid", scale)
    return steps
