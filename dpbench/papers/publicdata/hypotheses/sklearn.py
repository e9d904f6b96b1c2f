"""Linear classifiers of scikit-learn as inexact oracles: no guarantee holds of what is built on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.objective import Objective, named, parameter_rows


@dataclass(frozen=True, eq=False)
class LinearEstimator:
    """f_{w,b}(x) = 1 if ⟨w, x⟩ + b ≥ 0, else −1, fitted by a linear classifier of scikit-learn.

    Rows (w, b), points of shape (N, dimension). Each point gets the label that costs less, weighted by how much
    less; the estimator minimises a loss of its own over these, not the objective: `exact` is False.

    Parameters
    ----------
    estimator : object
        With `fit(X, y, sample_weight)`, `coef_` and `intercept_`: LogisticRegression, LinearSVC, SGDClassifier, ...
        A copy is fitted each time. Give it a `random_state` where it has one.
    dimension : int
    """

    estimator: Any
    dimension: int
    values: ClassVar[str] = "binary"
    convex: ClassVar[bool] = False
    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        validation.integer("dimension", self.dimension, at_least=1)
        if not hasattr(self.estimator, "fit") or not hasattr(self.estimator, "get_params"):
            raise validation.invalid("estimator", "a classifier of scikit-learn", self.estimator)

    @property
    def width(self) -> int:
        """dimension + 1."""
        return self.dimension + 1

    @property
    def digest(self) -> str:
        kind = type(self.estimator)
        return named(kind.__qualname__, sorted(self.estimator.get_params().items()), self.dimension)

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N)."""
        rows = parameter_rows(parameters, self.width)
        x = validation.array("points", points, ndim=2, width=self.dimension)
        return np.where(rows[:, :-1] @ x.T + rows[:, -1:] >= 0.0, 1.0, -1.0)

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """What the estimator finds, shape (width,); a constant where all points want one label."""
        from sklearn.base import clone

        x = validation.array("points", points, ndim=2, width=self.dimension)
        if not isinstance(objective, Objective) or objective.size != len(x):
            raise validation.invalid("objective", f"an Objective over {len(x)} points", objective)
        costs = objective.costs()
        kept = costs != 0.0
        labels = np.where(costs < 0.0, 1.0, -1.0)
        row = np.zeros(self.width)
        if len(np.unique(labels[kept])) < 2:
            row[-1] = labels[kept][0] if kept.any() else -1.0
            return row
        fitted = clone(self.estimator).fit(x[kept], labels[kept], sample_weight=np.abs(costs[kept]))
        row[:-1], row[-1] = np.ravel(fitted.coef_), np.ravel(fitted.intercept_)[0]
        return row
