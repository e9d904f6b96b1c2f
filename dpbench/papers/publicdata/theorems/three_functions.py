"""The class of three functions that is not convex, on which Algorithm 2 fails: Theorems 2, 3 and 6."""

from __future__ import annotations

import numpy as np

from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.populations import FinitePopulation

TABLE = np.array([[-1.0, -1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
"""g1, g2 and h on a, b, c and z*: y = (1, −1, 1) with the sign changed at a, or at b; and 0."""


def three_functions(hull: bool) -> FinitePopulation:
    """x uniform on a, b, c; μ = 1/9 on each of them and 2/3 on z*; |f − y|/2. L is 1/3 at g1, g2 and 1/2 at h."""
    return FinitePopulation(
        points=[0, 1, 2, 3], public=[1 / 9, 1 / 9, 1 / 9, 2 / 3], private=[1 / 3, 1 / 3, 1 / 3, 0.0],
        labels=[[1.0], [-1.0], [1.0], [1.0]], law=np.ones((4, 1)),
        hypotheses=ConvexHull(TABLE) if hull else FiniteClass(TABLE), loss="absolute",
    )  # fmt: skip
