"""The laws near the bound on which upper rates are run: their excess, and what is lost on them, by hand."""

import math

import numpy as np
import pytest

from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.theorems.hidden import HiddenLaw
from dpbench.papers.publicdata.theorems.theorems2_6 import TABLE
from dpbench.papers.publicdata.theorems.theorems3_7 import leaning, shifted


@pytest.mark.parametrize("moment", ["norm", "coordinate"])
@pytest.mark.parametrize("theta", [2.0, 1.25])
def test_the_hidden_law_is_of_the_order_of_the_bound(theta, moment):
    """Its excess, written out; moments at most what is assumed; zero loses a constant share of the bound at every n."""
    shares = []
    for n in (1000, 100_000, 10_000_000):
        law = HiddenLaw(n, 3, 1.0, 0.05, theta, moment)
        chance, size, common = law.law
        u = law.minimiser
        assert np.linalg.norm(u) == pytest.approx(1.0)
        points = np.array([[0.0, 0.0, 0.0], u, -u, [0.3, -0.2, 0.4]])

        def risk(w, c=chance, s=size, a=common, u=u):
            return c * abs(s * (u @ w) - s) + (1.0 - c) * abs(a * (u @ w))

        assert law.excess_risk(points) == pytest.approx([risk(w) - risk(u) for w in points], abs=1e-12)
        reached = chance * size**theta + (1.0 - chance) * common**theta  # E|<x, u>|^theta
        of_coordinate = reached * float(np.abs(u).max()) ** theta
        assert (reached if moment == "norm" else of_coordinate) <= 1.0 + 1e-12
        iota = theory.truncation(n, 3, 1.0, 0.05, theta=theta, tau=1.0, moment=moment, diameter=2.0)
        assert size * iota == pytest.approx(4.0)
        bound = theory.rate(n, 3, 1.0, 0.05, theta=theta, tau=1.0, moment=moment, diameter=2.0)
        shares.append(float(law.excess_risk(points[:1])[0]) / bound)
    assert max(shares) < 1.6 * min(shares) and min(shares) > 0.01


def test_the_hidden_law_draws_what_it_says():
    """Null: a binomial number of rare records; 6 standard deviations fail with probability 2e-9."""
    law = HiddenLaw(1000, 2, 1.0, 0.05)
    chance, size, common = law.law
    problem = law.draw(1_000_000, np.random.default_rng(1))
    rare = problem.y > 0.0
    assert abs(rare.sum() - 1e6 * chance) < 6.0 * math.sqrt(1e6 * chance)
    np.testing.assert_array_equal(problem.X[rare], np.tile([size, 0.0], (int(rare.sum()), 1)))
    np.testing.assert_array_equal(problem.X[~rare][:10], np.tile([common, 0.0], (10, 1)))


@pytest.mark.parametrize("eta", [0.02, 0.1])
def test_the_penalty_costs_a_share_of_eta(eta):
    """The minimiser of risk plus η‖f‖²_μ, on a grid: halfway from 0 to the best, and what is lost there."""
    grid = np.linspace(-1.0, 1.0, 4001)
    population = shifted(eta)
    best = grid[np.argmin(-eta * grid + eta * grid**2)]  # (1 − h f)/2 at h = 2η
    assert best == pytest.approx(0.5, abs=1e-3)
    assert population.law[0] @ population.labels[0] == pytest.approx(2.0 * eta)
    hull = leaning(eta)
    mixtures = [(a, b, 1.0 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1, 101) if a + b <= 1.0]
    values = np.array(mixtures) @ TABLE
    risks = (hull.private[:, None] * hull.law * 0.5 * np.abs(values[:, :, None] - hull.labels)).sum(axis=(1, 2))
    penalty = eta * (values**2) @ hull.public
    at = int(np.argmin(risks + penalty))
    assert values[at][0] == pytest.approx(0.5, abs=0.03) and values[at][2] == 1.0
    assert risks[at] - risks.min() == pytest.approx(eta / 9.0, rel=0.1)
