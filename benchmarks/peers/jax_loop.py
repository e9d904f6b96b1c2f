"""Noisy gradient descent in JAX, float64: `vmap` over trials of a `fori_loop` over steps.

The fastest of the forms tried: noise drawn inside the loop (a scan over stored noise is slower), the Threefry
generator (RBG is slower on a processor), 256 trials at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpbench.core.validation import extra
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem

BATCH = 256


def compiled(problem: GLMProblem, mechanism: NoisyGD, *, gram: bool) -> Callable[[int], np.ndarray]:
    """A function of the seed that makes `BATCH` outputs; `gram`: through XᵀX and Xᵀy, for the squared loss."""
    jax = extra("jax", "bench")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy
    X, y, n = jnp.asarray(problem.X), jnp.asarray(problem.y), problem.n
    second, cross = 2.0 * X.T @ X / n, 2.0 * X.T @ y / n
    eta, sigma, radius = mechanism.eta(problem), mechanism.sigma(problem), problem.radius
    steps = mechanism.number_of_steps(problem)

    def gradient(w: Any) -> Any:
        if gram:
            return second @ w - cross
        if problem.loss.name == "squared":
            return 2.0 * X.T @ (X @ w - y) / n
        return X.T @ (-y / (1.0 + jnp.exp(y * (X @ w)))) / n

    def step(_: Any, state: Any) -> Any:
        w, total, key = state
        key, now = jax.random.split(key)
        w = w - eta * (gradient(w) + sigma * jax.random.normal(now, w.shape, w.dtype))
        norm = jnp.linalg.norm(w)
        w = jnp.where(norm > radius, w * (radius / norm), w)
        return w, total + w, key

    def trial(key: Any) -> Any:
        zero = jnp.zeros(problem.d)
        return jax.lax.fori_loop(0, steps - 1, step, (zero, zero, key))[1] / steps

    many = jax.jit(jax.vmap(trial))
    return lambda seed: np.asarray(many(jax.random.split(jax.random.PRNGKey(seed), BATCH)))
