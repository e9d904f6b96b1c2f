"""Algorithm 1 of the GLM paper, line by line: one trial, one record at a time, in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

Slope = Callable[[float, float], float]


def noisy_gd(
    X: np.ndarray, y: np.ndarray, slope: Slope, radius: float, step_size: float, xi: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """The iterates w_1 = 0, …, w_T; `xi` holds the T − 1 noise vectors ξ_t, `slope` is ∂φ/∂z."""
    iterates = [np.zeros(X.shape[1])]
    for noise in xi:
        gradient = np.zeros(X.shape[1])
        for x, label in zip(X, y, strict=True):
            prediction = sum(a * b for a, b in zip(x, iterates[-1], strict=True))
            gradient = gradient + slope(float(prediction), float(label)) * x
        moved = iterates[-1] - step_size * (gradient / len(y) + noise)
        iterates.append(project(moved, radius))
    return iterates


def project(w: np.ndarray, radius: float) -> np.ndarray:
    """The point of the ball nearest to w."""
    length = float(np.sqrt(np.sum(w**2)))
    return w if length <= radius else w / length * radius


def summed_in_order(A: np.ndarray, B: np.ndarray, out: np.ndarray, fused: bool) -> np.ndarray:
    """out + AB, each entry one sum in the order of the inner index; with one rounding a term, or two."""
    made = out.copy()
    for (r, k), total in np.ndenumerate(out):
        for a, b in zip(A[r], B[:, k], strict=True):
            total = float(Fraction(a) * Fraction(b) + Fraction(total)) if fused else total + a * b
        made[r, k] = total
    return made


def average(iterates: Sequence[np.ndarray]) -> np.ndarray:
    """(1/T) Σ w_t."""
    return np.sum(iterates, axis=0) / len(iterates)


def draws(rng: np.random.Generator, steps: int, dimension: int, width: int) -> np.ndarray:
    """The standard normals of a block, [step, coordinate, trial], drawn in the order of these axes."""
    return rng.standard_normal((steps - 1, dimension, width))


def distance_of_releases(drift_gap: np.ndarray, steps: int, step_size: float, sigma: float, *, averaged: bool) -> float:
    """Distance, in standard deviations, of two unprojected runs whose constant gradients differ by a gap.

    The iterates are unrolled into one linear map of the noises: mean A(gap, …, gap), covariance σ²AAᵀ.
    """
    unroll = np.zeros((steps, steps - 1))  # row t: how w_t depends on the steps before it
    for t in range(1, steps):
        unroll[t] = unroll[t - 1]
        unroll[t, t - 1] -= step_size
    seen = unroll.mean(axis=0, keepdims=True) if averaged else unroll[1:]
    covariance = sigma**2 * seen @ seen.T
    total = 0.0
    for gap in drift_gap:  # coordinates are independent
        shift = seen @ np.full(steps - 1, gap)
        total += float(shift @ np.linalg.solve(covariance, shift))
    return float(np.sqrt(total))
