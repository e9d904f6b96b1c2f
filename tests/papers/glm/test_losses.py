"""Losses: values and derivatives against 200-digit arithmetic, and the constants the theorems rest on."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf
from naive import losses as naive
from planted import wrong

from dpbench.convex import loss_kernels
from dpbench.convex.loss_kernels import exponential, falling_logistic, log_one_plus_exp
from dpbench.core import validation
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms import _loss_tiles
from dpbench.papers.glm.algorithms._loss_tiles import logistic_derivative, to_derivatives, to_mean_derivatives
from dpbench.papers.glm.loss_constants import GENERIC

ALL = [
    *(make() for make in losses.BY_NAME.values()),
    losses.huber(0.4),
    losses.huber(3.0),
    losses.capped_linear(0.7),
    losses.capped_linear(0.0),
]
each = pytest.mark.parametrize("loss", ALL, ids=lambda loss: f"{loss.name}-{loss.parameter:g}")


def pairs(loss, count=400, seed=1):
    """Predictions on several scales, corners and zeros among them, and labels that the loss takes."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(count) * 10.0 ** rng.uniform(-3, 2, count)
    y = rng.standard_normal(count)
    special = np.array([0.0, -0.0, 0.7, -0.7, 1.0, -1.0, 0.4, -0.4])
    z[: special.size], y[: special.size] = special, special[::-1]
    z[8:12], y[8:12] = y[12:16], y[12:16]  # no residual
    return z, np.where(y >= 0.0, 1.0, -1.0) if loss.binary else y


def relative_error(got, want, scale):
    """Largest |got − want| in units of |want| + scale, in 50 digits."""
    with mp.workdps(50):
        return max(
            (float(abs(mpf(float(g)) - w) / (abs(w) + float(s))) for g, w, s in zip(got, want, scale, strict=True)),
        )


@each
@pytest.mark.kernel
def test_value_and_derivative_match_the_definition(loss):
    """map_loss, and through it loss_value and loss_derivative."""
    z, y = pairs(loss)
    scale = 1e-3 * (np.abs(z) + np.abs(y)) ** 2 if not loss.binary else np.zeros(z.size)
    values = [naive.value(loss.name, loss.parameter, *pair) for pair in zip(z, y, strict=True)]
    slopes = [naive.derivative(loss.name, loss.parameter, *pair) for pair in zip(z, y, strict=True)]
    # where φ is a difference, cancellation costs digits of φ but not of the residuals: hence the scale
    assert relative_error(loss.value(z, y), values, scale + 1e-300) < 1e-12
    assert relative_error(loss.derivative(z, y), slopes, np.full(z.size, 1e-300)) < 1e-14


@pytest.mark.kernel
def test_falling_logistic_everywhere():
    rng = np.random.default_rng(2)
    m = np.concatenate([rng.uniform(-800.0, 708.0, 1500), rng.standard_normal(1500), np.linspace(-1, 1, 201)])
    halves = (np.arange(-1022, 1022) + 0.5) * np.log(2.0)  # ends of the interval of the polynomial
    m = np.concatenate([m, halves[np.abs(halves) < 708.0], [708.0, -708.0, 0.0, -0.0, 5e-324, -1e308]])
    got = np.array([falling_logistic(float(v)) for v in m])
    with mp.workdps(50):
        want = [1 / (1 + mp.exp(mpf(float(v)))) for v in m]
        worst = max(float(abs(mpf(float(g)) - w) / w) for g, w in zip(got, want, strict=True))
    assert worst < 1e-15
    assert all(0.0 <= falling_logistic(v) < 1e-307 for v in (708.5, 745.0, 1e308, np.inf))
    assert falling_logistic(-np.inf) == 1.0
    assert np.isnan(falling_logistic(np.nan))


@pytest.mark.kernel
def test_exponential_and_log_one_plus_exp_everywhere():
    rng = np.random.default_rng(5)
    m = np.concatenate([rng.uniform(-708.0, 708.0, 1000), rng.standard_normal(1000), np.linspace(-1, 1, 201)])
    m = np.concatenate([m, np.log(np.sqrt(2.0) - 1.0) * np.array([1.0, 1.0 - 1e-15, 1.0 + 1e-15, -1.0]), [0.0, -0.0]])
    powers = relative_error([exponential(v) for v in m], [naive.exponential(float(v)) for v in m], np.zeros(m.size))
    m = m[m > -300.0]  # in 200 digits 1 + e^m is not 1
    logs = relative_error(
        [log_one_plus_exp(v) for v in m], [naive.value("logistic", 0.0, -float(v), 1.0) for v in m], np.zeros(m.size)
    )
    assert powers < 5e-16 and logs < 1e-15
    assert 0.0 < log_one_plus_exp(-1e308) < 1e-307 and log_one_plus_exp(1e308) == 1e308
    assert log_one_plus_exp(np.inf) == np.inf and np.isnan(log_one_plus_exp(np.nan)) and np.isnan(exponential(np.nan))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("kernel", "old", "new", "m"),
    [
        ("exponential", "1.0 / 5040.0", "1.0 / 5041.0", 0.3),
        ("log_one_plus_exp", "0.41421356237309503", "1.0", -0.1),
    ],
)
def test_a_wrong_coefficient_is_caught(kernel, old, new, m):
    """Planted: wrong coefficients, and a series that is taken beyond where it is short enough."""
    made, twin = wrong(loss_kernels, kernel, old, new), naive.exponential
    want = twin(m) if kernel == "exponential" else naive.value("logistic", 0.0, -m, 1.0)
    assert relative_error(np.array([made(m)]), [want], np.zeros(1)) > 2e-15


@pytest.mark.kernel
@pytest.mark.parametrize("loss", [losses.logistic(), losses.huber(0.4)], ids=lambda loss: loss.name)
def test_a_wrong_count_of_records_is_caught(loss):
    """Planted: the mean over n + 1 records in place of n."""
    mean = wrong(_loss_tiles, "to_mean_derivatives", "/ n\n", "/ (n + 1)\n")
    z, y = pairs(loss, count=20)
    column = z.copy()
    mean(loss.code, loss.parameter, y, column)
    assert not np.allclose(20.0 * column, loss.derivative(z, y), rtol=1e-2, atol=0.0)


@pytest.mark.kernel
def test_the_logistic_derivative_alone():
    """Planted beside it: the other label."""
    z, y = pairs(losses.logistic(), count=50)
    want = [float(naive.derivative("logistic", 0.0, a, b)) for a, b in zip(z, y, strict=True)]
    assert np.allclose([logistic_derivative(a, b) for a, b in zip(z, y, strict=True)], want, rtol=1e-14, atol=0.0)
    turned = wrong(_loss_tiles, "logistic_derivative", "0.0, z, y)", "0.0, z, -y)")
    assert not np.allclose([turned(a, b) for a, b in zip(z, y, strict=True)], want, rtol=1e-2, atol=0.0)


@each
@pytest.mark.kernel
def test_tiles_of_derivatives(loss):
    z, y = pairs(loss, count=7 * 16)
    tile, labels = z.reshape(7, 16).copy(), y[:7].copy()
    want = [[0.25 * float(naive.derivative(loss.name, loss.parameter, a, b)) for a in row]
            for row, b in zip(tile, labels, strict=True)]  # fmt: skip
    to_derivatives(loss.code, loss.parameter, labels, 0.25, tile)
    assert np.allclose(tile, want, rtol=1e-14, atol=0.0)
    column = z[:7].copy()
    to_mean_derivatives(loss.code, loss.parameter, labels, column)
    slopes = [float(naive.derivative(loss.name, loss.parameter, *pair)) for pair in zip(z, labels, strict=False)]
    assert np.allclose(7.0 * column, slopes, rtol=1e-14, atol=0.0)


@each
def test_convex_smooth_lipschitz_nonnegative(loss):
    z, y = pairs(loss, count=3000, seed=4)
    rng = np.random.default_rng(5)
    other = z + rng.standard_normal(z.size) * 10.0 ** rng.uniform(-3, 1, z.size)
    slope, slope_other = loss.derivative(z, y), loss.derivative(other, y)
    value, value_other = loss.value(z, y), loss.value(other, y)
    slack = 1e-12 * (1.0 + np.abs(value) + np.abs(value_other) + np.abs(slope * (other - z)))
    assert np.all(value_other >= value + slope * (other - z) - slack)
    assert np.all((slope_other - slope) * (other - z) >= -slack)
    if np.isfinite(loss.smoothness):
        steepest = np.abs(slope_other - slope) / np.abs(other - z)
        assert steepest.max() <= loss.smoothness * (1.0 + 1e-9)
        probe = loss.derivative(np.array([1e-4, -1e-4]), np.full(2, 1.0))
        if loss.binary:  # H is attained at 0
            assert (probe[0] - probe[1]) / 2e-4 == pytest.approx(loss.smoothness, rel=1e-6)
        elif loss.sharper is GENERIC and not loss.affine:  # H need not be attained at a residual of this sample
            assert steepest.max() >= 0.5 * loss.smoothness
        elif loss.smoothness > 0.0:
            assert steepest.max() == pytest.approx(loss.smoothness, rel=1e-6)
    else:
        assert np.abs(np.diff(loss.derivative(np.array([-1e-9, 1e-9]), np.zeros(2))))[0] > 1.0
    if np.isfinite(loss.lipschitz):
        assert np.abs(slope).max() <= loss.lipschitz
        assert np.abs(slope).max() == pytest.approx(loss.lipschitz, rel=1e-6)
    if loss.nonnegative:
        assert value.min() >= 0.0
    else:
        assert value.min() < 0.0


@each
def test_bounds_hold_and_are_attained(loss):
    """Of slopes and of values; those that any loss has hold, and its slopes are within a factor of ten."""
    sizes = (0.3, 1.0), (2.0, 1.0), (5.0, 1.5), (1.0, 4.0)
    for (z_bound, y_bound), made in product(sizes, (loss, replace(loss, sharper=GENERIC))):
        labels = np.array([-1.0, 1.0]) if loss.binary else np.linspace(-y_bound, y_bound, 401)
        z, y = np.meshgrid(np.linspace(-z_bound, z_bound, 401), labels)
        steepest, bound = float(np.abs(made.derivative(z, y)).max()), made.derivative_bound(z_bound, y_bound)
        values, (low, high, width) = made.value(z, y), made.span(z_bound, y_bound)
        attained = values.min(), values.max(), np.ptp(values)
        assert steepest <= bound * (1.0 + 1e-12)
        assert low <= attained[0] + 1e-12
        assert attained[1] <= high * (1.0 + 1e-12) and attained[2] <= width * (1.0 + 1e-12)
        if made.sharper is GENERIC and not loss.affine:
            assert steepest >= 0.1 * bound
            continue
        # capped-linear only tends to its bound as y goes to 0, where the sign of y jumps
        assert steepest == pytest.approx(bound, rel=0.02)
        assert (low, high, width) == pytest.approx(attained, rel=1e-12, abs=1e-12)
        at_zero = float(np.abs(loss.value(np.zeros(labels.size), labels)).max())
        assert at_zero == pytest.approx(loss.at_zero(y_bound), rel=1e-12)
        if loss.smooth_nonnegative:
            assert high <= (math.sqrt(at_zero) + math.sqrt(0.5 * loss.smoothness) * z_bound) ** 2 * (1.0 + 1e-12)


def test_shapes_broadcast():
    z = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(losses.squared().value(z, np.array([1.0, 2.0])), (z - np.array([1.0, 2.0])) ** 2)
    assert losses.squared().derivative(np.float64(3.0), np.float64(1.0)).shape == ()


def test_labels_and_names_are_checked():
    with pytest.raises(validation.InvalidInput, match=r"y must be -1 or \+1 everywhere.*, got 0\.0$"):
        losses.logistic().check_labels(np.array([1.0, 0.0, -1.0, 2.0]))
    with pytest.raises(validation.InvalidInput, match="did you mean squared"):
        losses.resolve("sqared")
    for bad in (0.0, -1.0, np.nan, "1"):
        with pytest.raises(validation.InvalidInput, match="kappa must be"):
            losses.huber(bad)
    with pytest.raises(validation.InvalidInput, match="end must be"):
        losses.capped_linear(-0.1)
    assert losses.huber(validation.LEAST_SIZE).lipschitz == validation.LEAST_SIZE
    assert {losses.resolve(name).name for name in losses.BY_NAME} == set(losses.BY_NAME)
