"""``python -m studies.sizing``: how fast blocks go on 1 and 2 workers, and how far that can scale.

Noisy GD at n = 1000, d = 50, T = 1000 in blocks of 64 trials, the statistic its excess risk. Measured: blocks a
second on threads and on Dask worker processes over TCP (extra ``cluster``), the bytes that a block moves (its
task there, its encoded result back), and the seconds that an empty task costs the scheduler. Calculated: the
workers that one scheduler can feed (seconds of a block over seconds of an empty task), and those that a link of
1 Gbit/s can.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpbench.core.sampling import block_width, sample_block
from dpbench.papers.glm.peers.workload import MECHANISM, population, problem
from dpbench.runs.encoding import encode
from dpbench.runs.environment import machine, versions
from dpbench.runs.executors import encoded_block, open_executor

LINK = 1e9 / 8.0  # bytes a second


def excess(loss: str, data: Any, block: int) -> np.ndarray:
    """Excess risk of one block of noisy GD."""
    return np.asarray(population(loss).excess_risk(sample_block(MECHANISM, data, block, 0)))


def nothing(block: int) -> int:
    """An empty task."""
    return block


def rate(executor: Executor, function: Any, blocks: int) -> float:
    """Blocks a second, after one of each worker has compiled and loaded what it needs."""
    list(executor.map(partial(encoded_block, function), range(8)))
    began = time.perf_counter()
    list(executor.map(partial(encoded_block, function), range(8, 8 + blocks)))
    return blocks / (time.perf_counter() - began)


def rows(seconds: float) -> list[dict[str, Any]]:
    """One row for each loss and kind of worker; each measurement lasts about `seconds`."""
    from distributed import LocalCluster
    from distributed.protocol.pickle import dumps

    from dpbench.runs.scheduler import fingerprint, scheduler

    found: list[dict[str, Any]] = []
    empty = {}
    for workers in (1, 2):
        threads, _ = open_executor(workers)
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
            scheduler(cluster.scheduler_address) as dask,
        ):
            empty[workers] = 1.0 / rate(dask, nothing, 400)
            for loss in ("squared", "logistic"):
                data = problem(loss)
                function = partial(excess, loss, data)
                once = time.perf_counter()
                function(0), function(1)
                block = 0.5 * (time.perf_counter() - once)
                count = max(8, int(workers * seconds / block))
                moved = len(dumps((fingerprint(), encoded_block, 0))) + len(encode(function(0)))
                for kind, executor in (("threads", threads), ("dask processes", dask)):
                    speed = rate(executor, function, count)
                    found.append(
                        {"loss": loss, "kind": kind, "workers": workers, "blocks_per_second": speed,
                         "trials_per_second": speed * block_width(data), "bytes_once": len(dumps(function)),
                         "bytes_per_block": moved}
                    )  # fmt: skip
        threads.shutdown(wait=False)
    for row in found:
        alone = next(
            r["blocks_per_second"] for r in found
            if (r["loss"], r["kind"], r["workers"]) == (row["loss"], row["kind"], 1)
        )  # fmt: skip
        row["speed_up"] = row["blocks_per_second"] / alone
        if row["kind"] == "dask processes":
            row["seconds_per_empty_task"] = empty[row["workers"]]
            row["workers_a_scheduler_feeds"] = 1.0 / (alone * empty[2])
            row["workers_a_link_feeds"] = LINK / (alone * row["bytes_per_block"])
    return found


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m studies.sizing", description="See the module's docstring.")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement (default 10)")
    asked = parser.parse_args()
    document = {"machine": machine(), "versions": versions(), "rows": rows(asked.seconds)}
    text = json.dumps(document, indent=1)
    if asked.json is not None:
        asked.json.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
