"""A small problem, and what a right call of it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbench.papers.glm.problem import GLMProblem

X = np.array([[0.6, 0.8], [0.0, 1.0], [0.5, 0.5]])
Y = np.array([1.0, -1.0, 1.0])
GOOD: dict[str, Any] = {"loss": "squared", "x_bound": 1.0, "y_bound": 1.0, "radius": 1.0}
PROBLEM = GLMProblem(X, Y, **GOOD)
