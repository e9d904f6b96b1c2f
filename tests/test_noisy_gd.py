"""Noisy gradient descent: kernels against Algorithm 1 in plain Python, planted errors, guarantees."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from naive import losses as naive_losses
from naive import noisy_gd as naive
from scipy import sparse
from scipy.optimize import brentq
from scipy.stats import beta

from dpbench import losses, validation
from dpbench.glm import _noisy_gd_kernels as kernels
from dpbench.glm.noisy_gd import NoisyGD, printed_gradient_bound
from dpbench.privacy import gaussian
from dpbench.problems import GLMProblem
from dpbench.sampling import block_width

LOSSES = [
    losses.squared(),
    losses.half_squared(),
    losses.linear(),
    losses.logistic(),
    losses.huber(0.3),
    losses.absolute(),
    losses.capped_linear(0.05),
]
each = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
STEPS = 6


def problem(
    loss: losses.Loss, *, n: int = 11, d: int = 3, radius: float = 0.3, as_sparse: bool = False
) -> GLMProblem:
    """n and d leave remainders of the four by four blocks; a third of the features is zero."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.67)
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0) * (1.0 if loss.code == losses.LOGISTIC else rng.random(n))
    return GLMProblem(
        sparse.csr_array(X) if as_sparse else X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius
    )


def mechanism(**changes: Any) -> NoisyGD:
    return NoisyGD(1.0, 1e-5, **{"steps": STEPS, "step_size": 0.4, "noise_scale": 0.2, **changes})


def twin_outputs(m: NoisyGD, p: GLMProblem, trials: int, seed: int) -> np.ndarray:
    """Algorithm 1 in plain Python, trial by trial, with the same draws."""
    X = p.X.toarray() if p.sparse else p.X
    xi = m.sigma(p) * naive.draws(np.random.default_rng(seed), m.steps or p.n, p.d, block_width(p))
    if p.loss.quadratic and p.loss.code != losses.LINEAR:  # drawn along the eigenvectors of the Hessian
        xi = np.einsum("ij,tjk->tik", p.axes[1], xi)

    def slope(z: float, y: float) -> float:
        return float(naive_losses.derivative(p.loss.name, p.loss.parameter, z, y))

    run = partial(naive.noisy_gd, X, p.y, slope, p.radius, m.eta(p))
    return np.array([naive.average(run(xi[:, :, k])) for k in range(trials)])


def assert_equals_twin(p: GLMProblem, m: NoisyGD | None = None, trials: int = 5, seed: int = 3) -> None:
    m = mechanism() if m is None else m
    got = m(p, trials, np.random.default_rng(seed))
    assert np.allclose(got, twin_outputs(m, p, trials, seed), rtol=1e-12, atol=1e-13 * p.radius)


@each
@pytest.mark.kernel
@pytest.mark.parametrize("as_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("radius", [0.3, 50.0], ids=["projected", "free"])
def test_equals_algorithm_1(loss: losses.Loss, as_sparse: bool, radius: float) -> None:
    """noisy_gd_axes, noisy_gd_records, noisy_gd_sparse, noisy_step against the twin."""
    assert_equals_twin(problem(loss, as_sparse=as_sparse, radius=radius))


@pytest.mark.kernel
@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 4), (66, 2), (3, 9)])
def test_every_remainder_of_the_tiles(n: int, d: int) -> None:
    for loss in (losses.squared(), losses.logistic()):
        assert_equals_twin(problem(loss, n=n, d=d), mechanism(steps=3), trials=2)


@pytest.mark.kernel
@pytest.mark.parametrize("steps", [1, 2])
def test_few_steps(steps: int) -> None:
    p = problem(losses.logistic())
    assert_equals_twin(p, mechanism(steps=steps))
    if steps == 1:
        assert not mechanism(steps=1)(p, 3, np.random.default_rng(0)).any()


@pytest.mark.kernel
def test_calls_are_cut_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of one step give the bits of one long call."""
    for loss, as_sparse in ((losses.squared(), False), (losses.huber(0.3), False), (losses.huber(0.3), True)):
        p = problem(loss, as_sparse=as_sparse)
        whole = mechanism()(p, 70, np.random.default_rng(1))
        monkeypatch.setattr("dpbench.glm.noisy_gd._WORK_PER_CALL", 1.0)
        assert np.array_equal(whole, mechanism()(p, 70, np.random.default_rng(1)))
        monkeypatch.undo()


@pytest.mark.kernel
@pytest.mark.parametrize(("rows", "inner"), [(1, 1), (4, 4), (5, 7), (11, 3), (8, 6)])
def test_add_product(rows: int, inner: int) -> None:
    rng = np.random.default_rng(8)
    A, B, out = (
        rng.standard_normal((rows, inner)),
        rng.standard_normal((inner, 8)),
        rng.standard_normal((rows, 8)),
    )
    want = out + naive.product(A, B)
    for layout in (np.ascontiguousarray(A), np.asfortranarray(A), np.repeat(A, 2, axis=1)[:, ::2]):
        got = out.copy()
        kernels.add_product(layout, B, got)
        assert np.allclose(got, want, rtol=1e-13, atol=1e-13)


@pytest.mark.kernel
@pytest.mark.parametrize(
    "loss", [losses.squared(), losses.half_squared(), losses.linear()], ids=lambda x: x.name
)
def test_axes_path_equals_the_path_over_records(loss: losses.Loss) -> None:
    """The same noise vectors through both paths, the axes' ones turned back into the coordinates of X."""
    p, m = problem(loss), mechanism(noise_scale=0.0)
    w, total, gradient = (np.zeros((p.d, 8)) for _ in range(3))
    scores = np.zeros((kernels.ROWS, 8))
    kernels.noisy_gd_records(
        loss.code,
        0.0,
        p.X,
        p.y,
        0.4,
        0.0,
        p.radius,
        STEPS - 1,
        np.random.default_rng(0),
        w,
        total,
        gradient,
        scores,
    )
    assert np.allclose(m(p, 8, np.random.default_rng(0)), total.T / STEPS, rtol=1e-12, atol=1e-15)
    values, vectors = p.axes
    assert np.allclose(vectors @ np.diag(values) @ vectors.T, p.X.T @ p.X / p.n, atol=1e-14)
    assert np.allclose(vectors.T @ vectors, np.eye(p.d), atol=1e-14)


@each
@pytest.mark.kernel
def test_zero_noise_is_gradient_descent_and_finds_the_minimiser(loss: losses.Loss) -> None:
    p = problem(loss)
    m = mechanism(noise_scale=0.0, steps=400)
    got = m(p, 9, np.random.default_rng(0))
    assert np.array_equal(got, np.tile(got[0], (9, 1)))
    rng = np.random.default_rng(1)
    w = rng.standard_normal((4000, p.d))
    w *= p.radius * rng.random((4000, 1)) ** (1 / p.d) / np.linalg.norm(w, axis=1, keepdims=True)
    # regret of averaged gradient descent: B²/(2ηT), and ηG²/2 more for the corner of |z − y|
    regret = p.radius**2 / (2 * 0.4 * 400) + (0.2 if loss.code == losses.ABSOLUTE else 0.0)
    assert p.empirical_risk(got[0]) <= p.empirical_risk(w).min() + regret
    assert p.empirical_risk(got[0]) < p.empirical_risk(np.zeros(p.d))


@each
@pytest.mark.kernel
def test_every_output_lies_in_the_ball(loss: losses.Loss) -> None:
    p = problem(loss)
    outputs = mechanism(noise_scale=5.0)(p, 130, np.random.default_rng(2))
    norms = np.linalg.norm(outputs, axis=1)
    assert norms.max() <= p.radius * (1.0 + 1e-14) and norms.max() > 0.3 * p.radius


# Planted errors: each must fail the comparison with the twin.
PLANTED = [
    ("noisy_step", "noise * xi[k]", "1.01 * noise * xi[k]", "squared"),
    ("noisy_step", "if shrink[k] > radius * radius else 1.0", "if shrink[k] < 0.0 else 1.0", "squared"),
    ("noisy_step", "total[j, k] += w[j, k]", "total[j, k] = w[j, k]", "logistic"),
    ("noisy_step", "total[j, k] += w[j, k]", "total[j, k] += 0.999 * w[j, k]", "logistic"),
    ("noisy_step", "w[j, k] -= step_size * (gradient", "w[j, k] -= step_size * (1.001 * gradient", "huber"),
    (
        "noisy_step",
        "xi[k] = rng.standard_normal()",
        "xi[k] = rng.standard_normal() if k == 0 else xi[0]",
        "huber",
    ),
    ("noisy_gd_axes", "range(steps)", "range(steps - 1)", "squared"),
    ("noisy_gd_axes", "- pull[j]", "- 0.5 * pull[j]", "half-squared"),
    ("noisy_gd_records", "range(steps)", "range(steps + 1)", "logistic"),
    ("noisy_gd_records", "1.0 / n", "1.0 / (n - 1)", "logistic"),
    ("noisy_gd_records", "gradient[:] = 0.0", "gradient[:] *= 0.01", "logistic"),
    ("noisy_gd_records", "part[:] = 0.0", "part[:1] = 0.0", "logistic"),
    ("noisy_gd_sparse", "range(indptr[i], indptr[i + 1])", "range(indptr[i] + 1, indptr[i + 1])", "logistic"),
    ("noisy_gd_sparse", "range(n)", "range(n - 1)", "capped-linear"),
    ("add_product", "a33 * b3", "a33 * b2", "logistic"),
    ("add_product", "range(whole_inner, inner)", "range(whole_inner, inner - 1)", "logistic"),
    ("add_product", "range(whole_rows, rows)", "range(whole_rows, rows - 1)", "logistic"),
    ("to_derivatives", "share * loss", "1.001 * share * loss", "huber"),
]


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("name", "old", "new", "loss"), PLANTED, ids=[f"{k}-{i}" for i, (k, *_) in enumerate(PLANTED)]
)
def test_planted_kernel_error_is_caught(
    name: str, old: str, new: str, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    p = problem(next(x for x in LOSSES if x.name == loss), n=6, d=5, as_sparse=name == "noisy_gd_sparse")
    check: Callable[[], None] = partial(assert_equals_twin, p, mechanism(steps=4), trials=2)
    for other in {name for name, *_ in PLANTED}:
        monkeypatch.setattr(kernels, other, getattr(kernels, other).py_func)
    check()  # the sources as they stand, run by the interpreter, agree with the twin
    source = inspect.getsource(getattr(kernels, name))
    assert old in source
    space = vars(kernels) | {"kernel": lambda *_, **__: lambda function: function}
    exec("from __future__ import annotations\n" + source.replace(old, new), space)
    monkeypatch.setattr(kernels, name, space[name])
    with pytest.raises(AssertionError):
        check()


def largest_epsilon_that_holds(make: Callable[[float], NoisyGD], p: GLMProblem, delta: float) -> float:
    """Where the printed noise stops being enough: the zero of log δ(ε) − log δ."""
    return float(brentq(lambda e: math.log(make(e).guarantee(p).delta(e) / delta), 1.0, 200.0))


def one_record(loss: losses.Loss, *, radius: float = 1.0) -> GLMProblem:
    return GLMProblem([[1.0, 0.0]], [1.0], loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)


def test_printed_noise_for_a_loss_that_attains_its_lipschitz_bound() -> None:
    """μ = ε·√((T−1)/T)/√(2L), enough up to ε = 7.97 at δ = 1e-5 (T → ∞)."""
    p = one_record(losses.linear())
    m = NoisyGD(2.0, 1e-5, steps=1000, calibration="printed")
    assert m.guarantee(p).mu == pytest.approx(
        2.0 / math.sqrt(2 * math.log(1e5)) * math.sqrt(0.999), rel=1e-12
    )
    found = largest_epsilon_that_holds(
        lambda e: NoisyGD(e, 1e-5, steps=10**9, calibration="printed"), p, 1e-5
    )
    assert found == pytest.approx(7.97, abs=0.005)


@pytest.mark.parametrize(("delta", "threshold"), [(1e-5, 36.0), (1e-3, 24.5)])
def test_printed_noise_for_the_extreme_admissible_loss(delta: float, threshold: float) -> None:
    """Capped-linear on a small ball: sup ‖∇ℓ‖ tends to G/√2: enough up to 36 and 24.5."""
    p = one_record(losses.capped_linear(1e-6), radius=1e-6)
    assert 1.0 / printed_gradient_bound(p) == pytest.approx(1 / math.sqrt(2.0), rel=1e-4)
    make = partial(NoisyGD, delta=delta, steps=10**9, calibration="printed")
    assert largest_epsilon_that_holds(make, p, delta) == pytest.approx(threshold, abs=0.25)


@pytest.mark.parametrize("steps", [2, 3, 7, 40])
@pytest.mark.parametrize("loss", [losses.linear(), losses.capped_linear(60.0)], ids=lambda x: x.name)
def test_pair_profile_is_that_of_the_unrolled_walk(loss: losses.Loss, steps: int) -> None:
    """Exact linear algebra on the noises of all steps, average and all iterates; no projection is near."""
    p = problem(loss, radius=60.0)
    q = p.replace_record(4, [0.0, -0.8, 0.6], -1.0)
    m = mechanism(steps=steps)
    gap = (p.X.T @ p.y - q.X.T @ q.y) / p.n
    for released in ("average", "all"):
        profile = m.pair_profile(p, q, released=released)
        want = naive.distance_of_releases(gap, steps, m.eta(p), m.sigma(p), averaged=released == "average")
        assert profile.mu == pytest.approx(want, rel=1e-9)
        for epsilon in (0.1, 0.5):
            assert profile.delta(epsilon) == pytest.approx(gaussian.delta(epsilon, want), rel=1e-6)
        assert profile.delta(0.1) <= m.guarantee(p).delta(0.1)
    ratio = m.pair_profile(p, q).mu / m.pair_profile(p, q, released="all").mu
    assert ratio == pytest.approx(math.sqrt(6 * steps / (4 * (2 * steps - 1))), rel=1e-12)


CHANCE_TRIALS = 40_000
LEVEL = 1e-6


def chance_is_refuted(bound: float, seen: int) -> bool:
    """Clopper–Pearson at 1e-6: whether `seen` active projections say that their chance is above `bound`."""
    return seen > 0 and bool(beta.ppf(LEVEL, seen, CHANCE_TRIALS - seen + 1) > bound)


def test_chance_of_an_active_projection_is_bounded() -> None:
    """Null: the chance is at most the profile's κ. False-alarm rate 1e-6; sees a chance 15% above κ.

    Planted: without the factor 2 of Lévy's inequality the bound is P(‖S_T‖ > r) itself, and is refuted.
    """
    steps, eta, sigma, room = 60, 0.4, 0.2, 1.9
    m = mechanism(steps=steps, step_size=eta, noise_scale=sigma)
    p = problem(losses.linear(), radius=60.0)
    q = p.replace_record(4, [0.0, -0.8, 0.6], -1.0)
    drift = max(float(np.linalg.norm(data.X.T @ data.y)) / data.n for data in (p, q))
    p, q = (replace(data, radius=eta * (steps - 1) * drift + room) for data in (p, q))
    profile = m.pair_profile(p, q)
    kappa = (gaussian.delta(0.0, profile.mu) - profile.delta(0.0)) / 2.0
    assert 0.01 < kappa < 0.1
    walk = np.cumsum(np.random.default_rng(11).standard_normal((CHANCE_TRIALS, steps - 1, p.d)), axis=1)
    active = int((eta * sigma * np.linalg.norm(walk, axis=2).max(axis=1) > room).sum())
    assert not chance_is_refuted(kappa, active)
    assert not chance_is_refuted(kappa, int(np.ceil(CHANCE_TRIALS * kappa)))
    assert chance_is_refuted(kappa, int(CHANCE_TRIALS * kappa * 1.15))
    assert chance_is_refuted(kappa / 2.0, active)


def test_profiles_at_the_edges() -> None:
    p = problem(losses.linear(), radius=60.0)
    assert mechanism(noise_scale=0.0).guarantee(p).delta(3.0) == 1.0
    assert mechanism(steps=1).guarantee(p).delta(0.0) == 0.0
    curved = problem(losses.squared())
    assert mechanism().pair_profile(curved, curved).kind == "upper"
    with pytest.raises(validation.InvalidInput, match="released must be one of average, all"):
        mechanism().pair_profile(p, p, released="last")


def test_step_size_is_that_of_theorem_1() -> None:
    """η = min(B/(√T·max(√H̃·Y, σ√d)), 1/(4H̃)) with H = 2, X = 1, Y = 1 for the squared loss."""
    p = problem(losses.squared(), radius=0.5)
    for sigma in (0.0, 0.1, 10.0):
        m = NoisyGD(1.0, 1e-5, steps=25, noise_scale=sigma)
        want = min(0.5 / (5.0 * max(math.sqrt(2.0), sigma * math.sqrt(3.0))), 0.125)
        assert m.eta(p) == pytest.approx(want, rel=1e-14)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0, got 0.0"),
        ({"delta": 0.0}, r"delta must be a number in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, r"delta must be a number in \(0, 1\), got 1.0"),
        ({"steps": 0}, "steps must be an integer >= 1, got 0"),
        ({"steps": 2.0}, "steps must be an integer >= 1, got 2.0"),
        ({"step_size": 0.0}, "step_size must be a finite number > 0, got 0.0"),
        ({"noise_scale": -1.0}, "noise_scale must be a finite number >= 0, got -1.0"),
        ({"noise_scale": math.nan}, "noise_scale must be a finite number >= 0, got nan"),
        ({"calibration": "exakt"}, "did you mean exact"),
    ],
)
def test_bad_parameters(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(validation.InvalidInput, match=message):
        NoisyGD(**{"epsilon": 1.0, "delta": 1e-5, **changes})


def test_bad_calls() -> None:
    p = problem(losses.squared())
    with pytest.raises(validation.InvalidInput, match="problem must be a GLMProblem"):
        mechanism()(p.X, 3, np.random.default_rng(0))
    with pytest.raises(validation.InvalidInput, match="trials must be an integer >= 1, got 0"):
        mechanism()(p, 0, np.random.default_rng(0))
