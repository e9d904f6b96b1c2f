"""Floors: constants against linear programmes and enumeration, and against algorithms private by construction."""

import math

import numpy as np
import pytest
from naive import lowerbounds as naive
from scipy.stats import binom

from dpbench.core.validation import InvalidInput
from lowerbounds import (
    corrected_nonprivate,
    fingerprinting,
    nonprivate,
    packing,
    two_point_constant,
)
from lowerbounds.nonprivate_floors import RATE_CONSTANT


@pytest.mark.parametrize("p", [1.0, 2.0, 20.0, math.inf])
@pytest.mark.parametrize(("n", "rank"), [(1000, 20), (100, 400), (10, 400)])
def test_the_size_and_the_mass_of_fingerprints_are_the_best(p, n, rank):
    """Floors themselves are those of the oracles of test_both_sides.py."""
    made = fingerprinting(n, rank, 0.1, 1e-6, p=p)
    q, size = made.parameters, made.parameters["active"]
    assert fingerprinting(n, rank, 0.1, 1e-6, p=p, constants="tight").floor > made.floor
    for other in (size - 1, size + 1):
        if 1 <= other <= rank:
            for mass in (0.9 * q["mass"], q["mass"], min(1.0, 1.1 * q["mass"])):
                moved = 0.25 - 2.0 * q["beta"] - n * mass * (math.exp(0.1) - 1.0 + 1e-6) / (2.0 * other)
                assert mass * other ** (-1.0 / p) / (1.0 + 2.0 * q["beta"]) * moved <= made.floor * (1.0 + 1e-9)


@pytest.mark.slow
def test_rate_constants_are_below_the_exact_floors_over_their_range():
    for n in (1, 10, 200, 5000):
        for radius in (1.0, 3.0, 30.0, 1000.0):
            for d in (1, 4, 40):
                rate = nonprivate(n, d, radius=radius, constants="rate")
                assert rate.floor <= nonprivate(n, d, radius=radius).floor
        for label in (1.0, 50.0):
            family = nonprivate(n, theorem="16", y_bound=label, radius=label)
            assert RATE_CONSTANT["16"] * label / math.sqrt(n) <= family.floor
    scaled = nonprivate(200, 4, theorem="cor5", smoothness=4.0)
    assert scaled.floor == pytest.approx(nonprivate(200, 4, x_bound=2.0).floor)


def test_the_printed_constant_takes_the_printed_condition_on_delta():
    """δ ≤ (1 − e^{−ε})/16, as in Lemma 1 and Theorem 4: just below it and just above."""
    for epsilon in (0.1, 0.8, 1.6):
        most = (1.0 - math.exp(-epsilon)) / 16.0
        assert two_point_constant(epsilon, most * (1.0 - 1e-9), 1, "printed") == 0.25
        with pytest.raises(ValueError, match=r"^delta must be at most"):
            two_point_constant(epsilon, most * (1.0 + 1e-9), 1, "printed")


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.01), (0.5, 0.05), (1.0, 0.0), (1.5, 0.2)])
@pytest.mark.parametrize("beta", [0.3, 2.0])
def test_tight_fingerprinting_floor_is_attained_by_one_private_bit(epsilon, delta, beta):
    """With one record and one coordinate the floor equals the least risk of all (ε, δ)-private answers, δ > 0 too.

    Planted: δ in the place of 2δ, the floor of another law, is above it and is seen.
    """
    family = fingerprinting(1, 1, epsilon, delta, active=1, mass=1.0, beta=beta, constants="tight")
    least = naive.one_bit_excess(beta, epsilon, delta)
    assert family.floor == pytest.approx(least, rel=1e-6)
    if delta > 0.0:
        assert fingerprinting(
            1, 1, epsilon, 0.5 * delta, active=1, mass=1.0, beta=beta, constants="tight"
        ).floor > least * (1.0 + 1e-4)


@pytest.mark.parametrize("value", [1e300, 1e-300])
@pytest.mark.parametrize("name", ["radius", "x_bound", "y_bound"])
@pytest.mark.parametrize("make", [nonprivate, lambda n, **more: packing(n, 4, 0.5, **more)])
def test_bounds_whose_squares_overflow_are_refused(make, name, value):
    with pytest.raises(InvalidInput, match=f"{name} must be a finite number > 0, of size 1e-50 to 1e"):
        make(100, **{name: value})


def test_corrected_corollary_5_lies_below_the_exact_bayes_risks_everywhere():
    """Over five decades of n and h; 10 times the constant is above some of them."""
    ratios = []
    for n in (1, 100, 100_000):
        for d in (1, 30):
            for radius in (1e-3, 0.1, 1.0, 30.0, 1e4):
                proved = corrected_nonprivate(n, d, radius=radius, smoothness=2.0)
                ratios.append(nonprivate(n, d, theorem="cor5", radius=radius, smoothness=2.0).floor / proved)
                assert proved <= radius**2  # zero has h²/2
    assert 1.0 <= min(ratios) < 10.0


def test_corollary_5_fails_at_dimension_one_for_minimisers_of_norm_b():
    """The sign test of `glm.cor5.floor.small-radius` at B = 200, H = ‖X‖ = Y = 1: far below the floor over ‖w*‖ ≤ B.

    A record has features of norm 200 and label 1 with chance q, where the test's h is 0, and else features s/200 and
    a label ±1 of mean m, with E⟨x, y⟩ = B·E x², so that w* = B.
    """
    n, radius, worst = 10_000, 200.0, 0.0
    for chance in (0.0, 1e-9, 1e-7, 1e-6):
        for s in np.geomspace(1e-4, 0.9, 40):
            mean = s + chance * (radius**2 - radius) / ((1.0 - chance) * s)
            if mean <= 1.0:
                seen = np.arange(n - 60, n + 1)  # fewer have a chance below 1e-100
                up = binom.cdf(seen / 2.0, seen, 0.5 * (1.0 + mean))  # ties count as wrong
                wrong = float(binom.pmf(seen, n, 1.0 - chance) @ up)
                worst = max(worst, 2.0 * (chance * radius**2 + (1.0 - chance) * s**2) * wrong)
    assert 1e-5 < worst <= 6.87 / n
    family = nonprivate(n, 1, theorem="cor5", radius=radius, constants="rate")
    assert family.printed == 0.025 > 36.0 * 6.87 / n
    assert 0.0 < family.minimisers(1)[0] < family.minimisers(0)[0] == radius  # not |w*| = B
