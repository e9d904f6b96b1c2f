"""Points of a ball: the least of a quadratic over it (Moré & Sorensen 1983), and the nearest to a point."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

_EPS = float(np.finfo(float).eps)
_LIFTS = 20  # the last lift is a thousand times the trace


def quadratic_over_ball(matrix: np.ndarray, pull: np.ndarray, radius: float) -> np.ndarray:
    """argmin of ½u'Au − b'u over ‖u‖ ≤ B; Newton on 1/‖u(ν)‖ = 1/B rises to the root."""
    shift, shifted = 0.0, matrix
    factor = _factored(matrix)
    for _ in range(100):
        u = linalg.cho_solve(factor, pull, check_finite=False)
        norm = float(np.linalg.norm(u))
        if norm <= radius * (1.0 + 1e-14) or not math.isfinite(radius):
            break
        half = linalg.solve_triangular(factor[0], u, lower=True, check_finite=False)
        rise = (norm / radius - 1.0) * (norm / float(np.linalg.norm(half))) ** 2
        if shift + rise == shift:
            break
        shift += rise
        shifted = matrix + shift * np.eye(matrix.shape[0])
        factor = _factored(shifted)
    return into_ball(u, radius, on_sphere=shift > 0.0)


def _factored(matrix: np.ndarray) -> tuple[np.ndarray, bool]:
    """Cholesky's factor; of a matrix that rounding has made singular, with the least multiple of I that lets it be.

    The multiples grow from a rounding of the trace by tens: the step is shorter then, and the next one another.
    """
    lift, lifted = 0.0, matrix
    for _ in range(_LIFTS):
        try:
            made: tuple[np.ndarray, bool] = linalg.cho_factor(lifted, lower=True, check_finite=False)
            return made
        except linalg.LinAlgError:
            lift = max(10.0 * lift, _EPS * float(np.trace(matrix)), 1e-300)
            lifted = matrix + lift * np.eye(matrix.shape[0])
    made = linalg.cho_factor(lifted, lower=True, check_finite=False)
    return made


def into_ball(w: np.ndarray, radius: float, on_sphere: bool = False) -> np.ndarray:
    """w, scaled to the sphere if outside (or if it is meant to lie there), never beyond it by a rounding."""
    norm = float(np.linalg.norm(w))
    if norm > radius or on_sphere:
        w = w * (radius / norm)
        while float(np.linalg.norm(w)) > radius:
            w = w * (1.0 - _EPS)
    return w
