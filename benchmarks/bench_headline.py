"""asv: the twelve headline pieces of work as ratios to a loop that never changes, and how good their answers are.

Both sides of a ratio are processor time of one process, in turns: what the machine does beside it falls out.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks import headline
from benchmarks.workload import workload

# Slices of either side, in turns, and about their processor time. The fastest sixth counts: what runs beside only adds.
SLICES, SECONDS = 36, 0.02


def reference(rounds: int) -> float:
    """The frozen loop: products of a matrix and a vector that fit a cache, exponentials, a sort."""
    matrix, vector = np.linspace(-1.0, 1.0, 40_000).reshape(200, 200), np.linspace(0.0, 1.0, 200)
    for _ in range(rounds):
        vector = np.sort(1.0 / (1.0 + np.exp(-(matrix @ vector) / 8.0)))
    return float(vector.sum())


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def ratio(run: headline.Run) -> float:
    """Processor time of a call over that of a thousand rounds of the loop: the fastest slices of either."""
    reference(100)
    run(0)
    calls = max(1, round(SECONDS / max(seconds(lambda: run(1)), 1e-4)))
    rounds = max(1, round(SECONDS / max(seconds(lambda: reference(200)) / 200, 1e-7)))
    work, loop = [], []
    for number in range(SLICES):
        first = 2 + number * calls
        work.append(seconds(lambda first=first: [run(first + call) for call in range(calls)]))  # type: ignore[misc]
        loop.append(seconds(lambda: reference(rounds)))
    mine, theirs = (sum(sorted(times)[: SLICES // 6]) for times in (work, loop))
    return mine / calls / (theirs / rounds * 1000.0)


@workload(headline)
class Headline:
    """What `python -m benchmarks.compare` compares, over the history."""

    params = tuple(headline.HEADLINE)
    param_names = ("work",)
    timeout = 300

    def setup(self, work: str) -> None:
        self.work = headline.HEADLINE[work]()
        self.quality = self.work.quality(self.work(0))

    def track_ratio(self, work: str) -> float:
        """Processor time over that of the reference loop."""
        return ratio(self.work)

    def track_quality(self, work: str) -> float:
        """Mean empirical risk, largest probability, bound found or floor: see `benchmarks.headline`."""
        return self.quality

    def peakmem_run(self, work: str) -> None:
        """Peak memory of a process with one call."""
        self.work(1)
