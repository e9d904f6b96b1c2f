"""The regularised minimiser of output perturbation: the solver against slow references, and its certificate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.erm import absolute_minimiser, absolute_value, smooth_minimiser
from regressions import ALL, SMOOTH, problem
from scipy import optimize

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms import _erm
from dpbench.papers.glm.algorithms._erm import minimise, smoothed
from dpbench.papers.glm.algorithms._erm_newton import Found, certified_distance, descend
from dpbench.papers.glm.algorithms._erm_passes import Records
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem

# The solver against slow references


@pytest.mark.parametrize("radius", [0.2, 100.0])
@pytest.mark.parametrize("shape", [(12, 3), (4, 6)], ids=str)
@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_minimiser_against_projected_gradient(name: str, shape: tuple[int, int], radius: float) -> None:
    loss = SMOOTH[name]
    p = problem(loss, n=shape[0], d=shape[1], radius=radius)
    exact = smooth_minimiser(loss.name, loss.parameter, loss.smoothness, p.X, p.y, 0.05, radius)
    got = minimise(p, 0.05, radius, 1e-9)
    assert np.linalg.norm(got.w - exact) <= got.distance <= 1e-9
    assert np.linalg.norm(got.w) <= radius
    wrong = minimise(p, 0.0501, radius, 1e-9).w, minimise(p, 0.05, 1.001 * radius, 1e-9).w
    assert max(np.linalg.norm(w - exact) for w in wrong) > 1e-6  # the comparison sees λ off by 1 in 500, B by 1 in 1000


@pytest.mark.parametrize("radius", [0.2, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_smoothed_minimiser_against_every_sign_pattern(seed: int, radius: float) -> None:
    """Within √(κ/λ) of the exact minimiser of the absolute loss, and with a value at most κ/2 above its."""
    p, lam, kappa = problem(losses.absolute(), n=6, d=2, radius=radius, seed=seed), 0.1, 1e-4
    exact = absolute_minimiser(p.X, p.y, lam, radius)
    got = minimise(smoothed(p, kappa), kappa * lam, radius, 1e-8)
    assert got.distance <= 1e-8
    assert np.linalg.norm(got.w - exact) <= math.sqrt(kappa / lam) + 1e-8
    values = [absolute_value(p.X, p.y, lam, w) for w in (exact, got.w)]
    assert values[0] - 1e-12 <= values[1] <= values[0] + 0.5 * kappa + 1e-8
    wide = minimise(smoothed(p, 0.5), 0.5 * lam, radius, 1e-8).w  # planted: a κ of 0.5
    assert radius < 1.0 or absolute_value(p.X, p.y, lam, wide) > values[0] + 0.5 * kappa


def test_smoothed_minimiser_against_sequential_programming() -> None:
    """min mean(t) + λ‖w‖²/2 with t ≥ ±(Xw − y) in the ball, by SLSQP from another start."""
    p, lam = problem(losses.absolute(), n=25, d=4, radius=0.6, seed=3), 0.05
    kappa = 1e-4
    got = minimise(smoothed(p, kappa), kappa * lam, 0.6, 1e-8)
    n, d = p.n, p.d
    found = optimize.minimize(
        lambda v: v[d:].mean() + 0.5 * lam * v[:d] @ v[:d],
        np.concatenate([np.full(d, 0.1), np.full(n, 2.0)]),
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda v: v[d:] - (p.X @ v[:d] - p.y)},
            {"type": "ineq", "fun": lambda v: v[d:] + (p.X @ v[:d] - p.y)},
            {"type": "ineq", "fun": lambda v: 0.36 - v[:d] @ v[:d]},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert np.linalg.norm(found.x[:d] - got.w) < math.sqrt(kappa / lam)
    assert absolute_value(p.X, p.y, lam, got.w) <= absolute_value(p.X, p.y, lam, found.x[:d]) + 0.5 * kappa + 1e-9


@pytest.mark.parametrize("name", ALL)
def test_sparse_wide_and_unconstrained_problems(name: str) -> None:
    loss = ALL[name]
    for n, d in ((30, 5), (5, 30)):
        dense, csr = problem(loss, n=n, d=d), problem(loss, n=n, d=d, as_sparse=True)
        if name == "absolute":
            dense, csr = (smoothed(p, 0.1) for p in (dense, csr))
        assert np.allclose(minimise(dense, 0.1, 0.3, 1e-9).w, minimise(csr, 0.1, 0.3, 1e-9).w, atol=1e-9)
        inside = minimise(dense, 5.0, math.inf, 1e-10)  # so strong a λ that the ball of radius 1 has no say
        assert np.allclose(inside.w, minimise(dense, 5.0, 1.0, 1e-10).w, atol=1e-9)
        assert 0.0 < np.linalg.norm(inside.w) < 1.0


def _awkward(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
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
def test_the_default_tolerance_is_reached_on_awkward_data(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for trial in range(70):
        X, y = _awkward(kind, rng)
        loss = list(ALL.values())[trial % len(ALL)] if trial < 35 else losses.absolute()
        y = np.where(y >= 0.0, 1.0, -1.0) if loss.name == "logistic" else y
        p = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=10.0 ** rng.uniform(-2, 2))
        m = OutputPerturbation(10.0 ** rng.uniform(-2, 1), 1e-5)
        assert np.linalg.norm(m.centre(p)) <= p.radius


# The certificate


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.15, 0.5, 50.0]), st.floats(-9.0, 0.0))
def test_certificate_is_never_below_the_distance(seed: int, radius: float, exponent: float) -> None:
    """Any point of the ball, with the slopes of a smooth loss or any slopes in [−1, 1] for the absolute loss."""
    p = problem(losses.absolute(), n=4, d=2, radius=radius, seed=seed)
    rng, lam = np.random.default_rng(seed), 0.1
    exact = absolute_minimiser(p.X, p.y, lam, radius)
    w = exact + 10.0**exponent * rng.standard_normal(2)
    w *= min(1.0, radius / np.linalg.norm(w))
    errors = p.X @ w - p.y
    for c in (np.sign(errors), rng.uniform(-1, 1, 4), np.clip(errors / 1e-3, -1, 1)):
        slack = float((np.abs(errors) - c * errors).mean())
        bound = certified_distance(p.X.T @ c / 4 + lam * w, slack, w, lam, radius, 0.0)
        assert bound >= np.linalg.norm(w - exact) * (1.0 - 1e-9) - 1e-12
    q = problem(losses.squared(), n=4, d=2, radius=radius, seed=seed)
    target = minimise(q, lam, radius, 1e-13).w
    v = target + 10.0**exponent * rng.standard_normal(2)
    v *= min(1.0, radius / np.linalg.norm(v))
    gradient = 2.0 * q.X.T @ (q.X @ v - q.y) / 4 + lam * v
    assert certified_distance(gradient, 0.0, v, lam, radius, 2.0) >= np.linalg.norm(v - target) * (1 - 1e-6) - 1e-11


def test_a_certificate_that_forgets_a_term_is_caught() -> None:
    """Planted: without the slack of the absolute loss, or with twice λ, the bound falls below the distance."""
    p, lam = problem(losses.absolute(), n=5, d=2, radius=50.0), 0.1
    exact = absolute_minimiser(p.X, p.y, lam, 50.0)
    dual = np.random.default_rng(1).uniform(-1, 1, 5)
    w = -p.X.T @ dual / (5 * lam)  # the residual v is 0 here: all of the certificate is slack
    assert certified_distance(p.X.T @ dual / 5 + lam * w, 0.0, w, lam, 50.0, 0.0) < np.linalg.norm(w - exact)
    flat = GLMProblem(np.zeros((3, 2)), np.ones(3), loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    v = np.array([0.3, 0.4])
    assert minimise(flat, lam, 1.0, 1e-9).w == pytest.approx([0.0, 0.0])
    assert certified_distance(lam * v, 0.0, v, lam, 1.0, 2.0) == pytest.approx(0.5)  # sharp
    assert certified_distance(lam * v, 0.0, v, 2.0 * lam, 1.0, 2.0) < 0.5


# It always answers


@pytest.mark.parametrize("radius", [0.3, 50.0])
@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_steps_alone_reach_the_certificate(name: str, radius: float) -> None:
    """What stands behind Newton's method, from 0: within its own bound on steps, and at the same point."""
    p = problem(SMOOTH[name], n=20, d=3, radius=radius)
    w = descend(Records(p.X, p.y, 1.0, None, p.n), p.loss, 0.05, radius, 1e-9, np.zeros(3)).w
    assert np.linalg.norm(w - minimise(p, 0.05, radius, 1e-10).w) <= 1.1e-9


def test_a_solver_that_stops_short_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: Newton's method that never moves. The answer is certified all the same; without `descend` it is not."""
    p = problem(losses.huber(0.3), n=20, d=3)

    def stay(w: np.ndarray) -> Found:
        return Found(w, math.inf, 0.0)

    monkeypatch.setattr(_erm, "newton", lambda data, loss, lam, radius, target, w, steps, near=False: stay(w))
    assert minimise(p, 0.05, 1.0, 1e-8).distance <= 1e-8
    monkeypatch.setattr(_erm, "descend", lambda data, loss, lam, radius, target, w: stay(w))
    assert minimise(p, 0.05, 1.0, 1e-8).distance > 1e-2


def test_a_singular_hessian_is_no_refusal() -> None:
    """A λ below the rounding of the Hessian, whose Cholesky factorisation then fails."""
    x = np.array([0.6, 0.8]) / 3.0
    p = GLMProblem(np.tile(x, (9, 1)), np.ones(9), loss="squared", x_bound=1.0, y_bound=1.0, radius=50.0)
    w = minimise(p, 1e-19, 50.0, 1e9).w
    assert np.isfinite(w).all() and abs(w @ x - 1.0) < 1e-6
