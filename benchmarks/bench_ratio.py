"""asv: how many times as many trials a second as NumPy's loop. Ratios travel between machines, seconds do not."""

from __future__ import annotations

import numpy as np

from benchmarks.cases import CASES
from dpbench.papers.glm.peers import numpy_loop
from dpbench.papers.glm.peers.pairs import Work, ratio
from dpbench.papers.glm.peers.workload import MECHANISM, problem


class NoisyGDAgainstNumPy:
    """Median of five alternating pairs in one process (`dpbench bench --peers` takes fifteen, and JAX)."""

    params = ("squared", "logistic")
    param_names = ("loss",)
    timeout = 300

    def setup(self, loss: str) -> None:
        self.case = CASES[f"noisy-gd-{loss}"]()
        self.case.check()

    def track_ratio(self, loss: str) -> float:
        data, rng = problem(loss), np.random.default_rng(3)
        peer = Work(lambda: numpy_loop.trials(data, MECHANISM, 2, rng), 2)
        return ratio(Work(self.case.run, self.case.trials), peer, pairs=5).median

    track_ratio.unit = "times"  # type: ignore[attr-defined]
