"""Sums in integers against slow twins: of ψ and of clipped losses."""

import math

import numpy as np
import pytest
from naive import heavytail as naive
from naive import losses as naive_losses
from naive.selection import integer_losses

from dpbench import InvalidInput
from dpbench.papers.glm.algorithms import scoring
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms import exact_weights
from dpbench.papers.heavytail.algorithms._exact_kernels import exponent_sums
from dpbench.papers.heavytail.problem import HeavyTailedProblem

pytestmark = pytest.mark.kernel
IOTA = 0.31
THETAS = (2.0, 1.75, 1.5, 1.25, 1.6)


def records(n, theta, seed=2):
    """Multiples of 1/64, so that residuals are exact; some beyond the reach of ι."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-200, 201, (n, 2)) / 64.0, rng.integers(-300, 301, n) / 64.0
    return HeavyTailedProblem(X, y, radius=1.0, theta=theta)


POINTS = np.array([[0.0, 0.0], [0.5, -0.25], [-1.0, 0.0], [0.25, 0.75]])


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("n", [1, 67])
def test_sums_of_psi_against_the_slow_twin(n, theta):
    """Equal as integers. Planted: ι off by 1e-4, a record left out, the clamp a step lower."""
    p, made = records(n, theta), exact_weights.steps(theta, 0.5)
    found = exact_weights.integer_exponents(made, p, POINTS, IOTA).tolist()

    def twin(X, y, iota, largest):
        return naive.exponents(X.tolist(), y.tolist(), POINTS.tolist(), iota, theta, made.inverse, largest)

    assert found == twin(p.X, p.y, IOTA, made.largest)
    assert found != twin(p.X, p.y, 1.0001 * IOTA, made.largest)
    if n > 1:
        assert found != twin(p.X[1:], p.y[1:], IOTA, made.largest)
        assert found != twin(p.X, p.y, IOTA, made.largest // 2)


def test_what_is_no_number_counts_the_most():
    out, made = np.empty(1, dtype=np.int64), exact_weights.steps(1.5, 0.5)
    for y in (math.nan, math.inf, -1e300, 4.0):
        given = np.array([[1.0]]), np.array([y]), np.zeros((1, 1))
        exponent_sums(*given, IOTA, 1.5, 6, made.inverse, made.largest, out)
        assert out[0] == made.largest
    exponent_sums(np.array([[1.0]]), np.zeros(1), np.zeros((1, 1)), IOTA, 1.5, 6, made.inverse, made.largest, out)
    assert out[0] == 0


def test_sums_that_would_not_fit_are_refused():
    made = exact_weights.steps(2.0, 2.0**26)
    with pytest.raises(InvalidInput, match=r"^epsilon must be smaller for so many records"):
        exact_weights.integer_exponents(made, records(2**62 // made.largest + 1, 2.0), POINTS, IOTA)


@pytest.mark.parametrize("theta", [2.0, 1.75, 1.5, 1.25])
def test_a_part_depends_on_its_record_alone(theta):
    """A record's steps are the same wherever it stands: one more record adds its own, to the last step."""
    rng = np.random.default_rng(6)
    X, y = rng.standard_t(1.6, (300, 3)), rng.standard_t(1.6, 300)
    points, made = rng.uniform(-1.0, 1.0, (5, 3)), exact_weights.steps(theta, 0.5)

    def total(rows):
        out = np.empty(5, dtype=np.int64)
        given = np.ascontiguousarray(X[rows].T), y[rows], points
        exponent_sums(*given, IOTA, theta, int(4 * theta), made.inverse, made.largest, out)
        return out

    alone = np.array([total([i]) for i in range(300)])
    assert np.array_equal(total(slice(None)), alone.sum(axis=0))
    for first in (1, 17, 64, 299):
        assert np.array_equal(total(slice(first, None)), alone[first:].sum(axis=0))


@pytest.mark.parametrize("loss", ["squared", "half-squared", "logistic", "huber", "absolute", "linear"])
def test_sums_of_losses_against_the_slow_twin(loss):
    """Features in multiples of 1/64; models inside and far outside the ball. Planted: a coarser grid, no clamp."""
    rng = np.random.default_rng(4)
    X, y = rng.integers(-30, 31, (90, 2)) / 64.0, rng.choice([-1.0, 1.0], 90)
    p = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=2.0)
    grid = scoring.loss_grid(p, 2.0)
    w = np.array([[0.25, -0.5], [2.0, 0.0], [-64.0, 1024.0], [1e200, 1e200]])
    with np.errstate(over="ignore", invalid="ignore"):
        found = scoring.integer_risk(p, w, grid).tolist()

    def value(z, label):
        return float(naive_losses.value(p.loss.name, p.loss.parameter, z, label))

    records = X.tolist(), y.tolist()

    def twin(spacing, width):
        return [integer_losses(value, *records, row, spacing, grid.least, width) for row in w[:3].tolist()]

    assert found[:3] == twin(grid.spacing, grid.width)
    assert found[:3] != twin(1.001 * grid.spacing, grid.width)
    assert found[:3] != twin(grid.spacing, 10**9)
    assert all(0 <= total <= 90 * grid.width for total in found)
