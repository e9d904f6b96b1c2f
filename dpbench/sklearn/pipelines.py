"""What a pipeline may hold for its guarantee to be that of its last step."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures

from dpbench.core.validation import InvalidInput, invalid
from dpbench.sklearn.estimators import HeavyTailedRegressor, PrivateClassifier, PrivateRegressor
from dpbench.sklearn.scaling import BoundedScaler

ESTIMATORS = (HeavyTailedRegressor, PrivateClassifier, PrivateRegressor)
STEPS = (BoundedScaler, Normalizer, Binarizer, PolynomialFeatures, FunctionTransformer)
"""Transformers whose fit sees the shape of the records alone, and that change each record by itself."""


def check_pipeline(estimator: Any) -> None:
    """Refuse what could look at the records without a guarantee.

    A `Pipeline` may hold `BoundedScaler`, `Normalizer`, `Binarizer`, `PolynomialFeatures` and
    ``FunctionTransformer(func=None)``, by exact type, and end in an estimator of `dpbench.sklearn`. Such an estimator
    by itself is fine too. Other steps may be harmless; nothing here finds out.

    Parameters
    ----------
    estimator : estimator
        A pipeline, or an estimator of `dpbench.sklearn`.

    Raises
    ------
    InvalidInput
        For anything else; the message names the step.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from dpbench.sklearn import PrivateRegressor, check_pipeline
    >>> check_pipeline(make_pipeline(StandardScaler(), PrivateRegressor(x_bound=1.0, y_bound=1.0)))
    Traceback (most recent call last):
        ...
    dpbench.core.validation.InvalidInput: step 'standardscaler' must be by exact type one of BoundedScaler, Normalizer,
    Binarizer, PolynomialFeatures, FunctionTransformer (with func=None), got 'StandardScaler'
    """
    *steps, (name, last) = estimator.steps if type(estimator) is Pipeline else [("estimator", estimator)]
    for place, step in steps:
        if type(step) not in STEPS or (type(step) is FunctionTransformer and step.func is not None):
            raise _not_allowed(place, STEPS, " (with func=None)", step)
    if type(last) not in ESTIMATORS:
        raise _not_allowed(name, ESTIMATORS, ", or a Pipeline that ends in one", last)


def _not_allowed(place: str, allowed: tuple[type, ...], more: str, step: Any) -> InvalidInput:
    names = ", ".join(kind.__name__ for kind in allowed)
    return invalid(f"step {place!r}", f"by exact type one of {names}{more}", type(step).__name__)
