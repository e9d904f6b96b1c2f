"""Gaussian processes on finite sets of the plane: what Theorem 5 and Corollary 1 measure alike."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

ROOT_2PI = math.sqrt(2.0 * math.pi)
_ANGLES = 2000
Rays = tuple[np.ndarray, np.ndarray]
"""Unit vectors, shape (angles, 2), and radii at which an event may change, shape (angles, changes)."""


def on_rays(rays: Rays, holds: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> tuple[float, float]:
    """P(event), and what the directions leave open: the difference of the two rules of every second direction.

    Of g standard normal in the plane, whose radius and angle are independent, P(|g| > R) = e^(−R²/2): exact along
    each direction.

    `holds` takes radii between two changes, shape (angles, 1 + changes), and the unit vectors.
    """
    units, changes = rays
    radii = np.sort(np.where(np.isfinite(changes) & (changes > 0.0), changes, 0.0), axis=1)
    low = np.concatenate([np.zeros((len(units), 1)), radii], axis=1)
    high = np.concatenate([radii, np.full((len(units), 1), np.inf)], axis=1)
    middle = np.where(np.isinf(high), low + 1.0, 0.5 * (low + high))
    weight = np.exp(-0.5 * low**2) - np.exp(-0.5 * high**2)
    chances = (weight * holds(middle, units)).sum(axis=1)
    return float(chances.mean()), abs(float(chances[::2].mean() - chances[1::2].mean()))


def units_of_the_plane() -> np.ndarray:
    """`_ANGLES` directions, in the middle of equal parts of the circle."""
    angle = (np.arange(_ANGLES) + 0.5) * (2.0 * math.pi / _ANGLES)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def plane_supremum(points: np.ndarray) -> float:
    """E max_t <x_t, g> in the plane: the mean radius √(π/2) times the mean over directions."""
    return math.sqrt(math.pi / 2.0) * float((units_of_the_plane() @ points.T).max(axis=1).mean())


def planar_case(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Three to five points of the plane with norms 0.3 to 1, and means."""
    size = int(rng.integers(3, 6))
    points = rng.standard_normal((size, 2))
    points *= (rng.uniform(0.3, 1.0, size) / np.linalg.norm(points, axis=1))[:, None]
    return points, rng.uniform(-0.3, 0.3, size)
