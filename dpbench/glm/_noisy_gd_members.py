"""Noisy gradient descent on many data sets in one call: one run on each, drawn from a Generator of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types

from dpbench.core import validation
from dpbench.core.kernel import arr, f8, i8, kernel, rng_t
from dpbench.glm.problem import GLMProblem

_NUMBERS_PER_CALL = 2e7  # normal variables between two returns to Python: a fraction of a second

GENERATORS = 8
"""Data sets in one call: numba takes Generators as a tuple of fixed length."""


@kernel(
    types.void(
        arr(f8, 2), arr(f8, 2), f8, f8, f8, i8, i8, types.UniTuple(rng_t, GENERATORS), arr(f8, 2, True),
        arr(f8, 2, True),
    )
)  # fmt: skip
def noisy_gd_members(curvature, pull, step_size, noise, radius, steps, members, rngs, w, total):
    """`steps` steps on each of the first `members` data sets, in axes of a Hessian: gradient curvature·w − pull."""
    for m in range(members):
        rng, own, bend, force = rngs[m], w[m], curvature[m], pull[m]
        for _ in range(steps):
            size = 0.0
            for j in range(own.shape[0]):
                own[j] -= step_size * (bend[j] * own[j] - force[j] + noise * rng.standard_normal())
                size += own[j] * own[j]
            shrink = radius / math.sqrt(size) if size > radius * radius else 1.0
            for j in range(own.shape[0]):
                own[j] *= shrink
                total[m, j] += own[j]


def one_run_each(
    mechanism: Any, problem: GLMProblem, second: np.ndarray, cross: np.ndarray, rngs: Sequence[np.random.Generator]
) -> np.ndarray:
    """One run of `NoisyGD` on each of many data sets of one declaration, with diagonal XᵀX/n and a quadratic loss.

    Parameters
    ----------
    mechanism : NoisyGD
    problem : GLMProblem
        One of the data sets: n, loss, bounds and radius are read from it.
    second : ndarray, shape (members, d), or (1, d) where all have the same features
        The diagonals.
    cross : ndarray, shape (members, d)
        Xᵀy/n.
    rngs : sequence of Generator
        One a data set: no number depends on which data sets come in one call.

    Returns
    -------
    ndarray, shape (members, d)
        Means of w_1, …, w_T.
    """
    if not problem.loss.quadratic:
        raise validation.invalid("loss", "quadratic", problem.loss.name)
    scale = 1.0 if problem.loss.affine else problem.loss.smoothness
    curvature = np.zeros(cross.shape) if problem.loss.affine else np.broadcast_to(scale * second, cross.shape)
    steps, eta = mechanism.number_of_steps(problem), mechanism.eta(problem)
    constants = eta, mechanism.sigma(problem), problem.radius
    made = np.empty(cross.shape)
    most = max(1, int(_NUMBERS_PER_CALL / (GENERATORS * cross.shape[1])))
    for start in range(0, len(rngs), GENERATORS):
        some = tuple(rngs[start : start + GENERATORS])
        members, place = len(some), slice(start, start + len(some))
        padded = some + some[-1:] * (GENERATORS - members)  # those beyond `members` are not drawn from
        bend, pull = np.ascontiguousarray(curvature[place]), np.ascontiguousarray(scale * cross[place])
        w, total = np.zeros((2, members, cross.shape[1]))
        for done in range(0, steps - 1, most):
            noisy_gd_members(bend, pull, *constants, min(most, steps - 1 - done), members, padded, w, total)
        made[place] = total / steps
    return made
