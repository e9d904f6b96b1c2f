"""Minimisers with a gap: against slow searches, hostile records, and errors planted in the kernels."""

import math

import numba
import numpy as np
import pytest
from naive import oracles
from planted import wrong

from dpbench.convex import _newton, gap, interior, solver
from dpbench.convex._newton import FLAT, least_quadratics, model_minimiser
from dpbench.convex.gap import ENOUGH, Losses
from dpbench.testing.hostile import hostile_features

pytestmark = pytest.mark.kernel
INSTANCES = 4 if numba.config.DISABLE_JIT else 25


def quadratics(count):
    """Matrices of rank 0 to 2 on wide scales, in and out of the axes, and slopes that they see or do not."""
    rng = np.random.default_rng(3)
    for number in range(count):
        root = rng.normal(size=(2, 2)) * 10.0 ** rng.integers(-3, 2, (2, 1)) * rng.choice([0.0, 1.0], (2, 1))
        matrix = root.T @ root if number % 2 else np.diag(np.abs(root).sum(axis=1))
        yield matrix, rng.normal(size=2) * rng.choice([0.0, 1e-3, 1.0]), rng.choice([0.3, 1.0, 5.0])


def quadratic_disagreement(run, count):
    """'' unless a value is above the least, or a certificate is loose or claims what is not so."""
    for matrix, slope, radius in quadratics(count):
        out, gaps = np.empty((1, 2)), np.empty(1)
        run(matrix, slope[None], radius, 1e-15, out, gaps, np.empty((2, 2)))
        least = oracles.trust_region_least(matrix.tolist(), slope.tolist(), radius)
        value, size = 0.5 * out[0] @ matrix @ out[0] + slope @ out[0], 1e-300 + radius * np.abs(slope).sum()
        size += radius**2 * np.trace(matrix)
        inside = np.linalg.norm(out) <= radius
        if not (
            inside
            and value <= least + 1e-9 * size
            and gaps[0] <= ENOUGH * size
            and least >= value - gaps[0] - 1e-13 * size
        ):
            return f"{matrix}, {slope}, {radius}: {out} with gap {gaps}, value {value}, the least is {least}"
    return ""


def test_quadratics_agree_with_a_search():
    assert not quadratic_disagreement(least_quadratics, 60)  # the planted errors below are caught in 40


PLANTED_QUADRATICS = [
    ("gradient[i] = slopes[c, i]", "gradient[i] = -slopes[c, i]"),
    ("gradient[i] += matrix[i, j] * w[j]", "gradient[i] += 0.5 * matrix[i, j] * w[j]"),
    ("stays or gap <= enough", "True"),
]


@pytest.mark.parametrize(("old", "new"), PLANTED_QUADRATICS)
def test_a_wrong_search_of_quadratics_is_caught(old, new):
    assert quadratic_disagreement(wrong(_newton, "least_quadratics", old, new), 40)


def model_disagreement(run):
    """One step from any point of the ball ends at the minimiser, where the matrix is regular."""
    rng = np.random.default_rng(4)
    for matrix, slope, radius in quadratics(60):
        regular = matrix + 1e-3 * (1.0 + np.trace(matrix)) * np.eye(2)
        w = rng.normal(size=2)
        w *= radius * rng.random() / np.linalg.norm(w)
        out = np.empty(2)
        run(np.tril(regular), w, regular @ w + slope, radius, FLAT, out, np.empty((2, 2)), np.empty(2))
        value = 0.5 * out @ regular @ out + slope @ out
        least = oracles.trust_region_least(regular.tolist(), slope.tolist(), radius)
        if abs(value - least) > 1e-9 * (1.0 + radius**2) * (1.0 + np.trace(matrix)) or np.linalg.norm(out) > radius:
            return f"{regular}, {slope}, {radius}, from {w}: {out} of value {value}, the least is {least}"
    return ""


def test_a_step_ends_at_the_minimiser_of_the_model():
    assert not model_disagreement(model_minimiser)


PLANTED_STEPS = [
    ("- shift * w[j]", ""),
    ("out[j] += w[j]", "out[j] += 0.0"),
]


@pytest.mark.parametrize(("old", "new"), PLANTED_STEPS)
def test_a_wrong_step_is_caught(old, new):
    assert model_disagreement(wrong(_newton, "model_minimiser", old, new))


def losses(huber, count):
    rng = np.random.default_rng(12)
    for _ in range(count):
        n = int(rng.integers(1, 8))
        root = rng.normal(size=(2, 2)) * rng.choice([0.0, 0.3])
        X, y = (
            rng.normal(size=(n, 2)),
            2.0 * rng.normal(size=n) if rng.random() < 0.5 else rng.choice([-1.0, 0.0, 1.0], n),
        )
        F = Losses(X, y, rng.choice([1.0, 0.3], n), huber, root.T @ root, 0.7)
        yield F, rng.normal(size=2) * rng.choice([0.0, 1.0])


def losses_disagreement(huber, count, slow=False):
    """The least value by a search of the disk, and the certificate that says so; s certifies it alone."""
    for F, slope in losses(huber, count):

        def value(u, v, F=F, slope=slope):
            w = np.array([u, v])
            r = np.abs(F.X @ w - F.y)
            terms = np.where(r <= 1.0, 0.5 * r * r, r - 0.5) if F.huber else r
            return float(F.weights @ terms + 0.5 * w @ F.bend @ w + slope @ w)

        points, gaps, duals = F.minimise(slope[None], slow)
        w, s = points[0], duals[0]
        size = F.weights.sum() + 0.7 * np.linalg.norm(slope) + 0.49 * np.trace(F.bend)
        least = oracles.disk_least(value, 0.7)
        gradient = F.X.T @ (F.weights * s) + F.bend @ w + slope
        conjugate = F.weights @ (F.y * s + (0.5 * s * s if huber else 0.0))
        below = -conjugate - 0.5 * w @ F.bend @ w - 0.7 * np.linalg.norm(gradient)
        said = value(*w) - below
        if not (np.linalg.norm(w) <= 0.7 and gaps[0] <= 2.0 * ENOUGH * size and np.abs(s).max() <= 1.0):
            return f"{F}, {slope}: {w} with gap {gaps[0]}"
        if abs(said - gaps[0]) > 1e-11 * size or value(*w) > least + 1e-9 * size:
            return f"{F}, {slope}: gap {gaps[0]} and not {said}; value {value(*w)}, the least is {least}"
    return ""


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("huber", [False, True])
def test_losses_agree_with_a_search(huber, slow):
    assert not losses_disagreement(huber, 2 if slow else min(5, INSTANCES), slow)


def test_a_barrier_that_stays_shows_in_the_certificate(monkeypatch):
    """Planted: a path of the interior point that ends early."""
    monkeypatch.setattr(interior, "_LAST", 1e-3)
    assert "with gap" in losses_disagreement(False, 3, True) and "with gap" in losses_disagreement(True, 3, True)


def test_a_step_that_never_moves_shows_in_the_certificate(monkeypatch):
    """Planted: Newton's method that stays where it begins."""
    monkeypatch.setattr(solver, "newton", lambda *arguments: 1)
    assert "with gap" in losses_disagreement(False, 3) and "with gap" in losses_disagreement(True, 3)


def test_wrong_slopes_show_in_the_certificate(monkeypatch):
    """Planted: duals that are not corrected; the bound stays valid, so that the certificate grows."""
    monkeypatch.setattr(gap, "_CORRECTIONS", 1)
    assert "with gap" in losses_disagreement(False, INSTANCES)


def test_where_many_minimise_directions_that_no_record_sees_stay():
    """Two equal records, no second direction; residuals beyond 1 on both sides of Huber's loss."""
    x, one, none = np.array([[0.6, 0.0], [0.6, 0.0]]), np.ones(2), np.zeros((2, 2))
    for huber in (False, True):
        points, gaps, _ = Losses(x, 0.3 * one, one, huber, none, 1.0).minimise(np.zeros((1, 2)))
        np.testing.assert_allclose(points[0], [0.5, 0.0], atol=1e-6)
        assert gaps[0] < 1e-12
    points, gaps, _ = Losses(0.1 * x, np.array([3.0, -3.0]), one, True, none, 1.0).minimise(np.zeros((1, 2)))
    assert gaps[0] < 1e-12
    points, gaps, _ = Losses(0.1 * x, -3.0 * one, one, True, none, 1.0).minimise(np.zeros((1, 2)))
    np.testing.assert_allclose(points[0], [-1.0, 0.0], atol=1e-6)
    points, gaps, _ = Losses(x, one, one, True, none, 1.0).minimise(np.zeros((0, 2)))
    assert points.shape == (0, 2) and gaps.shape == (0,)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", range(6))
def test_hostile_records_are_minimised_to_a_small_gap(kind):
    """Ties, collinear records, sizes down to 1e-310: few gaps are above 1e-9; the slow search leaves 1e-13 of any."""
    rng, above = np.random.default_rng(kind), 0
    for number in range(10 * INSTANCES):
        n, d = int(rng.integers(1, 20)), int(rng.integers(1, 6))
        X = hostile_features(kind, (n, d), rng)
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
        y = rng.choice([-1.0, 0.0, 1.0], n) if rng.random() < 0.5 else rng.uniform(-1.0, 1.0, n)
        bend, seen = rng.choice([0.0, 1e-9, 1.0]) * X.T @ X / n, rng.integers(0, 4) * n
        F = Losses(X[:seen], y[:seen], np.full(n, 0.5 / n)[:seen], bool(rng.random() < 0.3), bend, 1.0)
        slopes = rng.normal(size=(1, n)) * rng.choice([0.0, 0.1]) @ X / n
        points, gaps, _ = F.minimise(slopes)
        above += gaps[0] > 1e-9
        if gaps[0] > 1e-9 or number % 50 == 0:
            points, gaps, _ = F.minimise(slopes, slow=True)
            assert gaps[0] <= 1e-13
        assert math.sqrt(points[0] @ points[0]) <= 1.0
    assert above <= INSTANCES // 4
