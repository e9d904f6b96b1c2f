"""Thresholds, intervals and decision stumps: exact oracles by one sort of the points and a scan a call.

Values are in {−1, 1}. A boundary that separates points lies on the first point of its upper side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses import _line_kernels as kernels
from dpbench.papers.publicdata.objective import (
    BATCH,
    BinaryClass,
    Objective,
    OnePrepared,
    last_rows,
    linear_rows,
    parameter_rows,
)

_CHUNK = 50_000_000  # points scanned by one kernel call: a fraction of a second


@dataclass(frozen=True)
class Thresholds(BinaryClass):
    """f_t(x) = 1 if x ≥ t, else −1, for t in [−∞, ∞]; rows (t,), points of shape (N,).

    Ties: the smallest t, of −∞, the points and ∞. O(N log N) to prepare, O(N) a call.
    """

    width: ClassVar[int] = 1

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, 1)
        return np.where(validation.array("points", points, ndim=1) >= rows, 1.0, -1.0)

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        return _SortedThresholds(*_sorted_line(points))


@dataclass(frozen=True)
class Intervals(BinaryClass):
    """f_{a,b}(x) = 1 if a ≤ x ≤ b, else −1; rows (a, b), points of shape (N,); (∞, −∞) is the empty interval.

    Ties: the empty interval, then the smallest a, then the smallest b, both points. O(N log N) to prepare,
    O(N) a call.
    """

    width: ClassVar[int] = 2

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, 2)
        x = validation.array("points", points, ndim=1)
        return np.where((x >= rows[:, :1]) & (x <= rows[:, 1:]), 1.0, -1.0)

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        return _SortedIntervals(*_sorted_line(points))


@dataclass(frozen=True)
class Stumps(BinaryClass):
    """f_{j,s,t}(x) = s if x_j ≥ t, else −s; rows (j, s, t), points of shape (N, dimension).

    Ties: the first feature j, then s = 1, then the smallest t, of −∞, the values of feature j and ∞.
    O(dN log N) to prepare, O(dN) a call.
    """

    dimension: int
    width: ClassVar[int] = 3

    def __post_init__(self) -> None:
        validation.integer("dimension", self.dimension, at_least=1)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, 3)
        x = validation.array("points", points, ndim=2, width=self.dimension)
        features = rows[:, 0].astype(np.int64)
        if not (np.isin(rows[:, 0], np.arange(self.dimension)).all() and np.isin(rows[:, 1], (-1.0, 1.0)).all()):
            raise validation.invalid("parameters", f"rows (j, s, t) with j below {self.dimension} and s = ±1", rows)
        return np.where(x.T[features] >= rows[:, 2:], rows[:, 1:2], -rows[:, 1:2])

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        x = validation.array("points", points, ndim=2, width=self.dimension)
        columns = np.ascontiguousarray(x.T)
        sorted_columns = [_sorted(column) for column in columns]
        order, ends = (np.stack(parts) for parts in zip(*sorted_columns, strict=True))
        return _SortedStumps(columns, order, ends)


def _sorted_line(points: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = validation.array("points", points, ndim=1)
    return x, *_sorted(x)


def _sorted(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order of the points, equal ones in their own, and where a larger one follows."""
    order = np.argsort(x, kind="stable")
    sorted_points = x[order]
    return order.astype(np.int64, copy=False), np.append(sorted_points[1:] > sorted_points[:-1], True)


@dataclass(frozen=True, eq=False)
class _Sorted(OnePrepared):
    points: np.ndarray
    order: np.ndarray
    ends: np.ndarray

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, width)."""
        rows = linear_rows(objective, linear, self.points.shape[-1])
        fixed = objective.fixed_costs
        step = max(1, _CHUNK // self.order.size)
        parts = []
        for i in range(0, len(rows), step):
            costs = 2.0 * rows[i : i + step]
            costs += fixed
            parts.append(self.scan(self.order, self.ends, costs))
        return self.functions(np.concatenate(parts))

    def erm_last(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """The same for linear terms of the last points alone, by scans of as many points: shape (calls, width)."""
        rows, first = last_rows(objective, linear, self.points.shape[-1])
        line, ranks, sums = _shortened(self.order, self.ends, objective.fixed_costs, first)
        shared = np.concatenate([objective.fixed_costs[first:], sums])
        step = max(1, BATCH // shared.size)
        costs = np.empty((min(step, len(rows)), shared.size))
        parts = []
        for i in range(0, len(rows), step):
            part = rows[i : i + step]
            costs[:] = shared
            costs[: len(part), : rows.shape[1]] += 2.0 * part
            parts.append(self.scan(*line, costs[: len(part)]))
        return self.functions(self.ranked(np.concatenate(parts), ranks))

    def scan(self, order: np.ndarray, ends: np.ndarray, costs: np.ndarray) -> np.ndarray:
        """The kernel's answer for rows of costs."""
        raise NotImplementedError

    def ranked(self, cells: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Its answer on a shorter line as one on all the points."""
        return ranks[cells]

    def functions(self, cells: np.ndarray) -> np.ndarray:
        """Rows of parameters."""
        raise NotImplementedError


class _SortedThresholds(_Sorted):
    def scan(self, order: np.ndarray, ends: np.ndarray, costs: np.ndarray) -> np.ndarray:
        cells = np.empty(len(costs), dtype=np.int64)
        kernels.scan_thresholds(order, ends, costs, cells)
        return cells

    def functions(self, cells: np.ndarray) -> np.ndarray:
        return _boundaries(self.points, self.order, cells)[:, np.newaxis]


class _SortedIntervals(_Sorted):
    def scan(self, order: np.ndarray, ends: np.ndarray, costs: np.ndarray) -> np.ndarray:
        cells = np.empty((len(costs), 2), dtype=np.int64)
        kernels.scan_intervals(order, ends, costs, cells)
        return cells

    def functions(self, cells: np.ndarray) -> np.ndarray:
        first, last = (self.points[self.order[cells[:, 0]]], self.points[self.order[cells[:, 1] - 1]])
        empty = cells[:, 1] == 0
        return np.column_stack([np.where(empty, np.inf, first), np.where(empty, -np.inf, last)])


class _SortedStumps(_Sorted):
    def scan(self, order: np.ndarray, ends: np.ndarray, costs: np.ndarray) -> np.ndarray:
        cells = np.empty((len(costs), 3), dtype=np.int64)
        kernels.scan_stumps(order, ends, costs, cells)
        return cells

    def ranked(self, cells: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        return np.column_stack([cells[:, :2], ranks[cells[:, 0], cells[:, 2]]])

    def functions(self, cells: np.ndarray) -> np.ndarray:
        parameters = cells.astype(np.float64)
        for feature in range(len(self.order)):
            rows = cells[:, 0] == feature
            parameters[rows, 2] = _boundaries(self.points[feature], self.order[feature], cells[rows, 2])
        return parameters


def _shortened(
    order: np.ndarray, ends: np.ndarray, fixed: np.ndarray, first: int
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray]:
    """Order, ends, ranks and sums of `_line_kernels.shorten`, of one line or, padded, of one a feature."""
    lines, n = np.atleast_2d(order), len(fixed)
    room = min(n, 6 * (n - first) + 5)
    kept, sums = np.empty(n, dtype=bool), np.zeros(len(lines) * room + 1)  # the last for the padding: it costs nothing
    columns, steps = np.full((len(lines), room), n - first + len(sums) - 1), np.zeros((len(lines), room), dtype=bool)
    ranks = np.zeros((len(lines), room + 1), dtype=np.int64)
    longest = 0
    for j, (line, line_ends) in enumerate(zip(lines, np.atleast_2d(ends), strict=True)):
        part = slice(j * room, (j + 1) * room)
        count = kernels.shorten(
            line, line_ends, fixed, first, n - first + part.start, kept, columns[j], steps[j], ranks[j], sums[part]
        )
        longest = max(longest, count)
    short, short_ends = (np.ascontiguousarray(array[:, :longest]) for array in (columns, steps))
    if order.ndim == 1:
        return (short[0], short_ends[0]), ranks[0], sums
    return (short, short_ends), ranks, sums


def _boundaries(x: np.ndarray, order: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The boundaries with `ranks` points below them."""
    inner = x[order[np.minimum(ranks, len(order) - 1)]]
    return np.where(ranks == 0, -np.inf, np.where(ranks == len(order), np.inf, inner))
