"""Real data: declared bounds that hold, labels that fit, CSV files, and the fit that algorithms are held against."""

import math
from dataclasses import replace

import numpy as np
import pytest
from registry import problem as small_problem
from scipy.stats import ttest_1samp

from dpbench.core.validation import InvalidInput
from dpbench.papers.glm import comparison, datasets
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.scaling import from_csv_scaled

SHAPES = {
    "breast_cancer": (569, 31, "logistic"),
    "digits": (1797, 65, "logistic"),
    "diabetes": (442, 11, "squared"),
    "fair": (6366, 9, "logistic"),
    "randhie": (20190, 10, "squared"),
}


@pytest.mark.parametrize("name", datasets.names())
def test_a_set_keeps_its_declared_bounds(name):
    problem = datasets.load(name)
    assert (problem.n, problem.d, problem.loss.name) == SHAPES[name]
    norms = np.linalg.norm(problem.X, axis=1)
    assert norms.max() <= 1.0 and np.median(norms) > 0.3
    assert (norms > 1.0 - 1e-9).mean() < 0.05  # the constants fit the quantities: few records are scaled down
    assert np.abs(problem.y).max() <= 1.0
    if SHAPES[name][2] == "logistic":
        assert set(problem.y) == {-1.0, 1.0}


@pytest.mark.parametrize("name", SHAPES)
def test_the_scaling_uses_no_other_record(name, monkeypatch):
    """Without half of the records, and with one of them replaced, all others come out the same bit for bit."""
    known = datasets.SETS[name]
    whole = datasets.load(name)
    raw, labels = known.read()
    kept = np.arange(0, len(raw), 2)
    changed = raw[kept].copy()
    changed[0] *= 100.0
    monkeypatch.setitem(datasets.SETS, name, replace(known, read=lambda: (changed, labels[kept])))
    part = datasets.load(name)
    assert np.array_equal(part.X[1:], whole.X[kept][1:])
    assert np.array_equal(part.y, whole.y[kept])


def test_the_columns_are_those_of_the_source():
    from sklearn import datasets as source

    assert list(datasets.SETS["breast_cancer"].columns) == list(source.load_breast_cancer().feature_names)
    assert list(datasets.SETS["diabetes"].columns) == list(source.load_diabetes().feature_names)
    assert list(datasets.SETS["digits"].columns) == list(source.load_digits().feature_names)
    for name in ("fair", "randhie"):
        table = pytest.importorskip(f"statsmodels.datasets.{name}").load_pandas()
        assert list(datasets.SETS[name].columns) == list(table.exog_name)


def test_a_record_by_hand(monkeypatch):
    """The first record of diabetes: 59 years, sex 2, bmi 32.1, bp 101, …, label 151."""
    problem = datasets.load("diabetes")
    first = np.array([59.0, 2.0, 32.1, 101.0])
    by_hand = (first - [50.0, 1.5, 25.0, 95.0]) / [30.0, 0.5, 15.0, 35.0] / math.sqrt(11.0)
    np.testing.assert_allclose(problem.X[0, :5], [1.0 / math.sqrt(11.0), *by_hand], rtol=1e-12)
    assert problem.y[0] == pytest.approx((151.0 - 175.0) / 175.0)
    monkeypatch.setitem(datasets.SETS, "diabetes", replace(datasets.SETS["diabetes"], label=(100.0, 250.0)))
    assert datasets.load("diabetes").y[0] == pytest.approx((151.0 - 100.0) / 250.0)


def test_loss_and_radius_can_be_chosen():
    problem = datasets.load("digits", loss="huber", radius=3.0)
    assert (problem.loss.name, problem.radius) == ("huber", 3.0)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv(mark, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes("\ufeffage, größe ,y\r\n0.1,2e-1,1\r\n\r\n 0.3 ,-0.1,0.5\r\n".replace(",", mark).encode())
    problem = datasets.from_csv(path, "y", 1.0, 1.0, "absolute", 2.0)
    assert np.array_equal(problem.X, [[0.1, 0.2], [0.3, -0.1]])
    assert np.array_equal(problem.y, [1.0, 0.5])
    assert (problem.loss.name, problem.radius, problem.x_bound, problem.y_bound) == ("absolute", 2.0, 1.0, 1.0)
    other = datasets.from_csv(path, "größe", 1.2, 1.0)
    assert np.array_equal(other.y, [0.2, -0.1]) and np.array_equal(other.X, [[0.1, 1.0], [0.3, 0.5]])


def test_csv_labels_of_classes_become_signs(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b\n0.1,1\n0.2,0\n")
    assert np.array_equal(datasets.from_csv(path, "b", 1.0, 1.0, "logistic").y, [1.0, -1.0])
    assert np.array_equal(datasets.from_csv(path, "b", 1.0, 1.0, "squared").y, [1.0, 0.0])
    assert np.array_equal(from_csv_scaled(path, "b", {"a": (0.0, 1.0)}, "logistic")[0].y, [1.0, -1.0])


def test_csv_outside_the_bounds_is_clipped_when_asked(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,y\n3,4,9\n0.1,0,1\n")
    problem = datasets.from_csv(path, "y", 1.0, 2.0, on_excess="clip")
    np.testing.assert_allclose(problem.X, [[0.6, 0.8], [0.1, 0.0]], rtol=1e-12)
    assert np.array_equal(problem.y, [2.0, 1.0])


@pytest.mark.parametrize("loss", ["squared", "half-squared", "logistic", "huber", "absolute", "linear"])
@pytest.mark.parametrize("radius", [0.5, 5.0])
def test_the_fit_is_certified_and_no_other_point_is_better(loss, radius):
    """100 random points of the ball and 100 near the fit have at least the fit's risk, less its gap."""
    problem = replace(small_problem(loss), radius=radius)
    best = comparison.fit(problem)
    assert np.linalg.norm(best.w) <= radius * (1.0 + 1e-12)
    assert 0.0 <= best.gap < 1e-5 and best.risk == problem.empirical_risk(best.w)
    rng = np.random.default_rng(5)
    away = rng.standard_normal((200, problem.d)) * np.repeat([1.0, 1e-2], 100)[:, None]
    points = np.where(np.arange(200)[:, None] < 100, 0.0, best.w) + away
    points *= np.minimum(1.0, radius / np.linalg.norm(points, axis=1))[:, None]
    assert problem.empirical_risk(points).min() >= best.risk - best.gap
    # the certificate can fail: a worse point has a larger gap than its distance from the optimum
    worse = comparison.Fit(0.5 * best.w, problem.empirical_risk(0.5 * best.w), best.gap)
    assert worse.risk - best.risk > worse.gap


def test_a_fit_that_no_radius_holds_ends_where_its_risk_does_not_fall():
    """Records (1, 1) and (0, 1): the risk at radius r is half of log(1 + e^-r) + log 2, 3e-4 above its end at r = 8."""
    problem = GLMProblem([[1.0], [0.0]], np.ones(2), loss="logistic", x_bound=1.0, y_bound=1.0, radius=1.0)
    free, radius = comparison.fit_any_radius(problem, comparison.fit(problem))
    assert radius == 16.0 and free.risk == pytest.approx(0.5 * math.log(2.0), abs=1e-6)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_interval_of_a_row_is_students(confidence):
    values = np.random.default_rng(0).standard_normal(8)
    low, high = ttest_1samp(values, 0.0).confidence_interval(confidence)
    assert comparison.half_width(values, confidence) == pytest.approx(0.5 * (high - low))


def test_rows_do_not_depend_on_workers_and_trials_extend():
    X, y = np.tile(np.eye(3), (3, 1)), np.tile([1.0, -1.0, 1.0], 3)
    problem = GLMProblem(X, y, loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    best = comparison.fit(problem)
    seen = []

    def rows(workers):
        found = comparison.compare(
            problem, best, list(comparison.ALGORITHMS), [1.0, 2.0], trials=130, workers=workers, tick=seen.append
        )
        return [replace(row, seconds=0.0) for row in found]

    assert rows(1) == rows(2)
    assert sum(seen) >= 2 * 4 * 130
    with pytest.raises(InvalidInput, match="epsilon must be a list with at least one number"):
        list(comparison.compare(problem, best, ["noisy-gd"], []))
