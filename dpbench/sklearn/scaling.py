"""Scaling by declared ranges: nothing is computed from the records."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from dpbench.core import validation
from dpbench.core.validation import invalid


class BoundedScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Clip each column to its declared range and scale, so that every record has a norm of at most `x_bound`.

    A column's range becomes [−b/√d, b/√d] for b = `x_bound` and d columns, so that ‖x‖₂ ≤ b for every record, whatever
    it holds. `StandardScaler` and `MinMaxScaler` compute what they scale by from the records, which no fit after them
    makes private.

    Parameters
    ----------
    lower, upper : float or array_like, shape (d,)
        Ends of the ranges that the columns can have, from what is known of them without the records.
    x_bound : float
        b, to be given to the estimator behind as `x_bound`.

    Attributes
    ----------
    n_features_in_ : int

    Examples
    --------
    >>> from dpbench.sklearn import BoundedScaler
    >>> BoundedScaler([0.0, -1.0], [10.0, 1.0]).fit_transform([[10.0, 0.0], [-3.0, 1.0]]).round(3).tolist()
    [[0.707, 0.0], [-0.707, 0.707]]
    """

    def __init__(self, lower: Any, upper: Any, *, x_bound: float = 1.0) -> None:
        self.lower = lower
        self.upper = upper
        self.x_bound = x_bound

    @np.errstate(over="ignore", invalid="ignore")  # scikit-learn sums the entries to see whether all are finite
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the ranges against the number of columns, which is all that is looked at."""
        X = validate_data(self, X, dtype=np.float64)
        self._ends(X.shape[1])
        return self

    @np.errstate(over="ignore", invalid="ignore")
    def transform(self, X: Any) -> np.ndarray:
        """The records scaled, shape (n, d)."""
        check_is_fitted(self, "n_features_in_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        low, high, bound = self._ends(X.shape[1])
        share = (np.clip(X, low, high) - low) / (high - low)
        reach = bound / math.sqrt(X.shape[1]) * (1.0 - 1e-15)  # so that a rounded norm is within the bound
        scaled: np.ndarray = reach * (2.0 * share - 1.0)
        return scaled

    def _ends(self, columns: int) -> tuple[np.ndarray, np.ndarray, float]:
        ends = []
        for name in ("lower", "upper"):
            value = np.asarray(getattr(self, name), dtype=np.float64)
            if value.ndim > 1 or (value.ndim == 1 and value.size != columns) or not np.isfinite(value).all():
                raise invalid(name, f"a finite number, or one for each of the {columns} columns", getattr(self, name))
            ends.append(np.broadcast_to(value, columns))
        if not (ends[0] < ends[1]).all() or not np.isfinite(ends[1] - ends[0]).all():
            what = "below upper in every column, by a finite length"
            raise invalid("lower", what, (self.lower, self.upper))
        return ends[0], ends[1], validation.real("x_bound", self.x_bound, above=0.0, size=True)
