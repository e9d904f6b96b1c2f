"""Noisy gradient descent on n records (e_1, 1) under the absolute loss, as a chain of two numbers: nothing of ours.

With v = Φe_1 the law of ⟨w_t, v⟩ depends on the component of w_t along v and on the length of the rest alone: the rest
is spherical, so that a step adds a noncentral χ² to its square.
"""

from __future__ import annotations

import math

import numpy as np


def chain(n: int, k: int, eta: float, sigma: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    """|1 − ⟨w̄, v⟩| of `trials` runs of T = n² iterates, w_1 = 0, projected on the ball of radius 2."""
    length = np.sqrt(rng.chisquare(k, trials) / k)
    along, across, total = np.zeros(trials), np.zeros(trials), np.zeros(trials)
    for _ in range(n * n - 1):
        total += along
        slope = np.where(along * length < 1.0, -length, np.where(along * length > 1.0, length, 0.0))
        along = along - eta * (slope + sigma * rng.standard_normal(trials))
        first = across - eta * sigma * rng.standard_normal(trials)
        across = np.sqrt(first**2 + (eta * sigma) ** 2 * rng.chisquare(k - 2, trials))
        size = np.hypot(along, across)
        shrink = np.minimum(1.0, 2.0 / np.maximum(size, 1e-300))
        along, across = along * shrink, across * shrink
    total += along
    return np.abs(1.0 - total / (n * n) * length)


def step_size(n: int, k: float, epsilon: float, delta: float) -> float:
    """1/(n^{3/2}√(13 + 8kΛ/(nε²))), Λ = log(2/δ): where `before_the_map` is least over η."""
    return 1.0 / (n**1.5 * math.sqrt(13.0 + 8.0 * k * math.log(2.0 / delta) / (n * epsilon**2)))


def before_the_map(
    n: float, k: float, epsilon: float, delta: float, eta: float, *, steps_in_noise: bool = True
) -> float:
    """1/(2ηn²) + (η/2)(12n + 1 + kσ²): stability and regret of T = n² steps; kσ² with T, or as Lemma 8 prints it."""
    noise = 8.0 * k * math.log(2.0 / delta) / epsilon**2 / (1.0 if steps_in_noise else float(n) ** 2)
    return 1.0 / (2.0 * eta * n**2) + 0.5 * eta * (12.0 * n + 1.0 + noise)
