"""Noisy gradient descent: kernels against Algorithm 1 in plain Python, and errors planted in them."""

from functools import partial

import numpy as np
import pytest
from naive import losses as naive_losses
from naive import noisy_gd as naive
from planted import wrong
from scipy import sparse

from dpbench.core.sampling import block_width
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms import _loss_tiles
from dpbench.papers.glm.algorithms import _noisy_gd_kernels as kernels
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem

LOSSES = [made for made in (make() for make in losses.BY_NAME.values()) if made.name != "huber"] + [
    losses.huber(0.3),
    losses.capped_linear(0.05),
]
each = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
STEPS = 6


def problem(loss, *, n=11, d=3, radius=0.3, as_sparse=False):
    """n and d leave remainders of the four by four blocks; a third of the features is zero."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.67)
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0) * (1.0 if loss.binary else rng.random(n))
    return GLMProblem(sparse.csr_array(X) if as_sparse else X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)


def mechanism(**changes):
    return NoisyGD(1.0, 1e-5, **{"steps": STEPS, "step_size": 0.4, "noise_scale": 0.2, **changes})


def twin_outputs(m, p, trials, seed, width=None):
    """Algorithm 1 in plain Python, trial by trial, with the same draws."""
    X = p.X.toarray() if p.sparse else p.X
    xi = m.sigma(p) * naive.draws(np.random.default_rng(seed), m.steps or p.n, p.d, width or block_width(p))
    if p.loss.quadratic and not p.loss.affine:  # drawn along the eigenvectors of the Hessian
        xi = np.einsum("ij,tjk->tik", p.axes[1], xi)

    def slope(z, y):
        return float(naive_losses.derivative(p.loss.name, p.loss.parameter, z, y))

    run = partial(naive.noisy_gd, X, p.y, slope, p.radius, m.eta(p))
    return np.array([naive.average(run(xi[:, :, k])) for k in range(trials)])


def assert_equals_twin(p, m=None, trials=5, seed=3):
    m = mechanism() if m is None else m
    got = m(p, trials, np.random.default_rng(seed))
    assert np.allclose(got, twin_outputs(m, p, trials, seed), rtol=1e-12, atol=1e-13 * p.radius)


@each
@pytest.mark.kernel
@pytest.mark.parametrize("as_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("radius", [0.3, 50.0], ids=["projected", "free"])
def test_equals_algorithm_1(loss, as_sparse, radius):
    """noisy_gd_axes, noisy_gd_records, noisy_gd_sparse, noisy_step against the twin."""
    assert_equals_twin(problem(loss, as_sparse=as_sparse, radius=radius))


@pytest.mark.kernel
@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 4), (66, 2), (3, 9)])
def test_every_remainder_of_the_tiles(n, d):
    for loss in (losses.squared(), losses.logistic()):
        assert_equals_twin(problem(loss, n=n, d=d), mechanism(steps=3), trials=2)
    for loss in LOSSES:  # and one trial alone, as of the JL method
        p, m = problem(loss, n=n, d=d), mechanism(steps=3)
        found = m.block(p, 1, np.random.default_rng(3))
        assert np.allclose(found, twin_outputs(m, p, 1, 3, width=1), rtol=1e-12, atol=1e-13)


@pytest.mark.kernel
@pytest.mark.parametrize("steps", [1, 2])
def test_few_steps(steps):
    p = problem(losses.logistic())
    assert_equals_twin(p, mechanism(steps=steps))
    if steps == 1:
        assert not mechanism(steps=1)(p, 3, np.random.default_rng(0)).any()


@pytest.mark.kernel
def test_calls_are_cut_without_a_trace(monkeypatch):
    """Chunks of one step give the bits of one long call."""
    for loss, as_sparse in ((losses.squared(), False), (losses.huber(0.3), False), (losses.huber(0.3), True)):
        p = problem(loss, as_sparse=as_sparse)
        whole = mechanism()(p, 70, np.random.default_rng(1))
        monkeypatch.setattr("dpbench.papers.glm.algorithms.noisy_gd._WORK_PER_CALL", 1.0)
        assert np.array_equal(whole, mechanism()(p, 70, np.random.default_rng(1)))
        monkeypatch.undo()


@each
@pytest.mark.kernel
def test_without_noise_one_run_is_every_run(loss):
    assert_equals_twin(problem(loss), mechanism(noise_scale=0.0), trials=9)


# Planted errors: each must fail the comparison with the twin.
PLANTED = [
    ("noisy_step", "total[j, k] += w[j, k]", "total[j, k] += 0.999 * w[j, k]", "logistic"),
    ("noisy_gd_axes", "- pull[j]", "- 0.5 * pull[j]", "half-squared"),
    ("noisy_gd_records", "gradient[:] = 0.0", "gradient[:] *= 0.01", "logistic"),
    ("noisy_gd_sparse", "range(n)", "range(n - 1)", "capped-linear"),
    ("add_product", "range(whole_rows, rows)", "range(whole_rows, rows - 1)", "logistic"),
    ("to_derivatives", "share * loss", "1.001 * share * loss", "huber"),
]


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "old", "new", "loss"), PLANTED, ids=[f"{k}-{i}" for i, (k, *_) in enumerate(PLANTED)])
def test_planted_kernel_error_is_caught(name, old, new, loss, monkeypatch):
    p = problem(next(x for x in LOSSES if x.name == loss), n=6, d=5, as_sparse=name == "noisy_gd_sparse")
    check = partial(assert_equals_twin, p, mechanism(steps=4), trials=2)
    for other in {name for name, *_ in PLANTED}:
        monkeypatch.setattr(kernels, other, getattr(kernels, other).py_func)
    check()  # the sources as they stand, run by the interpreter, agree with the twin
    home = _loss_tiles if name == "to_derivatives" else kernels
    monkeypatch.setattr(kernels, name, wrong(home, name, old, new))
    with pytest.raises(AssertionError):
        check()
