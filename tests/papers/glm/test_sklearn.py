"""The scikit-learn estimators: scikit-learn's own checks on instances with declared bounds, and what they promise."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.sklearn import HeavyTailedRegressor, PrivateClassifier, PrivateRegressor

SHORT = NoisyGD(1.0, 1e-5, steps=20)
INSTANCES = [
    PrivateRegressor(SHORT, x_bound=5.0, y_bound=5.0),
    PrivateClassifier("output-perturbation", x_bound=5.0, classes="public", arithmetic="exact"),  # by name
    HeavyTailedRegressor("clipped-subgradient", radius=1.0),
]
EXPECTED = {}
"""Checks that may fail, each with its reason: none does. Scores are not checked (the tag `poor_score`), for noise may
give any."""


@pytest.mark.few(80)
@parametrize_with_checks(INSTANCES, expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def records(n=400):
    """Features in [−1, 1]³, and labels 0.5x₁ − 0.3x₂ + 0.2 with a little noise."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1.0, 1.0, (n, 3))
    return X, X @ [0.5, -0.3, 0.0] + 0.2 + 0.01 * rng.standard_normal(n)


def regressor(**more):
    return PrivateRegressor(**{"x_bound": 1.8, "y_bound": 1.5, "radius": 2.0, "random_state": 0} | more)


def test_without_noise_to_speak_of_a_fit_is_the_non_private_one():
    X, y = records()
    model = regressor(mechanism="output-perturbation", epsilon=1e7).fit(X, y)
    plain = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=0.01)
    assert model.intercept_ == pytest.approx(plain.intercept_, abs=0.01) and model.score(X, y) > 0.99
    through_zero = regressor(mechanism="output-perturbation", epsilon=1e7, fit_intercept=False).fit(X, y)
    assert through_zero.intercept_ == 0.0 and through_zero.score(X, y) < 0.9  # the constant is what was missing

    label = np.where(y > 0.2, "yes", "no")
    classifier = PrivateClassifier(
        "output-perturbation", x_bound=1.8, classes=("yes", "no"), epsilon=1e6, radius=4.0, random_state=0
    ).fit(X, label)
    assert list(classifier.classes_) == ["no", "yes"]
    assert classifier.score(X, label) > LogisticRegression().fit(X, label).score(X, label) - 0.05
    np.testing.assert_allclose(classifier.predict_proba(X).sum(axis=1), 1.0)
    plain = LogisticRegression().fit(X, label)
    for model in (classifier, plain):  # where neither class is likelier, as scikit-learn's own
        model.coef_, model.intercept_ = 0.0 * model.coef_, 0.0 * model.intercept_
    assert (classifier.predict(X) == plain.predict(X)).all()


def test_what_is_promised_is_the_guarantee_of_the_mechanism_that_ran():
    X, y = records(100)
    model = regressor(epsilon=0.7, delta=1e-6).fit(X, y)
    assert model.epsilon_ == model.guarantee_.epsilon(1e-6) <= 0.7 * (1.0 + 1e-9) and model.delta_ == 1e-6
    assert model.epsilon_ > 0.69 and model.mechanism_.epsilon == 0.7
    heavy = HeavyTailedRegressor(ExponentialMechanism(1.0, net_radius=0.25), radius=1.0, epsilon=2.0, random_state=1)
    heavy.fit(X[:, :1], y)
    assert 0.0 < heavy.epsilon_ <= 2.0 and heavy.delta_ == 0.0
    problem = HeavyTailedProblem(X[:, :1], y, radius=1.0)
    assert heavy.epsilon_ == ExponentialMechanism(2.0, net_radius=0.25).guarantee(problem).epsilon(0.0)


def test_the_default_radius_follows_the_bounds_and_labels_become_signs():
    X, y = records(20)
    assert regressor(radius=None).problem(X, y).radius == pytest.approx(3.0 * 1.5 / 1.8)
    problem = PrivateClassifier(SHORT, x_bound=1.8, classes=("yes", "no")).problem(X, np.where(y > 0.2, "yes", "no"))
    assert problem.radius == pytest.approx(10.0 / 1.8) and (problem.x_bound, problem.y_bound) == (1.8, 1.0)
    assert (problem.y == np.where(y > 0.2, 1.0, -1.0)).all()


def test_records_outside_the_bounds_are_clipped_or_refused():
    X, y = records(60)
    far = np.vstack([X, [30.0, 0.0, 0.0]]), np.append(y, 99.0)
    near = np.vstack([X, [1.8, 0.0, 0.0]]), np.append(y, 1.5)
    clipped = regressor(epsilon=1e7).fit(*far)
    np.testing.assert_allclose(clipped.coef_, regressor(epsilon=1e7).fit(*near).coef_, atol=0.01)
    with pytest.raises(InvalidInput, match="on_excess='clip'"):
        regressor(on_excess="error").fit(*far)


def test_labels_that_are_declared():
    X, _ = records(50)
    one = np.ones(50, dtype=int)
    model = PrivateClassifier(SHORT, x_bound=1.8, classes=(0, 1), random_state=0).fit(X, one)
    assert list(model.classes_) == [0, 1]
    with pytest.raises(InvalidInput, match="classes must be two different labels, or 'public'"):
        PrivateClassifier(SHORT, x_bound=1.8, classes="public").fit(X, one)
    with pytest.raises(InvalidInput, match="classes must be two different labels, or 'public'"):
        PrivateClassifier(SHORT, x_bound=1.8, classes=None).fit(X, np.arange(50) % 2)
    with pytest.raises(InvalidInput, match="y must be made of the labels"):
        PrivateClassifier(SHORT, x_bound=1.8, classes=(0, 2)).fit(X, one)
    with pytest.raises(ValueError, match="y must have two classes, got 3 classes"):
        PrivateClassifier(SHORT, x_bound=1.8, classes="public").fit(X, np.arange(50) % 3)


def test_noise_is_fresh_unless_seeded_and_clones_agree():
    X, y = records(80)
    model = regressor()
    assert (clone(model).fit(X, y).coef_ == model.fit(X, y).coef_).all()
    assert (regressor(random_state=None).fit(X, y).coef_ != regressor(random_state=None).fit(X, y).coef_).all()
    exact = regressor(mechanism="output-perturbation", epsilon=1e7)
    np.testing.assert_allclose(exact.fit(csr_array(X), y).coef_, [0.5, -0.3, 0.0], atol=0.05)


@pytest.mark.parametrize("wrong", [3, None, object(), replace], ids=["number", "none", "object", "function"])
def test_what_is_no_mechanism_is_named(wrong):
    with pytest.raises(ValueError, match="mechanism must be the name of a mechanism, or one of this package's, got"):
        PrivateClassifier(mechanism=wrong, x_bound=1.0, classes=(0, 1)).fit(np.eye(4), [0, 1, 0, 1])
