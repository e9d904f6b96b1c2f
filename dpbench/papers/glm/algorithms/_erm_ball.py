"""Points of a ball: the least of a quadratic over it (Moré & Sorensen 1983), and the nearest to a point.

LAPACK's routines are called as they are: on small matrices what SciPy does around them takes longer than they do.
"""

from __future__ import annotations

import math

import numpy as np

_EPS = float(np.finfo(float).eps)
_LIFTS = 20  # the last lift is a thousand times the trace


def quadratic_over_ball(matrix: np.ndarray, pull: np.ndarray, radius: float) -> np.ndarray:
    """argmin of ½u'Au − b'u over ‖u‖ ≤ B; Newton on 1/‖u(ν)‖ = 1/B rises to the root."""
    import scipy.linalg.lapack as lapack  # of curved losses alone: it takes longer to import than most entries need

    shift, shifted = 0.0, matrix
    factor = _factored(matrix)
    for _ in range(100):
        u, _ = lapack.dpotrs(factor, pull, lower=1)
        norm = float(np.linalg.norm(u))
        if norm <= radius * (1.0 + 1e-14) or not math.isfinite(radius):
            break
        half, _ = lapack.dtrtrs(factor, u, lower=1)
        rise = (norm / radius - 1.0) * (norm / float(np.linalg.norm(half))) ** 2
        if shift + rise == shift:
            break
        shift += rise
        shifted = matrix + shift * np.eye(matrix.shape[0])
        factor = _factored(shifted)
    return into_ball(u, radius, on_sphere=shift > 0.0)


def _factored(matrix: np.ndarray) -> np.ndarray:
    """Cholesky's factor; of a matrix that rounding has made singular, with the least multiple of I that lets it be.

    The multiples grow from a rounding of the trace by tens: the step is shorter then, and the next one another.
    """
    import scipy.linalg.lapack as lapack
    from scipy.linalg import LinAlgError

    lift, lifted = 0.0, matrix
    for _ in range(_LIFTS + 1):
        factor, wrong = lapack.dpotrf(lifted, lower=1)
        if not wrong:
            return np.asarray(factor)
        lift = max(10.0 * lift, _EPS * float(np.trace(matrix)), 1e-300)
        lifted = matrix + lift * np.eye(matrix.shape[0])
    raise LinAlgError("the matrix is not one of a convex quadratic")


def into_ball(w: np.ndarray, radius: float, on_sphere: bool = False) -> np.ndarray:
    """w, scaled to the sphere if outside (or if it is meant to lie there), never beyond it by a rounding."""
    norm = float(np.linalg.norm(w))
    if norm > radius or on_sphere:
        w = w * (radius / norm)
        while float(np.linalg.norm(w)) > radius:
            w = w * (1.0 - _EPS)
    return w
