"""The linear ball and convex hulls: least values against slow searches, and certificates that tell the truth."""

import math

import numba
import numpy as np
import pytest
from naive import oracles
from registry import public_problem

from dpbench.convex import gap
from dpbench.convex.gap import Losses
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation, allowed_gap
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.objective import Objective
from dpbench.testing.hostile import hostile_pairs

pytestmark = pytest.mark.kernel

INSTANCES = 4 if numba.config.DISABLE_JIT else 6


def objectives(loss, count):
    rng = np.random.default_rng([*loss.encode()])
    for number in range(count):
        n = int(rng.integers(1, 7))
        y = rng.uniform(-1.0, 1.0, n) if number % 2 else rng.choice([-1.0, 0.0, 1.0], n)
        w, a, b = rng.normal(size=(3, n)) * rng.choice([0.0, 0.3, 3.0], 3)[:, np.newaxis]
        yield rng, Objective(y, np.abs(w), b, np.abs(a) * rng.choice([0.0, 1.0]), loss)


def parts(objective):
    return objective.labels, objective.weights, objective.linear, objective.quadratic


def ball_disagreement(loss, count):
    """The solver against a search of the disk: the value is the least, and the certificate bounds its error."""
    for rng, objective in objectives(loss, count):
        hypotheses = LinearBall(2, radius=0.5, anchored=True)
        x = rng.normal(size=(objective.size, 3))
        x[:, :2] *= 2.0 / np.maximum(1.0, np.linalg.norm(x[:, :2], axis=1, keepdims=True))
        x[:, :2] *= np.minimum(1.0, 2.0 / np.linalg.norm(x[:, :2], axis=1, keepdims=True))
        x[:, 2] = rng.random(objective.size) < 0.2
        x[x[:, 2] == 1.0, :2] = 0.0
        rows, gaps = hypotheses.prepare(x).certified(objective, objective.linear[np.newaxis])

        def f(u, v, x=x, objective=objective):
            return oracles.total(loss, x[:, 0] * u + x[:, 1] * v + x[:, 2], *parts(objective))

        problem = report(f(*rows[0]), gaps[0], oracles.disk_least(f, 0.5), objective)
        if problem or np.linalg.norm(rows[0]) > 0.5 + 1e-15:
            return problem or f"{rows[0]} lies outside"
    return ""


def hull_disagreement(loss, count):
    for rng, objective in objectives(loss, count):
        table = rng.integers(-2, 3, (3, 5)) / 2.0
        x = rng.integers(0, 5, objective.size)
        rows, gaps = ConvexHull(table).prepare(x).certified(objective, objective.linear[np.newaxis])

        def f(*p, x=x, table=table, objective=objective):
            return oracles.total(loss, np.array(p) @ table[:, x], *parts(objective))

        problem = report(f(*rows[0]), gaps[0], oracles.triangle_least(f), objective)
        if problem or abs(rows[0].sum() - 1.0) > 1e-12 or rows[0].min() < 0.0:
            return problem or f"{rows[0]} is no mixture"
    return ""


def report(value, gap, least, objective):
    """'' unless the value is above the least one, the certificate is loose, or it claims a bound that is none."""
    size = 1.0 + sum(np.abs(part).sum() for part in parts(objective))
    if not (value <= least + 1e-9 * size and gap <= 1e-10 * size and least >= value - gap - 1e-13 * size):
        return f"{objective}: {value} with certificate {gap}, the least is {least}"
    return ""


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_linear_functions_agree_with_a_search(loss):
    assert not ball_disagreement(loss, INSTANCES)


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_mixtures_agree_with_a_search(loss):
    assert not hull_disagreement(loss, INSTANCES)


def test_the_least_norm_among_minimisers():
    """Two equal features, no second direction: what no point sees stays 0."""
    x = np.array([[0.6, 0.0], [0.6, 0.0]])
    w = LinearBall(2).erm(x, Objective([0.3, 0.3], loss="squared"))
    np.testing.assert_allclose(w, [0.5, 0.0], atol=1e-12)
    slope = Objective([1.0, 1.0], 0.0, 1.0)  # of weight 0: its loss, which is not convex, plays no part
    np.testing.assert_allclose(LinearBall(2).erm(x, slope), [-1.0, 0.0], atol=1e-12)
    rows, gaps = ConvexHull([[0.5]]).prepare([0]).certified(Objective([1.0], loss="squared"), np.zeros((2, 1)))
    assert rows.tolist() == [[1.0], [1.0]] and gaps.tolist() == [0.0, 0.0]  # mixtures of one function


@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_certificates_in_more_dimensions(loss):
    """d = 6, 400 points: the certified gap is below 1e-11 of the total weight, and no random w is better by more."""
    rng = np.random.default_rng(6)
    count = 30 if numba.config.DISABLE_JIT else 400
    x = rng.normal(size=(count, 6))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.clip(x @ rng.normal(size=6) + 0.3 * rng.normal(size=count), -1.0, 1.0)
    objective = Objective(y, 1.0 / count, loss=loss)
    for hypotheses, points in ((LinearBall(6), x), *([(ConvexHull(x.T), np.arange(count))] * (loss != "huber"))):
        rows, gaps = hypotheses.prepare(points).certified(objective, np.zeros((2, count)))
        assert (rows[0] == rows[1]).all() and gaps[0] < 1e-11
        others = rows[:1] + 1e-3 * rng.normal(size=(2000, 6))
        others = np.abs(others) / np.abs(others).sum(axis=1, keepdims=True)  # mixtures, which lie in the ball too
        least = objective.value(hypotheses.predict(rows, points))[0] - gaps[0]
        assert objective.value(hypotheses.predict(others, points)).min() >= least - 1e-15


@pytest.mark.parametrize("kind", ["ball-absolute", "ball-squared", "ball-huber", "hull-absolute", "hull-squared"])
def test_the_gap_that_privacy_counts_needs_no_luck(kind, monkeypatch):
    """Planted: searches in floating point that answer 0 or the middle; what is released is within the gap all the same.

    Hostile pairs too, of which some left 9e-8 in floating point.
    """
    for name in ("_path", "_smooth"):
        monkeypatch.setattr(Losses, name, lambda F, slope, scale: (0.0 * slope, math.inf, 0.0 * F.y))
    monkeypatch.setattr(gap, "least_quadratics", lambda *arguments: arguments[5].fill(math.inf))
    mechanism = RegularizedPerturbation(1.0, 1e-5, normalization="sum" if "squared" in kind else "mean")
    base = public_problem(kind)
    for problem in (base, *(p for pair in hostile_pairs(base, 1) for p in pair)):
        noted = mechanism.diagnose(problem)
        assert 0.0 <= noted["gap"] <= 1e-12 < noted["allowed"]


@pytest.mark.parametrize("normalization", ["mean", "sum"])
def test_an_oracle_that_misses_its_gap_releases_nothing(normalization, monkeypatch):
    """A gap that is above what the guarantee counts by one in a million; 1% less is released.

    It is diagnosed as that of a mean of losses, whatever the oracle was asked for.
    """
    m = RegularizedPerturbation(1.0, 1e-5, normalization=normalization)
    for share in (0.99, 1.0 + 1e-6):
        p = public_problem("ball-absolute")
        unit = 1.0 if normalization == "mean" else p.n
        missed = share * unit * allowed_gap(p, m.eta(p) / unit)
        monkeypatch.setattr(
            Losses,
            "minimise",
            lambda F, slopes, slow=False, missed=missed: (0.0 * slopes, 0.0 * slopes[:, 0] + missed, 0),
        )
        if share < 1.0:
            m.release(p, seed=1)
            noted = {"gap": missed / unit, "allowed": missed / unit / share}
            assert m.diagnose(p) == pytest.approx(noted, rel=1e-12, abs=0.0)
        else:
            with pytest.raises(ArithmeticError, match="the oracle must end within"):
                m.release(p, seed=1)


def test_least_norms():
    anchored = np.array([[0.6, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]])
    assert LinearBall(2, anchored=True).minimum_norm(anchored) == pytest.approx(3.0**-0.5)
    assert LinearBall(2).minimum_norm(anchored[:, :2]) == 0.0
    hull = ConvexHull([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
    assert hull.minimum_norm(np.arange(3)) == pytest.approx(3.0**-0.5, abs=1e-6)
    assert hull.minimum_norm(np.arange(3)) <= 3.0**-0.5
    assert Constants(anchored=True).minimum_norm([0.0, 1.0, 0.0, 0.0]) == 0.5
