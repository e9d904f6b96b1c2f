"""scikit-learn estimators over the mechanisms, and what a pipeline needs around them; bounds are declared.

>>> from sklearn.pipeline import make_pipeline
>>> from dpbench.sklearn import BoundedScaler, PrivateClassifier, check_pipeline
>>> model = make_pipeline(
...     BoundedScaler([0.0, 0.0], [10.0, 1.0]),  # the ranges that the columns can have: declared, not computed
...     PrivateClassifier("noisy-gd", epsilon=1.0, delta=1e-5, x_bound=1.0, radius=5.0, classes=(0, 1), random_state=0),
... )
>>> check_pipeline(model)
>>> model.fit([[9.0, 0.5], [1.0, 0.2]] * 500, [1, 0] * 500).predict([[8.0, 0.5]]).tolist()
[1]

What is promised of a fitted estimator: its coefficients are (`epsilon_`, `delta_`)-DP under the replacement of one
record, where bounds, radius and the set of classes were chosen without looking at the records. Nothing else of a fit
(the parameters aside) depends on the records, and the promise is of that fit alone: a search that fits ten times spends
ten times as much (`PrivateSearchCV` does not), and a scaler that computes a mean promises nothing (`check_pipeline`
allows five steps, by exact type). As for every mechanism here, with ``arithmetic="float"`` the promise idealises real
numbers, and an integer `random_state` makes the noise known: leave it None for a release. That records were clipped is
not said: it would tell of the records. The promise is about finite records (for `HeavyTailedRegressor` up to 1e100)
with declared labels; anything else is refused, and the refusal is not private.

The mechanisms with public data have no estimator: they need a second, public sample and a class of hypotheses beside X
and y.
"""

from dpbench.sklearn.estimators import HeavyTailedRegressor, PrivateClassifier, PrivateRegressor
from dpbench.sklearn.pipelines import check_pipeline
from dpbench.sklearn.scaling import BoundedScaler
from dpbench.sklearn.search import PrivateSearchCV

__all__ = [
    "BoundedScaler",
    "HeavyTailedRegressor",
    "PrivateClassifier",
    "PrivateRegressor",
    "PrivateSearchCV",
    "check_pipeline",
]
