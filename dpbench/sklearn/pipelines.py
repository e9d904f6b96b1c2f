"""What of a pipeline looks at the records without being private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.kernel_approximation import AdditiveChi2Sampler, PolynomialCountSketch, RBFSampler, SkewedChi2Sampler
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures

from dpbench.sklearn.estimators import PrivateFit
from dpbench.sklearn.scaling import BoundedScaler

_BLIND = (
    BoundedScaler, Normalizer, Binarizer, PolynomialFeatures, HashingVectorizer, FeatureHasher, AdditiveChi2Sampler,
    PolynomialCountSketch, RBFSampler, SkewedChi2Sampler,
)  # fmt: skip
"""Transformers whose fit sees the shape of the records alone, and that change each record by itself."""
_COMPOSITIONS = (Pipeline, FeatureUnion, ColumnTransformer)
_HOLD = ("steps", "transformer_list", "transformers")
"""Where they keep what they are made of: (name, estimator, ...) each."""


@dataclass(frozen=True)
class Leak:
    """A part of a pipeline that looks at the records.

    Attributes
    ----------
    place : str
        Names of the steps that lead to it, joined by "__", as `set_params` has them.
    what : str
        Its class.
    why : str
        What it does with the records, and what to take instead.
    """

    place: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.place or 'the estimator'} ({self.what}): {self.why}"


def check_pipeline(estimator: Any) -> tuple[Leak, ...]:
    """The parts of an estimator that look at the records without a guarantee.

    Parameters
    ----------
    estimator : estimator
        A pipeline, a composition of transformers, a search, or a single estimator.

    Returns
    -------
    tuple of Leak
        Empty where all that is fitted is private or sees the shape of the records alone.

    Notes
    -----
    Known are this package's estimators and scikit-learn's own parts; all else is named, for it may do anything. A
    function given to `FunctionTransformer` must change each record by itself: it is named, since that cannot be seen.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from dpbench.sklearn import PrivateClassifier, check_pipeline
    >>> for leak in check_pipeline(make_pipeline(StandardScaler(), PrivateClassifier(x_bound=1.0))):
    ...     print(leak)
    standardscaler (StandardScaler): computes from the records what it transforms by; declare it (BoundedScaler)
    """
    return tuple(_leaks(estimator, ""))


def _leaks(part: Any, place: str) -> Iterator[Leak]:
    what = type(part).__name__
    if isinstance(part, _COMPOSITIONS):
        held = [(entry[0], entry[1]) for name in _HOLD for entry in getattr(part, name, ())]
        for name, one in held:
            yield from _leaks(one, f"{place}__{name}" if place else name)
    elif isinstance(part, PrivateFit):
        if hasattr(part, "estimator"):
            yield from _leaks(part.estimator, f"{place}__estimator" if place else "estimator")
    elif isinstance(part, FunctionTransformer):
        if part.func is not None:
            yield Leak(place, what, "its function must change each record by itself, which cannot be seen from here")
    elif not (part is None or isinstance(part, (str, *_BLIND))):
        yield Leak(place, what, _why(part))


def _why(part: Any) -> str:
    if hasattr(part, "param_grid") or hasattr(part, "param_distributions"):
        return "fits again and again to the same records and compares scores; take PrivateSearchCV"
    if hasattr(part, "estimator") or hasattr(part, "estimators"):
        return "fits what it holds in a way that no guarantee covers"
    if hasattr(part, "get_support"):
        return "selects columns by the records; choose them beforehand"
    if hasattr(part, "transform"):
        return "computes from the records what it transforms by; declare it (BoundedScaler)"
    return "is not private; take one of dpbench.sklearn"
