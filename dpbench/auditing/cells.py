"""Log-ratios of single columns over cells: a fine uniform grid, or cut points where values recur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbench.auditing._log_ratio_kernels import add_tables, count_cells
from dpbench.auditing.chains import cut_points, placed
from dpbench.auditing.log_ratio import WIDE, smooth_log_ratios

GRID = 2048  # uniform cells between the outer quantiles of a column without atoms
COARSE = 96  # cells of about equal mass that they are merged into for the fit, half as many of `WIDE` outputs
REACH = 2e-4  # mass beyond the grid on each side
PROBE = 4096  # outputs a side from which atoms and quantiles are estimated


@dataclass(frozen=True)
class GridTable:
    """Piecewise constant on a uniform grid, the end cells unbounded; NaN counts as the lowest cell. With its errors."""

    low: float
    scale: float
    log_ratios: np.ndarray
    deviations: np.ndarray

    def __call__(self, column: np.ndarray) -> np.ndarray:
        total = np.zeros(len(column))
        sum_tables((self,), column[:, None], total)
        return total


@dataclass(frozen=True)
class EdgeTable:
    """Piecewise constant between edges; atoms, infinities and NaN can have cells of their own. With its errors."""

    edges: np.ndarray
    log_ratios: np.ndarray
    deviations: np.ndarray

    def __call__(self, column: np.ndarray) -> np.ndarray:
        return self.log_ratios[placed(column, self.edges)]


Table = GridTable | EdgeTable


def sum_tables(tables: Sequence[Table], columns: np.ndarray, total: np.ndarray) -> None:
    """Add to `total` the log-ratio of each column."""
    grids = [t for t in tables if isinstance(t, GridTable)]
    if len(grids) == len(tables):
        low, scale = np.array([t.low for t in grids]), np.array([t.scale for t in grids])
        add_tables(np.ascontiguousarray(columns), low, scale, np.array([t.log_ratios for t in grids]), total)
        return
    for j, table in enumerate(tables):
        total += table(columns[:, j])


def fit_tables(first: np.ndarray, second: np.ndarray) -> tuple[Table, ...]:
    """One table a column of two samples of shape (rows, k); the smoothing is shared between the columns."""
    return tables_and_spreads(first, second)[0]


def tables_and_spreads(first: np.ndarray, second: np.ndarray) -> tuple[tuple[Table, ...], np.ndarray]:
    """`fit_tables`, and for each column the variances of its log-ratio on the two sides, summed."""
    coarse = COARSE if first.shape[1] <= WIDE else COARSE // 2
    columns = [np.ascontiguousarray(side.T) for side in (first, second)]
    shapes = [_cells(one, other, coarse) for one, other in zip(*columns, strict=True)]
    fitted = smooth_log_ratios([(s[1][0], s[1][1]) for s in shapes])
    tables = tuple(make(fit.log_ratio, fit.deviations()) for (make, _), fit in zip(shapes, fitted, strict=True))
    spreads = [sum(_variance(fit.log_ratio, n) for n in s[1]) for s, fit in zip(shapes, fitted, strict=True)]
    return tables, np.array(spreads)


def _variance(values: np.ndarray, counts: np.ndarray) -> float:
    away = values - values @ counts / counts.sum()
    return float(away * away @ counts / counts.sum())


def sorted_quantiles(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """`np.quantile` along the first axis of what is sorted along it already and finite, to rounding."""
    place = shares * (len(ordered) - 1)
    below = np.minimum(place.astype(np.int64), max(len(ordered) - 2, 0))
    part = (place - below).reshape(-1, *[1] * (ordered.ndim - 1))
    return np.asarray((1.0 - part) * ordered[below] + part * ordered[np.minimum(below + 1, len(ordered) - 1)])


class _Grid:
    def __init__(self, low: float, scale: float, merge: np.ndarray) -> None:
        self.low, self.scale, self.merge = low, scale, merge

    def __call__(self, values: np.ndarray, deviations: np.ndarray) -> Table:
        return GridTable(self.low, self.scale, values[self.merge], deviations[self.merge])


class _Edges:
    def __init__(self, edges: np.ndarray) -> None:
        self.edges = edges

    def __call__(self, values: np.ndarray, deviations: np.ndarray) -> Table:
        return EdgeTable(self.edges, values, deviations)


def _cells(first: np.ndarray, second: np.ndarray, coarse: int) -> tuple[_Grid | _Edges, np.ndarray]:
    """How to make a column's table from its cells' log-ratios, and the cells' counts on the two sides."""
    probe = np.sort(np.concatenate([first[:PROBE], second[:PROBE]]))
    finite = np.isfinite(probe[[0, -1]]).all()  # NaN is sorted last
    distinct = 1 + np.count_nonzero(probe[1:] != probe[:-1])
    with np.errstate(over="ignore"):
        low, high = sorted_quantiles(probe, np.array([REACH, 1.0 - REACH])) if finite else (0.0, 0.0)
        width = high - low
    if distinct < 0.99 * len(probe) or not np.isfinite(width) or width <= 1e-290:
        edges = cut_points(np.sort(np.concatenate([first, second])), coarse // 2)
        counts = [np.bincount(placed(s, edges), minlength=len(edges) + 1) for s in (first, second)]
        return _Edges(edges), np.stack(counts).astype(np.float64)
    scale = GRID / width
    fine = np.zeros((2, GRID), dtype=np.int64)
    for side, cells in zip((first, second), fine, strict=True):
        count_cells(side, low, scale, cells)
    mass = np.cumsum(fine.sum(axis=0))
    merge = np.minimum((mass - 1) * coarse // mass[-1], coarse - 1)
    merge = np.concatenate([[0], np.cumsum(np.diff(merge) > 0)])
    return _Grid(float(low), float(scale), merge), np.stack([np.bincount(merge, f, merge[-1] + 1) for f in fine])
