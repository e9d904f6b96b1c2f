"""Scores of canaries: the log-likelihood ratio of Poisson sampling."""

import numpy as np
import pytest
from scipy.stats import norm

from dpbench.scores import poisson_gaussian


@pytest.mark.parametrize(("q", "sigma"), [(0.05, 0.6), (0.5, 2.0), (1.0, 1.0)])
def test_it_is_the_ratio_of_the_two_laws(q, sigma):
    x = np.random.default_rng(0).normal(scale=2.0, size=(50, 7))
    out, moved = norm.pdf(x, scale=sigma), norm.pdf(x, loc=1.0, scale=sigma)
    expected = np.log((1.0 - q) + q * moved / out).sum(axis=1)
    assert poisson_gaussian(x, q, sigma) == pytest.approx(expected, abs=1e-9)
    assert sum(poisson_gaussian(x[:, t], q, sigma) for t in range(7)) == pytest.approx(expected, abs=1e-9)
    assert np.isfinite(poisson_gaussian([1e5, -1e5], q, 1e-3)).all()
