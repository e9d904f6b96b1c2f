"""Kernels that the package does without: what noisy max and the heavy-tailed baselines would gain from them.

``python -m studies.solver --rest`` measures each beside the package's own code, with the same random numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types

from dpbench.core.kernel import arr, f8, kernel, rng_t
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.papers.heavytail.problem import HeavyTailedProblem


@kernel(types.void(arr(f8, 2), f8, rng_t, arr(f8, 1, True)))
def noisy_max(scores, scale, rng, out):
    """Report noisy max: the least score plus Laplace noise of each row."""
    for row in range(scores.shape[0]):
        best = math.inf
        for i in range(scores.shape[1]):
            value = scores[row, i] + scale * rng.laplace(0.0, 1.0)
            if value < best:
                best, out[row] = value, i


@kernel(types.void(arr(f8, 2), arr(f8, 1), arr(f8, 1), arr(f8, 1), arr(f8, 1, True)), fastmath={"contract", "reassoc"})
def add_subgradients(X, shrink, y, w, out):
    """−Σ sign(y_i − ⟨w, x_i⟩)·shrink_i·x_i in one pass over the records."""
    d = X.shape[1]
    for i in range(X.shape[0]):
        row, residual = X[i], y[i]
        for j in range(d):
            residual -= row[j] * w[j]
        share = -shrink[i] if residual > 0.0 else (shrink[i] if residual < 0.0 else 0.0)
        for j in range(d):
            out[j] += share * row[j]


def subgradient(
    mechanism: ClippedSubgradient, problem: HeavyTailedProblem, trials: int, rng: np.random.Generator
) -> np.ndarray:
    """`ClippedSubgradient` on the ball in floating point, by that kernel and with the same noise."""
    clip, n, d, steps = mechanism.bound(problem), problem.n, problem.d, mechanism.steps
    scale = 2.0 * clip * steps / (n * mechanism.epsilon)
    size = 2.0 * problem.radius / (math.hypot(clip, scale * d) * math.sqrt(steps))
    shrink = np.minimum(1.0, clip / np.maximum(np.linalg.norm(problem.X, axis=1), 1e-300))
    out = np.empty((trials, d))
    for row in out:
        w, total = np.zeros(d), np.zeros(d)
        for _ in range(steps):
            total += w
            direction, slope = rng.standard_normal(d), np.zeros(d)
            noise = direction / np.linalg.norm(direction) * rng.gamma(d, scale)
            add_subgradients(problem.X, shrink, problem.y, w, slope)
            w = w - size * (noise + slope / n)
            w = w * min(1.0, problem.radius / max(float(np.linalg.norm(w)), 1e-300))
        row[:] = total / steps
    return out
