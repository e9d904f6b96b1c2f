"""Noisy GD against NumPy's loop and JAX, in alternating pairs on one core: trials a second, float64."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks import numpy_loop
from benchmarks.noisy_gd import MECHANISM, check_noisy_gd, problem, same
from benchmarks.peers import jax_loop
from benchmarks.peers.pairs import Ratio, Work, ratio
from dpbench.core.sampling import block_width

PEERS = ("numpy", "jax")
GOALS = {
    ("squared", "numpy"): 50.0,
    ("squared", "jax-gram"): 3.0,
    ("logistic", "numpy"): 4.0,
    ("logistic", "jax"): 1.1,
}
"""What the project promises to hold, as ratios of trials a second."""


def one_core() -> None:
    """Hold the process to one core and JAX to one thread; before JAX is imported."""
    given = os.environ.get("XLA_FLAGS", "")  # --xla_cpu_max_isa=AVX2, for example
    os.environ["XLA_FLAGS"] = f"{given} --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1".strip()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(peers: tuple[str, ...], pairs: int) -> Iterator[tuple[str, str, Ratio]]:
    """(loss, peer, ratio) one after the other."""
    for loss in ("squared", "logistic"):
        data = problem(loss)
        check_noisy_gd(data, MECHANISM)
        ours = Work(partial(_block, data), block_width(data))
        if "numpy" in peers:
            run = partial(numpy_loop.trials, data, MECHANISM, 2, np.random.default_rng(3))
            yield loss, "numpy", ratio(ours, Work(run, 2), pairs)
        if "jax" in peers:
            for gram in (True, False) if loss == "squared" else (False,):
                silent = replace(MECHANISM, noise_scale=0.0, step_size=MECHANISM.eta(data))
                without = jax_loop.compiled(data, silent, gram=gram)(0)[0]
                same(silent(data, 1, np.random.default_rng(0))[0], without)
                compiled = jax_loop.compiled(data, MECHANISM, gram=gram)
                peer = Work(partial(compiled, 1), jax_loop.BATCH)
                yield loss, "jax-gram" if gram else "jax", ratio(ours, peer, pairs)


def rows(peers: tuple[str, ...] = PEERS, pairs: int = 15) -> Iterator[dict[str, Any]]:
    """One row for each loss and peer, with what is promised of the ratio, if anything."""
    for loss, peer, measured in measure(peers, pairs):
        yield {"loss": loss, "peer": peer, "promised": GOALS.get((loss, peer)), **asdict(measured)}


def _block(data: Any) -> np.ndarray:
    return MECHANISM(data, block_width(data), np.random.default_rng(1))
