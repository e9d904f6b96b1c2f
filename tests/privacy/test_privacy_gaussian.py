"""The Gaussian profile against a 60-digit twin and dp-accounting: accuracy and rounding."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from naive import privacy as naive

from dpbench.core.validation import InvalidInput
from dpbench.privacy import gaussian
from dpbench.privacy.profile import gaussian_profile

EPSILONS = [0.0, *np.logspace(-6, math.log10(500.0), 18)]
MUS = list(np.logspace(-7, 3, 21))
# (ε, μ) along lines of constant a = ε/μ − μ/2: every δ from near 1 down to 1e-300, at every μ.
ALONG = [
    (mu * (a + mu / 2.0), mu)
    for a, mu in itertools.product([-8.0, -5.01, -4.99, -1.0, 0.0, 0.7, 3.0, 9.0, 29.9, 30.1, 36.9], MUS)
    if 0.0 <= mu * (a + mu / 2.0) <= 500.0
]
GRID = [*itertools.product(EPSILONS, MUS), *ALONG, *((-epsilon, mu) for epsilon, mu in ALONG[::5])]
TOLERANCE = gaussian.ROUNDING / 10.0


def worst_error():
    """The largest error of log δ where δ ≥ 1e-300, that is the relative error of δ."""
    worst, counted = 0.0, 0
    for epsilon, mu in GRID:
        true = naive.gaussian_delta(epsilon, mu)
        if true >= 1e-300:
            counted += 1
            worst = max(worst, abs(float(mp.log(true) - gaussian.log_delta(float(epsilon), float(mu)))))
    assert counted > len(GRID) / 3
    return worst


def test_delta_on_the_whole_grid():
    assert worst_error() < TOLERANCE


def test_far_below_the_least_double_log_delta_is_right_to_rounding():
    for epsilon, mu in [(500.0, 1e-7), (1.0, 1e-3), (40.0, 0.3), (1e-6, 1e-9), (500.0, 2.0), (5e11, 1e5)]:
        true = mp.log(naive.gaussian_delta(epsilon, mu))
        assert gaussian.log_delta(epsilon, mu) == pytest.approx(float(true), rel=1e-14)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(0.0, 500.0), st.floats(-16.0, 7.0), st.booleans())
def test_delta_anywhere(epsilon, log_mu, negative):
    epsilon, mu = -epsilon if negative else epsilon, math.exp(log_mu)
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


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(-13.0, 6.0), st.floats(-16.0, 6.9))
def test_round_trips_and_monotonicity(log_epsilon, log_mu):
    epsilon, mu = math.exp(log_epsilon), math.exp(log_mu)
    delta = gaussian.delta(epsilon, mu)
    assert gaussian.delta(epsilon * 1.01, mu) <= delta <= gaussian.delta(epsilon, mu * 1.01)
    if 1e-300 < delta < 0.9:
        assert gaussian.mu(epsilon, delta) == pytest.approx(mu, rel=1e-8)
        # ε is as well determined as δ depends on it: d log δ / d log ε may be small.
        back = gaussian.epsilon(delta, mu)
        assert back >= epsilon * (1.0 - 1e-12)
        assert gaussian.log_delta(back, mu) == pytest.approx(math.log(delta), abs=2.0 * gaussian.ROUNDING)


def test_edges():
    assert gaussian.log_delta(0.0, 0.0) == -math.inf
    assert gaussian.delta(1.0, 0.0) == 0.0
    assert gaussian.delta(-1.0, 0.0) == pytest.approx(1.0 - math.exp(-1.0))
    assert gaussian.epsilon(0.0, 0.0) == 0.0
    assert gaussian.epsilon(0.0, 1.0) == math.inf
    assert gaussian.delta(0.0, 1e6) == 1.0
    assert gaussian.delta(1.0, 5e-324) == 0.0
    assert gaussian.mu(0.0, 5e-324) >= 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: gaussian.mu(-1.0, 0.1),
        lambda: gaussian.mu(1.0, 0.0),
        lambda: gaussian.mu(math.nan, 0.1),
        lambda: gaussian.epsilon(1.0, 1.0),
        lambda: gaussian.delta(1.0, -1.0),
        lambda: gaussian.delta(math.inf, 1.0),
        lambda: gaussian.noise(-1.0, 1.0, 0.1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="must be"):
        call()


@pytest.mark.parametrize("mu", [1e8, 1e10, 1e19, 1e20, 1e50, 1e100])
def test_huge_distances_have_an_epsilon(mu):
    # δ(ε) = 1e-5 at a = ε/μ − μ/2 of a few units, so ε is μ²/2 to a relative 10/μ.
    assert gaussian.delta(1.0, mu) == 1.0
    assert gaussian.epsilon(1e-5, mu) == pytest.approx(0.5 * mu * mu, rel=max(1e-15, 20.0 / mu))
    a = 1e12 * mu  # both ends of [a, b] round to one number far out, not to a difference of 0
    assert gaussian.log_delta((a + 0.5 * mu) * mu, mu) == pytest.approx(-0.5 * a * a, rel=1e-11)
