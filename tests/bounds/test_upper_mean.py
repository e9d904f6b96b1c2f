"""The bound on a mean by betting, against its own definition."""

import numpy as np
import pytest
from naive import bounds as twin

from dpbench.bounds import upper_mean


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_it_is_the_least_mean_whose_wealth_reaches_one_over_alpha(alpha):
    """Against the definition, a bet at a time; planted: bets that know the value that they are made on."""
    values = 3.0 * np.random.default_rng(8).beta(2.0, 5.0, 300)
    slow = twin.upper_mean(values.tolist(), 3.0, alpha)
    assert upper_mean(values, 3.0, alpha) == pytest.approx(slow, rel=1e-9)
    assert values.mean() < slow < 3.0
    assert twin.upper_mean(values.tolist(), 3.0, alpha, ahead=1) != pytest.approx(slow, rel=1e-6)


def test_its_ends():
    assert upper_mean(np.zeros(1000), 2.0, 1e-3) < 2.0 * 8.0 / 1000
    assert upper_mean(np.ones(5), 1.0, 1e-3) == 1.0
