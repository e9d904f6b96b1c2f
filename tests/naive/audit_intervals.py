"""Slow twins for the auditor's intervals: binomial sums in mpmath, and coverage by enumeration."""

from __future__ import annotations

import math

import mpmath
import numpy as np


def tail_at_least(hits: int, trials: int, p: float) -> mpmath.mpf:
    """P(Bin(trials, p) >= hits), summed term by term with 40 digits."""
    with mpmath.workdps(40):
        q = mpmath.mpf(p)
        terms = (mpmath.binomial(trials, k) * q**k * (1 - q) ** (trials - k) for k in range(hits, trials + 1))
        return mpmath.fsum(terms)


def masses(trials: int, p: float) -> np.ndarray:
    """P(Bin(trials, p) = k) for k = 0, ..., trials."""
    return np.array([math.comb(trials, k) * p**k * (1.0 - p) ** (trials - k) for k in range(trials + 1)])


def coverage(trials: int, p: float, q: float, holds: np.ndarray) -> float:
    """Probability of holds[x, y] under independent X ~ Bin(trials, p) and Y ~ Bin(trials, q)."""
    return float(masses(trials, p) @ holds @ masses(trials, q))
