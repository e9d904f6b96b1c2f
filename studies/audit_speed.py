"""``python -m studies.audit_speed``: seconds of processor time that audits take, beside what is aimed at.

Scalars: 1e6 runs a side. Wide: 1e5 rows of 200 columns a side, of which two are correlated, or all are moved. From a
new process: its start, the imports and the first result of 1e6 scalars a side, with kernels in the cache. Each is the
least of several times, since whatever else the machine does adds to them (a core shared with another process is slower
in processor time too); the largest is kept beside it, and what the sampler alone takes. ``--json FILE`` keeps the rows,
with ``--add`` together with the times that are there; the exit code is 1 where one is above what is aimed at.
``--encoding COMMIT`` encodes outputs of ten kinds with today's code and with that of a commit in turns, and prints the
ratios. ``--growth`` measures audits of 1e5 to 1e8 Laplace numbers a side instead, and prints the exponents of their
cost.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpbench import audit
from dpbench.auditing import flatten
from studies.before import former
from studies.power import MU, keep, laplace, normal

Rng = np.random.Generator
COLUMNS = 200
FIRST = """
import numpy as np
import dpbench
print(dpbench.audit(lambda d, n, rng: d + rng.laplace(size=n), 0.0, 1.0, trials=1_000_000).epsilon_lower)
"""


def correlated(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Independent normals, but for a correlation of 0.9 d between the first two."""
    rows = rng.standard_normal((trials, COLUMNS))
    rows[:, 1] = 0.9 * d * rows[:, 0] + np.sqrt(1.0 - (0.9 * d) ** 2) * rows[:, 1]
    return rows


def moved(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Every column is moved by d, under Laplace noise of scale 200."""
    return d + rng.laplace(scale=float(COLUMNS), size=(trials, COLUMNS))


@dataclass(frozen=True)
class Case:
    """A sampler, its neighbour's data, δ, runs a side, and the seconds aimed at."""

    sampler: Callable[[float, int, Rng], np.ndarray]
    other: float
    delta: float
    trials: int
    goal: float


CASES = {
    "Laplace, 1e6": Case(laplace, 1.0, 0.0, 1_000_000, 0.2),
    "Gaussian, 1e6": Case(normal, MU, 1e-5, 1_000_000, 0.2),
    "200 columns, two correlated, 1e5": Case(correlated, 1.0, 0.01, 100_000, 3.0),
    "200 columns, all moved, 1e5": Case(moved, 1.0, 0.0, 100_000, 3.0),
}
GROWTH = (100_000, 1_000_000, 3_000_000, 10_000_000, 100_000_000)
GROWTH_GOALS = {10_000_000: 2.0}
FROM, STEEPEST = 1_000_000, 1.05
NEW = "first result of a new process"
NEW_GOAL = 1.5


def taken(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Seconds of a clock that a piece of work takes."""
    started = clock()
    work()
    return clock() - started


def of_children() -> float:
    """Seconds of processor time of the processes that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def measure(name: str, repeats: int) -> dict[str, Any]:
    """A row: the least and the median of so many times, those of the sampler alone, and what is aimed at."""
    if name == NEW:
        command = [sys.executable, "-c", FIRST]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

        def start() -> None:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)

        start()  # compiles, where the cache is cold
        return row([taken(start, of_children) for _ in range(repeats)], None, NEW_GOAL)
    case = CASES[name]

    def draw() -> None:
        for side, data in enumerate((0.0, case.other)):
            case.sampler(data, case.trials, np.random.default_rng(side))

    def once(seed: int, trials: int = case.trials) -> None:
        audit(case.sampler, 0.0, case.other, delta=case.delta, trials=trials, seed=seed)

    once(0, 20_000)
    times = [taken(partial(once, seed), time.process_time) for seed in range(repeats)]
    return row(times, min(taken(draw, time.process_time) for _ in range(3)), case.goal)


def row(times: list[float], sampler: float | None, goal: float) -> dict[str, Any]:
    """What is kept of the times."""
    return {"least": min(times), "most": max(times), "repeats": len(times), "sampler": sampler, "goal": goal}


def added(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Two rows of one case as one."""
    samplers = [r["sampler"] for r in (old, new) if r["sampler"] is not None]
    return {
        "least": min(old["least"], new["least"]), "most": max(old["most"], new["most"]),
        "repeats": old["repeats"] + new["repeats"], "sampler": min(samplers, default=None), "goal": new["goal"],
    }  # fmt: skip


def grow(sizes: Sequence[int], repeats: int) -> int:
    """Print the least seconds of audits of so many numbers a side; 1 where they grow faster than linearly, or goals
    are missed."""
    missed, before = 0, None
    for trials in sizes:
        run = partial(audit, laplace, 0.0, 1.0, trials=trials)
        if before is None:
            run(seed=0)  # loads kernels
        least = min(taken(partial(run, seed=seed), time.process_time) for seed in range(repeats))
        exponent = None if before is None else math.log(least / before[1]) / math.log(trials / before[0])
        missed += least > GROWTH_GOALS.get(trials, math.inf) or (
            exponent is not None and trials > FROM and exponent > STEEPEST
        )
        print(json.dumps({"trials": trials, "least": least, "exponent": exponent}), flush=True)
        before = trials, least
    return int(missed > 0)


KINDS: dict[str, Callable[[Rng], Any]] = {
    "20 floats": lambda rng: rng.random(20).tolist(),
    "20 lists of 5": lambda rng: rng.random((20, 5)).tolist(),
    "50 lists of 50 integers": lambda rng: rng.integers(0, 9, (50, 50)).tolist(),
    "an array of 3": lambda rng: rng.random(3),
    "an array of 100": lambda rng: rng.random(100),
    "a tuple of 3": lambda rng: (1.0, float(rng.random()), 2),
    "a dict of a text and a list": lambda rng: {"t": f"total {rng.integers(9)}", "v": [1.0, 2.0]},
    "a masked array": lambda rng: np.ma.array(rng.random(50), mask=rng.random(50) < 0.3),
    "a dict of 0 or floats": lambda rng: {f"k{k}": max(0, float(x)) for k, x in enumerate(rng.normal(size=50))},
    "a dict in another order": lambda rng: {f"k{k}": 1.0 for k in rng.permutation(10)},
}
"""Outputs to encode."""


def encodings(commit: str, repeats: int) -> int:
    """Print today's time of encoding 200 outputs of each kind over that of a commit, the least of turns of each."""
    rng, then = np.random.default_rng(0), former("dpbench.auditing.flatten", commit)
    for name, make in KINDS.items():
        outputs = [make(rng) for _ in range(200)]
        layouts = [module.learn(outputs) for module in (then, flatten)]
        times = [
            [taken(partial(layout.encode, outputs), time.process_time) for layout in layouts] for _ in range(repeats)
        ]
        before, now = np.min(times, axis=0)
        columns = " to ".join(str(len(layout.kept)) for layout in layouts)
        print(f"{name:28} {now / before:5.2f}  {1e6 * now / len(outputs):8.1f} us, columns {columns}", flush=True)
    return 0


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.audit_speed", description=__doc__)
    parser.add_argument("--case", choices=[*CASES, NEW], action="append", help="default: all")
    parser.add_argument("--repeats", type=int, default=7, help="of each (default 7)")
    parser.add_argument("--add", action="store_true", help="together with the times that --json has")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--encoding", metavar="COMMIT", help="seconds of encoding beside that commit's, nothing else")
    parser.add_argument("--growth", action="store_true", help="audits of more and more numbers, and nothing else")
    given = parser.parse_args()
    if given.encoding:
        return encodings(given.encoding, max(given.repeats, 1))
    if given.growth:
        return grow(GROWTH, min(given.repeats, 3))
    missed = 0
    for name in given.case or [*CASES, NEW]:
        made = measure(name, given.repeats)
        if given.add and given.json is not None and given.json.exists():
            old = json.loads(given.json.read_text(encoding="utf-8")).get("speed", {})
            made = added(old[name], made) if name in old else made
        missed += made["least"] > made["goal"]
        print(json.dumps({name: made}), flush=True)
        if given.json is not None:
            keep(given.json, {"speed": {name: made}})
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
