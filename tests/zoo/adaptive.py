"""Several noisy quantities of which one decides which others matter, with the exact log-ratio of each pair.

`share` says what an audit certifies of the bound that the exact log-ratio gives as `score=` on the same runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from .registry import CONFIDENCE

Array = np.ndarray
Rng = np.random.Generator


def laplace_ratio(x: Array, shift: float, scale: float) -> Array:
    """Log-ratio of Laplace noise around `shift` to that around 0."""
    return (np.abs(x) - np.abs(x - shift)) / scale


def normal_ratio(x: Array, shift: Array | float) -> Array:
    """Log-ratio of normal noise of deviation 1 around `shift` to that around 0."""
    return shift * x - 0.5 * np.square(shift)


def gate(d: int, trials: int, rng: Rng) -> Array:
    """A noisy number, whose sign decides which of two counts a record is in."""
    number, counts = rng.laplace(size=trials), rng.laplace(size=(trials, 2))
    counts[np.arange(trials), (number > 0.0).astype(int)] += 1.5 * d
    return np.column_stack([number, counts])


def gate_ratio(outputs: Array) -> Array:
    number, low, high = outputs.T
    return laplace_ratio(np.where(number > 0.0, high, low), 1.5, 1.0)


def clusters(d: int, trials: int, rng: Rng) -> Array:
    """A step of k-means: a noisy border of two clusters, then the noisy count and sum of each; the record is at 0.2."""
    border = 0.15 + 0.1 * rng.laplace(size=trials)
    member = d * np.column_stack([border > 0.2, border <= 0.2])
    counts, sums = member + 2.0 * rng.laplace(size=(trials, 2)), 0.2 * member + 0.4 * rng.laplace(size=(trials, 2))
    return np.column_stack([border, counts, sums])


def clusters_ratio(outputs: Array) -> Array:
    left = outputs[:, 0] > 0.2
    count, total = (np.where(left, outputs[:, k], outputs[:, k + 1]) for k in (1, 3))
    return laplace_ratio(count, 1.0, 2.0) + laplace_ratio(total, 0.2, 0.4)


def groups(d: int, trials: int, rng: Rng) -> Array:
    """A noisy statistic decides which of two groups of three noisy numbers a record is in."""
    number, others = 0.3 * d + rng.normal(size=trials), rng.normal(size=(trials, 6))
    return np.column_stack([number, others + 0.8 * d * _members(number)])


def groups_ratio(outputs: Array) -> Array:
    number, others = outputs[:, 0], outputs[:, 1:]
    return normal_ratio(number, 0.3) + normal_ratio(others, 0.8 * _members(number)).sum(axis=1)


def _members(number: Array) -> Array:
    first = (number > 0.5)[:, None]
    return np.where(np.arange(6) < 3, first, ~first) * np.where(np.arange(6) < 3, 1.0, -1.0)


def gradients(d: int, trials: int, rng: Rng) -> Array:
    """Two noisy steps of gradient descent in two dimensions: the record's second gradient depends on the first step."""
    first = 0.8 * d * np.array([1.0, 0.0]) + rng.normal(size=(trials, 2))
    return np.column_stack([first, d * _second(first) + rng.normal(size=(trials, 2))])


def gradients_ratio(outputs: Array) -> Array:
    first, second = outputs[:, :2], outputs[:, 2:]
    return normal_ratio(first[:, 0], 0.8) + normal_ratio(second, _second(first)).sum(axis=1)


def _second(first: Array) -> Array:
    share = expit(-2.0 * first[:, 0])
    return 1.2 * np.column_stack([share, 1.0 - share])


class Adaptive(NamedTuple):
    """A mechanism on the data sets 0 and 1, and the log-ratio of 1 to 0."""

    sampler: Callable[[int, int, Rng], Array]
    ratio: Callable[[Array], Array]
    delta: float = 0.0


ADAPTIVE = {
    "a number decides on a count": Adaptive(gate, gate_ratio),
    "a step of k-means": Adaptive(clusters, clusters_ratio),
    "a statistic decides on a group": Adaptive(groups, groups_ratio, 1e-3),
    "two steps of gradients": Adaptive(gradients, gradients_ratio, 1e-3),
}


def share(name: str, runs: int, seeds: int) -> float:
    """The mean over seeds of the bound over that by the exact log-ratio."""
    import dpbench

    found = ADAPTIVE[name]
    asked: dict[str, Any] = {"delta": found.delta, "trials": runs, "confidence": CONFIDENCE}
    learned, exact = (
        sum(dpbench.audit(found.sampler, 0, 1, seed=seed, score=score, **asked).epsilon_lower for seed in range(seeds))
        for score in (None, lambda outputs: -found.ratio(outputs).round(6))  # last bits may tell the data set
    )
    return float(learned / exact)
