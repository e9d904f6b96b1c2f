"""The centres of output perturbation, kept by problem and parameters: each is solved once."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from typing import Any

from dpbench.convex.solver import LARGEST_SIDE, Curve, Objective, Point, minimise
from dpbench.papers.glm.problem import GLMProblem

_KEPT = 256  # centres kept, the least recently used dropped first
centres: OrderedDict[tuple[object, ...], Point] = OrderedDict()
_lock = threading.Lock()


def minimiser_of(mechanism: Any, problem: GLMProblem) -> Point:
    """The mechanism's centre on the problem, and how far it can be from the exact one."""
    mechanism._check_certifiable(problem)
    lam, tau = mechanism.lam(problem), mechanism.tau(problem)
    radius = problem.radius if mechanism.constrained else math.inf
    key = problem.digest, lam, radius, tau
    with _lock:
        centre = centres.get(key)
        if centre is not None:
            centres.move_to_end(key)
            return centre
    centre = minimise(objective(problem, lam, radius, mechanism.smoothing(problem)), tau)
    centre.w.flags.writeable = False
    with _lock:
        centres[key] = centre
        while len(centres) > _KEPT:
            centres.popitem(last=False)
    return centre


def objective(problem: GLMProblem, lam: float, radius: float, kappa: float = 0.0) -> Objective:
    """L̂(w) + (λ/2)‖w‖² over ‖w‖ ≤ `radius`, for a loss with a corner with its smoothing φ_κ, times κ = `kappa`.

    For the absolute loss |r|, κφ_κ is Huber's loss: r²/2 up to κ, κ|r| − κ²/2 beyond. As φ_κ ≤ φ ≤ φ_κ + κG²/2, the two
    minimisers are within G√(κ/λ) of each other.
    """
    p, loss = problem, problem.loss.smoothing(kappa) if kappa > 0.0 else problem.loss
    curve = Curve(loss.code, loss.parameter, loss.smoothness)
    second = loss.smoothness * p.second if loss.quadratic and p.d <= min(p.n, LARGEST_SIDE) else None
    return Objective(p.X, p.y, curve, p.x_bound, radius, 1.0 / p.n, lam * (kappa or 1.0), second=second)
