"""``python -m studies.publicdata``: oracle calls and CPU seconds of a release over n.

Thresholds, label noise 0.1, settings of Algorithm 2's rate entry (η, m and J follow n), Algorithms 3 and 4 on the same
data, beside empirical risk minimisation, which is not private. A release is timed on data that nothing was prepared
for: sort, calibration and the draw of a block of eight outputs, of which one is released. On one core, largest of three
data sets.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.peers.speed import one_core
from dpbench.core.blas import one_blas_thread
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.drawings import cost
from dpbench.papers.publicdata.objective import CountedOracle
from dpbench.papers.publicdata.theorems.sweeps import DELTA, EPSILON, EmpiricalRiskMinimizer
from dpbench.papers.publicdata.theorems.theorems2_6 import private_grid
from dpbench.rates.sweeps import Point
from studies.command import Measured, command

SIZES = (1000, 10_000, 100_000, 1_000_000)
DATA_SETS = 3
SAID = "Calls of the ERM oracle that the algorithms on public data make."
"""What the figure shows."""


def algorithms(point: Point) -> dict[str, Any]:
    """The mechanisms that are timed on a point's data."""
    return {
        "Algorithm 2": point.mechanism,
        "Algorithm 3": RegularizedPerturbation(EPSILON, DELTA),
        "Algorithm 4": RRSPM(EPSILON),
        "ERM": EmpiricalRiskMinimizer(),
    }


def measure(point: Point, name: str) -> dict[str, float]:
    """Oracle calls an output, counted over eight, and the CPU seconds of a release."""
    mechanism = algorithms(point)[name]
    seconds, calls = 0.0, 0.0
    for seed in range(DATA_SETS):
        rng = np.random.default_rng(seed)
        problem = point.population.draw(point.n, rng)
        counted = CountedOracle(problem.hypotheses)
        mechanism(replace(problem, hypotheses=counted), 8, rng)
        calls = max(calls, counted.calls / 8.0)
        fresh = point.population.draw(point.n, np.random.default_rng(100 + seed))
        began = time.process_time()
        with one_blas_thread():
            mechanism(fresh, 1, rng)
        seconds = max(seconds, time.process_time() - began)
    return {"calls": calls if name != "ERM" else 1.0, "seconds": seconds}


def releases(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """A row for each algorithm and n."""
    warm = private_grid((100,))[0]["point"]
    for name in algorithms(warm):
        measure(warm, name)  # compiles
    return [
        {"algorithm": name, "n": point.n, "m": point.population.m, **measure(point, name)}
        for point in (row["point"] for row in private_grid(sizes))
        for name in algorithms(point)
    ]


def measured() -> Measured:
    """The releases, with their table; nothing is promised."""
    one_core()
    made = releases()
    table = Table("algorithm", "n", "m", "oracle calls an output", "CPU s a release")
    for row in made:
        cells = f"{row['n']:,}", str(row["m"]), f"{row['calls']:g}", f"{row['seconds']:.4f}"
        table.add_row(row["algorithm"], *cells)
    return {"rows": made}, (table,), True


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("studies.publicdata", __doc__, arguments, measured, {"": (cost, SAID)}, "publicdata",
                   evidence="publicdata_speed.json")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
