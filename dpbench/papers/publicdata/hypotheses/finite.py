"""Finite classes on a finite domain, as a matrix of predictions, and their convex hulls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses import _finite_kernels as kernels
from dpbench.papers.publicdata.hypotheses.convex import MixtureOracle
from dpbench.papers.publicdata.losses import loss_value
from dpbench.papers.publicdata.objective import (
    Objective,
    OnePrepared,
    linear_rows,
    named,
    numbered_points,
    parameter_rows,
)

_ENTRIES = 2**20  # predictions held at once


@dataclass(frozen=True, eq=False)
class FiniteClass:
    """f_k(x) = predictions[k, x]; rows (k,), points of shape (N,): numbers of columns.

    Ties: the first k. O(NK) to read the loss, and O(N + KD) a call more.

    Parameters
    ----------
    predictions : array_like, shape (K, D)
        In [−1, 1].
    """

    predictions: Any
    width: ClassVar[int] = 1
    convex: ClassVar[bool] = False
    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictions", checked_table(self.predictions))

    @property
    def values(self) -> str:
        """ "binary" where all predictions are ±1."""
        return "binary" if (np.abs(self.predictions) == 1.0).all() else "real"

    @cached_property
    def digest(self) -> str:
        return named("FiniteClass", self.predictions)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = numbered_points(parameter_rows(parameters, 1)[:, 0], len(self.predictions), "parameters")
        return self.predictions[rows][:, numbered_points(points, self.predictions.shape[1])]

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        return _Table(numbered_points(points, self.predictions.shape[1]), np.ascontiguousarray(self.predictions.T))

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """A minimiser of the objective, shape (1,)."""
        return self.prepare(points).erm(objective)

    def minimum_norm(self, points: Any) -> float:
        """min over k of ‖f_k‖_m."""
        at = numbered_points(points, self.predictions.shape[1])
        return float(np.sqrt((self.predictions[:, at] ** 2).mean(axis=1).min()))


@dataclass(frozen=True, eq=False)
class _Table(OnePrepared):
    points: np.ndarray
    columns: np.ndarray

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, 1)."""
        rows = linear_rows(objective, linear, self.points.shape[0])
        slopes = np.empty((len(rows), self.columns.shape[0]))
        kernels.sum_cells(self.points, rows, slopes)
        minimisers = np.empty(len(rows), dtype=np.int64)
        kernels.scan_table(self.columns, self._fixed(objective), slopes, minimisers)
        return minimisers[:, np.newaxis].astype(np.float64)

    def _fixed(self, objective: Objective) -> np.ndarray:
        """What does not depend on the linear part, shape (K,)."""
        total = np.zeros(self.columns.shape[1])
        step = max(1, _ENTRIES // total.shape[0])
        for at in range(0, objective.size, step):
            part = slice(at, at + step)
            f = self.columns[self.points[part]]
            losses = loss_value(objective.loss, f, objective.labels[part, np.newaxis])
            terms = objective.weights[part, np.newaxis] * losses + objective.quadratic[part, np.newaxis] * f * f
            total += terms.sum(axis=0)
        return total


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """Mixtures f_p(x) = Σ_k p_k·predictions[k, x]; rows p, points of shape (N,): numbers of columns.

    Convex objectives alone: weights and quadratic at least 0, the loss "absolute" or "squared". Minimised to a
    certified gap of about 1e-12 of the objective's size; of many minimisers one, the same for the same objective.

    Parameters
    ----------
    predictions : array_like, shape (K, D)
        In [−1, 1].
    """

    predictions: Any
    values: ClassVar[str] = "real"
    convex: ClassVar[bool] = True
    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "predictions", checked_table(self.predictions))

    @property
    def width(self) -> int:
        """K."""
        return int(self.predictions.shape[0])

    @cached_property
    def digest(self) -> str:
        return named("ConvexHull", self.predictions)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, self.width)
        return np.clip(rows @ self.predictions, -1.0, 1.0)[:, numbered_points(points, self.predictions.shape[1])]

    def prepare(self, points: Any) -> MixtureOracle:
        """The oracle for these points."""
        values = self.predictions[:, numbered_points(points, self.predictions.shape[1])].T
        middle = values.mean(axis=1)  # the weights add up to 1: a constant may change places
        return MixtureOracle(np.ascontiguousarray(values - middle[:, np.newaxis]), middle)

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """A minimiser of the objective, shape (K,)."""
        return self.prepare(points).erm(objective)

    def minimum_norm(self, points: Any) -> float:
        """A lower bound on inf over mixtures of ‖f‖_m, the certified gap below the norm found."""
        m = len(points)
        square = Objective(np.zeros(m), 0.0, 0.0, 1.0 / m, "squared")
        rows, gaps = self.prepare(points).certified(square, np.zeros((1, m)))
        return float(np.sqrt(max(0.0, square.value(self.predict(rows, points))[0] - gaps[0])))


def checked_table(value: Any) -> np.ndarray:
    """A private read-only copy of a matrix of predictions in [−1, 1]."""
    table = validation.array("predictions", value, ndim=2).copy()
    if table.shape[1] < 1 or np.abs(table).max() > 1.0:
        raise validation.invalid("predictions", "a matrix with at least 1 column and entries in [-1, 1]", value)
    table.flags.writeable = False
    return table
