"""Theorem 4 of the GLM paper by regime: constructions against loops, constants against bounds, floors against an LP."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import floors
from naive import theorem4 as naive
from naive.lowerbounds import squared_risk

from dpbench.ledger.registry import by_id
from lowerbounds import (
    corrected_minimum,
    large_radius,
    norm_packing,
)
from lowerbounds.regime_floors import LARGE, MIDDLE, PROVED, SMALL

BOUNDS = {"x_bound": 2.0, "y_bound": 3.0}


def as_records(instance):
    rows = zip(instance.X.toarray(), instance.y, strict=True)
    return sorted((tuple(np.round(x, 10).tolist()), round(float(y), 10)) for x, y in rows)


def check_member(family, member, records, radius):
    instance = family.instances(member)
    rounded = sorted((tuple(np.round(x, 10).tolist()), round(y, 10)) for x, y in records)
    assert as_records(instance) == rounded
    best = naive.minimiser(records)
    np.testing.assert_allclose(family.minimisers(member), best, atol=1e-8 * radius)
    assert np.linalg.norm(best) == pytest.approx(radius)
    assert np.abs(instance.y).max() <= BOUNDS["y_bound"] * (1 + 1e-12)
    assert np.sqrt(np.square(instance.X.toarray()).sum(axis=1)).max() <= BOUNDS["x_bound"] * (1 + 1e-12)
    outputs = radius * np.random.default_rng(1).standard_normal((4, family.d))
    exact = [squared_risk(records, w) - squared_risk(records, best) for w in outputs]
    np.testing.assert_allclose(family.excess(member, outputs), exact, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("n, d, epsilon, radius", [(40, 1, 0.5, 20.0), (60, 5, 0.3, 0.4), (90, 3, 1.0, 2.0),
                                                   (30, 2, 0.1, 1e-3), (2, 2, 1.0, 9.0)])  # fmt: skip
def test_the_packing_is_the_one_described_and_its_minimisers_have_norm_exactly_b(n, d, epsilon, radius):
    family = norm_packing(n, d, epsilon, radius=radius, **BOUNDS)
    active, block, differing = (int(family.parameters[k]) for k in ("active", "block", "distance"))
    sigma = family.members(np.random.default_rng(0))
    made = [
        naive.norm_packing_records(n, d, active, block, differing, [int(v) for v in s], 2.0, 3.0, radius)
        for s in (sigma, np.where(np.arange(active) == 0, -sigma, sigma))
    ]
    check_member(family, sigma, made[0], radius)
    assert sum(a != b for a, b in zip(*made, strict=True)) == family.distance == differing
    assert family.excess(sigma, np.zeros((1, d)))[0] == pytest.approx(family.parameters["zero_risk"])


@pytest.mark.parametrize("n, d, epsilon, radius", [(3, 2, 1.0, 1.5), (40, 4, 0.4, 6.0), (50, 2, 1.0, 100.0)])
def test_the_pair_for_a_large_radius_is_the_one_described(n, d, epsilon, radius):
    family = large_radius(n, d, epsilon, radius=radius, **BOUNDS)
    block, pulled = int(family.parameters["block"]), int(family.parameters["pulled"])
    made = [naive.large_radius_records(n, d, block, pulled, k, 2.0, 3.0, radius) for k in (0, 1)]
    for member in family.enumerated:
        check_member(family, member, made[member], radius)
    assert sum(a != b for a, b in zip(*made, strict=True)) == family.distance == pulled + 1


settings_here = settings(max_examples=150, deadline=None)
SIZES = {"n": st.integers(1, 3000), "d": st.integers(1, 400), "share": st.floats(0.0, 1.0), "worst": st.booleans(),
         "place": st.floats(0.0, 1.0)}  # fmt: skip


@settings_here
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


@pytest.mark.parametrize("change", [{"epsilon": 1.5}, {"epsilon": 1e-3}, {"radius": -1.0}, {"constants": "printed"}])
def test_what_is_refused(change):
    arguments = {"n": 20, "d": 3, "epsilon": 0.5, "radius": 2.0} | change
    for make in (norm_packing, large_radius):
        with pytest.raises(ValueError, match=next(iter(change))):
            make(**arguments)
    with pytest.raises(ValueError, match="d must be"):
        large_radius(20, 1, 0.5, radius=2.0)
    with pytest.raises(ValueError, match="radius must be at least"):
        large_radius(20, 2, 0.5, radius=0.5)


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
