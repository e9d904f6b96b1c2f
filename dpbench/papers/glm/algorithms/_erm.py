"""Regularised empirical risk minimisation over a ball, to a certified distance: the solver of Algorithm 3.

F(w) = L̂(w) + (λ/2)‖w‖² on ‖w‖ ≤ B (B may be infinite). The linear loss has a closed form, the other smooth
losses go to Newton's method (`_erm_newton`, one pass of a kernel over the records a step), many records from a start
that few of them give (`_erm_warm`); the absolute loss is smoothed first (`smoothed`). With more features than records
everything runs in the span of the records. Whatever the route, the distance is certified from all records themselves.

It always answers. Where Newton's method stops short of the target, accelerated gradient steps go on from its point
until the certificate holds (`descend`): F is λ-strongly convex and (H‖X‖² + λ)-smooth, so in exact arithmetic they
end after a number of steps that the declared bounds give. In floating point the certificate is above the distance by
its own rounding, which `certificate_rounding` bounds before any data are seen; who asks for less than twice that is
to be refused beforehand, whatever the data are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.algorithms._erm_ball import into_ball
from dpbench.papers.glm.algorithms._erm_newton import Found, certified_distance, descend, newton
from dpbench.papers.glm.algorithms._erm_passes import Records, tour
from dpbench.papers.glm.losses import Loss, loss_curvature
from dpbench.papers.glm.problem import GLMProblem

_SIDE_LIMIT = 5000  # min(n, d): the Hessian is dense, and its Cholesky factor costs a third of the cube
_DENSE_LIMIT = 2**27  # entries of a sparse X that may be made dense to find the span of few records
_EPS = float(np.finfo(float).eps)
_NEWTON_STEPS = 100
_WARM_STEPS = 20  # from a good start; else the search begins again


@dataclass(frozen=True)
class Minimiser:
    """A point, and how far it can be from the exact minimiser.

    Attributes
    ----------
    w : ndarray, shape (d,)
    distance : float
        Certified bound on ‖w − argmin F‖.
    """

    w: np.ndarray
    distance: float


def minimise(problem: GLMProblem, regularization: float, radius: float, target: float) -> Minimiser:
    """argmin of L̂(w) + (λ/2)‖w‖² over ‖w‖ ≤ `radius`, until the certificate is at most `target` (or stalls).

    Parameters
    ----------
    problem : GLMProblem
    regularization : float
        λ > 0.
    radius : float
        B, or ``math.inf``.
    target : float
        The certified distance that is enough.
    """
    with one_blas_thread():
        if problem.loss.affine:
            cross = problem.X.T @ problem.y / problem.n
            w = into_ball(cross / regularization, radius)
            distance = _distance(problem, regularization * w - cross, w, regularization, radius)
            return Minimiser(w, distance + _rounding(problem, float(np.abs(problem.y).mean()), w, regularization))
        data, basis = _in_span(problem)
        found = _search(data, problem.loss, regularization, radius, target)
        made = _back(problem, basis, found, regularization, radius)
        if made.distance <= target:
            return made
        aim = 0.5 * target  # the rest of the target is for the rounding that the certificate adds
        closer = descend(data, problem.loss, regularization, radius, aim, found.w)
        other = _back(problem, basis, closer, regularization, radius)
        return min(made, other, key=lambda found: found.distance)


def smoothed(problem: GLMProblem, width: float) -> GLMProblem:
    """The problem with a loss φ that has a corner replaced by κφ_κ, κ = `width`, its `smoothing`.

    For the absolute loss |r| Huber's: r²/2 up to κ, κ|r| − κ²/2 beyond. The minimiser with κλ is that of
    mean φ_κ + (λ/2)‖w‖², whose gradients are no longer than those of φ. As φ_κ ≤ φ ≤ φ_κ + κG²/2, the two minimisers
    are within G√(κ/λ) of each other.
    """
    return problem.with_loss(problem.loss.smoothing(width))


def certificate_rounding(slope: float, curvature: float, x_bound: float, n: int, lam: float, radius: float) -> float:
    """What rounding adds to the certificate at most, for any records: sup |φ'|, sup φ'', ‖X‖, n, λ and ‖w‖ ≤ B."""
    size = x_bound * slope + (curvature * x_bound**2 + 2.0 * lam) * radius
    return _EPS * (64.0 + math.sqrt(n)) * size / lam


def _search(data: Records, loss: Loss, lam: float, radius: float, target: float) -> Found:
    """Newton's method from a start that few of the records give, or from 0 where that does not lead to the target.

    0 itself for a loss without a second derivative: gradient steps go on from there.
    """
    zero = np.zeros(data.X.shape[1])
    if math.isnan(loss_curvature(loss.code, loss.parameter, 0.0, 1.0)):
        return Found(zero, math.inf, 0.0)
    from dpbench.papers.glm.algorithms._erm_warm import warm_start

    start = warm_start(data, loss, lam, radius, target)
    if start is not None:
        found = newton(data, loss, lam, radius, target, start, _WARM_STEPS, near=True)
        if found.distance <= target:
            return found
    return _staged_newton(data, loss, lam, radius, target, zero)


def _staged_newton(data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray) -> Found:
    """Newton's method from w; a loss of a family of smoothings with a κ that falls to its own, λ/κ held."""
    from dpbench.papers.glm.algorithms._erm_warm import stages

    for wide, factor in stages(loss, data.y_bound):
        coarse = max(target, 1e-2 * wide.parameter / data.x_bound)
        w = newton(data, wide, factor * lam, radius, coarse, w, _NEWTON_STEPS).w
    return newton(data, loss, lam, radius, target, w, _NEWTON_STEPS)


def _back(problem: GLMProblem, basis: np.ndarray | None, found: Found, lam: float, radius: float) -> Minimiser:
    """The point in all coordinates, with its certificate and an allowance for the rounding of the residual."""
    if basis is not None or not math.isfinite(found.distance):
        w = found.w if basis is None else into_ball(basis @ found.w, radius)
        here = tour(_records(problem), problem.loss, w, curved=False)
        found = Found(w, _distance(problem, here.gradient + lam * w, w, lam, radius), here.steepness)
    return Minimiser(found.w, found.distance + _rounding(problem, found.steepness, found.w, lam))


def _distance(problem: GLMProblem, residual: np.ndarray, w: np.ndarray, lam: float, radius: float) -> float:
    return certified_distance(residual, 0.0, w, lam, radius, problem.loss.smoothness * problem.x_bound**2)


def _rounding(problem: GLMProblem, steepness: float, w: np.ndarray, lam: float) -> float:
    p = problem
    return certificate_rounding(steepness, p.loss.smoothness, p.x_bound, p.n, lam, math.sqrt(w @ w))


def _records(problem: GLMProblem) -> Records:
    return Records(problem.X, problem.y, problem.x_bound, None, problem.n)


def _in_span(problem: GLMProblem) -> tuple[Records, np.ndarray | None]:
    """The records in coordinates of their span, and the basis that leads back, if n < d; else as is."""
    n, d = problem.X.shape
    if min(n, d) > _SIDE_LIMIT:
        raise InvalidInput(f"X must have a side of at most {_SIDE_LIMIT} rows or columns, got {n} by {d}")
    if d <= n:
        second = problem.moments[0] if problem.loss.quadratic else None
        return replace(_records(problem), second=second), None
    if problem.sparse and n * d > _DENSE_LIMIT:
        raise InvalidInput(f"X must have at most {_DENSE_LIMIT} entries when made dense, got {n} by {d}")
    dense = problem.X.toarray() if problem.sparse else problem.X
    import scipy.linalg as linalg  # of wide problems alone: it takes longer to import than most entries need

    basis, triangle = linalg.qr(dense.T, mode="economic")
    X = np.ascontiguousarray(triangle.T)
    return Records(X, problem.y, problem.x_bound, X.T @ X / n if problem.loss.quadratic else None, n), basis
