"""The truncation ψ of equations 6 and 16, and the truncated risk of equation 2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.heavytail.algorithms._score_kernels import truncated_sums
from dpbench.papers.heavytail.problem import HeavyTailedProblem, order

_WORK_PER_CALL = 1e8  # records times points between two returns to Python: a fraction of a second


def psi(x: Any, theta: float = 2.0) -> Any:
    """ψ(x) = −log(1 − x + x^θ/θ) on [0, 1], log θ above 1, odd: equations 6 (θ = 2) and 16."""
    theta = order("theta", theta)
    values = np.asarray(x, dtype=np.float64)
    size = np.minimum(np.abs(values), 1.0)
    truncated = -np.sign(values) * np.log1p(size**theta / theta - size)
    return float(truncated) if truncated.ndim == 0 else truncated


def truncated_risk(problem: HeavyTailedProblem, w: Any, iota: float) -> Any:
    """L̂_ι(w, D) = (1/(nι)) Σ ψ(ι|y_i − ⟨x_i, w⟩|), equation 2: a float, or shape (trials,) for (trials, d)."""
    iota = validation.real("iota", iota, above=0.0)
    rows = validation.array("w", w, ndim=np.ndim(w) if np.ndim(w) in (1, 2) else 2, width=problem.d)
    sums = sums_at(columns(problem), problem.y, np.atleast_2d(rows), iota, problem.theta)
    risks = sums / (problem.n * iota)
    return float(risks[0]) if rows.ndim == 1 else risks


def columns(problem: HeavyTailedProblem) -> np.ndarray:
    """X transposed, shape (d, n): the kernels run along the records."""
    return np.ascontiguousarray(problem.X.T)


def sums_at(columns_of_x: np.ndarray, y: np.ndarray, points: np.ndarray, iota: float, theta: float) -> np.ndarray:
    """Σ_i ψ(ι|y_i − ⟨x_i, w⟩|) for each row w of `points`: shape (points,)."""
    points = np.ascontiguousarray(points)
    out = np.empty(points.shape[0])
    rows = max(1, int(_WORK_PER_CALL / (y.shape[0] * (1 + points.shape[1]))))
    for start in range(0, points.shape[0], rows):
        stop = start + rows
        truncated_sums(columns_of_x, y, points[start:stop], iota, theta, quarters(theta), out[start:stop])
    return out


def quarters(theta: float) -> int:
    """4θ where that is an integer (the power is then made of square roots), else 0."""
    return int(4.0 * theta) if math.fmod(4.0 * theta, 1.0) == 0.0 else 0
