"""Scores of an audit's choice: penalised splines, solved as bands, against dense matrices; linear maps."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from dpbench.auditing.choose import Linear, _smooth


def roughness(total):
    """The matrix of the integral of the squared second derivative, in the normal score of the middle rank."""
    rank = (np.cumsum(total) - 0.5 * total + 0.25) / (total.sum() + 0.5)
    steps, m = np.maximum(np.diff(norm.ppf(rank)), 0.02), total.size
    made = np.zeros((m, m))
    for i in range(1, m - 1):
        second = np.zeros(m)
        second[i + 1], second[i - 1] = 1.0 / steps[i], 1.0 / steps[i - 1]
        second[i] = -second.sum()
        made += np.outer(second, second) * 2.0 / (steps[i - 1] + steps[i])
    return made


@pytest.mark.parametrize("cells", [1, 2, 3, 9])
def test_each_fit_is_stationary_and_has_the_freedom_of_its_matrix(cells):
    """A Newton step in dense matrices moves nothing: 1e-4 of a log-ratio would be seen."""
    weights, rng = np.array([10.0, 0.1]), np.random.default_rng(cells)
    first, second = (rng.integers(5, 400, (3, cells)).astype(float) for _ in range(2))
    for weight, found in zip(weights, _smooth(first, second, weights), strict=True):
        for a, b, fit, freedom, gain in zip(first, second, found.log_ratios, found.freedom, found.gain, strict=True):
            total, chance = a + b, expit(fit)
            work = np.diag(total * chance * (1.0 - chance))
            hessian = work + weight * roughness(total)
            move = np.linalg.solve(hessian, a - total * chance - weight * roughness(total) @ fit)
            assert np.abs(move).max() < 1e-4
            assert freedom == pytest.approx(np.trace(np.linalg.solve(hessian, work)), rel=1e-3)
            likelihood = (a * np.log(chance) + b * np.log(1.0 - chance) + total * np.log(2.0)).sum()
            assert gain == pytest.approx(likelihood, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_no_finite_number_counts_as_the_middle_of_its_column(value):
    linear = Linear("", np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.array([[1.0], [3.0]]))
    assert linear(np.array([[value, 6.0], [1.0, 6.0], [3.0, value]])).ravel().tolist() == [3.0, 3.0, 1.0]
