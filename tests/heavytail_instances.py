"""Small instances for the tests of the heavy-tailed family's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from naive import heavytail as naive

from dpbench.papers.heavytail.problem import HeavyTailedProblem

THETAS = (2.0, 1.75, 1.5, 1.25, 1.3)
IOTA, WEIGHT, SPACING = 0.3, 0.7, 0.125
LOW, HIGH = np.array([[-3, 1], [0, 2], [5, 5], [7, 7]]), np.array([[1, 4], [0, 2], [6, 7], [8, 8]])
SHEAR = np.array([[0.0, 0.6], [0.0, 0.0]])
RESOLUTION, BALL = 10, 1  # the last box lies outside the ball, the third in part


def quarters(theta: float) -> int:
    return {2.0: 8, 1.75: 7, 1.5: 6, 1.25: 5}.get(theta, 0)


def records(theta: float, n: int = 70) -> tuple[np.ndarray, np.ndarray]:
    """Heavy-tailed features, shape (2, n), and responses; a third of them fit w = 0.25 exactly."""
    rng = np.random.default_rng(5)
    X = rng.standard_t(1.5, (2, n))
    return X, 0.25 * X.sum(axis=0) + np.where(np.arange(n) % 3 == 0, 0.0, rng.standard_t(1.5, n))


def in_coordinates(theta: float) -> tuple[Any, ...]:
    """What the tree's kernels take first: the records in its coordinates, and their sizes."""
    X, y = records(theta)
    features = np.ascontiguousarray(np.array(naive.unsheared(X.T.tolist(), SHEAR.tolist())).T)
    return features, y, np.abs(y) + 2.0 * np.abs(features).sum(axis=0)


def lattice_of(theta: float) -> tuple[Any, ...]:
    """And then: the risk, and the net."""
    return IOTA, theta, quarters(theta), WEIGHT, SPACING, RESOLUTION, BALL, SHEAR


def parameters(theta: float) -> tuple[float, float, float, float, int, int]:
    """The same, for the twin."""
    return IOTA, theta, WEIGHT, SPACING, RESOLUTION, BALL


def heavy_tailed(
    d: int, *, n: int = 60, theta: float = 2.0, domain: str = "ball", exact: float = 0.5, seed: int = 2
) -> HeavyTailedProblem:
    """Student's t with 1.5 degrees of freedom; a share `exact` of the responses fits a lattice point."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1.5, (n, d))
    noise = np.where(rng.random(n) < exact, 0.0, rng.standard_t(1.5, n))
    return HeavyTailedProblem(X, X @ np.full(d, 0.25) + noise, radius=1.0, theta=theta, domain=domain)
