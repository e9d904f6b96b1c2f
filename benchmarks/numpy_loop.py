"""Noisy gradient descent as one writes it in NumPy: one trial at a time. The yardstick of the ratios."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem

SLOPES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "squared": lambda z, y: 2.0 * (z - y),
    "logistic": lambda z, y: -y / (1.0 + np.exp(y * z)),
}


def one_trial(problem: GLMProblem, mechanism: NoisyGD, noise: Callable[[], np.ndarray]) -> np.ndarray:
    """One output, shape (d,); `noise` gives the standard normals of the next step."""
    X, y, n, radius = problem.X, problem.y, problem.n, problem.radius
    slope, eta, sigma = SLOPES[problem.loss.name], mechanism.eta(problem), mechanism.sigma(problem)
    w, total = np.zeros(problem.d), np.zeros(problem.d)
    steps = mechanism.number_of_steps(problem)
    for _ in range(steps - 1):
        w = w - eta * (X.T @ slope(X @ w, y) / n + sigma * noise())
        norm = np.linalg.norm(w)
        if norm > radius:
            w *= radius / norm
        total += w
    return total / steps


def trials(problem: GLMProblem, mechanism: NoisyGD, count: int, rng: np.random.Generator) -> np.ndarray:
    """Independent outputs, shape (count, d)."""
    return np.array([one_trial(problem, mechanism, lambda: rng.standard_normal(problem.d)) for _ in range(count)])
