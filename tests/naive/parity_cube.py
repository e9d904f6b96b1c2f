"""Slow twin of the parity cube: equation (19) of the public-data paper minimised over all v, importing nothing of ours.

Points are numbered 0 to d − 1 (groups), d (all agree on the label 1), d + 1 (x°); labels are −1 or 1.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.integrate import quad


def value(v: tuple[int, ...], point: int) -> int:
    if point < len(v):
        return v[point]
    return 1 if point == len(v) else math.prod(v)


def choose(
    d: int, private: list[tuple[int, float]], public: list[tuple[int, float]], weights: np.ndarray
) -> tuple[int, ...]:
    """The v with the least Σ 1[f(X) ≠ Y] + Σ ξ·1[f(Z) ≠ Ỹ]."""
    best, least = (), math.inf
    for v in itertools.product((-1, 1), repeat=d):
        score = float(sum(value(v, x) != y for x, y in private))
        score += sum(w for (z, y), w in zip(public, weights, strict=True) if value(v, z) != y)
        if score < least:
            best, least = v, score
    return best


def parities(
    rng: np.random.Generator, noise: str, scale: float, sizes: list[int], private: list[tuple[int, float]], trials: int
) -> list[int]:
    """Parities of the chosen v, trial by trial, with weights drawn group by group and all public labels 1."""
    public = [(g, 1.0) for g, k in enumerate(sizes) for _ in range(k)]
    made = []
    for _ in range(trials):
        draw = rng.standard_normal if noise == "gaussian" else rng.laplace
        weights = scale * np.array([draw() for _ in public])
        made.append(math.prod(choose(len(sizes), private, public, weights)))
    return made


def tail_of_two(threshold: float) -> float:
    """P(|L + L'| > t) of two Laplace variables of scale 1, by integrating the density of one."""

    def beyond(x: float) -> float:  # P(|x + L| > t)
        up = 0.5 * math.exp(-(threshold - x)) if x < threshold else 1.0 - 0.5 * math.exp(-(x - threshold))
        down = 0.5 * math.exp(-(threshold + x)) if x > -threshold else 1.0 - 0.5 * math.exp(threshold + x)
        return 0.5 * math.exp(-abs(x)) * (up + down)

    knots = [-60.0, -threshold, 0.0, threshold, 60.0]
    return sum(quad(beyond, a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(knots))
