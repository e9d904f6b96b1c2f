"""Scores of an audit's choice: penalised splines, solved as bands, against dense matrices; linear maps."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from dpbench.auditing.choose import Linear, _parities, _smooth, _values


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


def test_the_score_of_a_value_is_its_log_ratio_drawn_to_0_by_one_standard_error():
    """Of a value that is seen five times or more; all others together have one."""
    rng = np.random.default_rng(0)
    sides = [rng.choice([1.0, 2.0, 3.0, 4.0], 400, p=p) for p in ([0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.6, 0.1])]
    for side, first in zip(sides, (100.0, 200.0), strict=True):
        side[:30] = first + np.arange(30)
    score = _values(*sides)

    def log_ratio(here):
        x, y = (np.count_nonzero(here(side)) + 0.5 for side in sides)
        return np.sign(x - y) * max(abs(np.log(x / y)) - np.sqrt(1.0 / x + 1.0 / y), 0.0)

    for value in (1.0, 2.0, 3.0, 4.0):
        assert score(np.array([value]))[0] == pytest.approx(log_ratio(lambda side, value=value: side == value))
    assert score(np.array([100.0, 9.0, -7.0])) == pytest.approx([log_ratio(lambda side: side > 4.0)] * 3)


@pytest.mark.parametrize(("bits", "among"), [(3, 3), (4, 4), (5, 9), (7, 7)])
def test_the_set_whose_parity_differs_most_is_found(bits, among):
    """Coins, of which the first have an even parity on one side and an odd one on the other, nine times in ten."""
    sides = np.random.default_rng(bits).random((2, 2_000, among)) < 0.5
    for odd, side in enumerate(sides):
        wrong = side[:, :bits].sum(axis=1) % 2 != odd
        side[:, 0] ^= wrong & (np.arange(2_000) % 5 > 0)
    found = _parities(*sides.astype(float), np.arange(among))
    assert found.sets[0] == tuple(range(bits))
    assert found(sides[1][:9].astype(float))[:, 0].tolist() == (sides[1][:9, :bits].sum(axis=1) % 2).tolist()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_no_finite_number_counts_as_the_middle_of_its_column(value):
    linear = Linear("", np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.array([[1.0], [3.0]]))
    assert linear(np.array([[value, 6.0], [1.0, 6.0], [3.0, value]])).ravel().tolist() == [3.0, 3.0, 1.0]
