"""Small parts of what turns measurements into verdicts, beside their definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpbench.ledger import harness, second_route
from dpbench.ledger.samples import Samples, bounded


def test_the_bound_on_a_sampled_mean_is_the_end_of_students_interval():
    """Few draws, so that one degree of freedom more is seen."""
    values, level = np.array([0.1, 0.9, 0.4, 0.35]), 1e-3
    ((row,), _, _) = bounded([{"left": Samples(values), "right": 1.0}], level)
    end = stats.t.interval(1.0 - 2.0 * level, 3, values.mean(), stats.sem(values))[0]
    assert row["left"] == pytest.approx(float(end), rel=1e-9)


def test_the_level_is_shared_among_all_sampled_sides():
    rows = [{"left": Samples([0.1, 0.9, 0.4]), "right": Samples([1.0, 2.0], (0, 3))}, {"left": 1.0, "right": 2.0}]
    (alone, exact), _, drawn = bounded(rows, 0.1)
    many, _, all_drawn = bounded(rows * 3, 0.3)
    assert str(many) == str([alone, exact] * 3)
    assert (drawn, all_drawn) == (5, 15) and (exact["left"], exact["right"]) == (1.0, 2.0)


def test_equal_rationals_have_the_margin_nothing():
    third = Fraction(1, 3)
    made = harness.margins([{"left": third, "right": third}, {"left": third, "right": 2 * third}])
    assert made.column("margin") == [0.0, 0.5] and made.margin == 0.0 and made.undecided == 0


@pytest.mark.parametrize("zero", [0.0, np.float64(0.0), Fraction(0)])
def test_where_the_right_is_nothing_the_margin_is_the_difference(zero):
    """There is no relative one; what is above nothing is above by what it is."""
    for left, margin in ((Fraction(1, 2), -0.5), (Fraction(-1, 4), 0.25), (Fraction(0), 0.0)):
        given = left if isinstance(zero, Fraction) else float(left)
        made = harness.margins([{"left": given, "right": zero}])
        assert made.column("margin") == [margin] and made.margin == margin and made.undecided == 0


@pytest.mark.parametrize(
    ("judged", "column", "step"), [(harness.growing, "constant", 3.0), (harness.vanishing, "ratio", 0.5)]
)
def test_a_constant_is_refuted_where_every_step_is_beyond(judged, column, step):
    for factors, refuted in (((1.01, 1.5), True), ((1.01, 0.99), False), ((0.99, 2.0), False)):
        values, numbers = 1.0, [1.0]
        for by in factors:
            values *= step**by
            numbers.append(values)
        made = judged([{"n": 10.0**k, column: number} for k, number in enumerate(numbers)])
        assert (made.margin < 0.0) is refuted


@pytest.mark.parametrize(("epsilon", "m", "scale"), [(1.0, 4, 8.0), (0.5, 1, 3.0), (2.0, 9, 10.0)])
def test_the_bound_of_sign_weights_is_its_least_exponential_moment(epsilon, m, scale):
    """Against the moment on a grid of shifts; of one pattern, against the δ of its Gaussian pair."""
    a = np.exp(np.linspace(-8.0, 8.0, 801))
    moment = m * (np.log(2.0 * stats.norm.cdf(2.0 * a / scale)) + 2.0 * a * (a + 1.0) / scale**2)
    grid = math.exp((a * np.log(a / (1.0 + a)) - np.log1p(a) - a * epsilon + moment).min())
    least = float(second_route.delta(("sign weights", m, scale, math.inf), epsilon))
    assert 0.0 < least <= min(1.0, grid) * (1.0 + 1e-9) and least >= min(1.0, 0.99 * grid)
    shift = 2.0 * math.sqrt(m) / scale
    beyond = [float(stats.norm.cdf(side * shift / 2.0 - epsilon / shift)) for side in (1.0, -1.0)]
    both = float(second_route.delta(("sign weights", m, scale, 0.0), epsilon))
    assert both == pytest.approx(min(least, beyond[0] - math.exp(epsilon) * beyond[1]), rel=1e-9)
