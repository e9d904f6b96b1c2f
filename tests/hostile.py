"""Data made to break a solver: lattices at mixed scales, collinear and tied records, denormals, the bounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

KINDS = ("lattice", "collinear", "tied", "denormal", "at the bounds", "nearly equal")


def records(kind: str, n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, d) of norm at most 1 and labels (n,) in [−1, 1]."""
    X = rng.integers(-2, 3, (n, d)).astype(float)
    y = rng.integers(-2, 3, n) / 2.0
    if kind == "lattice":
        X *= 10.0 ** rng.integers(-12, 1, (n, 1))
        y *= 10.0 ** rng.integers(-12, 1, n)
    elif kind == "collinear":
        X = rng.integers(-2, 3, (n, 1)) * rng.standard_normal((1, d)) + 1e-9 * rng.integers(-1, 2, (n, d))
    elif kind == "tied":
        X, y = X[rng.integers(0, 2, n) % n], y[rng.integers(0, 2, n) % n]
    elif kind == "denormal":
        X = np.where(rng.random((n, d)) < 0.7, X * 1e-310, X)
        y = np.where(rng.random(n) < 0.5, y * 1e-310, y)
    elif kind == "at the bounds":
        X, y = rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    elif kind == "nearly equal":
        X = rng.standard_normal((1, d)) + 1e-15 * rng.integers(-3, 4, (n, d))
        y = np.clip(0.5 + 1e-16 * rng.integers(-3, 4, n), -1.0, 1.0)
    longest = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.maximum(longest, 1.0) * (1.0 - 1e-15), y


def neighbours(
    count: int, largest: int, dimensions: int, seed: int, *, size: int | None = None, first: int = 0
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.random.Generator]]:
    """`count` data sets X, y of every kind in turn, from number `first` on, each with one whose record 0 differs.

    Yields X, y, the neighbour's X and y, and the generator for whatever else is to vary.
    """
    for number in range(first, first + count):
        rng = np.random.default_rng([seed, number])
        n = int(rng.integers(1, largest + 1)) if size is None else size
        d = int(rng.integers(1, dimensions + 1))
        X, y = records(KINDS[number % len(KINDS)], n, d, rng)
        other = records(KINDS[int(rng.integers(len(KINDS)))], n, d, rng)
        near_X, near_y = X.copy(), y.copy()
        near_X[0], near_y[0] = other[0][0], other[1][0]
        yield X, y, near_X, near_y, rng
