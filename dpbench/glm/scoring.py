"""Disjoint parts of a data set, and losses on one of them clipped to their range over the ball.

What grid search and boosting share. Clipping makes the privacy of a selection unconditional: a model outside the
ball (output perturbation adds noise after the projection) has losses without a bound, but no clipped loss leaves
the range that the losses of the ball have, so that one record moves a mean over n of them by at most its length/n.
"""

from __future__ import annotations

import math
import threading
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dpbench import validation
from dpbench.losses import CAPPED_LINEAR, LINEAR, LOGISTIC, SQUARED, Loss
from dpbench.problems import GLMProblem

_ROUNDING = 1e-12  # a projection may leave a model outside the ball by rounding: it counts as inside
_ENTRIES = 4_000_000  # of a tile of losses, trials × records
_MOMENTS = 4096  # up to this dimension a d × d matrix of moments is worth having
_parts: WeakKeyDictionary[GLMProblem, dict[Any, tuple[tuple[GLMProblem, ...], ...]]] = WeakKeyDictionary()
_lock = threading.Lock()


def loss_range(loss: Loss, y_bound: float, reach: float) -> tuple[float, float]:
    """Infimum and supremum of φ(z, y) over |z| ≤ `reach` = B‖X‖ and the labels |y| ≤ `y_bound`; both attained.

    For a non-negative smooth loss the supremum is at most (‖Y‖ + √(H/2)·reach)² ≤ 2‖Y‖² + H·reach².
    """
    if loss.code == LINEAR:
        return -y_bound * reach, y_bound * reach
    if loss.code == LOGISTIC:
        return math.log1p(math.exp(-reach)), reach + math.log1p(math.exp(-reach))
    high = float(loss.value(np.array([reach]), np.array([-y_bound]))[0])
    if loss.code == CAPPED_LINEAR:  # beyond its linear part the steepest labels are those near 0
        high = max(high, 0.5 * max(0.0, reach - loss.parameter) ** 2)
    return 0.0, high


def clipped_risk(problem: GLMProblem, outputs: np.ndarray) -> np.ndarray:
    """The mean over the records of φ clipped to `loss_range`, for each row of `outputs`: shape (trials,).

    A model inside the problem's ball is never clipped, so a quadratic loss needs its sufficient statistics only.
    """
    low, high = loss_range(problem.loss, problem.y_bound, problem.radius * problem.x_bound)
    found = np.empty(outputs.shape[0])
    inside = np.zeros(outputs.shape[0], dtype=bool)
    if _has_moments(problem):
        inside = np.linalg.norm(outputs, axis=1) <= problem.radius * (1.0 + _ROUNDING)
        found[inside] = _quadratic_risk(problem, outputs[inside])
    rest = np.flatnonzero(~inside)
    rows = max(1, _ENTRIES // problem.n)
    for start in range(0, rest.size, rows):
        tile = rest[start : start + rows]
        losses = problem.loss.value(problem.predictions(outputs[tile]), problem.y)
        found[tile] = np.clip(losses, low, high).mean(axis=1)
    return np.clip(found, low, high)


def split(problem: GLMProblem, count: int, radii: tuple[float, ...]) -> tuple[tuple[GLMProblem, ...], ...]:
    """`count` nearly equal parts of consecutive records, each with every radius: ``parts[i][j]``.

    The cuts depend on n alone. Kept while `problem` lives, so that blocks of trials share what is computed of a
    part; the radii of a part share its moments.
    """
    if problem.n < count:
        raise validation.invalid("problem", f"of at least {count} records, one for each part", problem.n)
    with _lock:
        known = _parts.setdefault(problem, {})
        key = (count, radii)
        if key not in known:
            edges = [i * problem.n // count for i in range(count + 1)]
            known[key] = tuple(_with_radii(problem.records(a, b), radii) for a, b in pairwise(edges))
        return known[key]


def _with_radii(part: GLMProblem, radii: tuple[float, ...]) -> tuple[GLMProblem, ...]:
    if _has_moments(part):
        _ = part.moments if part.loss.code == LINEAR else part.axes
    return tuple(part.with_radius(radius) for radius in radii)


def _has_moments(problem: GLMProblem) -> bool:
    return problem.loss.quadratic and problem.d <= min(problem.n, _MOMENTS)


def _quadratic_risk(problem: GLMProblem, w: np.ndarray) -> np.ndarray:
    second, cross, square = problem.moments
    if problem.loss.code == LINEAR:
        return -(w @ cross)
    risk = np.einsum("ij,ij->i", w @ second, w) - 2.0 * (w @ cross) + square
    return risk if problem.loss.code == SQUARED else 0.5 * risk
