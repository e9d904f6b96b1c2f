"""The work that speed is compared on: noisy GD at n = 1000, d = 50, T = 1000, and a check of its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks import numpy_loop
from dpbench.core.sampling import block_width
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem

N, D, STEPS = 1000, 50, 1000
MECHANISM = NoisyGD(1.0, 1e-5, steps=STEPS)


class WrongAnswer(AssertionError):
    """The work to be timed does not give the right answer."""


def problem(loss: str) -> GLMProblem:
    """Features uniform on a sphere in R^50; labels linear in them, with noise; logistic has their signs."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    X /= 1.0000001 * np.linalg.norm(X, axis=1, keepdims=True)
    y = 0.1 * X.sum(axis=1) + rng.uniform(-0.2, 0.2, N)
    return GLMProblem(X, np.sign(y) if loss == "logistic" else y, loss=loss, x_bound=1.0, y_bound=1.0, radius=1.0)


def check_noisy_gd(data: GLMProblem, mechanism: NoisyGD) -> None:
    """A few steps give what NumPy's loop gives with the same noise."""
    xi = np.random.default_rng(1).standard_normal((5, data.d, block_width(data)))[:, :, 0]
    if data.loss.quadratic:  # drawn along the eigenvectors of the Hessian
        xi = xi @ data.axes[1].T
    got = few_steps(mechanism, data)(data, 2, np.random.default_rng(1))[0]
    same(got, numpy_loop.one_trial(data, few_steps(mechanism, data), iter(xi).__next__))


def few_steps(mechanism: Any, data: GLMProblem) -> Any:
    """The first six steps, with the step size and the noise of the whole run."""
    return replace(mechanism, steps=6, step_size=mechanism.eta(data), noise_scale=mechanism.sigma(data))


def same(got: np.ndarray, want: np.ndarray) -> None:
    """Refuse an answer that differs by more than rounding."""
    if not np.allclose(got, want, rtol=1e-10, atol=1e-14):
        raise WrongAnswer(f"off by {np.abs(got - want).max():.2g}")
