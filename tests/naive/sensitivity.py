"""Search for the pair of records whose gradients differ most: random starts, then hill climbing. A lower bound on D.

A pair is (length of w, angle, length and label of each record), everything as a fraction of its bound; the
gradient of φ(⟨w, x⟩, y) is written from the definition of each loss (`naive.losses`).
"""

from __future__ import annotations

import numpy as np
from naive.losses import slopes


def gaps(
    name: str,
    parameter: float,
    x_bound: float,
    y_bound: float,
    radius: float,
    d: int,
    pairs: np.ndarray,
    binary: bool = False,
) -> np.ndarray:
    """‖∇ℓ(w; z) − ∇ℓ(w; z')‖ for each column (length of w; angle/π, length, label; angle/π, length, label)."""
    ends = []
    for angle, length, label in (pairs[1:4], pairs[4:7]):
        along, across = np.cos(np.pi * angle), np.sin(np.pi * angle)
        if d == 1:
            along, across = np.where(along < 0, -1.0, 1.0), 0.0 * across
        label = np.where(label < 0, -1.0, 1.0) if binary else label
        rate = slopes(name, parameter, pairs[0] * radius * length * x_bound * along, label * y_bound)
        ends.append(np.array([rate * length * along, rate * length * across]))
    return x_bound * np.linalg.norm(ends[0] - ends[1], axis=0)


def largest_gap(
    name: str,
    parameter: float,
    x_bound: float,
    y_bound: float,
    radius: float,
    d: int,
    rng: np.random.Generator,
    binary: bool = False,
) -> float:
    """The largest difference found: 20,000 random pairs, a third of whose entries sit at a bound, then 90 rounds."""
    low, high = np.array([[0, -1, 0, -1, -1, 0, -1.0]]).T, np.ones((7, 1))
    pairs = low + (high - low) * rng.random((7, 20_000))
    extreme = np.where(rng.random(pairs.shape) < 0.5, low, high)
    pairs = np.where(rng.random(pairs.shape) < 0.33, extreme, pairs)
    spread = 0.3
    for _ in range(90):
        values = gaps(name, parameter, x_bound, y_bound, radius, d, pairs, binary)
        best = pairs[:, np.argsort(values)[-60:]]
        step = spread * rng.standard_normal((7, 3_000)) * (rng.random((7, 3_000)) < 0.5)
        moved = np.clip(best[:, rng.integers(0, 60, 3_000)] + step, low, high)
        pairs, spread = np.concatenate([best, moved], axis=1), 0.82 * spread
    return float(gaps(name, parameter, x_bound, y_bound, radius, d, pairs, binary).max())
