"""Halfspaces in the plane: an exact oracle in O(N² log N), by a line that turns about each point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses import _plane_kernels as kernels
from dpbench.papers.publicdata.hypotheses._finite_kernels import sum_cells
from dpbench.papers.publicdata.objective import BinaryClass, Objective, OnePrepared, linear_rows, parameter_rows

GRID = 2.0**23
_PAIRS = 400_000  # pairs of points of a batch of pivots: bounds memory
_CHUNK = 50_000_000  # pairs of points times calls in one kernel call: a fraction of a second


@dataclass(frozen=True)
class Halfspaces(BinaryClass):
    """f_{u,t}(x) = 1 if ⟨u, k(x)⟩ ≥ t, else −1, where k(x) is x in units of bound·2^-23, rounded to integers.

    On that grid all geometry is exact: collinear and repeated points are ones, and the halfspace returned labels
    the points as found. Rows (u₁, u₂, t) are integers; (0, 0, 1) is −1 everywhere and (0, 0, 0) is 1 everywhere.

    Ties: −1 everywhere, then 1 everywhere, then by the boundary's point in lexicographic order, then by the
    boundary's direction counted from the first axis, the left side first. O(N² log N) for any number of calls at
    once, and O(N²) a call.

    Parameters
    ----------
    bound : float
        Points have coordinates in [−bound, bound].
    """

    bound: float = 1.0
    width: ClassVar[int] = 3

    def __post_init__(self) -> None:
        validation.real("bound", self.bound, above=0.0, size=True)

    def grid(self, points: Any) -> np.ndarray:
        """k(x), shape (N, 2)."""
        x = validation.array("points", points, ndim=2, width=2)
        worst = float(np.abs(x).max())
        if worst > self.bound:
            raise validation.InvalidInput(f"points must lie in [-{self.bound:g}, {self.bound:g}]², got {worst:.17g}")
        return np.rint(x / self.bound * GRID) + 0.0

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, 3)
        return np.where(rows[:, :2] @ self.grid(points).T >= rows[:, 2:], 1.0, -1.0)

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        distinct, place = np.unique(self.grid(points), axis=0, return_inverse=True)
        return _Plane(np.ascontiguousarray(distinct), place.reshape(-1).astype(np.int64))


@dataclass(frozen=True, eq=False)
class _Plane(OnePrepared):
    distinct: np.ndarray
    place: np.ndarray

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, 3)."""
        rows = linear_rows(objective, linear, self.place.shape[0])
        fixed = objective.fixed_costs
        n = self.distinct.shape[0]
        costs = np.empty((len(rows), n))
        sum_cells(self.place, fixed + 2.0 * rows, costs)
        totals = costs.sum(axis=1)
        best = np.minimum(totals, 0.0)
        found = np.full((len(rows), 3), -1, dtype=np.int64)
        pivots = max(1, _PAIRS // n)
        calls = max(1, _CHUNK // (n * min(pivots, n)))
        for start in range(0, n if n > 1 else 0, pivots):
            keys = np.empty((min(pivots, n - start), n))
            upper = np.empty(keys.shape, dtype=np.bool_)
            kernels.line_angles(self.distinct, start, keys, upper)
            order = np.argsort(keys, axis=1)
            for i in range(0, len(rows), calls):
                part = slice(i, i + calls)
                kernels.turn_lines(start, keys, upper, order, costs[part], totals[part], best[part], found[part])
        return np.stack([self._row(item, total) for item, total in zip(found, totals, strict=True)])

    def _row(self, found: np.ndarray, total: float) -> np.ndarray:
        pivot, passed, right = (int(value) for value in found)
        if pivot < 0:
            return np.array([0.0, 0.0, 0.0 if total < 0.0 else 1.0])
        steps = self.distinct - self.distinct[pivot]
        down = (steps[:, 1] < 0.0) | ((steps[:, 1] == 0.0) & (steps[:, 0] < 0.0))
        steps[down] *= -1.0
        keys, upper = np.empty((1, len(steps))), np.empty((1, len(steps)), dtype=np.bool_)
        kernels.line_angles(self.distinct, pivot, keys, upper)
        order = np.argsort(keys[0])
        here = steps[order[passed - 1]]
        after = steps[order[passed]] if passed < len(steps) - 1 else -steps[order[0]]
        opposite = here[0] * after[1] == here[1] * after[0]  # all points on one line
        along = np.array([-here[1], here[0]]) if opposite else here + after
        if right:
            along = -along
        u = np.array([-along[1], along[0]])
        return np.append(u, u @ self.distinct[pivot]) + 0.0
