"""Exact quantiles of the excess risk where the data are n records of two kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dpbench.core import binomial
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem

Law = Callable[[int], tuple[np.ndarray, np.ndarray]]
"""From a number of records of the first kind to the excess at each net point and the points' log-probabilities."""


def excess_quantile(n: int, chance: float, law: Law, missed: float) -> float:
    """The (1 − `missed`)-quantile of the excess over data and mechanism.

    The number of records of the first kind is Binomial(n, `chance`); numbers with a probability below 1e-9 are left
    out.
    """
    excesses, masses = [], []
    for ones, weight in enumerate(binomial.mass(range(n + 1), n, chance)):
        if weight >= 1e-9:
            excess, logs = law(ones)
            excesses.append(excess)
            masses.append(weight * np.exp(logs))
    excess, mass = np.concatenate(excesses), np.concatenate(masses)
    order = np.argsort(excess)
    return float(excess[order][np.searchsorted(np.cumsum(mass[order]), 1.0 - missed)])


def two_responses_quantile(
    mechanism: ExponentialMechanism, problem: HeavyTailedProblem, size: float, missed: float
) -> float:
    """That quantile for x ≡ 1 and y = ±`size` with chances 0.4 and 0.6, W = [−1, 1]; `problem`'s responses are unused.

    With |w| ≤ 1 the risk 0.4|w − s| + 0.6|w + s| is least at w = −min(s, 1).
    """

    def risk(w: np.ndarray) -> np.ndarray:
        return 0.4 * np.abs(w - size) + 0.6 * np.abs(w + size)

    def law(ones: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.where(np.arange(problem.n) < ones, size, -size)
        points, logs = mechanism.log_probabilities(replace(problem, y=y))
        return risk(points[:, 0]) - risk(np.array(-min(size, 1.0))), logs

    return excess_quantile(problem.n, 0.4, law, missed)
