"""``python -m studies.publicdata``: oracle calls and CPU seconds of a release over n, and the oracles' promises.

Thresholds, label noise 0.1, settings of Algorithm 2's rate entry (η, m and J follow n), Algorithms 3 and 4 on the same
data, beside empirical risk minimisation, which is not private. A release is timed on data that nothing was prepared
for: sort, calibration and the draw of a block of eight outputs, of which one is released. On one core, largest of three
data sets. The oracles are timed from unsorted points, largest of three calls. Exit 1 if a promise is missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from rich.table import Table

from dpbench.core.blas import one_blas_thread
from dpbench.papers.glm.peers.speed import one_core
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.drawings import cost
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.plane import Halfspaces
from dpbench.papers.publicdata.objective import CountedOracle
from dpbench.papers.publicdata.theorems.sweeps import DELTA, EPSILON, EmpiricalRiskMinimizer
from dpbench.papers.publicdata.theorems.theorem2 import private_grid
from dpbench.rates.sweeps import Point
from studies.command import Measured, command
from studies.work_publicdata import SIZE, binary, least_halfplane, least_interval, least_stump, least_threshold

SIZES = (1000, 10_000, 100_000, 1_000_000)
DATA_SETS = 3
ORACLES = (
    ("thresholds", Thresholds(), 1, SIZE, least_threshold, 1.0),
    ("intervals", Intervals(), 1, SIZE, least_interval, 1.0),
    ("stumps, 4 features", Stumps(4), 4, SIZE, least_stump, 1.0),
    ("halfspaces in the plane", Halfspaces(), 2, 5000, least_halfplane, 10.0),
)
"""Name, class, dimension, points, check, and the seconds a call that are promised."""
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


def oracles() -> Iterator[dict[str, Any]]:
    """A row for each promise, once its answer is checked."""
    for name, hypotheses, dimension, size, least, promised in ORACLES:
        case = binary(hypotheses, dimension, size, least)
        case.check()
        yield {"oracle": name, "points": size, "seconds": max(map(_timed, [case.run] * 3)), "promised": promised}


def _timed(run: Callable[[], Any]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def measured() -> Measured:
    """Releases and oracles, with their tables."""
    one_core()
    made, promises = releases(), list(oracles())
    table = Table("algorithm", "n", "m", "oracle calls an output", "CPU s a release")
    for row in made:
        cells = f"{row['n']:,}", str(row["m"]), f"{row['calls']:g}", f"{row['seconds']:.4f}"
        table.add_row(row["algorithm"], *cells)
    held = Table("oracle", "points", "CPU s a call", "promised")
    for row in promises:
        held.add_row(row["oracle"], f"{row['points']:,}", f"{row['seconds']:.3f}", f"{row['promised']:g}")
    kept = all(row["seconds"] <= row["promised"] for row in promises)
    return {"rows": made, "oracles": promises}, (table, held), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a promise is missed."""
    return command("studies.publicdata", __doc__, arguments, measured, {"": (cost, SAID)}, "publicdata")


if __name__ == "__main__":
    sys.exit(main())
