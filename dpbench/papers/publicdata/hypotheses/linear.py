"""Linear functions on a ball: exact where the objective is quadratic, to a certified gap otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.hypotheses.convex import BallOracle
from dpbench.papers.publicdata.objective import Objective, named, parameter_rows

_ROUNDING = 1e-12


@dataclass(frozen=True)
class LinearBall:
    """f_w(x) = ⟨w, x⟩ for ‖w‖₂ ≤ radius; rows w, points of shape (N, dimension) with ‖x‖₂ ≤ 1/radius.

    Convex objectives alone: weights and quadratic at least 0, the loss "absolute", "squared" or "huber". Minimised to a
    certified gap of about 1e-12 of the objective's size (`dpbench.convex.gap`); of many minimisers one, the same for
    the same objective, that leaves directions that no point sees at 0, nearly. `prepare(points).certified(objective,
    linear)` returns the gaps too.

    Parameters
    ----------
    dimension : int
    radius : float
    anchored : bool
        Whether points have one more coordinate, last, that is 1 at z*, where all f are 1, and 0 elsewhere; the
        others are 0 at z*.
    """

    dimension: int
    radius: float = 1.0
    anchored: bool = False
    values: ClassVar[str] = "real"
    convex: ClassVar[bool] = True
    exact: ClassVar[bool] = True

    def __post_init__(self) -> None:
        validation.integer("dimension", self.dimension, at_least=1)
        validation.real("radius", self.radius, above=0.0, size=True)

    @property
    def width(self) -> int:
        """The dimension."""
        return self.dimension

    @property
    def digest(self) -> str:
        return named(self)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        features, offset = self._parts(points)
        return np.clip(parameter_rows(parameters, self.dimension) @ features.T + offset, -1.0, 1.0)

    def prepare(self, points: Any) -> BallOracle:
        """The oracle for these points."""
        return BallOracle(*self._parts(points), float(self.radius))

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """A minimiser of the objective, shape (dimension,)."""
        return self.prepare(points).erm(objective)

    def minimum_norm(self, points: Any) -> float:
        """√(share of z*), the norm at w = 0."""
        return float(np.sqrt(self._parts(points)[1].mean()))

    def _parts(self, points: Any) -> tuple[np.ndarray, np.ndarray]:
        """Features (N, dimension), and the values f has at w = 0."""
        x = validation.array("points", points, ndim=2, width=self.dimension + bool(self.anchored))
        features = np.ascontiguousarray(x[:, : self.dimension])
        offset = np.ascontiguousarray(x[:, -1]) if self.anchored else np.zeros(x.shape[0])
        if not np.isin(offset, (0.0, 1.0)).all() or features[offset == 1.0].any():
            raise validation.invalid("points", "0 in the last column, or a row (0, …, 0, 1) for z*", x)
        longest = float(np.linalg.norm(features, axis=1).max())
        if longest * self.radius > 1.0 + _ROUNDING:
            raise validation.InvalidInput(
                f"points must have norm at most 1/radius = {1.0 / self.radius:g}, got {longest:.17g}"
            )
        return features, offset
