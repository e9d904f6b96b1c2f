"""Slow twins of `dpbench.bounds`: binomial sums in rationals, coverage by enumeration, a mean by bets one at a time."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def tail_at_least(hits: int, trials: int, p: float) -> Fraction:
    """P(Bin(trials, p) >= hits), exactly: a float is a rational number."""
    q = Fraction(p)
    return sum((math.comb(trials, k) * q**k * (1 - q) ** (trials - k) for k in range(hits, trials + 1)), Fraction(0))


def masses(trials: int, p: float) -> np.ndarray:
    """P(Bin(trials, p) = k) for k = 0, ..., trials."""
    return np.array([math.comb(trials, k) * p**k * (1.0 - p) ** (trials - k) for k in range(trials + 1)])


def coverage(trials: int, p: float, q: float, holds: np.ndarray) -> float:
    """Probability of holds[x, y] under independent X ~ Bin(trials, p) and Y ~ Bin(trials, q)."""
    return float(masses(trials, p) @ holds @ masses(trials, q))


def upper_mean(values: list[float], largest: float, alpha: float, ahead: int = 0) -> float:
    """Waudby-Smith & Ramdas 2023, section 4: the least m whose wealth Π(1 + λ_i(m − x_i)) reaches 1/α.

    λ_i = √(2 log(1/α)/(n v)), at most 0.95, with v the variance of the values before i and of one value 1/2 with
    variance 1/4, at least 1/i². `ahead` plants an error: values that a bet must not know yet.
    """
    x = [value / largest for value in values]
    bets = []
    for i in range(len(x)):
        seen = x[: i + ahead]
        weight = len(seen) + 1.0
        mean = (0.5 + math.fsum(seen)) / weight
        variance = (0.5 + math.fsum(one * one for one in seen)) / weight - mean * mean
        variance = max(variance, 1.0 / weight**2)
        bets.append(min(0.95, math.sqrt(2.0 * math.log(1.0 / alpha) / (len(x) * variance))))

    def log_wealth(m: float) -> float:
        return math.fsum(math.log1p(bet * (m - one)) for bet, one in zip(bets, x, strict=True))

    low, high = 0.0, 1.0
    if log_wealth(high) < -math.log(alpha):
        return largest
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if log_wealth(middle) >= -math.log(alpha) else (middle, high)
    return high * largest
