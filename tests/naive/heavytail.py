"""The heavy-tailed paper line by line, in plain Python: ψ, the truncated risk, the net, Algorithms 1 and 2."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence


def psi(x: float, theta: float) -> float:
    """Equations 6 and 16."""
    if x < 0.0:
        return -psi(-x, theta)
    if x >= 1.0:
        return math.log(theta)
    return -math.log(1.0 - x + x**theta / theta)


def score(
    X: Sequence[Sequence[float]], y: Sequence[float], w: Sequence[float], iota: float, theta: float
) -> float:
    """nι times equation 2."""
    terms = []
    for x, response in zip(X, y, strict=True):
        prediction = math.fsum(a * b for a, b in zip(x, w, strict=True))
        terms.append(psi(iota * abs(response - prediction), theta))
    return math.fsum(terms)


def net(dimension: int, radius: float, domain: str, steps: int) -> list[tuple[int, ...]]:
    """Integer vectors k with (radius/steps)·k in the domain, in lexicographic order."""
    axis = range(-steps, steps + 1)
    cube = itertools.product(axis, repeat=dimension)
    if domain == "box":
        return list(cube)
    return [k for k in cube if sum(j * j for j in k) <= steps * steps]


def probabilities(scores: Sequence[float], epsilon: float, theta: float, share: float) -> list[float]:
    """∝ exp(−share·ε·(nιL̂)/log θ): share 1 as Algorithms 1 and 2 print it, 1/2 by the sensitivity log θ."""
    least = min(scores)
    weights = [math.exp(-share * epsilon * (s - least) / math.log(theta)) for s in scores]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def geometric(t: float, count: int) -> list[float]:
    """Probabilities ∝ e^{tk}, k = 0, …, count − 1."""
    top = max(0.0, t * (count - 1))
    weights = [math.exp(t * k - top) for k in range(count)]
    return [weight / math.fsum(weights) for weight in weights]
