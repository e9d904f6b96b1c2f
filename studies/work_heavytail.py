"""Heavy-tailed regressions that the exact sampler is timed on."""

from __future__ import annotations

import math

import numpy as np

from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.tails import Tail

MECHANISM = ExponentialMechanism(1.0, sampler="tree")


def student(d: int, n: int, theta: float, seed: int) -> HeavyTailedProblem:
    """Records of Student's t designs and noise, with 0.2 more degrees of freedom than θ; w* = (1, …, 1)/(2√d)."""
    law = Tail("student", theta + 0.2)
    weights = np.full(d, 0.5 / math.sqrt(d))
    population = HeavyTailedPopulation.unit(law, weights, theta=theta, noise=law, noise_scale=0.2)
    return population.draw(n, np.random.default_rng(seed))
