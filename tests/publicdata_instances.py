"""Instances of the public-data paper that several files of tests use."""

from __future__ import annotations

import math

import numpy as np

from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.problem import PublicDataProblem

MOVING_ETA = 0.125


def moving_pair(n: int = 101, m: int = 9) -> tuple[PublicDataProblem, PublicDataProblem]:
    """Records at x° = 1 with balanced labels, public points at a = 1/(2√(ηn)), functions t·x with |t| ≤ 1."""
    a = 0.5 / math.sqrt(MOVING_ETA * n)
    y = np.where(np.arange(n) <= n // 2, 1.0, -1.0)
    problem = PublicDataProblem(
        np.ones((n, 1)), y, np.full((m, 1), a), hypotheses=LinearBall(1), loss="absolute"
    )  # fmt: skip
    return problem, problem.replace_record(0, [1.0], -1.0)
