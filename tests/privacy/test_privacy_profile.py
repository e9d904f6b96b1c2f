"""`Profile`: kinds, rounding to the safe side, the generic inverse, pickling, words."""

import math
import pickle
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import privacy as naive

from dpbench.core.validation import InvalidInput
from dpbench.ledger.harness import profiles
from dpbench.privacy import composition, discrete, gaussian
from dpbench.privacy.inversion import LARGEST, crossing
from dpbench.privacy.profile import (
    Profile,
    approximate_profile,
    discrete_profile,
    gaussian_profile,
    laplace_profile,
    no_privacy,
    pure_profile,
    shifted_gaussian,
)

PAIR = discrete.pair([0.5, 0.3, 0.2, 0.0], [0.2, 0.5, 0.299, 0.001])
MAKERS = {
    "gaussian": partial(gaussian_profile, 0.8),
    "laplace": partial(laplace_profile, 1.5),
    "pure": partial(pure_profile, 1.5),
    "discrete": partial(discrete_profile, PAIR),
}
TRUE = {
    "gaussian": partial(naive.gaussian_delta, mu=0.8),
    "laplace": partial(naive.laplace_delta, shift=1.5),
    "pure": lambda e: naive.composed_response_delta(e, [(1.5, 0.0)]),
    "discrete": lambda e: naive.pair_delta(e, [0.5, 0.3, 0.2, 0.0], [0.2, 0.5, 0.299, 0.001]),
}
EPSILONS = [0.0, 1e-6, 0.1, 0.5, 0.91, 1.3, 1.499999, 1.5, 4.0]
DELTAS = [1e-12, 1e-4, 0.01, 0.1, 0.3]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", ["exact", "upper", "lower"])
def test_bounds_lie_on_their_side(name, kind):
    """By half of the stated rounding at least, where there is any."""
    profile, true = MAKERS[name](kind=kind, why="", neighbours="add_remove"), TRUE[name]
    wider = 1.0 + 0.5 * gaussian.ROUNDING
    assert (profile.kind, profile.neighbours) == (kind, "add_remove")
    for epsilon in EPSILONS:
        value, exact = profile.delta(epsilon), float(true(epsilon))
        assert value == pytest.approx(exact, rel=2.0 * gaussian.ROUNDING)
        residue = 1e-50  # what 60 digits leave of an exact 0
        assert kind == "exact" or (
            value >= min(1.0, exact * wider) - residue if kind == "upper" else value <= exact / wider + residue
        )
    for delta in DELTAS:
        if name == "discrete" and delta < 0.001:
            assert profile.epsilon(delta) == math.inf
            continue
        value, exact = profile.epsilon(delta), float(naive.least_epsilon(true, delta))
        assert value == pytest.approx(exact, abs=1e-8)
        assert kind != "upper" or 0.0 < true(value) * wider <= delta
        assert kind == "exact" or (value >= exact if kind == "upper" else value <= exact)


@pytest.mark.parametrize("kind", ["exact", "upper", "lower"])
def test_no_epsilon_is_needed_where_delta_at_zero_is_enough(kind):
    for make in MAKERS.values():
        profile = make(kind=kind, why="")
        assert profile.epsilon(0.999) == replace(profile, epsilon_of=None).epsilon(0.999) == 0.0 < profile.delta(0.0)


@settings(max_examples=60, deadline=None)
@given(st.floats(-20.0, 4.0).map(math.exp), st.floats(0.0, 1.2))
def test_a_loss_of_any_size_has_its_profile_and_its_noise(size, share):
    epsilon = share * size
    for make, true in (
        (gaussian_profile, naive.gaussian_delta(epsilon, size)),
        (laplace_profile, naive.laplace_delta(epsilon, size)),
        (pure_profile, naive.composed_response_delta(epsilon, [(size, 0.0)])),
    ):
        found = make(size, kind="upper", why="").delta(epsilon)
        assert found == pytest.approx(float(true), rel=2.0 * gaussian.ROUNDING)
    assert gaussian.noise(size, 1.0, 1e-5) == pytest.approx(size * gaussian.noise(1.0, 1.0, 1e-5), rel=1e-15)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", ["exact", "upper"])
def test_the_generic_inverse_agrees_with_the_special_one(name, kind):
    special = MAKERS[name](kind=kind, why="")
    generic = Profile(kind, "", special.delta_of)
    for delta in DELTAS:
        assert generic.epsilon(delta) == pytest.approx(special.epsilon(delta), abs=1e-8)
        found = generic.epsilon(delta)
        if 0.0 < found < math.inf:
            assert generic.delta(found) <= delta < generic.delta(math.nextafter(found, 0.0))
    assert generic.epsilon(0.0) == math.inf  # an underflowed δ is no proof of 0


def test_a_lower_profile_answers_with_an_epsilon_that_is_needed():
    profile = Profile("lower", "", lambda e: max(0.0, 0.5 - e))
    found = profile.epsilon(0.1)
    assert profile.delta(found) > 0.1
    assert found == pytest.approx(0.4)
    assert profile.epsilon(0.0) == pytest.approx(0.5)
    assert profile.epsilon(0.6) == 0.0
    assert Profile("lower", "", lambda e: 0.25).epsilon(0.2) == math.inf


def test_no_privacy_and_perfect_privacy():
    nothing = no_privacy("no noise", "add_remove")
    assert (nothing.delta(1e9), nothing.epsilon(0.999), nothing.neighbours) == (1.0, math.inf, "add_remove")
    perfect = gaussian_profile(0.0, kind="upper", why="")
    assert (perfect.delta(0.0), perfect.epsilon(0.0), perfect.mu) == (0.0, 0.0, 0.0)
    failing = approximate_profile(0.0, 0.25, why="no loss but in a quarter of the runs")
    assert (failing.delta(0.0), failing.epsilon(0.25), failing.epsilon(0.2)) == (0.25, 0.0, math.inf)


def test_profiles_pickle():
    profiles = [make(kind=kind, why="w") for make in MAKERS.values() for kind in ("exact", "upper", "lower")]
    profiles += [no_privacy("w"), approximate_profile(1.0, 1e-5, why="w"), composition.parallel(profiles[:2])]
    profiles += [composition.optimal([(0.3, 1e-6)] * 3, why="w"), composition.compose(profiles[3:5])]
    for profile in profiles:
        again = pickle.loads(pickle.dumps(profile))
        assert again.delta(0.4) == profile.delta(0.4)
        assert again.epsilon(0.05) == profile.epsilon(0.05)
        assert repr(again) == repr(profile)


@pytest.mark.parametrize("boundary", [5e-324, 1e-300, 1e-7, 1.0, math.pi, 1e12, 2.0**999])
def test_crossing_finds_neighbouring_doubles(boundary):
    assert crossing(lambda x: x >= boundary) == (math.nextafter(boundary, 0.0), boundary)


def test_crossing_at_the_ends():
    assert crossing(lambda x: True) == (-math.inf, 0.0)
    assert crossing(lambda x: False) == (LARGEST, math.inf)


@pytest.mark.parametrize("noise", [0.01, 0.5, 3.0])
def test_a_shift_in_gaussian_noise_is_the_pair_of_their_ratio(noise):
    profile = shifted_gaussian(0.8 * noise, noise, kind="exact", why="")
    assert profile.delta(0.5) == pytest.approx(float(naive.gaussian_delta(0.5, mu=0.8)), rel=1e-9)


def test_a_rational_laplace_shift_is_decided_at_its_bound():
    """δ(ε) = 1 − e^{(ε − shift)/2} below the shift and 0 from it on, by the slow road of decimals of fifty digits.

    Planted: the same shift as a float, which leaves its own ε undecided.
    """
    from decimal import Decimal, localcontext
    from fractions import Fraction

    shifts, levels = (Fraction(1, 10), Fraction(2, 3), Fraction(7, 2)), (Fraction(0), Fraction(1, 10), Fraction(2, 3))
    for shift in shifts:
        profile = laplace_profile(shift, kind="exact", why="a rational shift")
        for level in (*levels, shift, shift - Fraction(1, 10**12)):
            if level < 0:
                continue
            with localcontext() as digits:
                digits.prec = 50
                away = (Decimal(level.numerator) / level.denominator - Decimal(shift.numerator) / shift.denominator) / 2
                delta = 1 - away.exp() if away < 0 else Decimal(0)
            for claimed in (Fraction(0), Fraction(1, 100), Fraction(1, 3), Fraction(99, 100)):
                slow = "beyond" if delta > Decimal(claimed.numerator) / claimed.denominator else "within"
                assert profile.place(level, claimed) == slow, (shift, level, claimed)
        assert profile.place(float(shift), 0.0) == ("undecided" if shift == Fraction(2, 3) else "within")
    assert laplace_profile(2.0 / 3.0, kind="exact", why="a float").place(2.0 / 3.0, 0.0) == "undecided"
    whole = laplace_profile(Fraction(2), kind="exact", why="")
    roots = [whole.place(f"sqrt(4) {more}10^(-30)", 0) for more in ("- ", "+ 0*", "+ ")]
    assert roots == ["beyond", "undecided", "within"]  # a root that no precision tells from 2
    with pytest.raises(InvalidInput, match="shift must be a number >= 0"):
        laplace_profile(Fraction(-1, 2), kind="exact", why="")


UNDERFLOWN = {
    "an outcome of P alone": (([0.0, -800.0], [0.0, -math.inf]), math.inf),
    "a loss of 50": (([0.0, -750.0], [0.0, -800.0]), 50.0),
}


@pytest.mark.parametrize("name", UNDERFLOWN)
def test_a_delta_that_underflows_is_no_pure_privacy(name):
    logs, loss = UNDERFLOWN[name]
    profile = discrete_profile(discrete.pair_from_logs(*logs), why="")
    assert (profile.delta(10.0), profile.epsilon(0.0)) == (0.0, loss)
    assert profile.place(10.0, 0.0) == "beyond"
    assert profile.place(10.0, 1e-200) == "within"
    assert profiles([{"epsilon": 10.0, "delta": 0.0, "guarantee": profile}])[0] == "not refuted"
    assert profiles([{"epsilon": 10.0, "delta": 0.0, "pair": profile}])[0] == "refuted"
    # By the second route too, whatever the first says.
    blind = Profile("exact", "", profile.delta_of, lambda delta: 0.0, law=profile.law, error_of=lambda epsilon: 0.0)
    assert blind.place(10.0, 0.0) == "within"
    assert profiles([{"epsilon": 10.0, "delta": 0.0, "guarantee": blind}])[0] == "not refuted"
    if loss == 50.0:
        assert profile.place(50.0, 0.0) == "undecided"  # a tie of floats
        assert profile.place(50.001, 0.0) == "within"
        assert profiles([{"epsilon": 50.001, "delta": 0.0, "guarantee": profile}])[0] == "proved"


def test_claims_of_pure_privacy_are_decided_by_epsilon():
    gaussian_one = partial(gaussian_profile, 1.0, why="")
    for epsilon in (1.0, 45.0, 500.0):
        assert gaussian_one(kind="exact").place(epsilon, 0.0) == "beyond"
        assert gaussian_one(kind="upper").place(epsilon, 0.0) == "beyond"
    assert gaussian_one(kind="lower").place(1.0, 0.0) == "beyond"
    assert gaussian_profile(0.0, kind="exact", why="").place(0.0, 0.0) == "within"
    for profile in (pure_profile(1.5, why=""), laplace_profile(1.5, kind="upper", why="")):
        assert [profile.place(e, 0.0) for e in (1.4, 1.5, 1.6)] == ["beyond", "within", "within"]
    unknown = Profile("upper", "", partial(gaussian.delta, mu=1.0))
    assert (unknown.place(45.0, 0.0), unknown.place(45.0, 1e-9)) == ("undecided", "within")


def test_a_tie_of_rationals_is_proved_by_both_routes_and_a_rational_beyond_is_not():
    profile = discrete_profile(discrete.pair(["3/4", "1/4"], ["1/4", "3/4"]), why="")
    assert profiles([{"epsilon": "log(3)", "delta": 0.0, "guarantee": profile}])[0] == "proved"
    assert profiles([{"epsilon": 1.0986, "delta": 0.0, "guarantee": profile}])[0] == "not refuted"
