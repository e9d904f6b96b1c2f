"""Data made to break a solver: lattices at mixed scales, collinear and tied records, denormals, the bounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

KINDS = ("lattice", "collinear", "tied", "denormal", "at the bounds", "nearly equal")
BLOCK = 20 * len(KINDS)
"""Pairs that are drawn at once, of every kind in turn."""

LARGEST = 8


def records(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Features of shape (..., n, d) and norm at most 1, and labels (..., n) in [−1, 1]: many data sets of one kind."""
    *_, n, d = shape
    each, one, column = shape[:-1], (*shape[:-2], 1, d), (*shape[:-1], 1)
    X = rng.integers(-2, 3, shape).astype(float)
    y = rng.integers(-2, 3, each) / 2.0
    if kind == "lattice":
        X *= 10.0 ** rng.integers(-12, 1, column)
        y *= 10.0 ** rng.integers(-12, 1, each)
    elif kind == "collinear":
        X = rng.integers(-2, 3, column) * rng.standard_normal(one) + 1e-9 * rng.integers(-1, 2, shape)
    elif kind == "tied":
        X = np.take_along_axis(X, rng.integers(0, 2, each)[..., None] % n, -2)
        y = np.take_along_axis(y, rng.integers(0, 2, each) % n, -1)
    elif kind == "denormal":
        X = np.where(rng.random(shape) < 0.7, X * 1e-310, X)
        y = np.where(rng.random(each) < 0.5, y * 1e-310, y)
    elif kind == "at the bounds":
        X, y = rng.standard_normal(shape), rng.choice([-1.0, 1.0], each)
        X /= np.maximum(np.linalg.norm(X, axis=-1, keepdims=True), 1e-300)
    elif kind == "nearly equal":
        X = rng.standard_normal(one) + 1e-15 * rng.integers(-3, 4, shape)
        y = np.clip(0.5 + 1e-16 * rng.integers(-3, 4, each), -1.0, 1.0)
    return X, y


def bounded(X: np.ndarray) -> np.ndarray:
    """The rows scaled to norm at most 1, shape (..., n, d)."""
    return np.asarray(X / np.maximum(np.linalg.norm(X, axis=-1, keepdims=True), 1.0) * (1.0 - 1e-15))


Sets = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.random.Generator]


def neighbours(block: int, dimensions: int, seed: int, size: int | None = None) -> Iterator[Sets]:
    """Block number `block` of data sets X, y of 1 to 8 records (or `size`), each with one whose record 0 differs.

    Yields X, y, the neighbour's X and y, and the block's generator for whatever else is to vary.
    """
    rng = np.random.default_rng([seed, size or 0, block])
    largest = size or LARGEST
    n = rng.integers(1, LARGEST + 1, BLOCK) if size is None else np.full(BLOCK, size)
    d = rng.integers(1, dimensions + 1, BLOCK)
    X, y = np.empty((BLOCK, largest, dimensions)), np.empty((BLOCK, largest))
    for number, kind in enumerate(KINDS):
        X[number :: len(KINDS)], y[number :: len(KINDS)] = records(kind, X[:: len(KINDS)].shape, rng)
    other = rng.integers(len(KINDS), size=BLOCK)
    first = [records(kind, (BLOCK, 1, dimensions), rng) for kind in KINDS]
    x, label = (np.array(part) for part in zip(*first, strict=True))
    shown = np.arange(dimensions) < d[:, None, None]
    X, x = bounded(X * shown), bounded(x[other, np.arange(BLOCK)] * shown)
    near_X, near_y = X.copy(), y.copy()
    near_X[:, :1], near_y[:, :1] = x, label[other, np.arange(BLOCK)]
    for made in zip(X, y, near_X, near_y, n, d, strict=True):
        *sides, rows, width = made
        one, labels, near, near_labels = (part[:rows, :width] if part.ndim == 2 else part[:rows] for part in sides)
        yield one, labels, near, near_labels, rng
