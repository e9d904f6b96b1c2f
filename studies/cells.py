"""The learning problem of `studies.publicdata_risk`, and its classes on numbered cells.

Monotone functions are a class brought to the suite from outside, by the protocol of
`dpbench.papers.publicdata.objective`.
`ConvexHull` has the same functions by a barrier method, which is slower, and whose certificate Algorithm 3 may refuse.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.objective import Objective, named, numbered_points, parameter_rows
from dpbench.papers.publicdata.populations import FinitePopulation
from dpbench.papers.publicdata.problem import PublicDataProblem

MARGIN = 0.4
HALVINGS = 7


@dataclass(frozen=True)
class Monotone:
    """Nondecreasing f from the cells 0, …, cells − 1 to [−1, 1]; rows (f(0), …, f(cells − 1)), points of shape (N,).

    Objectives that are quadratic in f with quadratic at least 0: the absolute loss on labels ±1 is linear.
    {f ≥ t} is an end [k, cells) of the line, and k(t) the least Σ_{j ≥ k} slope_j + 2t·quadratic_j: f is read off the
    upper concave envelope of the prefix sums of slope over those of 2·quadratic.

    Ties, on cells that the objective does not see: half take the value below, half the value above.
    """

    cells: int
    values: ClassVar[str] = "real"
    convex: ClassVar[bool] = True
    exact: ClassVar[bool] = True

    @property
    def width(self) -> int:
        """One value a cell."""
        return self.cells

    @property
    def digest(self) -> str:
        return named(self)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        return parameter_rows(parameters, self.cells)[:, numbered_points(points, self.cells)]

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """The minimiser, shape (cells,)."""
        if objective.weights.any() and (objective.loss != "absolute" or (np.abs(objective.labels) != 1.0).any()):
            raise validation.invalid("objective", "of absolute losses on labels -1 and 1", objective.loss)
        at = numbered_points(points, self.cells)
        slope = np.bincount(at, 0.5 * objective.costs(), self.cells)
        bend = np.bincount(at, 2.0 * objective.quadratic, self.cells)
        height, across = (np.concatenate([[0.0], np.cumsum(part)]) for part in (slope, bend))
        corners: list[int] = []
        for k in _highest(across, height):
            while len(corners) > 1 and _level(across, height, corners[-1], k) <= _level(across, height, *corners[-2:]):
                corners.pop()
            corners.append(k)
        signs = np.repeat([-1.0, 1.0], [corners[0], self.cells - corners[0]])
        for low, high in pairwise(corners):
            signs[low:high] = min(1.0, max(-1.0, _level(across, height, low, high)))
        return signs


def _highest(across: np.ndarray, height: np.ndarray) -> list[int]:
    """For each abscissa the first index of the greatest height, or the middle of those next to it that are as high."""
    starts = np.flatnonzero(np.diff(across, prepend=-1.0))
    values = []
    for low, high in zip(starts, [*starts[1:], across.size], strict=True):
        first = last = low + int(np.argmax(height[low:high]))
        while last + 1 < high and height[last + 1] == height[first]:
            last += 1
        values.append((first + last + 1) // 2)
    return values


def _level(across: np.ndarray, height: np.ndarray, low: int, high: int) -> float:
    """The t at which both ends cost the same."""
    return float(-(height[high] - height[low]) / (across[high] - across[low]))


@dataclass(frozen=True)
class OnCells:
    """RSPM with all `cells` points of the population as its identification set, in place of the public points."""

    base: RSPM
    cells: int

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        return self.base(replace(problem, public=np.arange(self.cells)), trials, rng)


@functools.cache
def population(sigma: float, kind: str = "thresholds") -> FinitePopulation:
    """The problem at σ, as "thresholds", their "table" or its "hull".

    Cells are halved towards the boundary, six a side for each halving of σ and sixteen within the last: ν of every
    σ has many, and its boundary is one of theirs.
    """
    parts = [np.linspace(0.0, 0.5**HALVINGS, 17)]
    parts += [np.linspace(0.5**k, 0.5 ** (k - 1), 7)[1:] for k in range(HALVINGS, 0, -1)]
    ends = np.concatenate(parts)  # of 2|x − 1/2|
    middle, mass = 0.5 * (ends[1:] + ends[:-1]), 0.5 * np.diff(ends)
    q, public = np.concatenate([-middle[::-1], middle]), np.concatenate([mass[::-1], mass])
    positive = 0.5 + MARGIN * np.clip(q / sigma, -1.0, 1.0)
    cells = q.size
    table = np.where(np.arange(cells) >= np.arange(cells + 1)[:, None], 1.0, -1.0)
    hypotheses = {"thresholds": Thresholds(), "table": FiniteClass(table), "hull": Monotone(cells)}[kind]
    return FinitePopulation(
        0.5 * (1.0 + q) if kind == "thresholds" else np.arange(cells),
        public, np.where(np.abs(q) < sigma, public, 0.0) / sigma, np.tile([1.0, -1.0], (cells, 1)),
        np.column_stack([positive, 1.0 - positive]),
        hypotheses, "absolute",
    )  # fmt: skip
