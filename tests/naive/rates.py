"""The bootstrap of a slope, one resample and one grid point at a time; imports nothing of the project."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import t as student


def widening(x: list[float], draws: list[np.ndarray], resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    """How much further out than Student's the quantiles of the studentised slope of resampled trials are.

    The studentised slope of a resample is its slope less that of the trials, over the standard error that the resample
    itself gives by the delta method: Σ c² s²/(K m²), s and m of the resample.
    """
    logs = [math.log(v) for v in x]
    middle = sum(logs) / len(logs)
    spread = sum((v - middle) ** 2 for v in logs)
    weights = [(v - middle) / spread for v in logs]
    shifts, variances = [0.0] * resamples, [0.0] * resamples
    own = []
    for weight, part in zip(weights, draws, strict=True):
        size = len(part)
        own.append(weight**2 * float(np.var(part, ddof=1)) / size / float(np.mean(part)) ** 2)
        chosen = rng.integers(0, size, (resamples, size))
        for b in range(resamples):
            again = [float(part[i]) for i in chosen[b]]
            mean = sum(again) / size
            variance = sum((v - mean) ** 2 for v in again) / (size - 1)
            shifts[b] += weight * (math.log(mean) - math.log(sum(part) / size))
            variances[b] += weight**2 * variance / size / mean**2
    freedom = sum(own) ** 2 / sum(v**2 / (len(p) - 1) for v, p in zip(own, draws, strict=True))
    ranked = sorted(s / math.sqrt(v) for s, v in zip(shifts, variances, strict=True))
    tail = min(10, resamples)
    expected = float(student.isf(tail / resamples, freedom))
    return max(1.0, ranked[-tail] / expected), max(1.0, -ranked[tail - 1] / expected)
