"""Several noisy quantities of which one decides which others matter, with the exact log-ratio of each pair.

`shares` says what an audit certifies of the bound that the exact log-ratio gives as `score=` on the same runs: as it
learns by itself, and with `QuarteredLine`, a simple learner on runs of its own, as `score=`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass
class QuarteredLine:
    """A logistic regression of the side on the columns for each quarter of one column, that of largest likelihood."""

    column: int = 0
    cuts: Array = field(default_factory=lambda: np.empty(0))
    lines: Array = field(default_factory=lambda: np.empty(0))

    def __call__(self, outputs: Array) -> Array:
        weights = self.lines[np.searchsorted(self.cuts, outputs[:, self.column])]
        return np.asarray((_with_one(outputs) * weights).sum(axis=1).round(6))  # last bits may tell the data set

    @classmethod
    def learned(cls, first: Array, second: Array) -> QuarteredLine:
        fits = [cls._on(column, first, second) for column in range(first.shape[1])]
        return max(
            fits, key=lambda fit: float(-np.logaddexp(0.0, -fit(first)).sum() - np.logaddexp(0.0, fit(second)).sum())
        )

    @classmethod
    def _on(cls, column: int, first: Array, second: Array) -> QuarteredLine:
        pool = np.concatenate([first, second])
        side = np.repeat([1.0, 0.0], [len(first), len(second)])
        cuts = np.quantile(pool[:, column], [0.25, 0.5, 0.75])
        quarter = np.searchsorted(cuts, pool[:, column])
        return cls(column, cuts, np.stack([_line(pool[quarter == k], side[quarter == k]) for k in range(4)]))


def _with_one(outputs: Array) -> Array:
    return np.column_stack([outputs, np.ones(len(outputs))])


def _line(outputs: Array, side: Array) -> Array:
    """Newton's method, with a small ridge."""
    x = _with_one(outputs)
    weights = np.zeros(x.shape[1])
    for _ in range(8):
        chance = expit(x @ weights)
        hessian = (x * (chance * (1.0 - chance))[:, None]).T @ x + np.eye(len(weights))
        weights += np.linalg.solve(hessian, x.T @ (side - chance) - weights)
    return weights


def shares(name: str, runs: int, seeds: int) -> tuple[float, float]:
    """Means over seeds of the bound over that by the exact log-ratio: as learned, and by `QuarteredLine`."""
    import dpbench

    found = ADAPTIVE[name]
    bounds = np.zeros((seeds, 3))
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 1])
        line = QuarteredLine.learned(*(found.sampler(d, runs // 5, rng) for d in (0, 1)))
        for k, score in enumerate((lambda outputs: -found.ratio(outputs).round(6), None, line)):
            asked: dict[str, Any] = {
                "delta": found.delta,
                "trials": runs,
                "confidence": CONFIDENCE,
                "seed": seed,
                "score": score,
            }
            bounds[seed, k] = dpbench.audit(found.sampler, 0, 1, **asked).epsilon_lower
    exact, *others = bounds.mean(axis=0)
    return float(others[0] / exact), float(others[1] / exact)
