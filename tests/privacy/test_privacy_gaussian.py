"""The Gaussian profile against a 60-digit twin and dp-accounting: accuracy and rounding."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from naive import privacy as naive

from dpbench.privacy import gaussian
from dpbench.privacy.profile import gaussian_profile

TOLERANCE = gaussian.ROUNDING / 10.0


def test_far_below_the_least_double_log_delta_is_right_to_rounding():
    for epsilon, mu in [(500.0, 1e-7), (1.0, 1e-3), (40.0, 0.3), (1e-6, 1e-9), (500.0, 2.0), (5e11, 1e5)]:
        true = mp.log(naive.gaussian_delta(epsilon, mu))
        assert gaussian.log_delta(epsilon, mu) == pytest.approx(float(true), rel=1e-14)


FREE = st.tuples(st.floats(0.0, 500.0) | st.floats(-13.0, 6.0).map(math.exp), st.floats(-16.0, 7.0).map(math.exp))
ALONG = st.tuples(
    st.floats(-8.0, 37.0) | st.sampled_from([-5.01, -4.99, 0.0, 29.9, 30.1]), st.floats(-16.0, 7.0).map(math.exp)
).map(lambda both: (both[1] * (both[0] + both[1] / 2.0), both[1]))
"""(ε, μ) of any a = ε/μ − μ/2: every δ from near 1 down to 1e-300."""


@settings(max_examples=600, deadline=None)
@given(FREE | ALONG.filter(lambda both: abs(both[0]) <= 500.0), st.booleans())
def test_delta_anywhere(both, negative):
    epsilon, mu = (-abs(both[0]) if negative else abs(both[0])), both[1]
    true = naive.gaussian_delta(epsilon, mu)
    if true >= 1e-300:
        assert gaussian.log_delta(epsilon, mu) == pytest.approx(float(mp.log(true)), rel=0.0, abs=TOLERANCE)


@pytest.mark.parametrize("mu", [1e-7, 1e-3, 0.3, 1.0, 7.0, 30.0, 1e3])
@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-12, 1e-5, 0.3, 0.999])
def test_epsilon_is_rounded_up_and_tight(mu, delta):
    found = gaussian.epsilon(delta, mu)
    true = naive.gaussian_delta(found, mu)
    assert true <= delta
    if found > 0.0:
        slope = mu * (naive.gaussian_delta(found * 0.999999, mu) - true)
        assert slope > 0.0  # δ really falls there
        assert float(true) >= delta * (1.0 - 2.0 * gaussian.ROUNDING)


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 1e-2, 1.0, 10.0, 500.0, 1e6])
@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-12, 1e-5, 0.3, 0.999])
def test_mu_is_rounded_down_and_tight(epsilon, delta):
    found = gaussian.mu(epsilon, delta)
    true = naive.gaussian_delta(epsilon, found)
    assert true <= delta
    assert float(true) >= delta * (1.0 - 3.0 * gaussian.ROUNDING)
    # Noise and back: the upper profile of the calibrated mechanism still meets its claim, at both readings.
    sigma = gaussian.noise(3.0, epsilon, delta)
    guarantee = gaussian_profile(3.0 / sigma, kind="upper", why="")
    assert guarantee.delta(epsilon) <= delta
    assert guarantee.epsilon(delta) <= epsilon


def test_edges():
    assert gaussian.log_delta(0.0, 0.0) == -math.inf
    assert gaussian.delta(1.0, 0.0) == 0.0
    assert gaussian.delta(-1.0, 0.0) == pytest.approx(1.0 - math.exp(-1.0))
    assert gaussian.epsilon(0.0, 0.0) == 0.0
    assert gaussian.epsilon(0.0, 1.0) == math.inf
    assert gaussian.delta(0.0, 1e6) == 1.0
    assert gaussian.delta(1.0, 5e-324) == 0.0
    assert gaussian.mu(0.0, 5e-324) >= 0.0


@pytest.mark.parametrize("mu", [1e8, 1e10, 1e19, 1e20, 1e50, 1e100])
def test_huge_distances_have_an_epsilon(mu):
    # δ(ε) = 1e-5 at a = ε/μ − μ/2 of a few units, so ε is μ²/2 to a relative 10/μ.
    assert gaussian.delta(1.0, mu) == 1.0
    assert gaussian.epsilon(1e-5, mu) == pytest.approx(0.5 * mu * mu, rel=max(1e-15, 20.0 / mu))
    a = 1e12 * mu  # both ends of [a, b] round to one number far out, not to a difference of 0
    assert gaussian.log_delta((a + 0.5 * mu) * mu, mu) == pytest.approx(-0.5 * a * a, rel=1e-11)
