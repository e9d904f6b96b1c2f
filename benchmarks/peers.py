"""``python -m benchmarks.peers``: noisy GD against NumPy's loop and JAX, in alternating pairs on one core.

n = 1000, d = 50, T = 1000, float64. Prints trials a second and the median ratio of 15 pairs with its 95% interval.
JAX is the `bench` extra; ``--peers numpy`` does without it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_info

from benchmarks import jax_loop, numpy_loop
from benchmarks.cases import CASES, MECHANISM, N, problem, same
from benchmarks.pairs import Ratio, Work, ratio
from dpbench.validation import MissingExtra

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
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(peers: tuple[str, ...], pairs: int) -> Iterator[tuple[str, str, Ratio]]:
    """(loss, peer, ratio) one after the other."""
    for loss in ("squared", "logistic"):
        case, data = CASES[f"noisy-gd-{loss}"](), problem(loss)
        case.check()
        ours = Work(case.run, case.trials)
        if "numpy" in peers:
            run = partial(numpy_loop.trials, data, MECHANISM, 2, np.random.default_rng(3))
            yield loss, "numpy", ratio(ours, Work(run, 2), pairs)
        if "jax" in peers:
            for gram in (True, False) if loss == "squared" else (False,):
                silent = replace(MECHANISM, noise_scale=0.0, step_size=MECHANISM.eta(data))
                without = jax_loop.compiled(data, silent, gram=gram)(0)[0]
                same(silent(data, 1, np.random.default_rng(0))[0], without)
                made = jax_loop.compiled(data, MECHANISM, gram=gram)
                peer = Work(partial(made, 1), jax_loop.BATCH)
                yield loss, "jax-gram" if gram else "jax", ratio(ours, peer, pairs)


def surroundings() -> dict[str, Any]:
    """What the numbers depend on."""
    versions = {}
    for name in ("numpy", "numba", "scipy", "jax"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "python": platform.python_version(),
        "versions": versions,
        "blas": sorted({f"{lib['internal_api']} {lib.get('architecture')}" for lib in threadpool_info()}),
        "settings": {k: v for k, v in os.environ.items() if k.startswith(("OPENBLAS_", "XLA_", "NUMBA_CPU"))},
        "problem": {"n": N, "d": problem("squared").d, "steps": MECHANISM.steps},
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and write JSON if asked; 2 if a peer is not installed, 1 if a promise is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--peers", default=",".join(PEERS), help="numpy, jax, or both (default)")
    parser.add_argument("--pairs", type=int, default=15, help="alternating pairs (default 15)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    given = parser.parse_args(arguments)
    peers = tuple(given.peers.split(","))
    if not set(peers) <= set(PEERS) or given.pairs < 1:
        parser.error("--peers takes numpy and jax, --pairs a number >= 1")
    one_core()
    table = Table("loss", "peer", "ours/s", "peer/s", "ratio", "95% interval", "promised")
    rows = []
    try:
        for loss, peer, found in measure(peers, given.pairs):
            promised = GOALS.get((loss, peer))
            rows.append({"loss": loss, "peer": peer, "promised": promised, **asdict(found)})
            table.add_row(
                loss, peer, f"{found.ours_per_second:.0f}", f"{found.peer_per_second:.1f}", f"{found.median:.2f}",
                f"{found.low:.2f} to {found.high:.2f}", "" if promised is None else f"{promised:g}",
            )  # fmt: skip
    except MissingExtra as missing:
        print(missing, file=sys.stderr)
        return 2
    around = surroundings()
    Console().print(table, f"{', '.join(around['blas'])}; {around['settings']}", soft_wrap=True)
    if given.json is not None:
        given.json.write_text(json.dumps({"rows": rows, **around}, indent=2) + "\n", encoding="utf-8")
    return 1 if any(row["promised"] is not None and row["median"] < row["promised"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
