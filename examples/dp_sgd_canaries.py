"""DP-SGD in JAX, audited by one training run: 500 canaries, and a score of each from every step's noisy gradient.

    pip install 'dpbench-suite[examples]'
    python examples/dp_sgd_canaries.py

A linear model is trained on clipped per-example gradients with Gaussian noise. Each canary has a feature of its own, so
that its clipped gradient is a unit vector that no other example moves; a fair coin decides whether it is in the data.
The attacker sees the noisy gradients of all steps and scores a canary by their sum along its direction. Adding or
removing one example moves each step by at most the clipping norm, so training is μ-GDP with μ = √steps/noise. The
second run forgets to clip, as real code has done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import dpbench

FEATURES, EXAMPLES, CANARIES = 16, 200, 500
STEPS, NOISE, RATE = 20, 6.0, 0.002
DELTA = 1e-5
MU = math.sqrt(STEPS) / NOISE


def example_loss(weights: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """Half the squared residual of one example."""
    return 0.5 * (x @ weights - y) ** 2


@partial(jax.jit, static_argnames="clip")
def noisy_gradients(x: jax.Array, y: jax.Array, present: jax.Array, key: jax.Array, clip: bool) -> jax.Array:
    """The noisy sums of gradients of all steps, float32[steps, features]: what DP-SGD may publish."""

    def step(weights: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        gradients = jax.vmap(jax.grad(example_loss), (None, 0, 0))(weights, x, y)
        if clip:
            gradients /= jnp.maximum(1.0, jnp.linalg.norm(gradients, axis=1, keepdims=True))
        noisy = present @ gradients + NOISE * jax.random.normal(key, weights.shape)
        return weights - RATE * noisy, noisy

    return jax.lax.scan(step, jnp.zeros(x.shape[1]), jax.random.split(key, STEPS))[1]


def train(included: np.ndarray, rng: np.random.Generator, clip: bool = True) -> np.ndarray:
    """One training run with the included canaries; the scores of all, from the noisy gradients alone."""
    x = np.zeros((EXAMPLES + CANARIES, FEATURES + CANARIES), dtype=np.float32)
    x[:EXAMPLES, :FEATURES] = rng.standard_normal((EXAMPLES, FEATURES))
    x[EXAMPLES + np.arange(CANARIES), FEATURES + np.arange(CANARIES)] = 1.0
    y = np.full(len(x), 5.0, dtype=np.float32)
    present = np.concatenate([np.ones(EXAMPLES), included]).astype(np.float32)
    key = jax.random.key(int(rng.integers(2**31)))
    seen = np.asarray(noisy_gradients(jnp.asarray(x), jnp.asarray(y), jnp.asarray(present), key, clip))
    return -seen[:, FEATURES:].sum(axis=0).astype(np.float64)  # a canary's gradient points down its own axis


def audited(run: Callable[[np.ndarray, np.random.Generator], np.ndarray], seed: int = 0) -> dpbench.AuditResult:
    """The audit of one run against what the accountant says."""
    return dpbench.audit_one_run(run, CANARIES, claim={"mu": MU}, delta=DELTA, seed=seed, direction="high")


def main() -> None:
    print(f"claimed: {MU:.3f}-GDP")
    print("clipped:    ", audited(train))
    print("not clipped:", audited(partial(train, clip=False)))


if __name__ == "__main__":
    main()
