"""Constant functions with values in [−1, 1]: an exact oracle for objectives of any sign, by a sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses import _finite_kernels as kernels
from dpbench.papers.publicdata.objective import (
    Objective,
    OnePrepared,
    continuous_loss,
    linear_rows,
    named,
    parameter_rows,
)


@dataclass(frozen=True)
class Constants:
    """f_c(x) = c for c in [−1, 1]; rows (c,), points of shape (N,).

    Minimised piece by piece of a piecewise quadratic, convex or not, for the losses "absolute", "squared" and
    "huber". Ties: the smallest c. O(N log N) for any number of calls at once, and O(N) a call.

    Parameters
    ----------
    anchored : bool
        Whether points of value 1 are z*, where all f are 1; all others must then be 0.
    """

    anchored: bool = False
    width: ClassVar[int] = 1
    values: ClassVar[str] = "real"
    convex: ClassVar[bool] = True
    exact: ClassVar[bool] = True

    @property
    def digest(self) -> str:
        return named(self)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        return np.where(self._fixed(points), 1.0, parameter_rows(parameters, 1))

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        return _Pieces(~self._fixed(points))

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """A minimiser of the objective, shape (1,)."""
        return self.prepare(points).erm(objective)

    def minimum_norm(self, points: Any) -> float:
        """√(share of z*), the norm of the constant 0."""
        return float(np.sqrt(self._fixed(points).mean()))

    def _fixed(self, points: Any) -> np.ndarray:
        x = validation.array("points", points, ndim=1)
        if not self.anchored:
            return np.zeros(x.shape[0], dtype=np.bool_)
        if not np.isin(x, (0.0, 1.0)).all():
            raise validation.invalid("points", "0, or 1 at z*, of an anchored class", x)
        return np.asarray(x == 1.0)


@dataclass(frozen=True, eq=False)
class _Pieces(OnePrepared):
    free: np.ndarray

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, 1)."""
        rows = linear_rows(objective, linear, self.free.shape[0])
        continuous_loss(objective)
        minimisers = np.empty(len(rows))
        extra = np.ascontiguousarray((rows * self.free).sum(axis=1))
        kernels.scan_pieces(*self._pieces(objective), extra, minimisers)
        return minimisers[:, np.newaxis]

    def _pieces(self, objective: Objective) -> tuple[np.ndarray, ...]:
        """Breaks, and on each piece the coefficients of c², c and 1, of all but the linear part."""
        y, w = objective.labels[self.free], objective.weights[self.free]
        # The loss as a sum over its breaks of the change there of the coefficients of c², c and 1.
        none = np.zeros(0)
        at, jumps = none, np.zeros((0, 3))
        if objective.loss == "squared":
            start = np.array([w.sum(), -2.0 * (w @ y), w @ (y * y)]) / 4.0
        elif objective.loss == "absolute":
            start = np.array([0.0, -w.sum(), w @ y]) / 2.0
            at, jumps = y, np.column_stack([0.0 * w, w, -w * y])
        else:
            start = np.array([0.0, -w.sum(), w @ (y - 0.5)]) / 1.5
            down = np.column_stack([w / 2.0, w * (1.0 - y), w * (y * y / 2.0 - y + 0.5)]) / 1.5
            up = np.column_stack([-w / 2.0, w * (1.0 + y), w * (-y * y / 2.0 - y - 0.5)]) / 1.5
            at, jumps = np.concatenate([y - 1.0, y + 1.0]), np.concatenate([down, up])
        start[0] += objective.quadratic[self.free].sum()
        start = start + jumps[at <= -1.0].sum(axis=0)
        inside = (at > -1.0) & (at < 1.0)
        order = np.argsort(at[inside], kind="stable")
        cuts, first = np.unique(at[inside][order], return_index=True)
        steps = np.add.reduceat(jumps[inside][order], first, axis=0) if len(cuts) else np.zeros((0, 3))
        coefficients = np.cumsum(np.concatenate([start[np.newaxis], steps]), axis=0)
        breaks = np.concatenate([[-1.0], cuts, [1.0]])
        return (breaks, *(np.ascontiguousarray(column) for column in coefficients.T))
