"""scikit-learn's own checks of the estimators, with each mechanism."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.sklearn import PrivateClassifier, PrivateRegressor

pytestmark = pytest.mark.evidence

ALL = [
    *(PrivateRegressor(name, x_bound=5.0, y_bound=5.0) for name in ("noisy-gd", "output-perturbation")),
    PrivateRegressor(OutputPerturbation(1.0, 1e-5), x_bound=5.0, y_bound=5.0, loss="huber", arithmetic="exact"),
    *(PrivateClassifier(name, x_bound=5.0, classes="public") for name in ("noisy-gd", "jl", "grid-search", "boosting")),
]


@parametrize_with_checks(ALL)
def test_scikit_learns_checks_of_every_mechanism(estimator, check):
    check(estimator)
