"""Regularised risk minimisation over a ball, slowly: L̂(w) + (λ/2)‖w‖² as Algorithm 3 of the GLM paper has it.

Smooth losses: projected gradient steps in extended precision. Absolute loss: every pattern of signs of the residuals
(−, 0, +) is tried; the minimiser is the best of the points that the patterns determine.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from naive.losses import curvature, slopes

WIDE = np.longdouble


def sums(
    name: str, parameter: float, X: np.ndarray, y: np.ndarray, w: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """z_i = ⟨w, x_i⟩, Σ c_i φ'x_i, Σ c_i φ''x_i x_i' and Σ c_i|φ'|, one record at a time in extended precision."""
    d = X.shape[1]
    scores, gradient, hessian = np.zeros(len(y)), np.zeros(d, dtype=WIDE), np.zeros((d, d), dtype=WIDE)
    steepness = WIDE(0)
    for i, (x, label, count) in enumerate(zip(X.astype(WIDE), y, counts, strict=True)):
        scores[i] = sum((a * WIDE(b) for a, b in zip(x, w, strict=True)), WIDE(0))
        slope = WIDE(count) * slopes(name, parameter, scores[i], label)
        bend = WIDE(count) * curvature(name, parameter, scores[i], label)
        steepness += abs(slope)
        for a in range(d):
            gradient[a] += slope * x[a]
            for b in range(d):
                hessian[a, b] += bend * x[a] * x[b]
    return scores, gradient.astype(float), hessian.astype(float), float(steepness)


def smooth_minimiser(
    name: str, parameter: float, smoothness: float, X: np.ndarray, y: np.ndarray, lam: float, radius: float
) -> np.ndarray:
    """w_{t+1} = Π(w_t − ∇F(w_t)/(H·max‖x‖² + λ)) until it stands still: it contracts by 1 − λ/(H·max‖x‖² + λ)."""
    X, y, lam = X.astype(WIDE), y.astype(WIDE), WIDE(lam)
    curvature = WIDE(smoothness) * max(row @ row for row in X) + lam
    w = np.zeros(X.shape[1], dtype=WIDE)
    for _ in range(20_000):
        rate = slopes(name, parameter, X @ w, y)
        moved = w - ((rate[:, None] * X).sum(axis=0) / len(y) + lam * w) / curvature
        length = np.sqrt(moved @ moved)
        moved = moved if length <= radius else moved * (WIDE(radius) / length)
        if np.abs(moved - w).max() <= 1e-19 * max(1.0, float(length)):
            break
        w = moved
    return moved.astype(float)


def absolute_value(X: np.ndarray, y: np.ndarray, lam: float, w: np.ndarray) -> float:
    """Mean of |⟨w, x_i⟩ − y_i|, plus λ‖w‖²/2."""
    return math.fsum(abs(float(x @ w) - t) for x, t in zip(X, y, strict=True)) / len(y) + lam * float(w @ w) / 2


def absolute_minimiser(X: np.ndarray, y: np.ndarray, lam: float, radius: float) -> np.ndarray:
    """The best over the 3^n patterns of: minimise the linear function plus λ‖w‖²/2 on {residual 0} and the ball."""
    best, least = np.zeros(X.shape[1]), absolute_value(X, y, lam, np.zeros(X.shape[1]))
    for signs in itertools.product((-1, 0, 1), repeat=len(y)):
        at = np.array([s == 0 for s in signs])
        if at.sum() > X.shape[1]:
            continue
        pull = np.array(signs) @ X / len(y)
        fixed, across = np.zeros(X.shape[1]), np.eye(X.shape[1])
        if at.any():
            inverse = np.linalg.pinv(X[at])
            fixed, across = inverse @ y[at], np.eye(X.shape[1]) - inverse @ X[at]
            if np.abs(X[at] @ fixed - y[at]).max() > 1e-9:
                continue
        w = fixed - across @ pull / lam
        if np.linalg.norm(w) > radius:
            if np.linalg.norm(fixed) > radius:
                continue
            low, high = lam, lam + np.linalg.norm(pull) / 1e-9
            for _ in range(200):  # the multiplier that puts the point on the sphere
                middle = (low + high) / 2
                outside = np.linalg.norm(fixed - across @ pull / middle) > radius
                low, high = (middle, high) if outside else (low, middle)
            w = fixed - across @ pull / high
        value = absolute_value(X, y, lam, w)
        if value < least:
            best, least = w, value
    return best
