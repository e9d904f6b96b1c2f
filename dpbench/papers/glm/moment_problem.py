"""A least-squares problem known by its sufficient statistics alone: for runs that need no record."""

from __future__ import annotations

import copy
import hashlib
from functools import cached_property
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.glm.losses import Loss, resolve
from dpbench.papers.glm.problem import GLMProblem


class MomentProblem(GLMProblem):
    """n, d, loss, bounds and moments of a `GLMProblem` whose records are not formed; X and y are refused.

    Parameters
    ----------
    n : int
    second : ndarray, shape (d, d)
        XᵀX/n.
    cross : ndarray, shape (d,)
        Xᵀy/n.
    square : float
        yᵀy/n.
    loss : Loss or str
        A quadratic loss.
    x_bound, y_bound, radius : float
        As in `GLMProblem`; the records that the moments are of are within them by whatever made the moments.

    Raises
    ------
    InvalidInput
        For a loss that is not quadratic, wrong shapes, NaN or infinities.
    """

    def __init__(
        self,
        n: int,
        second: Any,
        cross: Any,
        square: float,
        *,
        loss: Loss | str,
        x_bound: float,
        y_bound: float,
        radius: float,
    ) -> None:
        put = self.__dict__
        put["count"] = validation.integer("n", n, at_least=1)
        put["loss"] = resolve(loss)
        if not put["loss"].quadratic:
            raise validation.invalid("loss", "quadratic: no other has sufficient statistics", put["loss"].name)
        for name, value in (("x_bound", x_bound), ("y_bound", y_bound), ("radius", radius)):
            put[name] = validation.real(name, value, above=0.0, size=True)
        first = validation.array("cross", cross, ndim=1)
        matrix = validation.array("second", second, ndim=2, width=first.shape[0])
        if matrix.shape[0] != first.shape[0]:
            raise validation.invalid("second", f"of shape ({first.shape[0]}, {first.shape[0]})", matrix)
        put["second"] = matrix
        put["moments"] = matrix, first, validation.real("square", square, at_least=0.0)

    def with_cross(self, cross: np.ndarray, square: float) -> MomentProblem:
        """The data set with other labels on the same features: shares XᵀX/n and its axes."""
        other = copy.copy(self)
        other.__dict__.pop("digest", None)
        other.__dict__["moments"] = self.second, cross, square
        return other

    @property
    def n(self) -> int:
        return int(self.__dict__["count"])

    @property
    def d(self) -> int:
        return int(self.second.shape[0])

    @cached_property
    def digest(self) -> str:
        """Of the moments and what is declared: equal for all data sets that no mechanism of moments tells apart."""
        declared = ("moments", self.loss.name, self.loss.parameter, self.x_bound, self.y_bound, self.radius, self.n)
        sha = hashlib.sha256(repr(declared).encode())
        for part in self.moments:
            sha.update(np.ascontiguousarray(part).tobytes())
        return sha.hexdigest()

    def __repr__(self) -> str:
        return f"MomentProblem(n={self.n}, d={self.d}, loss={self.loss.name!r})"

    def __getattr__(self, name: str) -> Any:
        if name in ("X", "y"):
            raise validation.InvalidInput(f"a MomentProblem has no records: {name} must not be asked for")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
