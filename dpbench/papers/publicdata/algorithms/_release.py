"""`release` for mechanisms whose output names a function of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.core import sampling
from dpbench.core.sampling import Release
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem


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


def release(mechanism: Any, problem: PublicDataProblem, seed: int | None = None) -> FunctionRelease:
    """`dpbench.core.sampling.release`; the result predicts with the problem's class."""
    made = sampling.release(mechanism, public_data_problem(problem), seed)
    return FunctionRelease(made.output, made.info, problem.hypotheses)
