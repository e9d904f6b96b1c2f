"""Instances of the public-data paper that several files of tests use."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpbench.ledger.registry import all_claims
from dpbench.ledger.stated import rows_of
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.runs.context import RunContext

MOVING_ETA = 0.125


def moving_pair(n: int = 101, m: int = 9) -> tuple[PublicDataProblem, PublicDataProblem]:
    """Records at x° = 1 with balanced labels, public points at a = 1/(2√(ηn)), functions t·x with |t| ≤ 1."""
    a = 0.5 / math.sqrt(MOVING_ETA * n)
    y = np.where(np.arange(n) <= n // 2, 1.0, -1.0)
    problem = PublicDataProblem(
        np.ones((n, 1)), y, np.full((m, 1), a), hypotheses=LinearBall(1), loss="absolute"
    )  # fmt: skip
    return problem, problem.replace_record(0, [1.0], -1.0)


def planted(name: str, **changes: Any) -> str:
    """The verdict of a row of formulas where its statement has other parts."""
    claim = next(claim for claim in all_claims() if claim.id == f"publicdata.{name}")
    assert isinstance(claim.run, partial) and claim.run.func is rows_of
    statement = claim.run.keywords["statement"].replace(**changes)
    run = partial(rows_of, **{**claim.run.keywords, "statement": statement})
    with RunContext(level="quick", seed=0, workers=1) as context:
        return replace(claim, run=run).measure(context)[0]
