"""The records that a solver runs on, and one pass over them: slopes, gradient and Hessian of the mean loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dpbench.papers.glm.algorithms._erm_tiles import ROWS, add_pass
from dpbench.papers.glm.losses import Loss

_NONE, _INDICES = np.empty(0), np.empty(0, dtype=np.int64)
_FIRST = np.zeros(1, dtype=np.int64)


class Quadratic(NamedTuple):
    """A quadratic by its gradient and its Hessian at a point."""

    point: np.ndarray
    slope: np.ndarray
    hessian: np.ndarray

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """The gradient at w."""
        return np.asarray(self.slope + self.hessian @ (w - self.point))


@dataclass(frozen=True)
class Records:
    """What the solver runs on.

    Attributes
    ----------
    X : ndarray or csr_array, shape (rows, d)
    y : ndarray, shape (rows,)
    x_bound : float
    second : ndarray, shape (d, d), optional
        XᵀX/n where the loss is quadratic.
    n : int
        What sums are divided by: the number of records, those left out among them.
    far : ndarray, shape (d,), or None
        Σ sign(r_i)·x_i/n over records left out, whose slope is ±κ of Huber's loss.
    settled : Quadratic or None
        Σ φ_i/n over records left out whose loss is a quadratic wherever the search goes, up to a constant.
    """

    X: Any
    y: np.ndarray
    x_bound: float
    second: np.ndarray | None
    n: int
    far: np.ndarray | None = None
    settled: Quadratic | None = None

    @cached_property
    def stored(self) -> tuple[np.ndarray, ...]:
        """Arrays of X for the kernel: dense, or nothing, and the three of compressed sparse rows, or nothing."""
        if not sparse.issparse(self.X):
            return np.ascontiguousarray(self.X), _NONE, _INDICES, _INDICES
        rows = np.empty((0, self.X.shape[1]))
        return rows, self.X.data, self.X.indices.astype(np.int64), self.X.indptr.astype(np.int64)

    @cached_property
    def y_bound(self) -> float:
        """max |y_i|."""
        return float(np.abs(self.y).max(initial=0.0))


class Pass(NamedTuple):
    """What one pass over the records at a point gives, without the regularisation; the Hessian where asked for."""

    z: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray | None
    steepness: float  # mean |φ'|


def tour(data: Records, loss: Loss, w: np.ndarray, curved: bool) -> Pass:
    """One pass over the records at w."""
    d, n = w.size, data.n
    summed = curved and data.second is None
    ends = np.array([0, data.y.size])
    z, slopes, hessians, totals = add_up(data, loss, summed, data.y, ends, _FIRST, w[None])
    slope, mean = slopes[0, :d] / n, float(totals[0]) / n
    if data.far is not None:
        slope += loss.parameter * data.far
    if data.settled is not None:
        slope += data.settled.gradient(w)
    if not curved:
        return Pass(z, slope, None, mean)
    if data.second is not None:
        return Pass(z, slope, loss.smoothness * data.second, mean)
    hessian = symmetric(hessians[0, :d, :d] / n)
    return Pass(z, slope, hessian if data.settled is None else hessian + data.settled.hessian, mean)


def add_up(
    data: Any, loss: Loss, curved: bool, y: np.ndarray, starts: np.ndarray, chosen: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`add_pass` over the records `data.stored` from zero: z, gradients, Hessians (padded), Σ|φ'|."""
    from dpbench.core import aligned

    count, d = w.shape
    wide = d + -d % 4
    points, gradients, z = aligned.zeros(count, wide), aligned.zeros(count + 2, wide), np.empty(y.size)
    points[:, :d] = w
    side = wide if curved else 0
    hessians, steepness = aligned.zeros(count if curved else 1, side, side), np.zeros(count)
    add_pass(
        loss.code, loss.parameter, curved, *data.stored, y, starts, chosen, points, z, gradients, hessians, steepness,
        aligned.zeros(5, ROWS), aligned.zeros(wide, ROWS + 8),
    )  # fmt: skip
    return z, gradients, hessians, steepness


def symmetric(lower: np.ndarray) -> np.ndarray:
    """The symmetric matrices, last two axes, with these entries on and below the diagonal."""
    return np.asarray(np.tril(lower) + np.swapaxes(np.tril(lower, -1), -1, -2))
