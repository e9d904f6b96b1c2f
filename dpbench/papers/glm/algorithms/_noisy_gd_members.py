"""Noisy gradient descent on many data sets in one call: one run on each, drawn from a Generator of its own.

Each run is a call of `noisy_gd_axes` with one column. A kernel that takes several Generators at once saved a few
microseconds a run and cost more than a second at a first start (measured).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.glm.algorithms._noisy_gd_kernels import noisy_gd_axes
from dpbench.papers.glm.problem import GLMProblem

_NUMBERS_PER_CALL = 2e7  # normal variables between two returns to Python: a fraction of a second


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
    curvature, pull, outputs = np.ascontiguousarray(curvature), scale * cross, np.empty(cross.shape)
    most = max(1, int(_NUMBERS_PER_CALL / cross.shape[1]))
    for k, rng in enumerate(rngs):
        w, total = np.zeros((2, cross.shape[1], 1))
        for done in range(0, steps - 1, most):
            noisy_gd_axes(curvature[k], pull[k], *constants, min(most, steps - 1 - done), rng, w, total)
        outputs[k] = total[:, 0] / steps
    return outputs
