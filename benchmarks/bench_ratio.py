"""asv: how many times as many trials a second as NumPy's loop. Ratios travel between machines, seconds do not."""

from __future__ import annotations

import numpy as np

from benchmarks import numpy_loop
from benchmarks.cases import CASES, MECHANISM, problem
from benchmarks.pairs import Work, ratio


class NoisyGDAgainstNumPy:
    """Median of five alternating pairs in one process (`python -m benchmarks.peers` takes fifteen, and JAX)."""

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
