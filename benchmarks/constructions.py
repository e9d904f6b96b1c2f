"""``python -m benchmarks.constructions``: members a second of a hard family, many in one call and one at a time.

A member's work: draw it, make its data set, run one noisy gradient descent on it, and take the excess risk of the
output. "one at a time" makes the records with NumPy, checks them as a problem, runs and scores: what a reader of the
paper would write. The membership test on many targets stands beside former code (`benchmarks.membership`). Median of
15 alternating pairs in one process, processor time. Exit 1 if a ratio that is promised, of members, is below 10.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from scipy import sparse

from benchmarks.command import Measured, command
from benchmarks.membership import membership_rows
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import stream
from dpbench.glm.attacks.members import errors_on
from dpbench.glm.noisy_gd import NoisyGD
from dpbench.glm.problem import GLMProblem
from dpbench.peers.pairs import Work, ratio
from dpbench.peers.speed import one_core
from dpbench.peers.workload import WrongAnswer
from lowerbounds import HardFamily, chaudhuri_hsu, nonprivate, packing
from lowerbounds._instance import RECORDS_DRAWN

PROMISED = 10.0
PAIRS = 15
EPSILON, DELTA = 0.5, 1e-6
MECHANISM = NoisyGD(EPSILON, DELTA, steps=100)


@dataclass(frozen=True)
class Setting:
    """A family at a size, and how many members either side takes in one call."""

    family: str
    n: int
    batch: int
    single: int


SETTINGS = (
    Setting("packing", 1000, 64, 8),
    Setting("packing", 1_000_000, 64, 1),
    Setting("chaudhuri_hsu", 1000, 64, 8),
    Setting("chaudhuri_hsu", 1_000_000, 64, 1),
    Setting("nonprivate", 1000, 64, 8),
    Setting("nonprivate", 1_000_000, 64, 1),
)
BUILD: dict[str, Callable[[int], HardFamily]] = {
    "packing": lambda n: packing(n, 20, EPSILON, DELTA),
    "chaudhuri_hsu": lambda n: chaudhuri_hsu(n, EPSILON, DELTA),
    "nonprivate": lambda n: nonprivate(n, 20),
}


def numpy_records(family: HardFamily, member: Any, rng: np.random.Generator) -> tuple[sparse.csr_array, np.ndarray]:
    """Features and labels of the constructions in NumPy, for x_bound = y_bound = 1."""
    p = {name: int(value) for name, value in family.parameters.items() if name in ("active", "block", "distance")}
    if family.name == "cube":
        columns = rng.integers(0, p["active"], family.n)
        y = np.where(rng.random(family.n) < 0.5 * (1.0 + family.parameters["bias"] * member[columns]), 1.0, -1.0)
    else:
        if family.name == "two-point":
            active, block, sigma = 1, int(family.parameters["records"]), np.array([1.0 - 2.0 * member])
        else:
            active, block, sigma = p["active"], p["block"], member
        same, used = (block - p["distance"]) // 2, active * block
        columns, y = np.full(family.n, -1), np.zeros(family.n)
        columns[:used].reshape(active, block)[:] = np.arange(active)[:, None]
        labels = np.ones((active, block))
        labels[:, :same] = -1.0
        labels[:, same : same + p["distance"]] = sigma[:, None]
        y[:used] = labels.reshape(-1)
    kept = columns[columns >= 0].astype(np.int32)
    starts = np.zeros(family.n + 1, dtype=np.int32)
    np.cumsum(columns >= 0, out=starts[1:])
    return sparse.csr_array((np.ones(kept.size), kept, starts), shape=(family.n, family.d)), y


def one_at_a_time(family: HardFamily, count: int, mechanism: NoisyGD = MECHANISM) -> np.ndarray:
    """The excess of one run on each of `count` members: records, a checked problem, a run, a score."""
    weight = family.floor if family.name == "two-point" else 1.0
    found = np.empty(count)
    for draw in range(count):
        rng = stream(0, "accuracy", family.name, draw)
        member = family.members(rng)
        X, y = numpy_records(family, member, rng)
        loss, radius = ("half-squared", 1.0) if family.name == "cube" else ("squared", family.parameters["target"])
        radius = 1.0 if family.name == "packing" else radius
        problem = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)
        gaps = mechanism(problem, 1, rng)[0] - family.minimisers(member)
        if family.name == "two-point":
            found[draw] = abs(gaps[0])
        else:
            weight = (0.5 if family.name == "cube" else family.parameters["fraction"]) / family.parameters["active"]
            found[draw] = weight * float((gaps**2).sum())
    return found


def in_one_call(family: HardFamily, count: int, trials: int = 1, mechanism: NoisyGD = MECHANISM) -> np.ndarray:
    """Numbers of the same law from the harness, shape (count, trials)."""
    rngs = [stream(0, "accuracy", family.name, draw) for draw in range(count)]
    members = [family.members(rng) for rng in rngs]
    return errors_on(mechanism, family, members, trials, rngs)[..., 0]


def check(family: HardFamily) -> None:
    """Single runs without noise, and first runs of two, are the same numbers both ways."""
    if family.n > RECORDS_DRAWN and family.name == "cube":
        return  # counts are drawn in the place of records: the law is the same, the numbers are not
    quiet = replace(MECHANISM, noise_scale=0.0)
    for trials, mechanism in ((1, quiet), (2, MECHANISM)):
        found, want = in_one_call(family, 3, trials, mechanism)[:, 0], one_at_a_time(family, 3, mechanism)
        if not np.allclose(found, want, rtol=1e-9, atol=1e-15):
            raise WrongAnswer(f"{family.name}: {found} in one call, {want} one at a time")


def measured() -> Measured:
    """Every setting, with its table."""
    one_core()
    table = Table("family", "n", "members/s in one call", "one at a time", "ratio", "interval")
    rows = []
    with one_blas_thread():
        for setting in SETTINGS:
            family = BUILD[setting.family](setting.n)
            check(family)
            many = Work(partial(in_one_call, family, setting.batch), setting.batch)
            single = Work(partial(one_at_a_time, family, setting.single), setting.single)
            found = ratio(many, single, pairs=PAIRS)
            rows.append({**asdict(setting), **asdict(found), "steps": MECHANISM.steps, "d": family.d})
            table.add_row(
                setting.family, f"{setting.n:,}", f"{found.ours_per_second:,.0f}", f"{found.peer_per_second:,.1f}",
                f"{found.median:.1f}", f"{found.low:.1f} to {found.high:.1f}",
            )  # fmt: skip
        kept = all(row["median"] >= PROMISED for row in rows)
        for row in membership_rows(PAIRS):
            rows.append(row)
            speeds = f"{row['ours_per_second']:,.0f}", f"{row['peer_per_second']:,.1f}"
            interval = f"{row['low']:.1f} to {row['high']:.1f}"
            table.add_row(row["family"], f"{row['n']:,}", *speeds, f"{row['median']:.1f}", interval)
    return {"promised": PROMISED, "rows": rows}, (table,), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a ratio is below the promised one."""
    return command("benchmarks.constructions", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
