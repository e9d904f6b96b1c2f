"""The bound on a mean by betting: against its own definition, valid for four laws, and nearly as sharp as it can be."""

import math

import numpy as np
import pytest
from naive import bounds as twin
from scipy.stats import binom

from dpbench.bounds import upper_mean


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_it_is_the_least_mean_whose_wealth_reaches_one_over_alpha(alpha):
    """Against the definition, a bet at a time; planted: bets that know the value that they are made on."""
    values = 3.0 * np.random.default_rng(8).beta(2.0, 5.0, 300)
    slow = twin.upper_mean(values.tolist(), 3.0, alpha)
    assert upper_mean(values, 3.0, alpha) == pytest.approx(slow, rel=1e-9)
    assert values.mean() < slow < 3.0
    assert twin.upper_mean(values.tolist(), 3.0, alpha, ahead=1) != pytest.approx(slow, rel=1e-6)


@pytest.mark.slow
def test_the_bound_is_valid_and_sharp():
    """Null: the mean is at or below the bound with probability 0.9 at least, for four laws, 2,000 bounds each.

    Rejected at binomial level 1e-6; a bound that used the two-sided half of the level is not seen, one that forgot the
    spread (the sample mean) is. Sharp: within 1.6 of the normal approximation's width.
    """
    rng = np.random.default_rng(0)
    most = binom.isf(1e-6, 2000, 0.1)
    for draw, mean, scale in (
        (lambda: rng.random(200), 0.5, 1.0),
        (lambda: 3.0 * (rng.random(200) < 0.02), 0.06, 3.0),
        (lambda: rng.beta(0.1, 0.3, 200), 0.25, 1.0),
        (lambda: np.full(200, 0.3), 0.3, 1.0),
    ):
        samples = [np.asarray(draw()) for _ in range(2000)]
        found = [upper_mean(x, scale, 0.1) for x in samples]
        assert sum(b < mean for b in found) <= most
    assert sum(float(np.mean(x)) < 0.5 for x in (rng.random(200) for _ in range(2000))) > most
    x = rng.random(20_000)
    assert upper_mean(x, 1.0, 1e-3) - x.mean() < 1.6 * 3.09 * x.std() / math.sqrt(20_000)
    assert upper_mean(np.zeros(1000), 2.0, 1e-3) < 2.0 * 8.0 / 1000
    assert upper_mean(np.ones(5), 1.0, 1e-3) == 1.0
