"""The joint region is exact: against binomial sums, and its coverage by enumeration."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import bounds as twin
from scipy.integrate import quad
from scipy.special import betaincinv
from scipy.stats import norm

from dpbench import InvalidInput, bounds


def test_delta_of_a_region_is_the_least_over_its_corners():
    region = bounds.Region(np.array([0.5, 0.6]), np.array([0.1, 0.25]))
    expected = [0.35, max(0.0, min(0.5 - 0.1 * math.e, 0.6 - 0.25 * math.e)), 0.0]
    assert region.delta(np.array([0.0, 1.0, 2.0])) == pytest.approx(expected, abs=1e-12)
    assert region.delta(np.array([math.log(2.0)])) == pytest.approx([0.1], abs=1e-12)
    assert region.delta(np.array([800.0])) == [0.0]


@pytest.mark.parametrize(("hits", "trials"), [(0, 7), (1, 7), (3, 40), (40, 40), (39, 40), (12, 150)])
@pytest.mark.parametrize("tail", [0.3, 0.05, 1e-6])
def test_clopper_pearson_inverts_the_binomial_sum(hits, trials, tail):
    """In rationals: the chance beyond a bound is at most the tail, never a rounding more, and hardly less."""
    low, high = float(bounds.lower(hits, trials, tail)), float(bounds.upper(hits, trials, tail))
    beyond = twin.tail_at_least(hits, trials, low), 1 - twin.tail_at_least(hits + 1, trials, high)
    assert beyond[0] <= Fraction(tail) if hits else low == 0.0
    assert beyond[1] <= Fraction(tail) if hits < trials else high == 1.0
    assert not hits or float(beyond[0]) == pytest.approx(tail, rel=1e-8)
    assert hits == trials or float(beyond[1]) == pytest.approx(tail, rel=1e-3)  # widened by 1e-11 of q


def _epsilon_bounds(trials, alpha, angle):
    found = np.empty((trials + 1, trials + 1))
    for x in range(trials + 1):
        for y in range(trials + 1):
            region = bounds.joint_region((x, y), (trials, trials), alpha, angle, 64)
            found[x, y] = region.epsilon(0.0)
    return found


@pytest.mark.parametrize("angle", [1, 8, 16, 24, 31])
def test_coverage_by_enumeration_is_at_least_nominal(angle):
    """All 31 x 31 outcomes of 30 runs a side, at 12 pairs (p, q): an exact probability, no sampling error."""
    trials, alpha = 30, 0.1
    found = _epsilon_bounds(trials, alpha, angle)
    least = 1.0
    for q in (0.02, 0.1, 0.3, 0.6):
        for ratio in (1.0, 1.3, 1.6):
            p = q * ratio
            holds = (found <= math.log(ratio) + 1e-12).astype(float)
            least = min(least, twin.coverage(trials, p, q, holds))
    assert least >= 1.0 - alpha


def test_a_region_at_twice_the_level_is_caught_by_the_enumeration():
    """Planted: level 0.2 spent where 0.1 is stated."""
    found = _epsilon_bounds(30, 0.2, 16)
    p, q = 0.6, 0.6
    assert twin.coverage(30, p, q, (found <= 1e-12).astype(float)) < 0.9


@pytest.mark.parametrize(
    ("alpha", "angle"), [(0.5, 20), (0.05, 1), (0.05, 5), (0.05, 28), (1e-3, 16), (1e-3, 30), (1e-6, 5), (1e-6, 16)]
)
def test_critical_value_leaves_alpha_outside(angle, alpha):
    """The probability that two standard normals leave the region, by adaptive quadrature that is told where the
    integrand has its corners and its jump: at most α, and to nine digits. Planted: the next angle's value."""
    floor, cap = bounds.FLOOR, -norm.ppf(bounds.CAP_SHARE * alpha)

    def outside(c):
        theta = 0.5 * math.pi * angle / bounds.ANGLES
        w1, w2 = math.sin(theta), math.cos(theta)

        def leaves(z):
            reach = (c - w1 * z) / w2
            return norm.pdf(z) * (1.0 if reach < -floor else norm.cdf(-min(reach, cap)))

        inner = [t for t in ((c - w2 * cap) / w1, (c + w2 * floor) / w1) if -floor < t < cap]
        middle = quad(leaves, -floor, cap, points=inner or None, epsabs=0.0, epsrel=1e-11)[0]
        return norm.cdf(-cap) + norm.cdf(-floor) * norm.cdf(-min((c + w1 * floor) / w2, cap)) + middle

    assert outside(bounds.critical_value(angle, alpha)) == pytest.approx(alpha, rel=1e-8)
    assert outside(bounds.critical_value(angle, alpha)) <= alpha * (1.0 + 1e-12)
    assert outside(bounds.critical_value(angle + 1, alpha)) != pytest.approx(alpha, rel=1e-6)
    weights = math.sin(0.5 * math.pi * angle / bounds.ANGLES), math.cos(0.5 * math.pi * angle / bounds.ANGLES)
    assert bounds.critical_value(angle, 0.999) == -sum(weights) * floor  # the least there is


def test_the_joint_region_beats_two_bounds_at_half_the_level():
    hits, trials = (450_000, 165_000), 900_000
    joint = bounds.joint_region(hits, (trials, trials), 0.05, 11).epsilon(0.0)
    low, high = bounds.lower(hits[0], trials, 0.025), bounds.upper(hits[1], trials, 0.025)
    apart = math.log(float(low) / float(high))
    truth = math.log(hits[0] / hits[1])
    assert truth - joint < 0.75 * (truth - apart)


@settings(max_examples=60, deadline=None)
@given(
    x=st.integers(0, 50),
    y=st.integers(0, 50),
    angle=st.integers(1, 31),
    delta=st.sampled_from([0.0, 1e-6, 0.2]),
)
def test_readings_of_one_region_agree(x, y, angle, delta):
    """δ at the bound on ε is at least that δ, more hits never lower the bound, and nothing is negative."""
    region = bounds.joint_region((x, y), (50, 50), 0.05, angle)
    epsilon = region.epsilon(delta)
    assert math.isfinite(epsilon) and epsilon >= 0.0
    assert region.mu() >= 0.0
    if epsilon > 0.0:
        assert region.delta(np.array([epsilon]))[0] >= delta - 1e-9
    if x < 50:
        assert bounds.joint_region((x + 1, y), (50, 50), 0.05, angle).epsilon(delta) >= epsilon - 1e-9


def test_each_side_has_its_own_trials():
    """20 of 4,000 runs bound a probability near 0.005, and 20 of 1,000 one near 0.02."""
    region = bounds.joint_region((300, 20), (1000, 4000), 0.01, 8)
    smaller = bounds.joint_region((300, 20), (1000, 1000), 0.01, 8)
    assert region.high.min() < 0.01 < smaller.high.min() < 0.03
    assert np.array_equal(region.low, smaller.low)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.lower(3, 2, 0.1), "hits must be from 0 to the 2 trials, got 3"),
        (lambda: bounds.upper(-1, 2, 0.1), "hits must be from 0 to the 2 trials, got -1"),
        (lambda: bounds.joint_region((1, 1), (9, 9), 0.1, 32), "angle and alpha must be an integer from 1 to 31"),
        (lambda: bounds.joint_region((1, 1), (9, 9), 0.0, 8), "angle and alpha must be"),
        (lambda: bounds.upper_mean(np.array([0.5, 1.5]), 1.0, 0.1), r"values must be in \[0, 1\], got 1.5"),
        (lambda: bounds.one_run_p_value(9, 8, 9, 1.0, 0.0), "right and guesses must be 0 <= right <= guesses <= 9"),
    ],
)
def test_counts_that_cannot_be_are_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def _shares(hits, trials, chance):
    """P(X >= hits) and P(X < hits), from above, by balls of 160 bits."""
    before, ctx.prec = ctx.prec, 160
    try:
        least = arb(chance).beta_lower(hits, trials - hits + 1, 1)
        return float(least.upper()), float((1 - least).upper())
    finally:
        ctx.prec = before


TAILS = [0.5, 0.05, 1e-3, 1e-7, 1e-30]


@pytest.mark.parametrize("trials", [14_567, 10**7, 10**8, 10**9])
def test_clopper_pearson_holds_where_scipys_inverse_is_off(trials):
    """At most the tail by ball arithmetic, and alone as in an array. Planted: scipy's inverse, off from 10^7 on."""
    raw = 0.0
    for hits in (1, 10, 999, 1000, trials // 30, trials // 2, trials - 10):
        lows, highs = bounds.lower(hits, trials, np.array(TAILS)), bounds.upper(hits, trials, np.array(TAILS))
        for tail, low, high in zip(TAILS, lows, highs, strict=True):
            beyond = _shares(hits, trials, low)[0], _shares(hits + 1, trials, high)[1]
            assert max(beyond) <= tail * (1.0 + 1e-10)
            assert low == bounds.lower(hits, trials, tail) and high == bounds.upper(hits, trials, tail)
            assert (low * trials > 0.2 * hits or tail < 0.1) and low < high
            planted = betaincinv(hits, trials - hits + 1, tail) * (1.0 - 1e-11)
            raw = max(raw, _shares(hits, trials, planted)[0] / tail)
    assert (raw > 1.0 + 1e-6) == (trials >= 10**7)


def test_a_tail_that_scipy_cannot_invert_and_more_trials_than_it_can_check():
    assert (float(bounds.lower(3, 10**9, 1e-300)), float(bounds.upper(155, 159, 1e-206))) == (0.0, 1.0)
    for bound in (bounds.lower, bounds.upper):
        with pytest.raises(InvalidInput, match="trials must be at most 1e9, got 1000000000000"):
            bound(3, 10**12, 0.05)
