"""``python -m studies.gd_floors``: a step of noisy GD beside the sum of what it is made of, on one core.

Logistic loss, n = 1000, d = 50, a block of 64 trials: the two products, the derivatives (an exponential for each record
and trial) and the normals with the step itself, each by the kernel that the descent calls, and the descent. In turn
within one run, the least processor time of several. Exit 1 where a step takes more than 1.1 times the sum.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from rich.table import Table

from dpbench.core import aligned
from dpbench.papers.glm.algorithms import _noisy_gd_kernels as kernels
from dpbench.papers.glm.algorithms._loss_tiles import to_derivatives
from dpbench.papers.glm.peers.speed import one_core
from dpbench.papers.glm.peers.workload import D, N, problem
from dpbench.papers.glm.problem import GLMProblem
from studies.command import Measured, command

WIDTH, STEPS, REPEATS, MOST = 64, 30, 9, 1.1


def parts(data: GLMProblem) -> dict[str, Callable[[], None]]:
    """What makes `STEPS` steps: each part alone, and the whole."""
    w, total, gradient = (aligned.zeros(D, WIDTH) for _ in range(3))
    w[:] = 0.1 * np.random.default_rng(0).standard_normal((D, WIDTH))
    scores, every, rng = aligned.zeros(kernels.ROWS, WIDTH), aligned.zeros(N, WIDTH), np.random.default_rng(1)
    loss = data.loss.code, data.loss.parameter

    def products() -> None:
        for _ in range(STEPS):
            for start in range(0, N, kernels.ROWS):
                tile = data.X[start : start + kernels.ROWS]
                kernels.add_product(tile, w, scores[: len(tile)])
                kernels.add_product(tile.T, scores[: len(tile)], gradient)

    def derivatives() -> None:
        for _ in range(STEPS):
            to_derivatives(*loss, data.y, 1.0 / N, every)

    def normals() -> None:
        for _ in range(STEPS):
            kernels.noisy_step(0.1, 0.1, 1.0, rng, gradient, w, total)

    def whole() -> None:
        kernels.noisy_gd_records(*loss, data.X, data.y, 0.1, 0.1, 1.0, STEPS, rng, w, total, gradient, scores)

    return {"products": products, "derivatives": derivatives, "normals and step": normals, "descent": whole}


def measured() -> Measured:
    """Microseconds a step, and the ratio of the descent to the sum."""
    one_core()
    run = parts(problem("logistic"))
    times: dict[str, list[float]] = {name: [] for name in run}
    for _ in range(REPEATS):
        for name, function in run.items():
            began = time.process_time()
            function()
            times[name].append(1e6 * (time.process_time() - began) / STEPS)
    least = {name: min(taken) for name, taken in times.items()}
    ratio = least["descent"] / sum(value for name, value in least.items() if name != "descent")
    table = Table("part", "µs a step", title=f"descent over the sum of its parts: {ratio:.2f}")
    for name, value in least.items():
        table.add_row(name, f"{value:.0f}")
    return {"microseconds": least, "ratio": ratio, "most": MOST}, (table,), ratio <= MOST


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if the promise is missed."""
    return command("studies.gd_floors", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
