"""The base of mechanisms whose output names a function of a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from dpbench.core import sampling, validation
from dpbench.core.sampling import Release
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem
from dpbench.privacy.mechanism import Mechanism

Normalization = Annotated[str, partial(validation.choice, options=("mean", "sum"))]
"""Of the empirical risk: all proofs use the mean of the losses, some displays print their sum."""


@dataclass(frozen=True)
class FunctionRelease(Release):
    """One output of a mechanism: the row that names a function, and what made it.

    Attributes
    ----------
    output : ndarray, shape (width,)
    info : dict
        As in `dpbench.core.sampling.Release`; the guarantee says so where an inexact oracle voids it.
    hypotheses : object
        The class.
    """

    hypotheses: Any

    def predict(self, points: Any) -> np.ndarray:
        """f(x) at each of N points, in the shape that the class asks for: shape (N,)."""
        return np.asarray(self.hypotheses.predict(self.output[None, :], points)[0])


class FunctionMechanism(Mechanism):
    """A mechanism on private records and public points; its outputs are rows of the class's parametrisation."""

    checked: Callable[[Any], PublicDataProblem] = staticmethod(public_data_problem)

    def release(self, problem: PublicDataProblem, seed: int | None = None) -> FunctionRelease:
        """`dpbench.core.sampling.release`; the result predicts with the problem's class."""
        output = sampling.release(self, self.checked(problem), seed)
        return FunctionRelease(output.output, output.info, problem.hypotheses)
