"""Theorem 4 of the GLM paper by regime: constants against bounds, and what attains them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import floors
from naive import theorem4 as naive

from dpbench.ledger.registry import by_id
from lowerbounds import (
    corrected_minimum,
    large_radius,
    norm_packing,
)
from lowerbounds.regime_floors import LARGE, MIDDLE, PROVED, SMALL

SIZES = {"n": st.integers(1, 3000), "d": st.integers(1, 400), "share": st.floats(0.0, 1.0), "worst": st.booleans(),
         "place": st.floats(0.0, 1.0)}  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(**SIZES)
def test_the_proved_constants(n, d, share, worst, place):
    """The floors with their integers, against the displayed minima times the constants that the docstrings prove."""
    epsilon = n ** (share - 1.0)
    delta = -math.expm1(-epsilon) / 16.0 if worst else 0.0
    size = n * epsilon
    low, high = 0.01 / size, 10.0 * math.sqrt(max(size, d))
    ratio = low * (high / low) ** place
    floor = norm_packing(n, d, epsilon, delta, radius=ratio).floor
    if ratio * size < 1.0:
        assert floor >= SMALL * ratio**2
    elif ratio <= min(math.sqrt(d), math.sqrt(size)):
        assert floor >= MIDDLE * min(math.sqrt(d) * ratio / size, ratio ** (4 / 3) / size ** (2 / 3))
    best = floor
    if d >= 2 and n >= 3 and ratio >= 1.0:
        pair = 0.5 * large_radius(n, d, epsilon, delta, radius=ratio).floor
        assert pair >= LARGE * min(1.0, ratio**2 / size)
        best = max(best, pair)
    assert best >= PROVED * corrected_minimum(n, d, epsilon, radius=ratio) * (1 - 1e-9)
    if d >= 2 and ratio * size >= 1.0:
        assert best >= PROVED * floors.fourth_printed(n * epsilon, d, ratio) * (1 - 1e-9)
    assert corrected_minimum(n, d, epsilon, radius=ratio) <= ratio**2 * (1 + 1e-12)


def test_a_constant_a_fifth_higher_would_not_hold():
    """The bound of `large_radius` is near its least value, so the property test above has something to catch."""
    least = min(
        0.5 * large_radius(n, 2, 1.0, -math.expm1(-1.0) / 16.0, radius=r).floor / min(1.0, r**2 / n)
        for n in range(3, 60)
        for r in np.linspace(1.0, 3.0, 81)
    )
    assert LARGE <= least <= 2.0 * LARGE


def random_records(rng, n, radius):
    """Labels of at most 1 and features for which the least-squares solution is `radius` in size, exactly."""
    x, y = rng.uniform(-1.0, 1.0, n), rng.choice((-1.0, 1.0), n) * rng.random(n) ** rng.choice((0.0, 1.0, 4.0))
    x *= rng.random(n) < rng.random()
    x[0] = rng.choice((-1.0, 1.0))
    return x * abs(float(x @ y) / float(x @ x)) / radius, y


@pytest.mark.parametrize("seed", range(6))
def test_in_one_dimension_no_data_set_exceeds_the_ceiling_of_the_noisy_sign(seed):
    """On random data and on the worst: 2/ε records (Y/B, Y) attain 4Y²/(e·nε), as the entry's statement says."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        n, radius = int(rng.integers(2, 60)), float(np.exp(rng.uniform(-2.0, 6.0)))
        epsilon = float(rng.uniform(1.0 / n, 1.0))
        x, y = random_records(rng, n, radius)
        found = naive.sign_release_excess(x.tolist(), y.tolist(), radius, 1.0, epsilon)
        assert found <= 4.0 / (math.e * n * epsilon) * (1 + 1e-9)
    x, y = np.zeros(400), np.zeros(400)
    x[:4], y[:4] = 1.0 / 50.0, 1.0
    worst = naive.sign_release_excess(x.tolist(), y.tolist(), 50.0, 1.0, 0.5)
    assert worst == pytest.approx(4.0 / (math.e * 400 * 0.5))
    said = by_id()["glm.thm4.floor.d1"].formal
    assert said is not None and said.number("attained", n=400, epsilon=0.5, Y=1.0, d=1) == pytest.approx(worst)
    assert floors.fourth_printed(200.0, 1, 200.0) == 1.0  # what Theorem 4 prints there
