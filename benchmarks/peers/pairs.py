"""Two ways of doing the same work, timed in alternating pairs in one process: the ratio of their speeds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from dpbench.core.blas import one_blas_thread


@dataclass(frozen=True)
class Work:
    """Something that makes `trials` outputs each time it is called."""

    run: Callable[[], object]
    trials: int

    def seconds(self) -> float:
        """CPU seconds of this process for one trial: one core's time, whatever else the machine does."""
        before = time.process_time()
        self.run()
        return (time.process_time() - before) / self.trials


@dataclass(frozen=True)
class Ratio:
    """How many times as many trials a second as the peer: the median of the pairs and its interval."""

    median: float
    low: float
    high: float
    pairs: int
    ours_per_second: float
    peer_per_second: float


def ratio(ours: Work, peer: Work, pairs: int) -> Ratio:
    """Alternating pairs after one warm-up of each; the order within a pair alternates too."""
    with one_blas_thread():
        ours.run()
        peer.run()
        times = np.empty((pairs, 2))
        for pair in range(pairs):
            for which in (0, 1) if pair % 2 == 0 else (1, 0):
                times[pair, which] = (ours, peer)[which].seconds()
    low, high = median_interval(times[:, 1] / times[:, 0])
    return Ratio(
        median=float(np.median(times[:, 1] / times[:, 0])),
        low=low,
        high=high,
        pairs=pairs,
        ours_per_second=float(1.0 / np.median(times[:, 0])),
        peer_per_second=float(1.0 / np.median(times[:, 1])),
    )


def median_interval(values: np.ndarray, confidence: float = 0.95) -> tuple[float, float]:
    """Order statistics around the median that cover it with at least this confidence (else the extremes)."""
    count = len(values)
    inward = max((k for k in range(count // 2) if 2.0 * binom.cdf(k, count, 0.5) <= 1.0 - confidence), default=0)
    ordered = np.sort(values)
    return float(ordered[inward]), float(ordered[count - 1 - inward])
