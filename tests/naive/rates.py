"""The bootstrap of a slope and what nuisances add to it, one number at a time; imports nothing of the project."""

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


def normal_equations(x: list[float], y: list[float]) -> float:
    """The slope b of log y = a + b·log x by Cramer's rule on [N, Σl; Σl, Σl²]·(a, b) = (Σm, Σlm)."""
    logs, values = [math.log(v) for v in x], [math.log(v) for v in y]
    count, first, second = len(x), sum(logs), sum(v * v for v in logs)
    right, mixed = sum(values), sum(v * w for v, w in zip(logs, values, strict=True))
    return (count * mixed - first * right) / (count * second - first * first)


def slopes_of(x: list[float], base: list[float], factors: list[list[list[float]]]) -> tuple[float, float]:
    """The least and the largest slope of the base times one choice of each factor, over all choices.

    ``factors[j]`` lists the values of the factor on the grid at many values of its parameter.
    """
    laws = [base]
    for choices in factors:
        laws = [[m * f for m, f in zip(law, choice, strict=True)] for law in laws for choice in choices]
    found = [normal_equations(x, law) for law in laws]
    return min(found), max(found)
