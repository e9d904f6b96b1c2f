"""The absolute loss over a ball: smoothing that is carried to the exact solution (Madsen & Nielsen 1993).

|r| is smoothed to r²/(2κ) for |r| < κ; as κ falls, the records that stay inside are those with residual
0 at the solution (at most d in general position). Once that set A is found, the optimality conditions
are linear: X_A w = y_A, the other records keep the sign s of their residual, and for some |α_i| ≤ 1 on
A and μ = λ + ν ≥ λ
    (X_A'α + X_N's)/n + μw = 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg, sparse

from dpbench.glm._erm_newton import Curve, Records, certified_distance, into_ball, newton
from dpbench.losses import Loss

_FALL = 0.1  # κ's factor from one stage to the next
_STAGES = 17
_SET_LIMIT = 2**24  # entries of X_A that are decomposed at once


def absolute_minimiser(
    data: Records, loss: Loss, lam: float, radius: float, target: float
) -> tuple[np.ndarray, np.ndarray]:
    """The minimiser, and the slopes c_i (subgradients up to a slack) that certify it; best of all stages."""
    w = np.zeros(data.X.shape[1])
    kappa = max(float(np.abs(data.y).max()), 1e-300)
    best, slopes, least = w, np.zeros(data.n), math.inf
    before: Any = None
    for _ in range(_STAGES):
        w = newton(data, Curve(loss, kappa), lam, radius, max(0.1 * target, 1e-2 * kappa / data.x_bound), w)
        residual = data.X @ w - data.y
        smoothed = np.clip(residual / kappa, -1.0, 1.0)
        candidates = [(w, smoothed)]
        inside = np.flatnonzero(np.abs(smoothed) < 1.0)
        settled = before is not None and np.array_equal(inside, before)
        if (settled or inside.size <= w.size) and inside.size * w.size <= _SET_LIMIT:
            solved = _on_zero_set(data, smoothed, inside, lam, radius)
            candidates += [] if solved is None else [solved]
        for point, c in candidates:
            distance = _distance(data, point, c, lam, radius)
            if distance < least:
                best, slopes, least = point, c, distance
        if least <= 0.5 * target:
            break
        before, kappa = inside, _FALL * kappa
    return best, slopes


def _distance(data: Records, w: np.ndarray, slopes: np.ndarray, lam: float, radius: float) -> float:
    errors = data.X @ w - data.y
    slack = float((np.abs(errors) - slopes * errors).mean())
    return certified_distance(data.X.T @ slopes / data.n + lam * w, slack, w, lam, radius, 0.0)


def _on_zero_set(
    data: Records, smoothed: np.ndarray, inside: np.ndarray, lam: float, radius: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Solve the conditions above for the set `inside`; None where no point of the ball meets them."""
    rows = data.X[inside]
    rows = rows.toarray() if sparse.issparse(rows) else rows
    outside = smoothed.copy()
    outside[inside] = 0.0
    pull = data.X.T @ outside / data.n
    w, span = np.zeros(rows.shape[1]), np.zeros((0, rows.shape[1]))
    if inside.size:
        left, values, right = linalg.svd(rows, full_matrices=False)
        rank = int((values > 1e-10 * values[0]).sum()) if values[0] > 0.0 else 0
        left, values, span = left[:, :rank], values[:rank], right[:rank]
        w = span.T @ ((left.T @ data.y[inside]) / values)
        w += span.T @ ((left.T @ (data.y[inside] - rows @ w)) / values)
    free = pull - span.T @ (span @ pull)
    free -= span.T @ (span @ free)
    fixed_norm, free_norm = float(np.linalg.norm(w)), float(np.linalg.norm(free))
    multiplier = lam
    if math.hypot(fixed_norm, free_norm / lam) > radius:
        if fixed_norm > radius * (1.0 + 1e-12):
            return None
        room = math.sqrt(max((radius - fixed_norm) * (radius + fixed_norm), 0.0))
        multiplier = free_norm / room if room > 0.0 else math.inf
        if not math.isfinite(multiplier):
            return None
    w = into_ball(w - free / multiplier, radius, on_sphere=multiplier > lam)
    slopes = outside
    slopes[inside] = smoothed[inside]
    if inside.size:
        missing = -data.n * (multiplier * w + data.X.T @ slopes / data.n)
        slopes[inside] = np.clip(slopes[inside] + left @ ((span @ missing) / values), -1.0, 1.0)
    return w, slopes
