"""Halfspaces in the plane and in space: an exact oracle, by a hyperplane that turns about each point or line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses import _halfspace_kernels as kernels
from dpbench.papers.publicdata.hypotheses._finite_kernels import sum_cells
from dpbench.papers.publicdata.objective import BinaryClass, Objective, OnePrepared, linear_rows, parameter_rows

GRID = {2: 2.0**23, 3: 2.0**10}
"""Steps of the grid in a bound, by the dimension."""
_PAIRS = 400_000  # axes times points of a batch: bounds memory
_CHUNK = 50_000_000  # axes times points times calls in one kernel call: a fraction of a second


@dataclass(frozen=True)
class Halfspaces(BinaryClass):
    """f_{u,t}(x) = 1 if ⟨u, k(x)⟩ ≥ t, else −1, where k(x) is x in steps of a grid, rounded to integers.

    A step is bound·2^-23 in the plane and bound·2^-10 in space. On that grid all geometry is exact: points on one line
    or plane and repeated ones too, and the halfspace returned labels the points as found. Rows are integers. In the
    plane they are (u₁, u₂, t); (0, 0, 1) is −1 everywhere and (0, 0, 0) is 1 everywhere. In space they are (u, s, v,
    t), 8 numbers: 1 if ⟨u, k(x)⟩ > s, or if ⟨u, k(x)⟩ = s and ⟨v, k(x)⟩ ≥ t, which is a halfspace turned a little.

    Ties: −1 everywhere, then 1 everywhere, then by the boundary's points in lexicographic order, then by the
    boundary's direction. N points take O(N² log N) in the plane and O(N³ log N) in space for any number of calls at
    once, and O(N²) or O(N³) a call.

    Parameters
    ----------
    bound : float
        Points have coordinates in [−bound, bound].
    dimension : int
        2 or 3.
    """

    bound: float = 1.0
    dimension: int = 2

    def __post_init__(self) -> None:
        validation.real("bound", self.bound, above=0.0, size=True)
        if self.dimension not in GRID:
            raise validation.invalid("dimension", "2 or 3", self.dimension)

    @property
    def width(self) -> int:
        """Numbers of a row: 3 in the plane, 8 in space."""
        return 3 if self.dimension == 2 else 8

    def grid(self, points: Any) -> np.ndarray:
        """k(x), shape (N, dimension)."""
        x = validation.array("points", points, ndim=2, width=self.dimension)
        worst = float(np.abs(x).max())
        if worst > self.bound:
            box = f"[-{self.bound:g}, {self.bound:g}]{'²³'[self.dimension - 2]}"
            raise validation.InvalidInput(f"points must lie in {box}, got {worst:.17g}")
        return np.rint(x / self.bound * GRID[self.dimension]) + 0.0

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows, x, d = parameter_rows(parameters, self.width), self.grid(points), self.dimension
        heights = rows[:, :d] @ x.T - rows[:, d : d + 1]
        if d == 2:
            return np.where(heights >= 0.0, 1.0, -1.0)
        beyond = rows[:, d + 1 : -1] @ x.T >= rows[:, -1:]
        return np.where((heights > 0.0) | ((heights == 0.0) & beyond), 1.0, -1.0)

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        distinct, place = np.unique(self.grid(points), axis=0, return_inverse=True)
        return _Turning(np.ascontiguousarray(distinct), place.reshape(-1).astype(np.int64))


@dataclass(frozen=True, eq=False)
class _Turning(OnePrepared):
    distinct: np.ndarray
    place: np.ndarray

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, width)."""
        rows = linear_rows(objective, linear, self.place.shape[0])
        n, d = self.distinct.shape
        costs = np.empty((len(rows), n))
        sum_cells(self.place, objective.fixed_costs + 2.0 * rows, costs)
        totals = costs.sum(axis=1)
        best = np.minimum(totals, 0.0)
        places = np.full((len(rows), 3), -1, dtype=np.int64)
        pivots = np.column_stack(np.triu_indices(n, 1) if d == 3 else 2 * [np.arange(n if n > 1 else 0)])
        batch = max(1, _PAIRS // n)
        calls = max(1, _CHUNK // (n * batch))
        for start in range(0, len(pivots), batch):
            axes = pivots[start : start + batch]
            seen = self._seen(axes)
            for i in range(0, len(rows), calls):
                part = slice(i, i + calls)
                own, _ = self._ends(axes, seen, costs[part])
                turned = (seen.keys, seen.upper, seen.order, seen.others)
                kernels.turn(start, *turned, own, costs[part], best[part], places[part])
        return np.stack([self._row(pivots, costs[c : c + 1], *places[c].tolist()) for c in range(len(rows))])

    def _ends(self, axes: np.ndarray, seen: _Seen, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        own, ends = np.empty((len(costs), len(axes))), np.empty((len(costs), len(axes)), dtype=np.int64)
        kernels.axis_ends(self.distinct, axes, seen.order, seen.others, costs, own, ends)
        return own, ends

    def _seen(self, axes: np.ndarray) -> _Seen:
        """The points as seen along each axis (p, q): in space those of x ↦ (a_k x_i − a_i x_k, a_k x_j − a_j x_k),
        a = q − p with a_k its largest coordinate.

        Coordinates seen are integers of size at most 2^24. So a key is a quotient of integers up to 2^25: unequal
        quotients are at least 2^-50 apart, and equal ones round alike. Sorting the keys is exact.
        """
        d = self.distinct.shape[1]
        each = np.arange(len(axes))
        frames = np.tile(np.eye(2), (len(axes), 1, 1))
        if d == 3:
            along = self.distinct[axes[:, 1]] - self.distinct[axes[:, 0]]
            k = np.abs(along).argmax(axis=1)
            frames = np.zeros((len(axes), 2, 3))
            for coordinate in (0, 1):
                i = (k + 1 + coordinate) % 3
                frames[each, coordinate, i], frames[each, coordinate, k] = along[each, k], -along[each, i]
        places = frames @ self.distinct.T
        places -= places[each, :, axes[:, 0]][:, :, np.newaxis]
        down = (places[:, 1] < 0.0) | ((places[:, 1] == 0.0) & (places[:, 0] < 0.0))
        places *= np.where(down, -1.0, 1.0)[:, np.newaxis]
        x, y = places[:, 0], places[:, 1]
        on_axis = (x == 0.0) & (y == 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            keys = np.where(on_axis, np.inf, np.where(x > 0.0, y / (x + y), 1.0 - x / (y - x)))
        return _Seen(frames, places, keys, ~down & ~on_axis, np.argsort(keys, axis=1), (~on_axis).sum(axis=1))

    def _row(self, axes: np.ndarray, costs: np.ndarray, number: int, passed: int, right: int) -> np.ndarray:
        """What was found for one row of costs, as parameters."""
        d = self.distinct.shape[1]
        if number < 0:
            constant = np.zeros(3 if d == 2 else 8)
            constant[-1] = 0.0 if costs.sum() < 0.0 else 1.0
            return constant
        axis = axes[number : number + 1]
        seen, (p, q) = self._seen(axis), self.distinct[axis[0]]
        u = _between(seen, passed) @ seen.frames[0] * (-1.0 if right else 1.0)
        if d == 2:
            return np.append(u, u @ p) + 0.0
        end = int(self._ends(axis, seen, costs)[1][0, 0])
        v = (q - p) * (-1.0 if end % 2 else 1.0)
        return np.concatenate([u, [u @ p], v, [v @ (q if end >= 2 else p)]]) + 0.0


class _Seen(NamedTuple):
    """Points as seen along axes: the maps (axes, 2, d), where points or their mirror images lie (axes, 2, N), and ...

    as (axes, N) the keys, which increase with the angle in [0, π) and are infinite on the axis, whether the point
    itself lies at that angle, and the order of the keys; and how many lie beside each axis.
    """

    frames: np.ndarray
    places: np.ndarray
    keys: np.ndarray
    upper: np.ndarray
    order: np.ndarray
    others: np.ndarray


def _between(seen: _Seen, passed: int) -> np.ndarray:
    """A normal, to the left, of a line between the last point passed and the next; 0 where all are on the axis."""
    order = seen.order[0, : seen.others[0]]
    if not len(order):
        return np.zeros(2)
    here = seen.places[0, :, order[passed - 1]]
    after = seen.places[0, :, order[passed]] if passed < len(order) else -seen.places[0, :, order[0]]
    if here[0] * after[1] == here[1] * after[0]:  # all are seen on one line
        return -here
    along = here + after
    return np.array([-along[1], along[0]])
