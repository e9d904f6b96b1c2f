"""What the algorithms ask about a class on given points: its Gaussian complexity, and whether they identify it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.hypotheses.halfspaces import Halfspaces
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.objective import CountedOracle


def gaussian_complexity(hypotheses: Any, points: Any) -> float:
    """A bound on E sup over f in F of ω_m(f) (Definition 6), on these points.

    √(2·log(number)) for finitely many functions on the points, √(2/π) for constants, R·√(Σ‖Z_i‖²/m) for linear
    functions with ‖w‖ ≤ R; never more than √(2m/π), that of all functions into [−1, 1]. A class of yours may supply
    a smaller one as `gaussian_complexity(points)`.
    """
    m = len(points)
    bound = math.sqrt(2.0 * m / math.pi)
    own = getattr(hypotheses, "gaussian_complexity", None)
    if own is not None:
        return min(bound, validation.real("hypotheses.gaussian_complexity(points)", own(points), at_least=0.0))
    base = uncounted(hypotheses)
    if isinstance(base, Constants):
        return min(bound, math.sqrt(2.0 / math.pi))
    if isinstance(base, LinearBall):  # the value at z* is 1 for all, which adds nothing
        features = np.asarray(points, dtype=np.float64)[:, : base.dimension]
        return min(bound, base.radius * math.sqrt(float((features**2).sum()) / m))
    size = log_patterns(base, m)
    return bound if size is None else min(bound, math.sqrt(2.0 * size))


def log_patterns(hypotheses: Any, m: int) -> float | None:
    """A bound on the log of the number of labellings (f(Z_1), …, f(Z_m)) that F is, or mixes; None: none known."""
    if isinstance(hypotheses, Thresholds):
        return math.log(m + 1.0)
    if isinstance(hypotheses, Intervals):
        return math.log(0.5 * m * (m + 1.0) + 1.0)
    if isinstance(hypotheses, Stumps):
        return math.log(2.0 * hypotheses.dimension * (m + 1.0))
    if isinstance(hypotheses, Halfspaces):
        return math.log(2 * sum(math.comb(m - 1, k) for k in range(hypotheses.dimension + 1)))  # Cover 1965
    if isinstance(hypotheses, FiniteClass | ConvexHull):  # a maximum over mixtures is attained at a function
        return math.log(len(hypotheses.predictions))
    return hypotheses.bits * math.log(2.0) if isinstance(hypotheses, ParityCube) else None


def uncounted(hypotheses: Any) -> Any:
    """The class itself, where its calls are counted."""
    return hypotheses.hypotheses if isinstance(hypotheses, CountedOracle) else hypotheses


def identifies(hypotheses: Any, points: Any) -> bool:
    """Whether the points are a universal identification set of the class (Definition 9).

    Decided for finite classes and the parity cube; a class of yours may answer as `identified_by(points)`; of all
    others, whose functions differ between any finitely many points, the answer is no.
    """
    base = uncounted(hypotheses)
    if isinstance(base, FiniteClass):
        on_points = base.predict(np.arange(len(base.predictions))[:, None], points)
        return len(np.unique(on_points, axis=0)) == len(np.unique(base.predictions, axis=0))
    if isinstance(base, ParityCube):
        return bool(np.isin(np.arange(base.bits), points).all())
    own = getattr(base, "identified_by", None)
    return bool(own(points)) if own is not None else False
