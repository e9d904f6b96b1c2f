"""Selection, grid search and boosting from the papers: one run, one record, one candidate at a time, in Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import mpmath
import numpy as np

Value = Callable[[float, float], float]


def gen_exp_mech(pairs: Sequence[tuple[float, float]], epsilon: float, beta: float) -> list[float]:
    """Probabilities of GenExpMech on (sensitivity, score) pairs, in 60 digits."""
    with mpmath.workdps(60):
        N = len(pairs)
        t = 2 * mpmath.log(mpmath.mpf(N) / mpmath.mpf(beta)) / mpmath.mpf(epsilon)
        weights = []
        for i, (gamma_i, q_i) in enumerate(pairs):
            s = mpmath.mpf(0)
            for j, (gamma_j, q_j) in enumerate(pairs):
                if j != i:
                    top = (mpmath.mpf(q_i) + t * gamma_i) - (mpmath.mpf(q_j) + t * gamma_j)
                    s = max(s, top / (mpmath.mpf(gamma_i) + mpmath.mpf(gamma_j)))
            weights.append(mpmath.exp(-mpmath.mpf(epsilon) * s / 2))
        return [float(weight / mpmath.fsum(weights)) for weight in weights]


def noisy_max(scores: Sequence[float], scale: float) -> list[float]:
    """P(score i plus its Laplace noise is the least), expanded into exponentials on every interval, in 60 digits.

    Between two kinks each factor is a constant times 1, e^x or e^{-x} (or 1 minus one), so the product is a sum
    of exponentials, integrated in closed form.
    """
    with mpmath.workdps(60):
        q = [mpmath.mpf(score) / mpmath.mpf(scale) for score in scores]
        cuts = [-mpmath.inf, *sorted(set(q)), mpmath.inf]
        return [float(sum(_piece(q, i, a, b) for a, b in pairwise(cuts))) for i in range(len(q))]


def _piece(q: Sequence[mpmath.mpf], i: int, low: mpmath.mpf, high: mpmath.mpf) -> mpmath.mpf:
    """∫ over (low, high) of the density of q_i + noise at x times the chances that the others lie above x."""
    middle = high - 1 if low == -mpmath.inf else low + 1 if high == mpmath.inf else (low + high) / 2
    half = mpmath.mpf(1) / 2
    terms = {1: half * mpmath.exp(-q[i])} if middle < q[i] else {-1: half * mpmath.exp(q[i])}
    for j, other in enumerate(q):
        if j == i:
            continue
        above = {0: mpmath.mpf(1), 1: -half * mpmath.exp(-other)}
        if middle > other:
            above = {-1: half * mpmath.exp(other)}
        product: dict[int, mpmath.mpf] = {}
        for rate, weight in terms.items():
            for more, factor in above.items():
                product[rate + more] = product.get(rate + more, mpmath.mpf(0)) + weight * factor
        terms = product
    total = mpmath.mpf(0)
    for rate, weight in terms.items():
        if rate == 0:
            total += weight * (high - low)
        else:
            total += weight * (mpmath.exp(rate * high) - mpmath.exp(rate * low)) / rate
    return total


def mean_clipped_loss(X: np.ndarray, y: np.ndarray, w: np.ndarray, value: Value, low: float, high: float) -> float:
    """The mean of the losses, each cut to [low, high], one record at a time."""
    total = 0.0
    for x, label in zip(X, y, strict=True):
        z = math.fsum(float(a) * float(b) for a, b in zip(x, w, strict=True))
        total += min(max(value(z, float(label)), low), high)
    return total / len(y)


def integer_losses(
    loss: Callable[[float, float], float], X: Sequence[Sequence[float]], y: Sequence[float], w: Sequence[float],
    spacing: float, least: float, width: int,
) -> int:  # fmt: skip
    """Σ of the losses at w above the least in whole steps, rounded (ties to even) and held to 0, …, width; NaN is 0."""
    total = 0
    for x, label in zip(X, y, strict=True):
        z = math.fsum(a * b for a, b in zip(x, w, strict=True))
        value = (float(loss(z, label)) - least) / spacing
        if math.isinf(value):
            total += width if value > 0 else 0
        elif not math.isnan(value):
            total += max(0, min(width, round(value)))
    return total
