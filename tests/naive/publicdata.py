"""Algorithms 1 to 5 of the public-data paper line by line, in plain Python, over a written-out list of functions.

A function is a callable from a point to a number; the list is the class, and the first minimiser wins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import mpmath

Function = Callable[[Any], float]
Loss = Callable[[float, float], float]

LOSSES: dict[str, Loss] = {
    "zero-one": lambda f, y: 0.0 if f == y else 1.0,
    "absolute": lambda f, y: abs(f - y) / 2,
    "squared": lambda f, y: (f - y) ** 2 / 4,
    "huber": lambda f, y: ((f - y) ** 2 / 2 if abs(f - y) <= 1 else abs(f - y) - 0.5) / 1.5,
}


def erm(functions: Sequence[Function], score: Callable[[Function], float]) -> Function:
    """Definition 4."""
    best, least = functions[0], math.inf
    for f in functions:
        value = score(f)
        if value < least:
            best, least = f, value
    return best


def perturb(functions: Sequence[Function], values: Sequence[float], z: Sequence[Any], gamma: float,
            zeta: Sequence[float]) -> Function:  # fmt: skip
    """Algorithm 1, `values` being those of f̄ at z."""

    def distance(f: Function) -> float:
        return math.fsum((f(at) - v - gamma * u) ** 2 for at, v, u in zip(z, values, zeta, strict=True)) / len(z)

    return erm(functions, distance)


def averaged(functions: Sequence[Function], x: Sequence[Any], y: Sequence[float], z: Sequence[Any], loss: str,
             eta: float, xis: Sequence[Sequence[float]], *, mean: bool) -> list[float]:  # fmt: skip
    """f̄(Z) of Algorithm 2, lines 1 to 6; one row of `xis` a call."""
    rows = []
    for xi in xis:

        def score(f: Function, xi: Sequence[float] = xi) -> float:
            total = math.fsum(LOSSES[loss](f(a), b) for a, b in zip(x, y, strict=True))
            omega = math.fsum(u * f(at) for u, at in zip(xi, z, strict=True)) / math.sqrt(len(z))
            return (total / len(x) if mean else total) + eta * omega

        found = erm(functions, score)
        rows.append([found(at) for at in z])
    return [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]


def regularized(x: Sequence[Any], y: Sequence[float], loss: str, eta: float, *, mean: bool) -> float:
    """f̄ of Algorithm 3 on the constants [−1, 1]: the objective is convex, so thirds of an interval close in on it."""

    def score(c: float) -> float:
        total = math.fsum(LOSSES[loss](c, b) for b in y)
        return (total / len(x) if mean else total) + eta * c * c

    low, high = -1.0, 1.0
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if score(a) <= score(b) else (a, high)
    return (low + high) / 2


def weighted(functions: Sequence[Function], x: Sequence[Any], y: Sequence[float], z: Sequence[Any], loss: str,
             xi: Sequence[float], labels: Sequence[float]) -> Function:  # fmt: skip
    """f̃ of Algorithm 4 (equation 19) and f̂ of Algorithm 5 (equation 148)."""

    def score(f: Function) -> float:
        private = math.fsum(LOSSES[loss](f(a), b) for a, b in zip(x, y, strict=True))
        return private + math.fsum(u * (f(at) != b) for u, at, b in zip(xi, z, labels, strict=True))

    return erm(functions, score)


def rrspm(functions: Sequence[Function], x: Sequence[Any], y: Sequence[float], z: Sequence[Any], loss: str,
          xi: Sequence[float], labels: Sequence[float]) -> Function:  # fmt: skip
    """Algorithm 4."""
    chosen = weighted(functions, x, y, z, loss, xi, labels)
    return perturb(functions, [chosen(at) for at in z], z, 0.0, [0.0] * len(z))


def clipped_delta(epsilon: float, first: float, second: float, scale: float, steps: int = 4000) -> float:
    """δ(ε) of two Gaussians cut to [−1, 1], by the sum of (p − e^ε q)₊ over atoms and cells, both ways."""
    edges = [-1.0 + 2.0 * k / steps for k in range(steps + 1)]

    def masses(centre: float) -> list[float]:
        below = [0.5 * math.erfc((centre - e) / (scale * math.sqrt(2.0))) for e in edges]
        return [below[0], *(b - a for a, b in pairwise(below)), 1.0 - below[-1]]

    p, q = masses(first), masses(second)
    growth = math.exp(epsilon)
    return max(math.fsum(max(a - growth * b, 0.0) for a, b in zip(u, v, strict=True)) for u, v in ((p, q), (q, p)))


def shift_bound(epsilon: float, scale: float) -> float:
    """E(1 − e^{ε − ℓ})₊ for one Gaussian weight, ℓ = 2(|ξ| + 1)/s²: the bound on δ(ε) before its exponential form."""
    with mpmath.workdps(30):
        e, s = mpmath.mpf(epsilon), mpmath.mpf(scale)
        start = max(mpmath.mpf(0), (e * s * s / 2 - 1) / s)
        value = mpmath.quad(
            lambda g: 2 * mpmath.npdf(g) * (1 - mpmath.exp(e - 2 * (s * g + 1) / (s * s))),
            [start, start + 1, start + 5, start + 40],
        )
        return float(value)
