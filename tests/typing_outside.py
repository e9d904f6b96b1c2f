"""A mechanism of somebody else's, written against the public interface: mypy must accept it as it stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpbench
from dpbench.core.sampling import Sampler, sample
from dpbench.glm import NoisyGD


@dataclass(frozen=True)
class ZeroPredictor:
    """The mechanism that ignores its data."""

    def __call__(self, problem: dpbench.GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        return np.zeros((trials, problem.d))


def compare(problem: dpbench.GLMProblem, neighbour: dpbench.GLMProblem) -> float:
    """How a user puts a mechanism of theirs beside one of ours."""
    theirs: Sampler = ZeroPredictor()
    ours: Sampler = NoisyGD(1.0, 1e-5)
    risks: list[float] = [float(problem.empirical_risk(sample(m, problem, 10)).mean()) for m in (theirs, ours)]
    result: dpbench.AuditResult = dpbench.audit(theirs, problem, neighbour, epsilon=1.0)
    return result.epsilon_lower + sum(risks)
