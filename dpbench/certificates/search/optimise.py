"""Global, then local search for the largest margin on the unit cube: points of low discrepancy, differential evolution,
Nelder and Mead's simplex (all of SciPy). One seed, one sequence of points: a budget of seconds only cuts it short."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import differential_evolution, minimize
from scipy.stats import qmc

from dpbench.certificates.clock import Clock

PENALTY = 1e3
SPREAD, EVOLVED = 0.25, 0.6
"""Shares of the budget: points of low discrepancy, differential evolution; what is left is for the simplex."""
SIMPLEXES = 4


class _Enough(Exception):
    """The budget is spent, or what was looked for is found."""


@dataclass
class Trace:
    """What a search looked at.

    Attributes
    ----------
    best : float64[k] or None
        The admissible point of the largest margin.
    margin : float
        At `best`; -inf where no admissible point was met.
    evaluations, admissible : int
    missed : float
        By how much the conditions are missed at the least; 0 where an admissible point was met.
    violated : bool
        Whether a margin above the threshold was met.
    cut : str
        "", "seconds", or "interrupted".
    """

    best: np.ndarray | None = None
    margin: float = -np.inf
    evaluations: int = 0
    admissible: int = 0
    missed: float = np.inf
    violated: bool = False
    cut: str = ""
    good: list[tuple[float, np.ndarray]] = field(default_factory=list, repr=False)

    def follows(self, before: Trace) -> None:
        """Add the counts of an earlier round."""
        self.evaluations += before.evaluations
        self.admissible += before.admissible
        self.missed = min(self.missed, before.missed)


Look = Callable[[np.ndarray], tuple[float, float]]


def climb(
    look: Look, dimension: int, *, evaluations: int, clock: Clock, seed: int, threshold: float, worst: bool
) -> Trace:
    """Search for the largest margin.

    Parameters
    ----------
    look : callable
        From a point of the unit cube to (how far the conditions are missed, margin).
    evaluations, clock : budgets
        Points, and processor time.
    threshold : float
        A margin above it is a violation.
    worst : bool
        Go on after a violation, for the largest margin; else the global search ends there.
    """
    trace = Trace()
    limits = {"now": int(evaluations), "stop": not worst}

    def cost(units: np.ndarray) -> float:
        if trace.evaluations >= limits["now"]:
            raise _Enough
        if clock.over:
            trace.cut = "seconds"
            raise _Enough
        point = np.minimum(np.maximum(units, 0.0), 1.0)
        missed, margin = look(point)
        trace.evaluations += 1
        trace.missed = min(trace.missed, missed)
        if missed > 0.0:
            return PENALTY + missed
        trace.admissible += 1
        if margin > trace.margin:
            trace.best, trace.margin = point.copy(), margin
            trace.good = sorted([*trace.good, (margin, point.copy())], key=lambda pair: -pair[0])[:SIMPLEXES]
        if margin > threshold and not trace.violated:
            trace.violated = True
            if limits["stop"]:
                raise _Enough
        return -margin

    def within_budget(search: Callable[[], None]) -> None:
        try:
            search()
        except _Enough:
            pass
        except KeyboardInterrupt:
            trace.cut = "interrupted"

    within_budget(lambda: _globally(cost, dimension, evaluations, seed))
    if not trace.cut and trace.good:
        if trace.violated and not worst:
            limits["now"] = min(int(evaluations), trace.evaluations + 400)
        limits["stop"] = False
        within_budget(lambda: _locally(cost, trace))
    return trace


def _globally(cost: Callable[[np.ndarray], float], dimension: int, evaluations: int, seed: int) -> None:
    rng = np.random.default_rng([seed, dimension])
    spread = max(int(np.log2(max(evaluations * SPREAD, 2.0))), 1)
    points = qmc.Sobol(dimension, scramble=True, seed=rng).random_base2(spread)
    costs = np.array([cost(point) for point in points])
    size = min(max(8 * dimension, 16), 80, len(points))
    start = points[np.argsort(costs, kind="stable")[:size]]
    if len(start) < 5:
        return
    rounds = max(int(evaluations * EVOLVED) // len(start) - 1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of populations that are all alike
        differential_evolution(
            cost, [(0.0, 1.0)] * dimension, init=start, maxiter=rounds, tol=0.0, polish=False, seed=rng,
            mutation=(0.4, 1.0), recombination=0.8,
        )  # fmt: skip


def _locally(cost: Callable[[np.ndarray], float], trace: Trace) -> None:
    for _, point in list(trace.good):
        minimize(
            cost, point, method="Nelder-Mead", bounds=[(0.0, 1.0)] * len(point),
            options={"maxfev": 120 * len(point), "xatol": 1e-9, "fatol": 1e-12, "adaptive": True},
        )  # fmt: skip
