"""Scores of canaries: the log-likelihood ratio of Poisson sampling, and what it adds to a plain sum."""

import numpy as np
import pytest
from scipy.stats import norm

from dpbench import audit_one_run_scores
from dpbench.scores import poisson_gaussian


@pytest.mark.parametrize(("q", "sigma"), [(0.05, 0.6), (0.5, 2.0), (1.0, 1.0)])
def test_it_is_the_ratio_of_the_two_laws(q, sigma):
    x = np.random.default_rng(0).normal(scale=2.0, size=(50, 7))
    out, moved = norm.pdf(x, scale=sigma), norm.pdf(x, loc=1.0, scale=sigma)
    expected = np.log((1.0 - q) + q * moved / out).sum(axis=1)
    assert poisson_gaussian(x, q, sigma) == pytest.approx(expected, abs=1e-9)
    assert sum(poisson_gaussian(x[:, t], q, sigma) for t in range(7)) == pytest.approx(expected, abs=1e-9)
    assert np.isfinite(poisson_gaussian([1e5, -1e5], q, 1e-3)).all()


def test_it_shows_more_than_the_sum_over_steps():
    """A tenth of the steps: where the sum shows ε ≥ 0.7 in the mean of these runs, it shows at least 1.2 times that."""
    bounds = {"sum": [], "score": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        included = rng.random(1_000) < 0.5
        seen = (included[:, None] & (rng.random((1_000, 60)) < 0.1)) + rng.normal(size=(1_000, 60))
        for name, scores in (("sum", seen.sum(axis=1)), ("score", poisson_gaussian(seen, 0.1, 1.0))):
            found = audit_one_run_scores(included, scores, direction="high")
            bounds[name].append(found.epsilon_lower)
    assert np.mean(bounds["score"]) > 1.2 * np.mean(bounds["sum"]) > 0.5
