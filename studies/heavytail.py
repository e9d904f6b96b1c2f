"""``python -m studies.heavytail``: seconds and boxes of the exact sampler on nets at ζ = 1/n, on one core.

Data: "student", Student's t designs and noise with 0.2 more degrees of freedom than θ; "collinear", five features with
a correlation of 0.9999 between any two, and Student's t noise with 0.2 more degrees of freedom than θ; "401ksubs", the
real set of `dpbench.papers.heavytail.datasets` (extra ``data``; without it the row is left out, and said so). Three
data sets a row with a promise, 15 another, one that is real; the largest seconds and boxes are shown. Exit 1 if a
promise is missed.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import asdict, dataclass, replace

import numpy as np
from rich.table import Table

from benchmarks.peers.speed import one_core
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import MissingExtra
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism, envelope
from dpbench.papers.heavytail.datasets import load
from dpbench.papers.heavytail.drawings import boxes_opened
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.tails import Tail
from studies.command import Measured, command

MECHANISM = ExponentialMechanism(1.0, sampler="tree")
DATA_SETS, MANY_DATA_SETS = 3, 15
"""Data sets of a row with a promise, and of the others, which the figure is drawn from."""


@dataclass(frozen=True)
class Setting:
    """A size to measure at, and the seconds a draw that are promised: alone (draws = 1) or shared by so many draws.

    d and n of a real set are its own.
    """

    d: int
    n: int
    theta: float
    draws: int = 8
    promised: float | None = None
    data: str = "student"
    epsilon: float = 1.0


def student(d: int, n: int, theta: float, seed: int) -> HeavyTailedProblem:
    """Records of Student's t designs and noise, with 0.2 more degrees of freedom than θ; w* = (1, …, 1)/(2√d)."""
    law = Tail("student", theta + 0.2)
    weights = np.full(d, 0.5 / math.sqrt(d))
    population = HeavyTailedPopulation.unit(law, weights, theta=theta, noise=law, noise_scale=0.2)
    return population.draw(n, np.random.default_rng(seed))


SETTINGS = (
    Setting(1, 1_000_000, 2.0, 1, 1.0),
    Setting(1, 1_000_000, 1.5, 1, 1.0),
    Setting(5, 10_000, 2.0, 1, 2.0),
    Setting(5, 10_000, 1.5, 1, 2.0),
    Setting(8, 10_000, 2.0, 8, 30.0),
    Setting(8, 10_000, 1.5, 8, 30.0),
    Setting(10, 10_000, 2.0, 1, 15.0),
    Setting(10, 10_000, 1.5, 1, 15.0),
    Setting(5, 10_000, 2.0, 1, 10.0, "collinear"),
    Setting(5, 10_000, 1.5, 1, 10.0, "collinear"),
    Setting(4, 9275, 2.0, 1, 8.0, "401ksubs", 10.0),
    Setting(4, 9275, 1.5, 1, 8.0, "401ksubs", 10.0),
    *(Setting(d, 10_000, 2.0) for d in (1, 2, 3, 4, 6, 7)),
    *(Setting(3, n, 2.0) for n in (1000, 3162, 31_623, 100_000)),
)
SAID = "Boxes that the exact sampler of the heavy-tailed paper opens, over n and over d."
"""What the figure shows."""


def problem(setting: Setting, seed: int) -> HeavyTailedProblem:
    """Records of the setting; w* = (1, …, 1)/(2√d), and 0.3 on each axis where features are collinear."""
    if setting.data == "401ksubs":
        return load("401ksubs", theta=setting.theta)
    if setting.data == "collinear":
        return nearly_collinear(setting.d, setting.n, setting.theta, 0.9999, np.random.default_rng(seed))
    return student(setting.d, setting.n, setting.theta, seed)


def nearly_collinear(d: int, n: int, theta: float, correlation: float, rng: np.random.Generator) -> HeavyTailedProblem:
    """Normal features with this correlation between any two, Student's t noise."""
    common, own = rng.standard_normal((n, 1)), rng.standard_normal((n, d))
    X = (math.sqrt(correlation) * common + math.sqrt(1.0 - correlation) * own) / math.sqrt(d)
    y = X @ np.full(d, 0.3) + 0.2 * rng.standard_t(theta + 0.2, n)
    return HeavyTailedProblem(X, y, radius=1.0, theta=theta)


def measure(setting: Setting) -> dict[str, float]:
    """CPU seconds of the envelope, of a draw from it and of both shared by `draws`; boxes opened: the largest.

    And the least and the median number of boxes.
    """
    rows = []
    mechanism = replace(MECHANISM, epsilon=setting.epsilon)
    count = MANY_DATA_SETS if setting.promised is None else DATA_SETS
    for seed in range(1 if setting.data == "401ksubs" else count):
        data = problem(setting, seed)
        envelope.cache_clear()
        began = time.process_time()
        bounds = envelope(mechanism, data)
        middle = time.process_time()
        with one_blas_thread():
            bounds.draw(setting.draws, np.random.default_rng(seed))
        ended = time.process_time()
        rows.append((middle - began, (ended - middle) / setting.draws, (ended - began) / setting.draws, bounds.opened))
    values = np.array(rows, dtype=float)
    names = ("envelope_seconds", "draw_seconds", "seconds", "boxes")
    worst = dict(zip(names, values.max(axis=0).tolist(), strict=True))
    return {**worst, "boxes_median": float(np.median(values[:, 3])), "boxes_least": float(values[:, 3].min())}


def measured() -> Measured:
    """Every setting, with its table."""
    one_core()
    measure(Setting(2, 100, 2.0))  # compiles
    headings = "boxes", "envelope s", "s a further draw", "draws", "s a draw", "promised"
    table = Table("data", "d", "n", "theta", "epsilon", *headings)
    rows = []
    for setting in SETTINGS:
        try:
            measurements = measure(setting)
        except MissingExtra as missing:
            table.caption = f"left out: {missing}"
            continue
        rows.append({**asdict(setting), **measurements})
        table.add_row(
            setting.data, str(setting.d), f"{setting.n:,}", f"{setting.theta:g}", f"{setting.epsilon:g}",
            f"{measurements['boxes']:,.0f}",
            f"{measurements['envelope_seconds']:.3f}", f"{measurements['draw_seconds']:.4f}", str(setting.draws),
            f"{measurements['seconds']:.3f}", "" if setting.promised is None else f"{setting.promised:g}",
        )  # fmt: skip
    return {"rows": rows}, (table,), all(row["promised"] is None or row["seconds"] <= row["promised"] for row in rows)


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a promise is missed."""
    return command("studies.heavytail", __doc__, arguments, measured, {"": (boxes_opened, SAID)}, "heavytail",
                   evidence="heavytail_speed.json")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
