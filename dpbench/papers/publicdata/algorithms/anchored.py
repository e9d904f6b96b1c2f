"""The paper's point z*, at which every function of a class is 1: it keeps ‖f‖_m away from 0 (Theorem 2)."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem


def anchored_class(hypotheses: Any) -> Any:
    """The class with z* among its points: one that has a field `anchored` (a linear ball, constants)."""
    if not is_dataclass(hypotheses) or "anchored" not in {field.name for field in fields(hypotheses)}:
        raise validation.invalid("hypotheses", "a class that can be anchored (LinearBall, Constants)", hypotheses)
    return replace(hypotheses, anchored=True)  # type: ignore[type-var]


def marked(points: np.ndarray, stars: int) -> np.ndarray:
    """The points as ordinary points of the anchored class, followed by `stars` copies of z*."""
    if points.ndim == 1:  # constants: 0 is an ordinary point, 1 is z*
        return np.concatenate([np.zeros(len(points)), np.ones(stars)])
    rows = np.zeros((len(points) + stars, points.shape[1] + 1))
    rows[: len(points), :-1] = points
    rows[len(points) :, -1] = 1.0
    return rows


def with_anchor(problem: PublicDataProblem) -> PublicDataProblem:
    """The problem for μ̃ = (μ + 2δ_{z*})/3: two copies of z* for each public point, and σ/3."""
    p = public_data_problem(problem)
    return replace(
        p,
        x=marked(p.x, 0),
        public=marked(p.public, 2 * p.m),
        hypotheses=anchored_class(p.hypotheses),
        smoothness=p.smoothness / 3.0,
    )
