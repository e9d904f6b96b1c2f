"""The joint region is exact: against binomial sums, and its coverage by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import audit_intervals as twin
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from dpbench.auditing import intervals


def test_delta_of_a_region_is_the_least_over_its_corners() -> None:
    region = intervals.Region(np.array([0.5, 0.6]), np.array([0.1, 0.25]))
    expected = [0.35, max(0.0, min(0.5 - 0.1 * math.e, 0.6 - 0.25 * math.e)), 0.0]
    assert region.delta(np.array([0.0, 1.0, 2.0])) == pytest.approx(expected, abs=1e-12)
    assert region.delta(np.array([math.log(2.0)])) == pytest.approx([0.1], abs=1e-12)
    assert region.delta(np.array([800.0])) == [0.0]


@pytest.mark.parametrize(("hits", "trials"), [(0, 7), (1, 7), (3, 40), (40, 40), (39, 40), (12, 300)])
@pytest.mark.parametrize("tail", [0.3, 0.05, 1e-6])
def test_clopper_pearson_inverts_the_binomial_sum(hits: int, trials: int, tail: float) -> None:
    low = float(intervals.lower(hits, trials, tail))
    high = float(intervals.upper(hits, trials, tail))
    if hits:
        assert float(twin.tail_at_least(hits, trials, low)) == pytest.approx(tail, rel=1e-8)
    else:
        assert low == 0.0
    if hits < trials:
        left = float(1 - twin.tail_at_least(hits + 1, trials, high))
        assert left <= tail * (1.0 + 1e-9)
        assert left == pytest.approx(tail, rel=1e-3)  # widened by 1e-11 of q, which is 1e-3 of 1 - q at worst
    else:
        assert high == 1.0


def _epsilon_bounds(trials: int, alpha: float, angle: int) -> np.ndarray:
    bounds = np.empty((trials + 1, trials + 1))
    for x in range(trials + 1):
        for y in range(trials + 1):
            region = intervals.joint_region((x, y), (trials, trials), alpha, angle, 64)
            bounds[x, y] = region.epsilon(0.0)
    return bounds


@pytest.mark.parametrize("angle", [1, 8, 16, 24, 31])
def test_coverage_by_enumeration_is_at_least_nominal(angle: int) -> None:
    """All 31 x 31 outcomes of 30 runs a side, at 12 pairs (p, q): an exact probability, no sampling error."""
    trials, alpha = 30, 0.1
    bounds = _epsilon_bounds(trials, alpha, angle)
    least = 1.0
    for q in (0.02, 0.1, 0.3, 0.6):
        for ratio in (1.0, 1.3, 1.6):
            p = q * ratio
            holds = (bounds <= math.log(ratio) + 1e-12).astype(float)
            least = min(least, twin.coverage(trials, p, q, holds))
    assert least >= 1.0 - alpha


def test_a_region_at_twice_the_level_is_caught_by_the_enumeration() -> None:
    """Planted: level 0.2 spent where 0.1 is stated."""
    bounds = _epsilon_bounds(30, 0.2, 16)
    p, q = 0.6, 0.6
    assert twin.coverage(30, p, q, (bounds <= 1e-12).astype(float)) < 0.9


@pytest.mark.parametrize("alpha", [0.05, 1e-3, 1e-6])
@pytest.mark.parametrize("angle", [1, 5, 16, 30])
def test_critical_value_leaves_alpha_outside(angle: int, alpha: float) -> None:
    """The region's probability under normals, by a plain sum over a fine grid of z1."""
    c = intervals.critical_value(angle, alpha)
    theta = 0.5 * math.pi * angle / intervals.ANGLES
    w1, w2 = math.sin(theta), math.cos(theta)
    cap = intervals._cap(alpha)
    step = 2e-4
    z = np.arange(-9.0, cap, step) + 0.5 * step
    reach = (c - w1 * np.maximum(z, -intervals.FLOOR)) / w2
    inside = np.where(reach < -intervals.FLOOR, 0.0, ndtr(np.minimum(reach, cap)))
    outside = ndtr(-cap) + float((np.exp(-0.5 * z * z) * (1.0 - inside)).sum()) * step / math.sqrt(2 * math.pi)
    assert outside == pytest.approx(alpha, rel=2e-3)


@pytest.mark.parametrize(("alpha", "angle"), [(0.5, 20), (0.05, 28), (0.05, 1), (1e-6, 16)])
def test_the_chance_outside_is_integrated_piece_by_piece(alpha: float, angle: int) -> None:
    """Against adaptive quadrature that is told where the integrand has its corners and its jump."""
    c, cap = intervals.critical_value(angle, alpha), intervals._cap(alpha)
    w1, w2 = intervals._weights(angle)

    def outside(z: float) -> float:
        reach = (c - w1 * z) / w2
        return norm.pdf(z) * (1.0 if reach < -intervals.FLOOR else norm.cdf(-min(reach, cap)))

    corners = [(c - w2 * cap) / w1, (c + w2 * intervals.FLOOR) / w1]
    inner = [t for t in corners if -intervals.FLOOR < t < cap]
    middle = quad(outside, -intervals.FLOOR, cap, points=inner or None, epsabs=0.0, epsrel=1e-11)[0]
    low = norm.cdf(-intervals.FLOOR) * norm.cdf(-min((c + w1 * intervals.FLOOR) / w2, cap))
    assert intervals._exceedance(w1, w2, c, cap) == pytest.approx(norm.cdf(-cap) + low + middle, rel=1e-9)


def test_the_joint_region_beats_two_bounds_at_half_the_level() -> None:
    hits, trials = (450_000, 165_000), 900_000
    joint = intervals.joint_region(hits, (trials, trials), 0.05, 11).epsilon(0.0)
    low, high = intervals.lower(hits[0], trials, 0.025), intervals.upper(hits[1], trials, 0.025)
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
def test_readings_of_one_region_agree(x: int, y: int, angle: int, delta: float) -> None:
    """δ at the bound on ε is at least that δ, more hits never lower the bound, and nothing is negative."""
    region = intervals.joint_region((x, y), (50, 50), 0.05, angle)
    epsilon = region.epsilon(delta)
    assert math.isfinite(epsilon) and epsilon >= 0.0
    assert region.mu() >= 0.0
    if epsilon > 0.0:
        assert region.delta(np.array([epsilon]))[0] >= delta - 1e-9
    if x < 50:
        assert intervals.joint_region((x + 1, y), (50, 50), 0.05, angle).epsilon(delta) >= epsilon - 1e-9
