"""Regularised minimisers of many data sets of one declaration side by side: one pass of the kernel a step for all.

Newton's steps and line searches as in `_erm_newton`, each data set by its own records alone, so that no number depends
on what comes together (but for the last bits where a Hessian of one is singular). A data set whose certificate stalls
leaves for the solver of one (`_erm`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from dpbench.core.blas import one_blas_thread
from dpbench.papers.glm.algorithms._erm import Minimiser, certificate_rounding, minimise
from dpbench.papers.glm.algorithms._erm_ball import quadratic_over_ball
from dpbench.papers.glm.algorithms._erm_newton import certified_distance, line_search, too_long
from dpbench.papers.glm.algorithms._erm_passes import Records, add_up, symmetric
from dpbench.papers.glm.algorithms._erm_warm import FEW, stages
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem

_STEPS = 100
_STALLED = 12  # steps without half the certificate, after which a data set is solved alone


class Batch(NamedTuple):
    """Points, one a data set, their certified distances before rounding, and the mean |φ'| there."""

    w: np.ndarray
    distance: np.ndarray
    steepness: np.ndarray


def minimise_many(
    problems: Sequence[GLMProblem], regularization: float, radius: float, target: float
) -> list[Minimiser]:
    """`minimise` of each: the same certificate and the same target; problems of one n, d, loss and bounds.

    Side by side where a pass over the records of one is shorter than what a step costs besides; else one at a time.
    """
    first = problems[0]
    if len(problems) < 2 or first.n >= FEW or first.d > first.n or first.loss.affine or first.loss.quadratic:
        return [minimise(problem, regularization, radius, target) for problem in problems]
    with one_blas_thread():
        made = _search(problems, regularization, radius, target)
    found = []
    for problem, w, distance, steepness in zip(problems, *made, strict=True):
        length = math.sqrt(float(w @ w))
        rounding = certificate_rounding(
            steepness, first.loss.smoothness, first.x_bound, first.n, regularization, length
        )
        alone = not distance + rounding <= target
        found.append(
            minimise(problem, regularization, radius, target) if alone else Minimiser(w.copy(), distance + rounding)
        )
    return found


def _search(problems: Sequence[GLMProblem], lam: float, radius: float, target: float) -> Batch:
    """From 0; a loss of a family of smoothings with a κ that falls to its own, λ/κ held."""
    first = problems[0]
    stack = sparse.vstack if first.sparse else np.concatenate
    data = Records(
        stack([problem.X for problem in problems]),
        np.concatenate([problem.y for problem in problems]),
        first.x_bound,
        None,
        first.n,
    )
    w = np.zeros((len(problems), first.d))
    for wide, factor in stages(first.loss, first.y_bound):
        w = newton_many(data, wide, factor * lam, radius, max(target, 1e-2 * wide.parameter / first.x_bound), w).w
    return newton_many(data, first.loss, lam, radius, target, w)


def newton_many(data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray) -> Batch:
    """Newton's method from each row of w on its `data.n` records, until the certificate is at most a quarter of
    `target` or stalls; the best points."""
    count, d = w.shape
    smooth, starts = loss.smoothness * data.x_bound**2, np.arange(count + 1) * data.n
    best = Batch(w.copy(), np.full(count, math.inf), np.zeros(count))
    start, move, slope, before = w.copy(), np.zeros((count, d)), np.zeros(count), np.zeros(data.y.size)
    w, live, stalled = w.copy(), np.arange(count), np.zeros(count, dtype=int)
    for _ in range(_STEPS):
        z, sums, squares, totals = add_up(data, loss, True, data.y, starts, live, w)
        gradient = sums[live, :d] / data.n + lam * w[live]
        distance = _distances(gradient, w[live], lam, radius, smooth)
        halved, better = distance <= 0.5 * best.distance[live], distance < best.distance[live]
        end = (gradient * move[live]).sum(axis=1)
        back = np.zeros(live.size, dtype=bool)
        for k in np.flatnonzero(~halved & (end > 0.0)):
            m = live[k]
            back[k] = too_long(data, loss, lam, w[m], move[m], slope[m], end[k])
            if back[k]:
                own = slice(starts[m], starts[m + 1])
                part = replace(data, X=None, y=data.y[own])
                step = line_search(
                    part, loss, lam, start[m], move[m], before[own], z[own] - before[own], slope[m], end[k]
                )
                w[m], move[m] = start[m] + step * move[m], 0.0
        better &= ~back
        chosen = live[better]
        best.w[chosen], best.distance[chosen] = w[chosen], distance[better]
        best.steepness[chosen] = totals[chosen] / data.n
        stalled[live[~back]] = np.where(halved, 0, stalled[live] + 1)[~back]
        going = back | ((distance > 0.25 * target) & (stalled[live] < _STALLED))
        straight = live[going & ~back]
        if straight.size:
            slopes = gradient[going & ~back]
            hessian = symmetric(squares[straight, :d, :d] / data.n) + lam * np.eye(d)
            pull = (hessian @ w[straight][:, :, None])[:, :, 0] - slopes
            try:
                there = np.linalg.solve(hessian, pull[:, :, None])[:, :, 0]
            except np.linalg.LinAlgError:  # singular by rounding: each for itself, which lifts it
                there = np.full(pull.shape, math.inf)
            for k in np.flatnonzero((there**2).sum(axis=1) > min(radius * radius, 1e300)):
                there[k] = quadratic_over_ball(hessian[k], pull[k], radius)
            start[straight], move[straight] = w[straight], there - w[straight]
            slope[straight] = (slopes * move[straight]).sum(axis=1)
            w[straight] = there
            before = np.where(np.repeat(np.isin(np.arange(count), straight), data.n), z, before)
        live = live[going]
        if not live.size:
            break
    return best


def _distances(gradient: np.ndarray, w: np.ndarray, lam: float, radius: float, smooth: float) -> np.ndarray:
    """`certified_distance` of each row: ‖residual‖/λ inside the ball."""
    made = np.sqrt((gradient * gradient).sum(axis=1)) / lam
    if math.isfinite(radius):
        near = np.abs(radius - np.sqrt((w * w).sum(axis=1))) <= 1e-11 * radius
        for k in np.flatnonzero(near):
            made[k] = certified_distance(gradient[k], 0.0, w[k], lam, radius, smooth)
    return made
