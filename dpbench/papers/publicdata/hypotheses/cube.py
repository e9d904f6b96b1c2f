"""The parity cube: the class on which Gaussian weights of RRSPM fail, with an exact oracle in O(N + d)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses import _finite_kernels as kernels
from dpbench.papers.publicdata.objective import (
    BinaryClass,
    Objective,
    OnePrepared,
    linear_rows,
    numbered_points,
    parameter_rows,
)


@dataclass(frozen=True)
class ParityCube(BinaryClass):
    """f_v for v in {−1, 1}^bits: v_g at point g < bits, 1 at point `bits`, the parity ∏ v_g at point bits + 1.

    Rows v, points of shape (N,), numbered as in `lowerbounds.parity_cube`. The VC dimension is `bits`.

    Ties: v_g = −1 where both signs cost the same; a bit is turned for the sake of the parity only where that costs
    strictly less, and then the cheapest bit, the first of them. O(N + bits) a call, in time and memory.
    """

    bits: int

    def __post_init__(self) -> None:
        validation.integer("bits", self.bits, at_least=1)

    @property
    def width(self) -> int:
        """One sign a bit."""
        return self.bits

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, self.bits)
        if (np.abs(rows) != 1.0).any():
            raise validation.invalid("parameters", "a matrix of signs -1 and 1", rows)
        at = numbered_points(points, self.bits + 2)
        ones = np.ones((len(rows), 1))
        return np.concatenate([rows, ones, rows.prod(axis=1, keepdims=True)], axis=1)[:, at]

    def prepare(self, points: Any) -> OnePrepared:
        """The oracle for these points."""
        return _Cube(numbered_points(points, self.bits + 2), self.bits)


@dataclass(frozen=True, eq=False)
class _Cube(OnePrepared):
    points: np.ndarray
    bits: int

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, bits)."""
        rows = linear_rows(objective, linear, self.points.shape[0])
        costs = np.empty((len(rows), self.bits + 2))
        kernels.sum_cells(self.points, objective.fixed_costs + 2.0 * rows, costs)
        minimisers = np.empty((len(rows), self.bits))
        kernels.choose_signs(costs, self.bits, minimisers)
        return minimisers
