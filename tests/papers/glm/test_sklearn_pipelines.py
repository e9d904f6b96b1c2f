"""Scaling by declared ranges, the search whose guarantee is its own, and what of a pipeline looks at the records."""

import itertools
import math

import numpy as np
import pytest
from naive.lowerbounds import gaussian_delta
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpbench import audit, each
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.privacy import integer_choice
from dpbench.sklearn import (
    BoundedScaler,
    HeavyTailedRegressor,
    PrivateClassifier,
    PrivateRegressor,
    PrivateSearchCV,
    check_pipeline,
)
from dpbench.sklearn.search import _before, _last

SHORT = NoisyGD(1.0, 1e-5, steps=20)
REGRESSOR = PrivateRegressor(SHORT, x_bound=2.0, y_bound=1.5)
CLASSIFIER = PrivateClassifier(SHORT, x_bound=2.0, classes="public")
HEAVY = HeavyTailedRegressor("clipped-subgradient", radius=1.0)
RADII = {"radius": [0.01, 1.0, 2.0]}


@parametrize_with_checks([BoundedScaler(-5.0, 5.0)])
def test_scikit_learns_checks_of_the_scaler(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([PrivateSearchCV(REGRESSOR, RADII), PrivateSearchCV(CLASSIFIER, RADII)])
def test_scikit_learns_checks_of_the_search(estimator, check):
    check(estimator)


def records(n=300):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    return X, X @ [1.0, -0.5]


@pytest.mark.parametrize("columns", [1, 3, 6, 15])  # of 6 and 15 the norm would round up
def test_no_record_leaves_the_declared_norm_and_none_is_looked_at(columns):
    rng = np.random.default_rng(columns)
    low = rng.uniform(-5.0, 0.0, columns)
    high = low + rng.uniform(0.1, 9.0, columns)
    X = np.vstack(
        [rng.uniform(-9.0, 9.0, (200, columns)), low, high, np.full(columns, 1e308), np.full(columns, -1e308)]
    )
    scaler = BoundedScaler(low, high, x_bound=1.7)
    made = scaler.fit_transform(X)
    assert np.linalg.norm(made, axis=1).max() <= 1.7
    assert np.linalg.norm(made[-3]) == pytest.approx(1.7, rel=1e-12)  # all columns at an end: the bound is attained
    assert (scaler.fit(X[:1]).transform(X) == made).all()
    inside = np.clip(X[0], low, high)
    expected = [
        1.7 * columns**-0.5 * (2.0 * (x - a) / (b - a) - 1.0) for x, a, b in zip(inside, low, high, strict=True)
    ]
    np.testing.assert_allclose(made[0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lower": [0.0]}, "lower must be a finite number, or one for each of the 2 columns"),
        ({"lower": float("nan")}, "lower must be a finite number"),
        ({"upper": -1.0}, "lower must be below upper in every column"),
        ({"lower": -1e308, "upper": 1e308}, "by a finite length"),
        ({"x_bound": 0.0}, "x_bound must be"),
    ],
)
def test_ranges_that_are_none_are_named(change, message):
    with pytest.raises(InvalidInput, match=message):
        BoundedScaler(**{"lower": -1.0, "upper": [1.0, 2.0]} | change).fit(np.zeros((3, 2)))


def test_gaussian_fits_share_mu_and_the_search_keeps_its_budget():
    """K fits at μ each have μ√K together: at δ that is the ε asked for, which equal shares of ε would not reach."""
    X, y = records()
    search = PrivateSearchCV(REGRESSOR, RADII, epsilon=0.8, delta=1e-6, random_state=0).fit(X, y)
    mu = search.best_estimator_.guarantee_.mu
    assert gaussian_delta(0.8, math.sqrt(3.0) * mu) == pytest.approx(1e-6, rel=1e-3)
    assert 0.8 * (1.0 - 1e-6) <= search.epsilon_ <= 0.8 and search.delta_ == 1e-6
    assert search.best_estimator_.epsilon_of_this_fit_ == search.best_estimator_.epsilon_ > 0.8 / 3.0
    assert search.guarantee_.delta(0.3) >= gaussian_delta(0.3, math.sqrt(3.0) * mu) * (1.0 - 1e-9)


def test_other_mechanisms_share_epsilon():
    X, y = records(200)
    for model, delta, part in (
        (HEAVY, 3e-6, None),
        (PrivateRegressor("grid-search", x_bound=2.0, y_bound=1.5), 3e-6, 1e-6),
    ):
        search = PrivateSearchCV(model, RADII, epsilon=1.2, delta=delta, error_bound=3.0, random_state=1).fit(X, y)
        ran = search.best_estimator_.mechanism_
        assert ran.epsilon == pytest.approx(0.4) and getattr(ran, "delta", None) == part
    search = PrivateSearchCV(HEAVY, RADII, epsilon=1.2, delta=0.0, error_bound=3.0, random_state=1).fit(X, y)
    assert search.best_estimator_.mechanism_.epsilon == pytest.approx(0.4)
    assert search.epsilon_ == pytest.approx(1.2) and search.epsilon_ <= 1.2 * (1.0 + 1e-9) and search.delta_ == 0.0
    with pytest.raises(InvalidInput, match="error_bound must be given where the estimator has no y_bound"):
        PrivateSearchCV(HEAVY, RADII, delta=0.0).fit(X, y)


def test_a_record_is_fitted_to_or_judged_by_and_never_both():
    """With one candidate the weights tell which: a quarter of the records moves none of them."""
    X, y = records(40)
    search = PrivateSearchCV(REGRESSOR, {"radius": [1.0]}, random_state=2)
    weights, moved = search.fit(X, y).best_estimator_.coef_, []
    for row in range(40):
        other, label = X.copy(), y.copy()
        other[row], label[row] = [0.9, 0.9], -1.5
        moved.append((search.fit(other, label).best_estimator_.coef_ != weights).any())
    assert sum(moved) == 30


def search_of(*steps):
    """A search of two radii of the last step, for ε-DP mechanisms too."""
    name = type(steps[-1]).__name__.lower()
    model = steps[0] if len(steps) == 1 else make_pipeline(*steps)
    grid = {"radius" if len(steps) == 1 else f"{name}__radius": [0.01, 2.0]}
    return PrivateSearchCV(model, grid, held_out=0.5, delta=0.0 if steps[-1] is HEAVY else 1e-5, error_bound=3.0,
                           random_state=0)  # fmt: skip


SEARCHES = {
    "regressor": search_of(REGRESSOR),
    "huber, no constant": search_of(
        PrivateRegressor(SHORT, x_bound=2.0, y_bound=1.5, loss="huber", fit_intercept=False)
    ),
    "classifier": search_of(PrivateClassifier(SHORT, x_bound=2.0, classes=(0, 1))),
    "heavy tails": search_of(HEAVY),
    "scaled": search_of(BoundedScaler(-1.0, 1.0), REGRESSOR),
    "scaled, heavy tails": search_of(BoundedScaler(-1.0, 1.0), HEAVY),
    "normed": search_of(Normalizer(), PrivateClassifier(SHORT, x_bound=2.0, classes=(0, 1))),
    "binary": search_of(Binarizer(), REGRESSOR),
    "passed on": search_of(FunctionTransformer(), REGRESSOR),
    "products": search_of(BoundedScaler(-1.0, 1.0), PolynomialFeatures(2), REGRESSOR),
}
"""Every estimator and every step that a pipeline may hold."""
SIGNS = np.resize([1.0, -1.0], 20)
WORST = [size * shape for size in (1.7e308, 1e300, 1e100, 1.0, 5e-324, 0.0) for shape in (np.ones(20), SIGNS)]
WORST += [np.where(SIGNS > 0.0, 1.7e308, 5e-324), np.where(np.arange(20) < 1, -1.7e308, 0.0)]


def data_for(search, n=12):
    """Records in [−1, 1]²⁰, and labels that a hostile record may have."""
    rng = np.random.default_rng(8)
    X = rng.uniform(-1.0, 1.0, (n, 20)) / 5.0
    if hasattr(_last(search.estimator), "classes"):
        return X, np.arange(n) % 2, [0, 1]
    return X, X @ SIGNS, [1.7e308, -1e300, 1e100, 1.0, 0.0, -5e-324]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SEARCHES)
def test_no_record_moves_a_fit_or_a_choice_by_more_than_is_paid_for(name):
    """All pairs of a data set with those whose first or last record is one of the worst that floats can hold."""
    search, heavy = SEARCHES[name], "heavy" in name
    X, y, labels = data_for(search)
    models = [clone(search).set_params(random_state=seed).fit(X, y).best_estimator_ for seed in (0, 1)]
    last = _last(models[0])
    for model, size in zip(models, (1.0, -1.7e308), strict=True):  # weights that make inf − inf of the worst records
        _last(model).coef_ = size * np.resize([1.0, -1.0], last.coef_.shape)
    with np.errstate(all="ignore"):
        problem, (sums, most) = last.problem(_before(models[0], X), y), search._errors(models, X, y)
    reached = refused = 0
    for x, label, row in itertools.product(WORST, labels, (0, 11)):
        near_X, near_y = X.copy(), y.copy()
        near_X[row], near_y[row] = x, label
        if heavy and max(abs(label), np.abs(x).max() if last is models[0] else 0.0) > 1e100:
            with pytest.raises(InvalidInput, match=r"made of numbers of size at most 1e.100"):
                clone(search).fit(near_X, near_y)
            refused += 1
            continue
        with np.errstate(all="ignore"):
            neighbour = last.problem(_before(models[0], near_X), near_y)
            apart = np.abs(search._errors(models, near_X, near_y)[0] - sums)
        assert apart.max() <= most
        reached = max(reached, int(apart.max()))
        assert np.delete(neighbour.X == problem.X, row, axis=0).all()
        assert np.delete(neighbour.y == problem.y, row).all()
        if not heavy:
            assert np.linalg.norm(neighbour.X, axis=1).max() <= 2.0 and np.abs(neighbour.y).max() <= neighbour.y_bound
    assert reached > 0.5 * most  # so that a bound half as large would be seen
    assert (refused > 0) == heavy
    X[0], y[-1] = (1.0 if heavy else 1e300) * SIGNS, labels[-2]
    assert clone(search).fit(X, y).best_index_ in (0, 1)  # and without a warning, which tests take for an error


def test_an_undeclared_label_is_refused_in_either_part():
    X, y, _ = data_for(SEARCHES["classifier"])
    for row in range(len(y)):
        label = y.copy()
        label[row] = 2
        with pytest.raises(InvalidInput, match=r"y must be made of the labels \[0, 1\], got \[2\]"):
            SEARCHES["classifier"].fit(X, label)


def test_the_chosen_candidate_is_the_better_one_where_noise_is_small():
    X, y = records(4000)
    wide = PrivateRegressor("output-perturbation", x_bound=2.0, y_bound=1.5)
    search = PrivateSearchCV(wide, {"radius": [0.01, 2.0]}, epsilon=1e4, random_state=0).fit(X, y)
    assert search.best_params_ == {"radius": 2.0} and search.score(X, y) > 0.9
    assert search.predict(X).shape == (4000,) and not hasattr(search, "predict_proba")
    labels = PrivateSearchCV(CLASSIFIER, RADII, epsilon=100.0, random_state=0).fit(X, np.where(y > 0.0, "b", "a"))
    assert labels.classes_.tolist() == ["a", "b"] and labels.score(X, np.where(y > 0.0, "b", "a")) > 0.9


def test_nothing_of_a_fit_but_what_was_paid_for_is_kept():
    X, y = records(100)
    search = PrivateSearchCV(REGRESSOR, RADII)
    before = set(vars(search))
    kept = set(vars(search.fit(X, y))) - before
    assert kept == {"best_estimator_", "best_index_", "best_params_", "candidates_", "delta_", "epsilon_", "guarantee_"}


class Centred(Normalizer):
    """A subclass that looks at the records."""


LEAKS = {
    "a scaler that learns": (make_pipeline(StandardScaler(), REGRESSOR), "'standardscaler' .* 'StandardScaler'"),
    "a subclass": (make_pipeline(Normalizer(), Centred(), REGRESSOR), "'centred' .* 'Centred'"),
    "a function": (make_pipeline(FunctionTransformer(np.log1p), REGRESSOR), "'functiontransformer'"),
    "a pipeline inside": (make_pipeline(make_pipeline(Normalizer()), REGRESSOR), "'pipeline'"),
    "a word": (make_pipeline("passthrough", REGRESSOR), "'passthrough'"),
    "no private end": (make_pipeline(BoundedScaler(0.0, 1.0), LogisticRegression()), "'logisticregression'"),
    "no private estimator": (LogisticRegression(), "'estimator' .* 'LogisticRegression'"),
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_may_look_at_the_records_is_refused_by_name(name):
    estimator, message = LEAKS[name]
    with pytest.raises(InvalidInput, match=f"^step {message}"):
        check_pipeline(estimator)
    with pytest.raises(InvalidInput, match=f"^step {message}"):
        PrivateSearchCV(estimator, {}).fit(*records(50))


def test_the_steps_that_look_at_no_record_are_allowed():
    for search in SEARCHES.values():
        check_pipeline(search.estimator)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (
            PrivateSearchCV(
                make_pipeline(BoundedScaler(-1.0, 1.0), REGRESSOR), {"boundedscaler": [Normalizer(), StandardScaler()]}
            ),
            "step 'boundedscaler' must be by exact type one of",
        ),
        (PrivateSearchCV(REGRESSOR, {"epsilon": [1.0, 2.0]}), "param_grid must be without epsilon"),
        (PrivateSearchCV(REGRESSOR, 3), "param_grid must be a grid"),
        (PrivateSearchCV(REGRESSOR, RADII, epsilon=0.0), "epsilon must be"),
        (PrivateSearchCV(REGRESSOR, RADII, delta=1.5), "delta must be"),
        (PrivateSearchCV(REGRESSOR, RADII, held_out=1.0), "held_out must be"),
        (PrivateSearchCV(REGRESSOR, RADII, held_out=0.99), r"leave a record for the fits \(n_samples = 50\)"),
        (PrivateSearchCV(REGRESSOR, RADII, error_bound=-1.0), "error_bound must be"),
    ],
)
def test_searches_that_are_none_are_named(search, message):
    with pytest.raises(InvalidInput, match=message):
        search.fit(*records(50))


def searched(data, _rng):
    """What a search of two candidates says of two records, one of which it is judged by."""
    X, y = np.full((2, 1), 0.9), np.array(data)
    wide = PrivateRegressor(NoisyGD(1.0, 1e-5, steps=5), x_bound=1.0, y_bound=1.5)
    search = PrivateSearchCV(wide, {"radius": [0.01, 2.0]}, epsilon=1.0, delta=1e-5, held_out=0.5).fit(X, y)
    return search.best_index_, float(search.best_estimator_.coef_[0])


@pytest.mark.slow
def test_a_search_keeps_its_guarantee_from_end_to_end_and_a_choice_without_noise_does_not(
    monkeypatch,
):
    """Neighbours: the second of two targets is 0 or 1.5.

    Null: the search is (1, 1e-5)-DP; its audit refutes with probability at most 1e-6. Without noise in the choice, the
    wide candidate is never chosen where both targets are 0, and in a quarter of the runs where one is 1.5: an event of
    probability 0 and 1/4, which 1,000 runs a side see.
    """
    pair = (0.0, 0.0), (0.0, 1.5)
    given = {"epsilon": 1.0, "delta": 1e-5, "trials": 1_000, "confidence": 1.0 - 1e-6}
    assert audit(each(searched), *pair, **given).verdict == "not refuted"
    monkeypatch.setattr(integer_choice, "report_noisy_max", lambda _source, errors, _steps: errors.argmin(axis=1))
    assert audit(each(searched), *pair, **given).verdict == "refuted"
