"""Noisy gradient descent on n records (e_1, 1) under the absolute loss, as a chain of two numbers: nothing of ours.

With v = Φe_1 the law of ⟨w_t, v⟩ depends on the component of w_t along v and on the length of the rest alone: the rest
is spherical, so that a step adds a noncentral χ² to its square.
"""

from __future__ import annotations

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
