"""Estimators over the mechanisms: a fit is one release, its bounds are declared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from dpbench.core.validation import choice, invalid, real
from dpbench.papers.glm.comparison import ALGORITHMS, HEAVY_TAILED
from dpbench.papers.glm.comparison import mechanism as by_name
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.privacy.profile import Profile


class PrivateFit(BaseEstimator):
    """What has a guarantee of its own: `epsilon_`, `delta_` and `guarantee_` of a fit."""

    guarantee_: Profile
    epsilon_: float
    delta_: float


class PrivateLinear(PrivateFit):
    """What the estimators share: one release of a mechanism, read as coefficients."""

    random_state: Any

    @np.errstate(over="ignore", invalid="ignore")  # scikit-learn sums the entries to see whether all are finite
    def fit(self, X: Any, y: Any) -> Self:
        """Run the mechanism once on the records."""
        mechanism, problem, delta, constant = self._prepared(X, y)
        random_state = self.random_state
        seed = None if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))
        w = np.asarray(mechanism.release(problem, seed).w)
        self.guarantee_ = mechanism.guarantee(problem)
        self.epsilon_, self.delta_ = float(self.guarantee_.epsilon(delta)), float(delta)
        self.mechanism_ = mechanism
        self.coef_ = w[:-1] if constant else w
        self.intercept_ = float(w[-1] * constant) if constant else 0.0
        return self

    def promised(self, X: Any, y: Any) -> Profile:
        """What a fit to these records would guarantee; nothing is released."""
        mechanism, problem, _, _ = self._prepared(X, y)
        guarantee: Profile = mechanism.guarantee(problem)
        return guarantee

    def problem(self, X: Any, y: Any) -> Any:
        """The records as a fit sees them: validated, held to the declared bounds, labels of a classifier as ±1.

        A function of each record by itself. What is outside the domain (NaN, an infinity, an undeclared label) is
        refused.
        """
        raise NotImplementedError

    @property
    def epsilon_of_this_fit_(self) -> float:
        """`epsilon_` under its full name: of this one fit. Further fits on the same records cost as much again."""
        check_is_fitted(self)
        return self.epsilon_

    def _prepared(self, X: Any, y: Any) -> tuple[Any, Any, float, float]:
        """Mechanism, problem, δ, and the constant of the last column, 0 where there is none."""
        raise NotImplementedError

    def _linear(self, X: Any, sparse: str | bool) -> np.ndarray:
        check_is_fitted(self)
        points = validate_data(self, X, accept_sparse=sparse, reset=False, dtype=np.float64)
        return np.asarray(points @ self.coef_ + self.intercept_)


def _chosen(mechanism: Any, epsilon: float, delta: float, arithmetic: str) -> Any:
    """The mechanism of that name, or the one given, at (ε, δ)."""
    if isinstance(mechanism, str):
        algorithm = by_name(choice("mechanism", mechanism, ALGORITHMS), epsilon, delta)
    else:
        algorithm = replace(_mechanism(mechanism), epsilon=epsilon, delta=delta)
    return algorithm if arithmetic == algorithm.arithmetic else replace(algorithm, arithmetic=arithmetic)


def _mechanism(value: Any) -> Any:
    if not is_dataclass(value) or isinstance(value, type) or not hasattr(value, "release"):
        raise invalid("mechanism", "the name of a mechanism, or one of this package's", value)
    return value


class _OverGLM(PrivateLinear):
    """The mechanisms for generalised linear models."""

    _reach: float  # the default radius in units of y_bound/x_bound

    def _bounded(self, X: Any, y: np.ndarray, y_bound: float) -> GLMProblem:
        given: Any = self
        radius = given.radius
        if radius is None:
            radius = self._reach * real("y_bound", y_bound, above=0.0) / real("x_bound", given.x_bound, above=0.0)
        return GLMProblem(
            X, y, loss=given.loss, x_bound=given.x_bound, y_bound=y_bound, radius=radius, on_excess=given.on_excess
        )

    def _prepared(self, X: Any, y: Any) -> tuple[Any, Any, float, float]:
        given: Any = self
        problem, constant = self.problem(X, y), 0.0
        if given.fit_intercept:
            constant = problem.x_bound
            wider = math.sqrt(2.0) * problem.x_bound * (1.0 + 1e-12)
            problem = replace(problem, X=_with_constant(problem.X, constant), x_bound=wider, on_excess="error")
        mechanism = _chosen(given.mechanism, given.epsilon, given.delta, given.arithmetic)
        return mechanism, problem, given.delta, constant

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _noisy(tags: Any) -> Any:
    """The tags of an estimator that may score anything on small data, for its noise."""
    for kind in (tags.classifier_tags, tags.regressor_tags):
        if kind is not None:
            kind.poor_score = True
    return tags


def _with_constant(X: Any, constant: float) -> Any:
    column = np.full((X.shape[0], 1), constant)
    if isinstance(X, np.ndarray):
        return np.hstack([X, column])
    from scipy.sparse import hstack

    return hstack([X, column], format="csr")


class PrivateRegressor(RegressorMixin, _OverGLM):
    """Linear regression over a mechanism for generalised linear models.

    Parameters
    ----------
    mechanism : str or mechanism
        "noisy-gd", "jl", "output-perturbation", "grid-search" or "boosting", or one of your making, whose ε, δ and
        arithmetic are replaced.
    epsilon, delta : float
    x_bound, y_bound : float
        Bounds on ‖x‖₂ and |y|: declared, never computed from the records.
    radius : float, optional
        Of the ball of the weights, that of the constant included; default 3 `y_bound`/`x_bound`. The noise grows with
        it, so search over it where the fit is poor.
    loss : str or Loss
        "squared", "half-squared", "huber" or "absolute".
    fit_intercept : bool
        Adds a column of the constant `x_bound`; the bound on ‖x‖ grows by √2.
    on_excess : {"clip", "error"}
        What happens to records outside the bounds. An error tells that there is one: "clip" keeps the promise.
    arithmetic : {"float", "exact"}
    random_state : int, RandomState or None
        None: fresh randomness for each fit.

    Attributes
    ----------
    coef_ : ndarray, shape (d,)
    intercept_ : float
    epsilon_, delta_ : float
        What the fit's guarantee gives at `delta`; at most the ε asked for, unless a mechanism of your making sets its
        noise or ``calibration="printed"``. `epsilon_of_this_fit_` is the same number.
    guarantee_ : Profile
    mechanism_ : mechanism
    n_features_in_ : int
    """

    _reach = 3.0

    def __init__(
        self, mechanism: Any = "noisy-gd", *, x_bound: float, y_bound: float, epsilon: float = 1.0, delta: float = 1e-5,
        radius: float | None = None, loss: Any = "squared", fit_intercept: bool = True, on_excess: str = "clip",
        arithmetic: str = "float", random_state: Any = None,
    ) -> None:  # fmt: skip
        self.mechanism = mechanism
        self.x_bound = x_bound
        self.y_bound = y_bound
        self.epsilon = epsilon
        self.delta = delta
        self.radius = radius
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.on_excess = on_excess
        self.arithmetic = arithmetic
        self.random_state = random_state

    def problem(self, X: Any, y: Any) -> GLMProblem:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        return self._bounded(X, np.asarray(y, dtype=np.float64), self.y_bound)

    def predict(self, X: Any) -> np.ndarray:
        """⟨w, x⟩ + b for each row of X, shape (n,)."""
        return self._linear(X, "csr")

    def __sklearn_tags__(self) -> Any:
        return _noisy(super().__sklearn_tags__())


class PrivateClassifier(ClassifierMixin, _OverGLM):
    """A linear classifier of two classes over a mechanism for generalised linear models.

    Parameters
    ----------
    mechanism, epsilon, delta, x_bound, fit_intercept, on_excess, arithmetic, random_state
        As in `PrivateRegressor`.
    radius : float, optional
        As there; default 10/`x_bound`.
    loss : str or Loss
        "logistic", or a loss for numbers, which then has the labels ±1.
    classes : sequence of two labels, or "public"
        The labels that a record can have, declared; a record with another label is refused. "public" declares that the
        set of labels in y, though not who has which, is public, and reads it from there.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
    coef_, intercept_, epsilon_, delta_, guarantee_, mechanism_, n_features_in_
        As in `PrivateRegressor`.
    """

    _reach = 10.0

    def __init__(
        self, mechanism: Any = "noisy-gd", *, x_bound: float, classes: Sequence[Any] | str, epsilon: float = 1.0,
        delta: float = 1e-5, radius: float | None = None, loss: Any = "logistic", fit_intercept: bool = True,
        on_excess: str = "clip", arithmetic: str = "float", random_state: Any = None,
    ) -> None:  # fmt: skip
        self.mechanism = mechanism
        self.x_bound = x_bound
        self.classes = classes
        self.epsilon = epsilon
        self.delta = delta
        self.radius = radius
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.on_excess = on_excess
        self.arithmetic = arithmetic
        self.random_state = random_state

    def problem(self, X: Any, y: Any) -> GLMProblem:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        public = isinstance(self.classes, str) and self.classes == "public"
        classes = np.unique(y if public else np.asarray(self.classes))
        if public and len(classes) > 2:
            count = len(classes)
            raise ValueError(f"Only binary classification is supported: y must have two classes, got {count} classes")
        if len(classes) != 2:
            must_be = "two different labels, or 'public' unless y has one class"
            raise invalid("classes", must_be, classes.tolist() if public else self.classes)
        if not np.isin(y, classes).all():
            raise invalid("y", f"made of the labels {classes.tolist()}", np.setdiff1d(y, classes).tolist())
        self.classes_ = classes
        return self._bounded(X, np.where(y == classes[1], 1.0, -1.0), 1.0)

    def decision_function(self, X: Any) -> np.ndarray:
        """⟨w, x⟩ + b for each row of X, shape (n,); the second class where it is positive."""
        return self._linear(X, "csr")

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X, shape (n,)."""
        positive = self.decision_function(X) > 0.0
        return self.classes_[positive.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Of the two classes, by the logistic law, shape (n, 2)."""
        second = expit(self.decision_function(X))
        return np.column_stack([1.0 - second, second])

    def __sklearn_tags__(self) -> Any:
        tags = _noisy(super().__sklearn_tags__())
        tags.classifier_tags.multi_class = False
        return tags


class HeavyTailedRegressor(RegressorMixin, PrivateLinear):
    """Regression by least absolute deviations of data without bounds, ε-DP, over a mechanism for heavy tails.

    Parameters
    ----------
    mechanism : str or mechanism
        "exponential", whose time grows fast with the dimension, or "clipped-subgradient"; or one of your making.
    epsilon : float
    radius, domain, theta, tau, moment
        As in `HeavyTailedProblem`: the ball or box of the weights, and the moment that x is promised to have.
    random_state : int, RandomState or None

    Attributes
    ----------
    coef_, epsilon_, delta_, guarantee_, mechanism_, n_features_in_
        As in `PrivateRegressor`; `delta_` is 0, `intercept_` too: give a column of ones for a constant.
    """

    def __init__(
        self, mechanism: Any = "exponential", *, radius: float, epsilon: float = 1.0, domain: str = "ball",
        theta: float = 2.0, tau: float = 1.0, moment: str = "norm", random_state: Any = None,
    ) -> None:  # fmt: skip
        self.mechanism = mechanism
        self.radius = radius
        self.epsilon = epsilon
        self.domain = domain
        self.theta = theta
        self.tau = tau
        self.moment = moment
        self.random_state = random_state

    def problem(self, X: Any, y: Any) -> HeavyTailedProblem:
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        return HeavyTailedProblem(
            X, y, radius=self.radius, domain=self.domain, theta=self.theta, tau=self.tau, moment=self.moment
        )

    def _prepared(self, X: Any, y: Any) -> tuple[Any, Any, float, float]:
        problem = self.problem(X, y)
        if isinstance(self.mechanism, str):
            private = [name for name in HEAVY_TAILED if name != "nonprivate-truncated"]
            mechanism = by_name(choice("mechanism", self.mechanism, private), self.epsilon, 0.0)
        else:
            mechanism = replace(_mechanism(self.mechanism), epsilon=self.epsilon)
        return mechanism, problem, 0.0, 0.0

    def predict(self, X: Any) -> np.ndarray:
        """⟨w, x⟩ for each row of X, shape (n,)."""
        return self._linear(X, False)

    def __sklearn_tags__(self) -> Any:
        return _noisy(super().__sklearn_tags__())
