"""A search over parameters whose guarantee is that of the whole search."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from dpbench.core import validation
from dpbench.core.bits import Source, SystemGenerator
from dpbench.core.sampling import stream
from dpbench.core.validation import invalid
from dpbench.papers.glm.algorithms.grid_search import gaussian_share
from dpbench.privacy import composition, integer_choice, selection
from dpbench.sklearn.estimators import PrivateClassifier, PrivateFit
from dpbench.sklearn.pipelines import check_pipeline

_STEPS = 1 << 20
"""Steps of the grid on which an error of a prediction is rounded, of its bound."""


def _has(name: str) -> Any:
    return available_if(lambda self: hasattr(_last(self.estimator), name))


class PrivateSearchCV(MetaEstimatorMixin, PrivateFit):
    """Choose among parameters privately: `epsilon_` is that of all fits and of the choice together.

    A share of the records, drawn without looking at them, is set aside. Each candidate is fitted to the others, with a
    share of the budget, and report noisy max chooses by the errors on what was set aside. The two sets are disjoint, so
    that either may spend all of (ε, δ): the guarantee is the larger of that of the K fits composed and that of the
    choice.

    Parameters
    ----------
    estimator : estimator
        One of this package's, or a pipeline that `check_pipeline` allows. Its own epsilon and delta are replaced.
    param_grid : dict or list of dict
        As in scikit-learn's `GridSearchCV`; the candidates must not depend on the records.
    epsilon, delta : float
        Of the whole search.
    held_out : float
        Share of the records that the choice is made by.
    error_bound : float, optional
        Of regressions: |y − prediction| is clipped at it. Default: twice the `y_bound` of the estimator. Records are
        held to their declared bounds here too.
    random_state : int, RandomState or None
        None: fresh randomness for each fit.

    Attributes
    ----------
    best_estimator_ : estimator
        The chosen one, as it was fitted; its own `epsilon_` is that of its fit and no more.
    best_params_ : dict
    best_index_ : int
    candidates_ : list of dict
    epsilon_, delta_ : float
        Of the whole search.
    guarantee_ : Profile
    classes_ : ndarray, shape (2,)
        Of classifiers.

    Notes
    -----
    K fits cost each other √K (Gaussian mechanisms) or K (others): try few candidates. Errors of the candidates are not
    kept, for they are not private; nor is the best candidate fitted again to all records, which would cost its ε anew.

    Examples
    --------
    >>> import numpy as np
    >>> from dpbench.sklearn import PrivateRegressor, PrivateSearchCV
    >>> x = np.random.default_rng(0).uniform(-1.0, 1.0, (4000, 2))
    >>> search = PrivateSearchCV(
    ...     PrivateRegressor(x_bound=1.5, y_bound=2.0), {"radius": [0.01, 3.0]}, epsilon=2.0, random_state=0
    ... ).fit(x, 2.0 * x[:, 0])
    >>> search.best_params_, bool(search.epsilon_ <= 2.0)
    ({'radius': 3.0}, True)
    """

    def __init__(
        self, estimator: Any, param_grid: Any, *, epsilon: float = 1.0, delta: float = 1e-5, held_out: float = 0.25,
        error_bound: float | None = None, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.param_grid = param_grid
        self.epsilon = epsilon
        self.delta = delta
        self.held_out = held_out
        self.error_bound = error_bound
        self.random_state = random_state

    @np.errstate(over="ignore", invalid="ignore")  # huge finite entries are no error
    def fit(self, X: Any, y: Any) -> Self:
        """Fit every candidate to a part of the records and choose one by the rest."""
        epsilon, delta = validation.epsilon(self.epsilon), validation.delta(self.delta)
        candidates = self._candidates()
        check_pipeline(self.estimator)
        X, y = indexable(X, column_or_1d(y, warn=True))
        training, judging = self._parts(_num_samples(X))
        seed = None if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        models = [clone(self.estimator).set_params(**candidate) for candidate in candidates]
        for model in models:
            check_pipeline(model)  # a candidate may put another step into the pipeline
            last = _last(model)
            last.problem(_before(model, X), y)  # refuses before anything is spent, whichever part a record falls in
            if isinstance(last, PrivateClassifier):
                last.set_params(classes=last.classes_.tolist())
        known, truth = _safe_indexing(X, training), _safe_indexing(y, training)
        shares = _shares(models, known, truth, epsilon, delta)
        fits = []
        for number, (model, (part, failure)) in enumerate(zip(models, shares, strict=True)):
            last = _last(model)
            last.set_params(epsilon=part, random_state=None if seed is None else seed + number)
            if "delta" in last.get_params():
                last.set_params(delta=failure)
            model.fit(known, truth)
            fits.append(last.guarantee_)
        errors, most = self._errors(models, _safe_indexing(X, judging), _safe_indexing(y, judging))
        steps = integer_choice.noisy_max_scale(selection.noisy_max_scale(float(most), epsilon))
        source = Source(SystemGenerator() if seed is None else stream("dpbench.sklearn.search", seed))
        chosen = int(integer_choice.report_noisy_max(source, errors[None, :], steps)[0])
        choice = selection.noisy_max_guarantee(float(most), float(steps))
        self.guarantee_ = composition.parallel([composition.at_levels(fits, [share[0] for share in shares]), choice])
        self.epsilon_, self.delta_ = float(self.guarantee_.epsilon(delta)), float(delta)
        self.candidates_, self.best_index_ = candidates, chosen
        self.best_params_, self.best_estimator_ = candidates[chosen], models[chosen]
        if hasattr(_last(models[chosen]), "classes_"):
            self.classes_ = _last(models[chosen]).classes_
        return self

    @_has("predict")
    def predict(self, X: Any) -> np.ndarray:
        """Of the chosen estimator."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.predict(X))

    @_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Of the chosen estimator."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.decision_function(X))

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Of the chosen estimator."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.predict_proba(X))

    @property
    def n_features_in_(self) -> int:
        """Columns of the records."""
        if not hasattr(self, "best_estimator_"):
            raise AttributeError("n_features_in_")
        return int(self.best_estimator_.n_features_in_)

    def score(self, X: Any, y: Any) -> float:
        """Of the chosen estimator: accuracy, or R²."""
        check_is_fitted(self, "best_estimator_")
        return float(self.best_estimator_.score(X, y))

    def _candidates(self) -> list[dict[str, Any]]:
        try:
            candidates = list(ParameterGrid(self.param_grid))
        except (TypeError, ValueError) as error:
            raise invalid("param_grid", f"a grid as GridSearchCV has it ({error})", self.param_grid) from None
        names = {name for one in candidates for name in one}
        if spent := sorted(name for name in names if name.rpartition("__")[2] in ("epsilon", "delta", "random_state")):
            raise invalid("param_grid", "without epsilon, delta and random_state, which the search sets", spent)
        return candidates

    def _parts(self, records: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the records that are fitted to, and of those that the choice is made by."""
        share = validation.fraction("held_out", self.held_out)
        count = math.ceil(share * records)
        if count >= records:
            raise invalid(
                "held_out", f"small enough to leave a record for the fits (n_samples = {records})", self.held_out
            )
        order = check_random_state(self.random_state).permutation(records)
        return np.sort(order[count:]), np.sort(order[:count])

    def _errors(self, models: list[Any], X: Any, y: Any) -> tuple[np.ndarray, int]:
        """Each candidate's summed error in integers, shape (K,), and how far one record moves a sum.

        An error is a function of its record and of the model, clamped in integers: whatever floating point made of
        the prediction, replacing a record moves a sum by no more.
        """
        most, bound = 1, 1.0
        if not isinstance(_last(self.estimator), ClassifierMixin):
            most, bound = _STEPS, self._bound(models)
        sums = []
        for model in models:
            last = _last(model)
            problem = last.problem(_before(model, X), y)
            scores = problem.X @ last.coef_ + last.intercept_
            if most == 1:
                errors = (scores > 0.0) != (problem.y > 0.0)
            else:
                errors = np.rint(np.abs(problem.y - scores) / bound * _STEPS)
            steps = np.where(errors <= most, errors, most).astype(np.int64)  # NaN counts as the largest error
            sums.append(int(np.clip(steps, 0, most).sum()))
        return np.array(sums, dtype=np.int64), most

    def _bound(self, models: list[Any]) -> float:
        """What the error of a prediction is clipped at."""
        if self.error_bound is not None:
            return validation.real("error_bound", self.error_bound, above=0.0, size=True)
        bounds: list[Any] = [getattr(_last(model), "y_bound", None) for model in models]
        if None in bounds:
            raise invalid("error_bound", "given where the estimator has no y_bound", None)
        return 2.0 * max(bounds)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.regressor_tags, tags.input_tags = inner.regressor_tags, inner.input_tags
        return tags


def _last(estimator: Any) -> Any:
    """The private estimator at the end."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _shares(models: list[Any], X: Any, y: Any, epsilon: float, delta: float) -> list[tuple[float, float]]:
    """(ε, δ) of each fit: Gaussian mechanisms share μ, all others ε and δ."""
    count = len(models)
    equal = epsilon / count, delta / count
    if count == 1 or delta == 0.0:
        return [equal] * count
    for model in models:
        last = clone(_last(model)).set_params(epsilon=equal[0])
        if "delta" not in last.get_params():
            return [equal] * count
        if last.set_params(delta=equal[1]).promised(_before(model, X), y).mu is None:
            return [equal] * count
    return [gaussian_share(epsilon, delta, count)] * count


def _before(estimator: Any, X: Any) -> Any:
    """The records as the last step of a pipeline gets them: the other steps learn nothing but the number of columns."""
    if not isinstance(estimator, Pipeline) or len(estimator.steps) == 1:
        return X
    return clone(Pipeline(estimator.steps[:-1])).fit_transform(X)
