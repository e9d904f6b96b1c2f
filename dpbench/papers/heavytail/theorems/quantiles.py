"""The exact law of the excess risk where the data are n records x = 1, y = s or −s, and W = [−1, 1]."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dpbench.core import binomial
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem

Law = tuple[np.ndarray, np.ndarray]
"""Excesses in increasing order, and their probabilities over data and mechanism."""


def ones(n: int, theta: float = 2.0) -> HeavyTailedProblem:
    """n records x = 1, y = 0."""
    return HeavyTailedProblem(np.ones((n, 1)), np.zeros(n), radius=1.0, theta=theta)


def excess_law(mechanism: ExponentialMechanism, blank: HeavyTailedProblem, size: float, chance: float) -> Law:
    """y is `size` with probability `chance`, else −`size`; the responses of `blank` are unused.

    Numbers of records with y = `size` that have a probability below 1e-9 are left out. With |w| ≤ 1 the risk
    is least at the likelier sign of y times min(s, 1).
    """

    def risk(w: np.ndarray) -> np.ndarray:
        return chance * np.abs(w - size) + (1.0 - chance) * np.abs(w + size)

    least = risk(np.array(math.copysign(min(size, 1.0), chance - 0.5)))
    excesses, masses = [], []
    for count, weight in enumerate(binomial.mass(range(blank.n + 1), blank.n, chance)):
        if weight >= 1e-9:
            y = np.where(np.arange(blank.n) < count, size, -size)
            points, logs = mechanism.log_probabilities(replace(blank, y=y))
            excesses.append(risk(points[:, 0]) - least)
            masses.append(weight * np.exp(logs))
    excess, mass = np.concatenate(excesses), np.concatenate(masses)
    order = np.argsort(excess)
    return excess[order], mass[order]


def excess_quantile(law: Law, missed: float) -> float:
    """The (1 − `missed`)-quantile."""
    excess, mass = law
    return float(excess[np.searchsorted(np.cumsum(mass), 1.0 - missed)])
