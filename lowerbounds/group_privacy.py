"""What (ε, δ)-privacy says of two data sets that differ in Δ records.

Group privacy makes the two output laws (Δε, δ_Δ)-indistinguishable, δ_Δ = δ(e^{Δε} − 1)/(e^ε − 1). That is not all
it says. A test of probability p on one data set has at most g(p) on a neighbour,

    g(p) = min(e^ε p + δ, 1 − e^{−ε}(1 − p − δ), 1),

so at most g∘…∘g (Δ times) at distance Δ (Dong, Roth & Su 2019, Theorem 2.14: 1 − f_Δ = (1 − f)^{∘Δ}). For Δ ≥ 2
this is strictly more than the group bound: as ε → 0 at fixed Δε = x, δ = 0, it is the curve of two Laplace laws x
scales apart, with overlap e^{−x/2}, where the group bound has 2/(1 + e^x). It is attained: on data sets at distance
i from the first, output 1 with probability g^{∘i}(p); neighbours have distances that differ by at most 1.
"""

from __future__ import annotations

import math

import numpy as np

_LARGEST = 700.0  # exponents beyond it overflow; e^-700 is 0 in every sum here


def group_delta(epsilon: float, delta: float, distance: int) -> float:
    """δ_Δ = δ(e^{Δε} − 1)/(e^ε − 1), at most 1."""
    exponent = distance * epsilon
    if delta == 0.0:
        return 0.0
    if exponent > _LARGEST:
        return 1.0
    return min(1.0, delta * math.expm1(exponent) / math.expm1(epsilon))


def group_pair(epsilon: float, delta: float, distance: int) -> tuple[np.ndarray, np.ndarray]:
    """Two discrete laws P, Q that are (Δε, δ_Δ)-indistinguishable and of which all such pairs are post-processings.

    With probability δ_Δ the data set is given away, else it is named by randomised response at Δε.
    """
    leak, exponent = group_delta(epsilon, delta, distance), distance * epsilon
    high = (1.0 - leak) / (1.0 + math.exp(-exponent))
    low = (1.0 - leak) - high
    return np.array([leak, 0.0, high, low]), np.array([0.0, leak, low, high])


def iterated_pair(epsilon: float, delta: float, distance: int) -> tuple[np.ndarray, np.ndarray]:
    """Two discrete laws P, Q whose curve is g∘…∘g, g of the module: of all at distance Δ the easiest to distinguish.

    The curve is concave and piecewise linear. Its corners are the points whose orbit meets the corner of g,
    c = (1 − δ)/(1 + e^ε), and the point that first reaches 1; a piece from p to p' is one outcome with
    P-probability p' − p and Q-probability the rise of the curve. Both have `distance` + O(1) outcomes.
    Probabilities are good to 1e-15 absolute.
    """
    growth = math.exp(min(epsilon, _LARGEST))
    corner = (1.0 - delta) / (1.0 + growth)
    backward, forward = [corner], [corner]
    for _ in range(distance):
        forward.append(step(forward[-1], growth, delta))
    for _ in range(distance - 1):
        if backward[-1] < delta:
            break
        backward.append((backward[-1] - delta) / growth)
    # The point with a Q-probability of 1, reached backwards from 1 through the upper branch, then the lower one.
    full = 1.0
    for _ in range(distance):
        full = _step_back(full, growth, delta)
    starts = np.array([*backward, 0.0, full, 1.0])
    tops = np.array(
        [*(forward[distance - i] for i in range(len(backward))), _orbit(0.0, growth, delta, distance), 1.0, 1.0]
    )
    order = np.lexsort((tops, starts))
    starts, tops = np.maximum(starts[order], 0.0), np.maximum.accumulate(tops[order])
    # A rise at p = 0 is what only Q can produce.
    p, q = np.diff(starts, prepend=0.0), np.diff(tops, prepend=0.0)
    return np.maximum(p, 0.0), np.maximum(q, 0.0)


def overlap(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """1 − TV(P, Q): the smallest sum of the two error probabilities of a test."""
    return float(np.minimum(*pair).sum())


def bayes_variance(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """E[4π(1 − π)], π the posterior of a fair coin that chose P or Q: the least mean squared error of a sign."""
    p, q = pair
    total = p + q
    return float((2.0 * p * q / np.where(total > 0.0, total, 1.0)).sum())


def step(p: float, growth: float, delta: float) -> float:
    """g(p): the largest probability on a neighbour of an event of probability p, `growth` = e^ε."""
    return min(growth * p + delta, 1.0 - (1.0 - p - delta) / growth, 1.0)


def _step_back(q: float, growth: float, delta: float) -> float:
    """The least p with g(p) ≥ q, or 0: each branch of g alone, then the larger of the two."""
    return max(0.0, (q - delta) / growth, 1.0 - delta - growth * (1.0 - q))


def _orbit(p: float, growth: float, delta: float, steps: int) -> float:
    for _ in range(steps):
        p = step(p, growth, delta)
    return p
