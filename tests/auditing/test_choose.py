"""Scores of an audit's choice: penalised splines, solved as bands, against dense matrices; linear maps."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from dpbench.auditing.certify import Approximate, Gaussian, ZeroConcentrated
from dpbench.auditing.choose import Linear, _edges, _parities, _smooth, _thresholds, _values, choose, moved, smooth
from dpbench.bounds import joint_region


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


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.2), (0.97, 0.95), (0.999, 0.9), (0.01, 1e-4)])
def test_a_promise_moves_both_probabilities_along_their_arcs(p, q):
    """Of the loss log(p/q), whose slope by the arc a = 2 arcsin √p is √(1/p − 1)."""
    arcs, slopes = (
        [function(x) for x in (p, q)]
        for function in (lambda x: 2.0 * np.arcsin(np.sqrt(x)), lambda x: np.sqrt(1 / x - 1))
    )
    for by in (0.0, 0.01, 0.1):
        steps = by * np.array(slopes) / np.hypot(*slopes)
        less, more = (np.sin((arc + step) / 2.0) ** 2 for arc, step in zip(arcs, steps * [-1.0, 1.0], strict=True))
        found = moved(lambda p, q: np.log(p / q), np.array([p]), np.array([q]), np.array([by]))
        assert found == pytest.approx([np.log(less / more)], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("claim", [Approximate(0.0, 0.0), Approximate(0.5, 0.05), Gaussian(0.5), ZeroConcentrated(0.1)])
def test_a_promise_is_what_the_expected_counts_certify(claim):
    """Of Laplace noise, within 8%; and the event is likelier on the side that it says."""
    runs, alpha, rng = 80_000, 0.05, np.random.default_rng(11)
    one, other = rng.laplace(size=20_000), 1.0 + rng.laplace(size=20_000)
    event = choose(one, other, runs, claim, alpha)[0]
    counts = [round(runs * float(event(side).mean())) for side in (one, other)]
    likelier, rarer = counts if event.forward else counts[::-1]
    region = joint_region((likelier, rarer), (runs, runs), alpha, event.angle)
    assert likelier > rarer and event.promise == pytest.approx(claim.read(region)[0], rel=0.08)


def test_cuts_are_of_few_values_all_and_of_many_geometric_in_rank_with_atoms_apart():
    rng = np.random.default_rng(5)
    assert _edges(np.array([1.0, 1.0, 2.0, 5.0]), 10, 3).tolist() == [2.0, 5.0]
    pool = np.sort(np.concatenate([rng.random(1_000), np.full(100, 0.5)]))
    cuts = _edges(pool, 10, 3)
    assert (np.diff(cuts) > 0.0).all() and 18 <= len(cuts) <= 23
    assert {0.5, pool[pool > 0.5][0]} <= set(cuts.tolist())
    ranks = np.searchsorted(pool, cuts)
    assert ranks[0] == 3 and len(pool) - 1 - ranks[-1] == 3 and (ranks[1:5] / ranks[:4] > 1.3).all()
    assert np.isnan(_edges(np.append(pool, [np.nan] * 5), 10, 3)[-1])


def test_tails_of_a_score_are_counted_and_smoothed_with_their_deviation():
    """The deviation by differences of the smoothed tails in the log-ratios, whose covariance is the fit's."""
    rng = np.random.default_rng(7)
    one, other = (rng.binomial(9, chance, 500).astype(float) for chance in (0.4, 0.5))
    found = _thresholds(one, other)
    values = np.unique([one, other])
    counts = np.array([[np.count_nonzero(side == value) for value in values] for side in (one, other)], dtype=float)
    fit, mass = smooth(counts[:1], counts[1:]), counts.sum(axis=0)

    def tails(log_ratios):
        shares = mass * expit(np.stack([log_ratios, -log_ratios])) / 500.0
        return np.stack([shares[:, k:].sum(axis=1) for k in range(1, len(values))], axis=1)

    step = 1e-5 * np.eye(len(values))
    slopes = np.stack([(tails(fit.log_ratios[0] + s) - tails(fit.log_ratios[0] - s))[0] for s in step]) / 2e-5
    assert found.values.tolist() == values[1:].tolist() and found.rows == 500
    assert found.raw == pytest.approx(np.array([[np.mean(x >= v) for v in values[1:]] for x in (one, other)]))
    assert found.fitted == pytest.approx(tails(fit.log_ratios[0]))
    assert found.deviation == pytest.approx(np.sqrt(np.einsum("ik,ij,jk->k", slopes, fit.covariance, slopes)), rel=1e-4)


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
