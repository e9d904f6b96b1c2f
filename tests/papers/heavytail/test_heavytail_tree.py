"""The tree sampler: bounds that hold on every lattice point, the exact law, and noise that sharing does not change."""

import math
from dataclasses import replace

import numpy as np
import pytest
from heavytail_instances import IOTAS, on_lattice
from heavytail_instances import heavy_tailed as problem
from scipy.stats import chi2

from dpbench.core.blas import one_blas_thread
from dpbench.papers.heavytail.algorithms import _growing, tree
from dpbench.papers.heavytail.algorithms.coordinates import Coordinates, decorrelated, minimiser
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism, envelope
from dpbench.papers.heavytail.algorithms.truncation import columns, sums_at
from dpbench.papers.heavytail.problem import HeavyTailedProblem

LEVEL = 1e-6
DRAWS = 100_000


# The law


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_tree_has_the_enumerated_law_on_any_records(seed):
    """Null: the enumerated law; false alarms 1e-6 an example, fixed draws. Caught: `test_a_law_five_percent_off`.

    Boxes, ties, exact fits and joints, down to single records; nets of at most some hundred points.
    """
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    steps, iota = int(rng.integers(1, (60, 8, 3)[d - 1] + 1)), float(rng.choice(IOTAS))
    corner, domain = np.full(d, steps), str(rng.choice(("ball", "box")))
    p = on_lattice(rng, int(rng.integers(1, 9)), -corner, corner, 1.0 / steps, iota, domain=domain)
    epsilon = float(rng.choice((0.1, 1.0, 5.0)))
    m = ExponentialMechanism(epsilon, net_radius=math.sqrt(d) / steps, truncation=iota, sampler="tree")
    statistic, limit = misfit(m, p, m(p, 4000, np.random.default_rng(11)))
    assert statistic <= limit


def misfit(m, p, outputs):
    """Pearson's statistic against the enumerated law, cells of expected count below 10 pooled; its 1e-6 quantile."""
    points, logs = m.log_probabilities(p)
    spacing = m.net(p).spacing
    place = {tuple(k): i for i, k in enumerate(np.rint(points / spacing).astype(int).tolist())}
    found = np.zeros(len(points))
    drawn, counts = np.unique(np.rint(outputs / spacing).astype(int), axis=0, return_counts=True)
    for k, count in zip(drawn.tolist(), counts, strict=True):
        found[place[tuple(k)]] = count
    expected = np.exp(logs) * len(outputs)
    large = expected >= 10.0
    cells = np.append(expected[large], expected[~large].sum())
    hits = np.append(found[large], found[~large].sum())
    # A pool that expects at most 1 draw of a large sample is left out; a single cell has nothing to test.
    kept = cells > 1.0
    cells, hits = cells[kept], hits[kept]
    return float(((hits - cells) ** 2 / cells).sum()), float(chi2.isf(LEVEL, max(1, cells.size - 1)))


def nearly_collinear(d, n, correlation, *, domain="ball", theta=2.0, seed=1):
    """Features with this correlation between any two, Student's t noise; w = 0.3/√d on each axis, inside W."""
    rng = np.random.default_rng(seed)
    common, own = rng.standard_normal((n, 1)), rng.standard_normal((n, d))
    X = (math.sqrt(correlation) * common + math.sqrt(1.0 - correlation) * own) / math.sqrt(d)
    y = X @ np.full(d, 0.3) + 0.2 * rng.standard_t(2.2, n)
    return HeavyTailedProblem(X, y, radius=1.0, domain=domain, theta=theta)


def test_sizes_bound_the_features_of_the_sheared_axes():
    """They are the features that all signs +1 would give, and those of the axes where nothing is sheared."""
    rng = np.random.default_rng(6)
    shear, x = np.triu(rng.uniform(-1.0, 1.0, (4, 4)), 1), rng.standard_normal((4, 9))
    made = Coordinates(np.array([2, 0, 3, 1]), shear)
    features, sizes = made.features(x)
    assert np.allclose(replace(made, shear=np.abs(shear)).features(np.abs(x))[0], sizes, rtol=1e-14)
    k = rng.integers(-9, 10, (5, 4)).astype(float)
    np.testing.assert_allclose([made.real(point) @ features for point in k], k @ x, atol=1e-9)


def test_records_that_are_all_truncated_leave_the_axes_of_the_lattice():
    """However many they are: the weights of 5,000 underflow, and their law is uniform."""
    many = HeavyTailedProblem(np.full((5000, 2), 0.1), np.full(5000, 50.0), radius=1.0)
    made = envelope(ExponentialMechanism(2.0, net_radius=0.3, truncation=1.0, sampler="tree"), many)
    assert made.acceptance > 0.5
    p = HeavyTailedProblem(np.random.default_rng(1).standard_normal((9, 3)), np.full(9, 50.0), radius=1.0)
    gram = minimiser(p, 1.0, 1.0)[1]
    assert np.array_equal(gram, np.eye(3)) and np.array_equal(decorrelated(gram).order, np.arange(3))
    assert not np.array_equal(minimiser(p, 1.0, 1e-3)[1], np.eye(3))


def test_hard_data_need_few_boxes():
    """Correlation 0.9999, d = 5, n = 1,000, ζ = 1/n: 227 boxes; along the lattice's own axes 142,625 were too few."""
    p = nearly_collinear(5, 1000, 0.9999)
    m = ExponentialMechanism(1.0, sampler="tree")
    made = envelope(m, p)
    assert made.opened < 1000 and made.acceptance > 1e-3
    w = m(p, 20, np.random.default_rng(0))
    assert (np.linalg.norm(w, axis=1) <= 1.0).all() and len(np.unique(w, axis=0)) == 20


@pytest.mark.parametrize("seed", [10, 11, 12])
def test_residuals_of_rounding_noise_do_not_shear_the_lattice(seed):
    """An isotropic design whose responses fit exactly, d = 5, n = 2,000: 123, 181 and 165 boxes. Weights from the
    rounding noise of the residuals sheared it, and made 10,033, 22,173 and 17,967."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2_000, 5))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    p = HeavyTailedProblem(x, x @ np.full(5, 0.3), radius=1.0, domain="ball", theta=2.0)
    made = envelope(ExponentialMechanism(1.0), p)
    assert made.opened < 400 and not made.coordinates.shear.any()


@pytest.mark.slow
def test_a_law_five_percent_off_is_caught():
    """Draws at ε = 1.05 against the law at ε = 1: a relative error of about 5% in the log-weights."""
    p = problem(2, theta=1.5)
    m = ExponentialMechanism(1.0, net_radius=0.1, sampler="tree", truncation=0.3)
    statistic, limit = misfit(m, p, replace(m, epsilon=1.05)(p, DRAWS, np.random.default_rng(11)))
    assert statistic > limit


def of_lattice(coordinates, k):
    """t of lattice points k, a coordinate at a time: t_j = k_j less the rounded sum of shear_jm k_m over m > j."""
    ordered = k[:, coordinates.order]
    t = ordered.copy()
    for j in range(k.shape[1]):
        t[:, j] -= np.rint(ordered[:, j + 1 :] @ coordinates.shear[j, j + 1 :]).astype(np.int64)
    return t


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("collinear", "domain", "boxes"),
    [(0.0, "ball", 10**5), (0.99, "ball", 10**5), (0.99, "box", 10**5), (0.99, "box", 5)],
)
def test_envelope_covers_the_net_once_and_lies_above_the_weights(collinear, domain, boxes):
    """However few boxes are allowed."""
    p = nearly_collinear(2, 30, collinear, domain=domain) if collinear else problem(2, theta=1.25, n=30)
    m = ExponentialMechanism(1.0, net_radius=0.12, sampler="tree", boxes=boxes)
    made, net = envelope(m, p), m.net(p)
    assert made.opened <= boxes and (made.opened > 2) == (boxes > 2)
    assert made.coordinates.shear.any() or not collinear
    k = np.rint(net.points() / net.spacing).astype(np.int64)
    t = of_lattice(made.coordinates, k)
    assert all(np.abs(made.coordinates.real(point) - at).max() <= 0.5 for point, at in zip(k, t, strict=True))
    within = (t[:, None] >= made.low[None]) & (t[:, None] <= made.high[None])
    assert (within.all(axis=2).sum(axis=1) == 1).all()
    home = within.all(axis=2).argmax(axis=1)
    scores = sums_at(columns(p), p.y, k * net.spacing, m.iota(p), p.theta)
    assert (scores >= made.constant[home] + net.spacing * (made.slopes[home] * t).sum(axis=1)).all()


def test_wrong_bounds_are_reported_and_never_sampled():
    p = problem(1, n=30)
    m = ExponentialMechanism(1.0, net_radius=0.05, sampler="tree")
    made = envelope(m, p)
    wrong = replace(made, constant=made.constant + 5.0)
    with pytest.raises(RuntimeError, match=r"a bound of the tree sampler is wrong"):
        wrong.draw(100, np.random.default_rng(0))


def test_a_release_names_no_box_and_diagnose_does():
    """Boxes are a function of the data: two problems that differ in one record, whose releases tell nothing of it."""
    p = problem(3, n=60)
    q = p.replace_record(0, 0.0 * p.X[0], 50.0)
    m = ExponentialMechanism(1.0, sampler="tree", net_radius=0.01)
    met = [m.diagnose(each) for each in (p, q)]
    assert met[0]["boxes_opened"] != met[1]["boxes_opened"]
    assert m.release(p, seed=1).info == m.release(q, seed=1).info
    assert replace(m, sampler="enumerate", net_radius=0.9).diagnose(p) == {"sampler": "enumerate"}


def test_calls_are_short(monkeypatch):
    """Boxes are bounded in calls of at most `_BOXES_PER_CALL`, and their splits do not depend on it."""
    p = problem(4, n=100, exact=0.0)
    net, weight = ExponentialMechanism(1.0).net(p), 0.7
    with one_blas_thread():
        whole = tree.envelope(p, net, 0.2, weight)
        monkeypatch.setattr(_growing, "_BOXES_PER_CALL", 3)
        parts = tree.envelope(p, net, 0.2, weight)
    assert whole.opened == parts.opened > 30
    assert np.array_equal(whole.low, parts.low) and np.array_equal(whole.cumulative, parts.cumulative)
