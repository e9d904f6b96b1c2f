"""Populations: bounds, minimisers and excess risks against quadrature, enumeration and Monte Carlo."""

import math
from dataclasses import replace

import numpy as np
import pytest
from naive import populations as naive

from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm import losses
from dpbench.papers.glm.loss_constants import GENERIC
from dpbench.papers.glm.populations import ScaledBasis

BASIS_LOSSES = [
    losses.squared(),
    losses.half_squared(),
    losses.absolute(),
    losses.huber(0.4),
    losses.huber(5.0),
    losses.capped_linear(0.7),
]


def basis(loss, y_bound=1.5):
    return ScaledBasis(loss, [0.3, 0.0, 0.25, 0.2], [0.5, 0.3, -0.8, 0.0], x_bound=0.8, y_bound=y_bound, radius=9.0)


def every_population():
    yield from (basis(loss) for loss in BASIS_LOSSES)
    yield basis("logistic", 1.0)


@pytest.mark.parametrize("loss", [*BASIS_LOSSES, losses.logistic()], ids=lambda c: f"{c.name}-{c.parameter:g}")
def test_basis_excess_is_the_enumerated_one_and_its_minimiser_is_the_least(loss):
    population = basis(loss, 1.0 if loss.name == "logistic" else 1.5)

    def risk(w):
        return naive.basis_risk(
            loss.name, loss.parameter, population.masses, population.biases, 0.8, population.y_bound, w
        )

    star = population.minimiser
    outputs = stream("basis", loss).normal(size=(40, 4)) * 2.0
    expected = np.array([risk(w) - risk(star) for w in outputs])
    np.testing.assert_allclose(population.excess_risk(outputs), expected, rtol=1e-10, atol=1e-12)
    assert population.excess_risk(star[None, :])[0] == 0.0
    assert expected.min() >= 0.0
    for j in range(4):  # along a coordinate no point is better, and none of smaller modulus is as good
        w = np.tile(star, (2401, 1))
        w[:, j] = np.linspace(-6.0, 6.0, 2401)
        gain = population.excess_risk(w)
        assert gain.min() >= -1e-14
        assert ((gain > 1e-12) | (np.abs(w[:, j]) >= abs(star[j]) - 1e-6)).all() or population.masses[j] == 0.0
    assert star[1] == 0.0 and star[3] == 0.0
    any_loss = replace(population, loss=replace(population.loss, sharper=GENERIC))  # of which no formula is known
    np.testing.assert_allclose(any_loss.minimiser, star, rtol=1e-12)


def monte_carlo_gap(population, w, scale=1.0):
    """Studentised gap between the excess risk of w and the mean over 200,000 drawn records."""
    problem = population.draw(200_000, stream("monte-carlo", population.loss, type(population).__name__))
    star = population.minimiser
    y = problem.y
    paired = problem.loss.value(problem.X @ w, y) - problem.loss.value(problem.X @ star, y)
    mean, error = paired.mean(), paired.std() / math.sqrt(paired.size)
    return (scale * population.excess_risk(w[None, :])[0] - mean) / error


@pytest.mark.few(3)
@pytest.mark.parametrize("population", list(every_population()), ids=lambda p: f"{type(p).__name__}-{p.loss.name}")
def test_draws_follow_the_law_and_obey_the_bounds(population):
    """Null: the excess risk is the mean over drawn records. |z| < 5.5 fails falsely with probability 4e-8."""
    w = population.minimiser + np.array([0.8, -0.5, 0.6, 0.4])[: population.minimiser.size]
    assert abs(monte_carlo_gap(population, w)) < 5.5
    assert abs(monte_carlo_gap(population, w, 1.2)) > 5.5  # a 20% error in the excess risk is seen
    assert np.linalg.norm(population.minimiser) <= population.radius
    problem = population.draw(50, stream("bounds"))
    assert (problem.n, problem.d) == (50, population.minimiser.size)
    assert problem.x_bound == population.x_bound and problem.radius == population.radius


def test_draws_are_reproducible_and_sparse_where_large():
    population = ScaledBasis.even("squared", 16, 4, 0.5)
    first, again = (population.draw(300, stream("same")) for _ in range(2))
    assert first.digest == again.digest
    large = population.draw(2**17, stream("large"))
    assert large.sparse and large.n == 2**17
    share = large.moments[0].diagonal()
    np.testing.assert_allclose(share[:4], 0.125, atol=5.5 * math.sqrt(0.125 * 0.875 / 2**17))
    assert not share[4:].any()


def test_even_has_the_norm_it_declares():
    population = ScaledBasis.even("half-squared", 9, 4, 0.3, radius=0.7, x_bound=0.5, y_bound=2.0)
    assert np.linalg.norm(population.minimiser) == pytest.approx(0.7, rel=1e-14)
    zero = population.excess_risk(np.zeros((1, 9)))[0]
    assert zero == pytest.approx(0.5 * 0.3 / 4 * 0.25 * 0.49, rel=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ScaledBasis("linear", [0.5], [0.5]), "loss must be a loss that is bounded below"),
        (
            lambda: ScaledBasis("squared", [0.7, 0.7], [0.5, 0.5]),
            "masses must be numbers >= 0 with sum at most 1",
        ),
        (lambda: ScaledBasis("squared", [0.5], [1.5]), r"biases must be numbers in \[-1, 1\]"),
        (lambda: ScaledBasis("squared", [0.5], [0.5], radius=0.1), "radius must be at least the norm"),
        (lambda: ScaledBasis("logistic", [0.5], [1.0]), "biases must be in"),
        (
            lambda: ScaledBasis(replace(losses.logistic(), binary=False, sharper=GENERIC), [0.5], [1.0]),
            "loss must be one whose risk has a minimiser",
        ),
        (lambda: ScaledBasis.even("squared", 4, 1, 0.5, radius=2.0), "radius must be at most"),
    ],
)
def test_populations_that_break_their_bounds_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
