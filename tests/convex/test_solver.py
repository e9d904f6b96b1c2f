"""The convex solver, on the objectives of output perturbation: against slow references, and its certificate."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.erm import absolute_minimiser, absolute_value, smooth_minimiser
from planted import wrong
from regressions import ALL, SMOOTH, problem
from scipy import sparse

from dpbench.convex import _newton, solver
from dpbench.convex._newton import certificate, newton
from dpbench.convex.solver import Objective, Point, descend, follow
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.centres import objective
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem

pytestmark = pytest.mark.kernel


def minimise(problem, lam, radius, target, kappa=0.0):
    return solver.minimise(objective(problem, lam, radius, kappa), target)


# The solver against slow references


@pytest.mark.parametrize("radius", [0.2, 100.0])
@pytest.mark.parametrize("shape", [(12, 3), (4, 6)], ids=str)
@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_minimiser_against_projected_gradient(name, shape, radius):
    loss = SMOOTH[name]
    p = problem(loss, n=shape[0], d=shape[1], radius=radius)
    exact = smooth_minimiser(loss.name, loss.parameter, loss.smoothness, p.X, p.y, 0.05, radius)
    got = minimise(p, 0.05, radius, 1e-9)
    assert np.linalg.norm(got.w - exact) <= got.distance <= 1e-9
    assert np.linalg.norm(got.w) <= radius
    wrong = minimise(p, 0.0501, radius, 1e-9).w, minimise(p, 0.05, 1.001 * radius, 1e-9).w
    assert max(np.linalg.norm(w - exact) for w in wrong) > 1e-6  # the comparison sees λ off by 1 in 500, B by 1 in 1000


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_near_a_point_the_objective_has_the_gradients_of_all_records(as_sparse, weighted):
    """While predictions move by less than `reach`; records that cross it are seen."""
    rng = np.random.default_rng(3)
    X, y, w = rng.standard_normal((300, 4)) / 2.0, rng.standard_normal(300), rng.standard_normal(4)
    weights = rng.random(300) if weighted else np.empty(0)
    rows = sparse.csr_array(X) if as_sparse else X
    slope = rng.standard_normal(4) if weighted else np.empty(0)
    curve = solver.Curve(solver.HUBER, 0.01, 1.0)
    whole = Objective(rows, y, curve, 1.0, 5.0, 1.0 / 300, 0.1, slope=slope, weights=weights)
    near = whole.near(w, 0.5)
    assert 0 < near.y.size < 200 and (near.weights.size == near.y.size) == weighted
    for step in (0.0, 0.2):
        there = w + step * rng.standard_normal(4) / np.linalg.norm(X, axis=1).max()
        np.testing.assert_allclose(near.gradient(there)[0], whole.gradient(there)[0], atol=1e-14)
    assert np.abs(near.gradient(w + 3.0)[0] - whole.gradient(w + 3.0)[0]).max() > 1e-4


def test_many_records_of_a_small_kappa_lead_to_the_same_point():
    """Where slopes of far records are kept, where they are not, after a start that is wrong, with one pass a call of
    the kernel, and from 0 in the place of the minimiser of the first records."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((8192, 5)) / 4.0
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, None]
    y = np.clip(X @ (0.5, -0.4, 0.3, 0.2, 0.1) + 0.1 * rng.standard_normal(8192), -1.0, 1.0)
    p = GLMProblem(X, y, loss=losses.absolute(), x_bound=1.0, y_bound=1.0, radius=1.0)
    F, target = objective(p, 0.01, 1.0, 1e-3), 1e-8
    led, nearby = [], solver.nearby
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "nearby", lambda *given: led.append(nearby(*given)) or led[-1])
        found = solver.minimise(F, target)
        patch.setattr(solver, "nearby", lambda *_: None)
        slow = solver.minimise(F, target)
        patch.setattr(solver, "nearby", lambda F, w, reach, target: w + 0.01)
        misled = solver.minimise(F, target)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_WORK", 1.0)
        cut = solver.minimise(F, target)
        patch.setattr(solver, "FEW", 10**9)
        alone = solver.minimise(F, target)
    for point in (found, slow, misled, cut, alone):
        assert point.distance <= target and np.linalg.norm(point.w - slow.w) <= 2.0 * target
    assert any(w is not None for w in led)
    assert nearby(F, slow.w, 0.01, target) is not None and nearby(F, slow.w + 0.5, 0.01, target) is None


@pytest.mark.parametrize("radius", [0.2, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_smoothed_minimiser_against_every_sign_pattern(seed, radius):
    """Within √(κ/λ) of the exact minimiser of the absolute loss, and with a value at most κ/2 above its."""
    p, lam, kappa = problem(losses.absolute(), n=6, d=2, radius=radius, seed=seed), 0.1, 1e-4
    exact = absolute_minimiser(p.X, p.y, lam, radius)
    got = minimise(p, lam, radius, 1e-8, kappa)
    assert got.distance <= 1e-8
    assert np.linalg.norm(got.w - exact) <= math.sqrt(kappa / lam) + 1e-8
    values = [absolute_value(p.X, p.y, lam, w) for w in (exact, got.w)]
    assert values[0] - 1e-12 <= values[1] <= values[0] + 0.5 * kappa + 1e-8
    wide = minimise(p, lam, radius, 1e-8, 0.5).w  # planted: a κ of 0.5
    assert radius < 1.0 or absolute_value(p.X, p.y, lam, wide) > values[0] + 0.5 * kappa


@pytest.mark.parametrize("name", ALL)
def test_sparse_wide_and_unconstrained_problems(name):
    loss = ALL[name]
    for n, d in ((30, 5), (5, 30)):
        dense, csr = problem(loss, n=n, d=d), problem(loss, n=n, d=d, as_sparse=True)
        kappa = 0.1 if name == "absolute" else 0.0
        w = [minimise(p, 0.1, 0.3, 1e-9, kappa).w for p in (dense, csr)]
        assert np.allclose(*w, atol=1e-8)
        inside = minimise(dense, 5.0, math.inf, 1e-10, kappa)  # so strong a λ that the ball of radius 1 has no say
        assert np.allclose(inside.w, minimise(dense, 5.0, 1.0, 1e-10, kappa).w, atol=1e-8)
        assert 0.0 < np.linalg.norm(inside.w) < 1.0


def _awkward(kind, rng):
    n, d = int(rng.integers(1, 300)), int(rng.integers(1, 25))
    X = rng.standard_normal((n, d))
    if kind == "basis":
        X = np.eye(d)[rng.integers(0, d, n)] * (rng.random((n, 1)) < 0.7)
    elif kind == "repeated":
        X = X[rng.integers(0, max(1, n // 10), n)]
    elif kind == "rank two":
        X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, d))
    elif kind == "sparse":
        X = X * (rng.random((n, d)) < 0.1)
    elif kind == "zero":
        X = 0.0 * X
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    y = np.clip(X @ rng.standard_normal(d) + rng.standard_normal(n) * 10.0 ** rng.uniform(-3, 0), -1.0, 1.0)
    return X, np.where(y >= 0.0, 1.0, -1.0) if rng.random() < 0.4 else y


@pytest.mark.parametrize("kind", ["general", "basis", "repeated", "rank two", "sparse", "zero"])
def test_the_default_tolerance_is_reached_on_awkward_data(kind):
    rng = np.random.default_rng(len(kind))
    for trial in range(70):
        X, y = _awkward(kind, rng)
        loss = list(ALL.values())[trial % len(ALL)] if trial < 35 else losses.absolute()
        y = np.where(y >= 0.0, 1.0, -1.0) if loss.name == "logistic" else y
        p = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=10.0 ** rng.uniform(-2, 2))
        m = OutputPerturbation(10.0 ** rng.uniform(-2, 1), 1e-5)
        assert np.linalg.norm(m.centre(p)) <= p.radius and m.diagnose(p)["distance"] <= m.tau(p)


def settings_of(name, n=300):
    return objective(problem(SMOOTH[name], n=n, radius=0.4), 0.02, 0.4)


@pytest.mark.parametrize("name", SMOOTH)
def test_an_objective_with_all_its_parts(name):
    """Weights, A and b, against the same function with records in their place: a weight of 2 is a record twice, and
    with φ = r²/2 the rows of A's root, and b, are records too. Planted: b forgotten."""
    F, rng = settings_of(name, n=40), np.random.default_rng(1)
    counts, d = rng.integers(0, 4, 40).astype(float), F.X.shape[1]
    whole = replace(F, X=np.repeat(F.X, counts.astype(int), axis=0), y=np.repeat(F.y, counts.astype(int)))
    root, slope = rng.standard_normal((2, d)), 0.05 * rng.standard_normal(d)
    made = replace(F, weights=counts, second=None)
    assert np.allclose(follow(made, 1e-10).w, follow(replace(whole, second=None), 1e-10).w, atol=1e-9)
    bent = replace(made, bend=0.1 * root.T @ root, slope=slope)
    w = follow(bent, 1e-10).w
    for change, least in (({}, 0.0), ({"slope": 0.0 * slope}, 1e-3)):
        gradient, _ = replace(bent, **change).gradient(w)
        outward = max(0.0, -(gradient @ w) / (w @ w)) if math.sqrt(w @ w) > 0.4 - 1e-12 else 0.0
        assert least <= np.linalg.norm(gradient + outward * w) <= 1e-9 + 1e3 * least


PLANTED = [
    ("newton", "gradient[i] = share * sums[0, i] + lam", "gradient[i] = share * sums[0, i] + 1.001 * lam"),
    ("falls_until", "low, at_low = middle, rate", "high, at_high = middle, rate"),
]


@pytest.mark.parametrize(("kernel", "old", "new"), PLANTED)
def test_a_wrong_search_is_noticed(kernel, old, new, monkeypatch):
    """It certifies a wrong point, or does not end at one: the absolute loss needs its line search."""
    F = objective(problem(losses.absolute(), n=60, radius=5.0), 0.05, 5.0, 1e-3)
    exact = follow(F, 1e-10)
    assert newton is solver.newton
    if kernel == "falls_until":  # which the search calls as a Python function then
        monkeypatch.setattr(_newton, kernel, wrong(_newton, kernel, old, new))
        kernel, old, new = "newton", "status = 0", "status = 0"
    monkeypatch.setattr(solver, "newton", wrong(_newton, kernel, old, new))
    found = follow(F, 1e-10)
    assert found.distance > 1e-8 or np.linalg.norm(found.w - exact.w) > 1e-8


# The certificate


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.15, 0.5, 50.0]), st.floats(-9.0, 0.0))
def test_certificate_is_never_below_the_distance(seed, radius, exponent):
    """Any point of the ball, for the squared loss; and as a gap, for the absolute loss without λ."""
    rng, lam = np.random.default_rng(seed), 0.1
    p = problem(losses.absolute(), n=4, d=2, radius=radius, seed=seed)
    least = absolute_value(p.X, p.y, 0.0, absolute_minimiser(p.X, p.y, 1e-9, radius))
    u = rng.standard_normal(2)
    u *= radius * rng.random() / np.linalg.norm(u)
    gap = certificate(0.0, radius, 0.0, u, p.X.T @ np.sign(p.X @ u - p.y) / 4)
    assert gap >= (absolute_value(p.X, p.y, 0.0, u) - least) * (1.0 - 1e-9) - 1e-12
    q = problem(losses.squared(), n=4, d=2, radius=radius, seed=seed)
    target = minimise(q, lam, radius, 1e-13).w
    v = target + 10.0**exponent * rng.standard_normal(2)
    v *= min(1.0, radius / np.linalg.norm(v))
    gradient = 2.0 * q.X.T @ (q.X @ v - q.y) / 4 + lam * v
    assert certificate(lam, radius, 2.0 + lam, v, gradient) >= np.linalg.norm(v - target) * (1 - 1e-6) - 1e-11


def test_a_certificate_that_forgets_a_term_is_caught():
    """It is sharp where no record has a slope; planted: twice λ, and a gap without the norm of the gradient."""
    flat = GLMProblem(np.zeros((3, 2)), np.ones(3), loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    lam, v = 0.1, np.array([0.3, 0.4])
    assert minimise(flat, lam, 1.0, 1e-9).w == pytest.approx([0.0, 0.0])
    assert certificate(lam, 1.0, 2.1, v, lam * v) == pytest.approx(0.5)
    assert certificate(2.0 * lam, 1.0, 2.1, v, lam * v) < 0.5
    assert certificate(0.0, 1.0, 0.0, v, np.array([2.0, 0.0])) == pytest.approx(0.6 + 2.0)  # of 2w₁, least −2
    short = wrong(_newton, "certificate", "along + radius * steep", "along")
    assert short(0.0, 1.0, 0.0, v, np.array([2.0, 0.0])) < 2.6


# It always answers


@pytest.mark.parametrize("radius", [0.3, 50.0])
@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_steps_alone_reach_the_certificate(name, radius):
    """What stands behind Newton's method, from 0: within its own bound on steps, and at the same point."""
    p = problem(SMOOTH[name], n=20, d=3, radius=radius)
    w = descend(objective(p, 0.05, radius), np.zeros(3), 1e-9).w
    assert np.linalg.norm(w - minimise(p, 0.05, radius, 1e-10).w) <= 1.1e-9


def test_a_solver_that_stops_short_is_finished(monkeypatch):
    """Planted: Newton's method that never moves. The answer is certified all the same; without `descend` it is not."""
    p = problem(losses.huber(0.3), n=20, d=3)
    monkeypatch.setattr(Objective, "newton", lambda self, w, target: Point(w, math.inf))
    assert minimise(p, 0.05, 1.0, 1e-8).distance <= 1e-8
    monkeypatch.setattr(solver, "descend", lambda F, w, target: Point(w, math.inf))
    assert minimise(p, 0.05, 1.0, 1e-8).distance > 1e-2


def test_a_singular_hessian_is_no_refusal():
    """A λ below the rounding of the Hessian, whose Cholesky factorisation then fails."""
    x = np.array([0.6, 0.8]) / 3.0
    p = GLMProblem(np.tile(x, (9, 1)), np.ones(9), loss="squared", x_bound=1.0, y_bound=1.0, radius=50.0)
    w = minimise(p, 1e-19, 50.0, 1e9).w
    assert np.isfinite(w).all() and abs(w @ x - 1.0) < 1e-6
    q = replace(p, loss=losses.huber())
    for radius in (50.0, math.inf):
        w = minimise(q, 1e-19, radius, 1e9).w
        assert np.isfinite(w).all() and abs(w @ x - 1.0) < 1e-6


def test_sides_that_are_too_long_are_refused():
    n = solver.LARGEST_SIDE + 1
    eye = sparse.eye_array(n, format="csr")
    p = GLMProblem(eye, np.ones(n), loss="huber", x_bound=1.0, y_bound=1.0, radius=1.0)
    with pytest.raises(InvalidInput, match="X must have a side of at most 5000"):
        minimise(p, 0.1, 1.0, 1e-3)
