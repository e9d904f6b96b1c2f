"""What an oracle is asked and promises: objectives, users' classes, counting, ties by total costs, bad input."""

import tracemalloc
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from naive import oracles
from registry import PUBLIC_MECHANISMS, public_problem
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from dpbench import InvalidInput
from dpbench.core.sampling import stream
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.hypotheses.halfspaces import Halfspaces
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.hypotheses.sklearn import LinearEstimator
from dpbench.papers.publicdata.losses import LIPSCHITZ, LOSSES, loss_value
from dpbench.papers.publicdata.objective import CountedOracle, Hypotheses, Objective, is_exact, minimum_norm, prepare

RNG = np.random.default_rng(11)
TABLE = np.where(RNG.random((6, 5)) < 0.5, -1.0, 1.0)
CLASSES = {
    "thresholds": (Thresholds(), RNG.integers(-2, 3, 9).astype(float)),
    "intervals": (Intervals(), RNG.integers(-2, 3, 9).astype(float)),
    "stumps": (Stumps(2), RNG.integers(-2, 3, (9, 2)).astype(float)),
    "halfspaces": (Halfspaces(), RNG.integers(-2, 3, (9, 2)) / 4.0),
    "space": (Halfspaces(dimension=3), RNG.integers(-1, 2, (9, 3)) / 4.0),
    "cube": (ParityCube(3), RNG.integers(0, 5, 9)),
    "finite": (FiniteClass(TABLE), RNG.integers(0, 5, 9)),
    "constants": (Constants(), np.zeros(9)),
    "ball": (LinearBall(2), RNG.uniform(-0.7, 0.7, (9, 2))),
    "hull": (ConvexHull(TABLE), RNG.integers(0, 5, 9)),
}
BINARY = [name for name, (made, _) in CLASSES.items() if made.values == "binary"]


@pytest.mark.parametrize("loss", LOSSES)
def test_objectives_are_the_sum_they_say(loss):
    rng = np.random.default_rng(1)
    for _ in range(50):
        y = rng.choice([-1.0, 1.0], 4) if loss == "zero-one" else rng.uniform(-1.0, 1.0, 4)
        parts = (y, *rng.normal(size=(3, 4)))
        objective = Objective(*parts, loss)
        f = rng.choice([-1.0, 1.0], 4)
        for values in (f, rng.uniform(-1.0, 1.0, 4)):
            assert objective.value(values) == pytest.approx(oracles.total(loss, values, *parts), abs=1e-12)
        lower = oracles.total(loss, -np.ones(4), *parts)
        assert objective.value(f) == pytest.approx(lower + objective.costs()[f > 0.0].sum(), abs=1e-12)
    assert objective.value(np.ones((3, 4))).shape == (3,)


@pytest.mark.parametrize("loss", LIPSCHITZ)
def test_losses_lie_in_the_unit_interval_and_are_lipschitz(loss):
    f, y = np.linspace(-1.0, 1.0, 401), np.linspace(-1.0, 1.0, 41)[:, np.newaxis]
    values = loss_value(loss, f, y)
    assert values.min() == 0.0 and values.max() == pytest.approx(1.0)
    steepest = np.abs(np.diff(values, axis=1)).max() / (f[1] - f[0])
    assert 0.98 * LIPSCHITZ[loss] < steepest <= LIPSCHITZ[loss] * (1.0 + 1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("name", CLASSES)
def test_many_calls_are_single_calls(name):
    hypotheses, points = CLASSES[name]
    assert isinstance(hypotheses, Hypotheses) and is_exact(hypotheses)
    objective = Objective(np.ones(9), 0.5, 0.0, 0.1, "absolute")
    linear = np.random.default_rng(2).normal(size=(7, 9))
    oracle = prepare(hypotheses, points)
    rows = oracle.erm_many(objective, linear)
    assert rows.shape == (7, hypotheses.width)
    for row, slopes in zip(rows, linear, strict=True):
        alone = hypotheses.erm(points, Objective(np.ones(9), 0.5, slopes, 0.1, "absolute"))
        np.testing.assert_allclose(row, alone, atol=0.0 if name in BINARY else 1e-9)
    f = hypotheses.predict(rows, points)
    assert f.shape == (7, 9) and np.abs(f).max() <= 1.0
    assert (np.abs(f) == 1.0).all() or hypotheses.values == "real"
    assert (oracle.erm_many(objective, linear) == rows).all()  # nothing is kept between calls
    assert hypotheses.digest != CLASSES["ball" if name != "ball" else "hull"][0].digest


@pytest.mark.parametrize("name", CLASSES)
def test_an_objective_that_does_not_fit_the_points_is_refused_in_every_call(name):
    hypotheses, points = CLASSES[name]
    oracle = prepare(hypotheses, points)
    none = ("loss", None) if name != "hull" else ()  # which reads the loss before it looks
    for objective in (*none, Objective(np.ones(8), loss="absolute")):
        for call in (oracle.erm, partial(oracle.erm_many, linear=np.zeros((2, 9)))):
            with pytest.raises(InvalidInput, match=r"^objective must be an Objective.*, got "):
                call(objective)
    with pytest.raises(InvalidInput, match=r"^linear must be .*9"):
        oracle.erm_many(Objective(np.ones(9), 0.5, 0.0, 0.1, "absolute"), np.zeros((2, 8)))


@pytest.mark.kernel
@pytest.mark.parametrize("name", BINARY)
def test_ties_depend_on_total_costs_alone(name):
    """Points in another order, each written twice at half its cost: the same row, to the bit (costs are integers)."""
    hypotheses, points = CLASSES[name]
    rng = np.random.default_rng(3)
    for _ in range(100):
        costs = rng.integers(-2, 3, 9).astype(float)
        order = rng.permutation(18) % 9
        row = hypotheses.erm(points, Objective(np.zeros(9), 0.0, costs))
        again = hypotheses.erm(points[order], Objective(np.zeros(18), 0.0, costs[order] / 2.0))
        assert (row == again).all()


@pytest.mark.kernel
def test_the_parity_cube_takes_memory_of_the_order_of_d():
    d = 4096
    points, costs = np.arange(d + 2), np.random.default_rng(4).normal(size=d + 2)
    oracle = prepare(ParityCube(d), points)
    objective = Objective(np.zeros(d + 2), 0.0, costs)
    row = oracle.erm(objective)  # compiles
    tracemalloc.start()
    try:
        oracle.erm(objective)
        assert tracemalloc.get_traced_memory()[1] < 20 * 8 * d
    finally:
        tracemalloc.stop()
    signs = np.where(costs[:d] < 0.0, 1.0, -1.0)
    wrong = np.flatnonzero(row != signs)
    cheapest = np.argmin(np.abs(costs[:d]))
    assert set(wrong) <= {cheapest}
    assert (len(wrong) == 1) == (signs.prod() * costs[d + 1] > abs(costs[cheapest]))


class OneOfTwo:
    """A user's class: no attribute but what the design asks for."""

    def predict(self, parameters, points):
        return np.repeat(np.asarray(parameters), len(points), axis=1)

    def erm(self, points, objective):
        return [-1.0 if objective.costs().sum() > 0.0 else 1.0]


def test_a_users_class_is_prepared_counted_and_not_trusted():
    counted = CountedOracle(OneOfTwo())
    assert not is_exact(counted) and minimum_norm(counted, [0, 0]) == 0.0
    assert minimum_norm(SimpleNamespace(values="binary"), [0]) == 1.0
    oracle = counted.prepare([0.0, 0.0])
    objective = Objective([1.0, 1.0], 0.0)
    rows = oracle.erm_many(objective, np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    assert rows.tolist() == [[-1.0], [1.0], [-1.0]] and counted.calls == 3
    oracle.erm(objective)
    counted.erm([0.0, 0.0], objective)
    assert counted.calls == 5 and counted.predict([[1.0]], [0, 0]).tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("estimator", [LogisticRegression(C=1e3), LinearSVC(random_state=0)])
def test_scikit_learn_estimators_are_inexact_oracles(estimator):
    hypotheses = LinearEstimator(estimator, 2)
    assert not is_exact(hypotheses) and isinstance(hypotheses.digest, str)
    rng = np.random.default_rng(5)
    x = rng.normal(size=(200, 2))
    y = np.where(x[:, 0] - x[:, 1] > 0.2, 1.0, -1.0)
    row = hypotheses.erm(x, Objective(y))
    assert row.shape == (3,) and (hypotheses.predict(row[np.newaxis], x)[0] == y).mean() > 0.97
    negative = hypotheses.erm(x, Objective(y, -1.0))  # a negative weight asks for the other label
    assert (hypotheses.predict(negative[np.newaxis], x)[0] == -y).mean() > 0.97
    assert hypotheses.predict(hypotheses.erm(x, Objective(np.ones(200)))[np.newaxis], x).min() == 1.0
    assert hypotheses.digest != LinearEstimator(type(estimator)(C=2.0), 2).digest


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Objective([]), "labels must be a vector with at least 1 rows"),
        (lambda: Objective([np.nan]), "labels must be finite everywhere"),
        (lambda: Objective([1.5]), "labels must lie in [-1, 1], got 1.5 at index 0"),
        (lambda: Objective([1.0], [1.0, 2.0]), "weights must be a vector of length 1"),
        (lambda: Objective([1.0], linear=np.inf), "linear must be a finite number"),
        (lambda: Objective([1.0], quadratic="x"), "quadratic must be a finite number"),
        (lambda: Objective([1.0], loss="hinge"), "loss must be one of zero-one, absolute, squared, huber"),
        (lambda: Objective([1.0]).value([1.0, 1.0]), "predictions must be a vector whose last axis has length 1"),
        (lambda: Thresholds().erm([0.0, 1.0], Objective([1.0])), "objective must be an Objective over 2 points"),
        (lambda: Thresholds().erm([0.0], "loss"), "objective must be an Objective"),
        (lambda: Thresholds().erm([np.nan], Objective([1.0])), "points must be finite everywhere"),
        (lambda: Thresholds().predict([[np.nan]], [0.0]), "parameters must be a matrix of numbers, none NaN"),
        (lambda: Intervals().predict([[0.0]], [0.0]), "with 2 columns"),
        (lambda: Stumps(2).erm([[0.0]], Objective([1.0])), "points must be a matrix whose last axis has length 2"),
        (lambda: Stumps(1).predict([[3.0, 1.0, 0.0]], [[0.0]]), "parameters must be rows (j, s, t) with j below 1"),
        (lambda: Halfspaces(bound=-1.0), "bound must be a finite number > 0"),
        (lambda: Halfspaces(dimension=4), "dimension must be 2 or 3, got 4"),
        (lambda: Halfspaces().erm([[2.0, 0.0]], Objective([1.0])), "points must lie in [-1, 1]², got 2"),
        (lambda: ParityCube(3).erm([5], Objective([1.0])), "points must be integers from 0 to 4"),
        (lambda: ParityCube(1).predict([[0.5]], [0]), "parameters must be a matrix of signs -1 and 1"),
        (lambda: FiniteClass([[2.0]]), "predictions must be a matrix"),
        (lambda: FiniteClass(np.zeros((1, 0))), "predictions must be"),
        (lambda: FiniteClass([[1.0]]).predict([[0.5]], [0]), "parameters must be integers from 0 to 0"),
        (lambda: LinearBall(0), "dimension must be an integer >= 1, got 0"),
        (lambda: LinearBall(2, radius=np.nan), "radius must be a finite number > 0, "),
        (lambda: LinearBall(2, radius=-0.05), "radius must be a finite number > 0, "),
        (lambda: LinearBall(1, radius=2.0).erm([[0.6]], Objective([1.0])), "points must have norm at most 1/radius"),
        (lambda: LinearBall(1, anchored=True).erm([[0.6, 1.0]], Objective([1.0])), "points must be 0 in the last"),
        (lambda: LinearBall(1).erm([[0.6]], Objective([1.0])), "loss must be one of absolute, squared, huber"),
        (lambda: LinearBall(1).erm([[0.6]], Objective([1.0], -1.0, loss="huber")), "weights and quadratic must be"),
        (lambda: LinearBall(1).erm([[0.6]], Objective([1.0], -1.0, loss="squared")), "weights and quadratic must be"),
        (lambda: ConvexHull([[0.5]]).erm([0], Objective([1.0], 0.0, 0.0, -1.0)), "weights and quadratic must be"),
        (
            lambda: ConvexHull([[0.5]]).erm([0], Objective([1.0], loss="huber")),
            "loss must be absolute or squared",
        ),
        (lambda: ConvexHull([[1.5]]), "predictions must be a matrix"),
        (lambda: ConvexHull([[0.5]]).erm([1], Objective([1.0], loss="squared")), "points must be integers from 0 to 0"),
        (lambda: Constants().erm([0.0], Objective([1.0])), "loss must be one of absolute, squared, huber"),
        (lambda: Constants(anchored=True).erm([0.5], Objective([1.0], loss="huber")), "points must be 0, or 1 at z*"),
        (lambda: prepare(Thresholds(), [0.0]).erm_last(Objective([1.0]), np.zeros((1, 2))), "linear no wider"),
        (lambda: LinearEstimator(LogisticRegression(), 1).erm([[0.0]], Objective([1.0, 1.0])), "over 1 points"),
        (lambda: LinearEstimator(3, 1), "estimator must be a classifier of scikit-learn, got 3"),
        (lambda: LinearEstimator(SimpleNamespace(fit=None), 1), "estimator must be a classifier of scikit-learn"),
        (
            lambda: LinearEstimator(SimpleNamespace(get_params=None), 1),
            "estimator must be a classifier of scikit-learn",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(InvalidInput) as caught:
        make()
    assert message in str(caught.value)


class Unsure:
    """A class whose oracle does not say that it is exact."""

    width, values, convex = 1, "binary", True

    def __init__(self, base):
        self.base = base

    @property
    def digest(self):
        return "unsure " + self.base.digest

    def predict(self, parameters, points):
        return np.asarray(self.base.predict(parameters, points))

    def erm(self, points, objective):
        return np.asarray(self.base.erm(points, objective))

    def minimum_norm(self, points):
        return 1.0

    def identified_by(self, points):
        return True


@pytest.mark.parametrize("case", PUBLIC_MECHANISMS, ids=str)
def test_an_inexact_oracle_voids_every_guarantee(case):
    """A class of one's own runs, and the release says that nothing is promised; the base's own is not void."""
    base = public_problem(case.kinds[0])
    p = replace(base, hypotheses=Unsure(base.hypotheses))
    m = case.make()
    assert case.make().guarantee(base).delta(1.0) < 1.0
    for profile in (m.guarantee(p), m.pair_profile(p, p.replace_record(0, p.x[0], -p.y[0]))):
        assert profile.delta(50.0) == 1.0 and "exact" in profile.why
    made = m.release(p, seed=1)
    assert "nothing is guaranteed" in made.info["guarantee"]


def test_oracle_calls_are_counted_as_stated():
    """RRSPM: one call a trial over all points, one a different labelling of Z; equal problems do not share counts."""
    base = public_problem("thresholds")
    for _ in range(2):
        counted = CountedOracle(base.hypotheses)
        p = replace(base, hypotheses=counted)
        outputs = RRSPM(1.0)(p, 64, stream("count"))
        labellings = len(np.unique(p.hypotheses.predict(outputs, p.public), axis=0))
        assert counted.calls == 64 + labellings


@pytest.mark.parametrize(
    ("mechanism", "kind", "calls"),
    [
        (RRSPM(1.0), "thresholds", 2),
        (AveragedPerturbation(1.0, 1e-5, calls=8), "thresholds", 9),
        (RegularizedPerturbation(1.0, 1e-5), "ball-absolute", 2),
        (RegularizedPerturbation(1.0, 1e-5), "table", 2),
    ],
)
def test_a_trial_calls_the_oracle_as_often_as_documented(mechanism, kind, calls):
    """And what counts the calls changes neither the output nor the noise."""
    base = public_problem(kind)
    counted = CountedOracle(base.hypotheses)
    p = replace(base, hypotheses=counted)
    (output,) = mechanism(p, 1, stream("count"))
    assert counted.calls == calls
    assert mechanism.guarantee(p).delta(0.5) == mechanism.guarantee(base).delta(0.5)
    np.testing.assert_array_equal(output, mechanism(base, 8, stream("count"))[0])
