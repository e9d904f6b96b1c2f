"""The centres of output perturbation, kept by problem and parameters: each is solved once, and many in one call."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from dpbench.papers.glm.algorithms._erm import Minimiser, minimise, smoothed
from dpbench.papers.glm.problem import GLMProblem

_KEPT = 256  # centres kept, the least recently used dropped first
centres: OrderedDict[tuple[object, ...], Minimiser] = OrderedDict()
_lock = threading.Lock()


def minimiser_of(mechanism: Any, problem: GLMProblem) -> Minimiser:
    """The mechanism's centre on the problem, and how far it can be from the exact one."""
    mechanism._check_certifiable(problem)
    key = _key(mechanism, problem)
    with _lock:
        found = centres.get(key)
        if found is not None:
            centres.move_to_end(key)
    if found is None:
        kappa, radius = mechanism.smoothing(problem), _radius(mechanism, problem)
        lam, tau = mechanism.lam(problem), mechanism.tau(problem)
        if kappa > 0.0:
            found = minimise(smoothed(problem, kappa), kappa * lam, radius, tau)
        else:
            found = minimise(problem, lam, radius, tau)
        _keep(key, found)
    return found


def prepare(mechanism: Any, problems: Sequence[GLMProblem]) -> None:
    """Solve many data sets of one declaration side by side, for the runs on each that follow.

    Parameters
    ----------
    mechanism : OutputPerturbation
    problems : sequence of GLMProblem
        Those that are not alike, or whose centres are known, are left to the runs themselves.
    """
    with _lock:
        new = {key: problem for problem in problems if (key := _key(mechanism, problem)) not in centres}
    if len(new) < 2 or len(new) > _KEPT // 4 or len({_declared(problem) for problem in new.values()}) > 1:
        return
    from dpbench.papers.glm.algorithms._erm_many import minimise_many

    first = next(iter(new.values()))
    mechanism._check_certifiable(first)
    kappa, lam = mechanism.smoothing(first), mechanism.lam(first)
    asked = [smoothed(problem, kappa) if kappa > 0.0 else problem for problem in new.values()]
    made = minimise_many(asked, kappa * lam if kappa > 0.0 else lam, _radius(mechanism, first), mechanism.tau(first))
    for key, found in zip(new, made, strict=True):
        _keep(key, found)


def _declared(problem: GLMProblem) -> tuple[object, ...]:
    p = problem
    return p.n, p.d, p.sparse, p.loss.name, p.loss.parameter, p.x_bound, p.y_bound, p.radius


def _radius(mechanism: Any, problem: GLMProblem) -> float:
    return problem.radius if mechanism.constrained else math.inf


def _key(mechanism: Any, problem: GLMProblem) -> tuple[object, ...]:
    return problem.digest, mechanism.lam(problem), _radius(mechanism, problem), mechanism.tau(problem)


def _keep(key: tuple[object, ...], found: Minimiser) -> None:
    found.w.flags.writeable = False
    with _lock:
        centres[key] = found
        while len(centres) > _KEPT:
            centres.popitem(last=False)
