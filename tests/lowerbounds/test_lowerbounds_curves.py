"""Floors from privacy curves and claims at a distance, against linear programmes and closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from naive import lowerbounds as naive
from scipy.integrate import quad
from scipy.stats import norm

from dpbench.core.validation import InvalidInput
from dpbench.privacy.profile import Profile, approximate_profile, gaussian_profile, laplace_profile, pure_profile
from lowerbounds import (
    at_distance,
    best_distance,
    chaudhuri_hsu,
    curve,
    curves,
    families,
    fano,
    fingerprinting,
    large_radius,
    norm_packing,
    packing,
    score_attack,
    two_point_constant,
)

MU = 0.14221055866926122  # Gaussian δ(0.5) = 1e-5


@dataclass(frozen=True)
class Levels:
    """A stranger's profile: the least δ that a list of (ε, δ) leaves, with no μ."""

    levels: tuple[tuple[float, float], ...]

    def delta(self, epsilon):
        return min(1.0, *(d + max(0.0, 1.0 - math.exp(epsilon - e)) for e, d in self.levels))


@dataclass(frozen=True)
class Unnamed:
    """The profile of two Gaussians without its μ."""

    mu: float

    def delta(self, epsilon):
        return naive.gaussian_delta(epsilon, self.mu)


def trade_off(mu):
    return lambda alpha: float(norm.cdf(norm.isf(alpha) - mu))


# --- the curves ----------------------------------------------------------------------------------------------------

LEVELS = [((0.3, 0.01), (0.6, 0.001)), ((1.0, 0.0),), ((0.1, 0.05), (0.5, 0.01), (1.5, 0.0))]


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("distance", [1, 2, 5])
def test_overlap_of_a_profile_is_the_optimum_over_private_answers(levels, distance):
    """Against a linear programme over chains; the profile is read on a grid of ε, which may only lose."""
    found = curve(Levels(levels)).overlap(distance)
    best = 1.0 - naive.largest_gap_of_levels(list(levels), distance)
    assert found <= best + 1e-9
    assert found == pytest.approx(best, rel=0.02)
    assert abs(curve(Levels(levels)).overlap(distance + 1) - best) > 0.02  # one record too many is seen


@pytest.mark.parametrize("distance", [1, 3, 11, 40])
def test_gaussian_curves_agree_however_they_come(distance):
    exact = 2.0 * norm.cdf(-0.5 * distance * MU)
    assert curve({"mu": MU}).overlap(distance) == pytest.approx(exact, rel=1e-12)
    assert curve(gaussian_profile(MU, kind="exact", why="a test")).overlap(distance) == pytest.approx(exact, rel=1e-12)
    for made in (curve(Unnamed(MU)), curve(trade_off(MU))):  # from supporting lines: below, and near
        assert exact * (1.0 - 5e-3) <= made.overlap(distance) <= exact * (1.0 + 1e-9)
    assert curve({"mu": 1.05 * MU}).overlap(distance) < exact * (1.0 - 2e-3)  # 5% of the claim is seen


@pytest.mark.parametrize("mu", [4.0, 6.0])
def test_a_curve_that_is_steep_at_0_is_still_from_above(mu):
    """Between 0 and the first place at which f is read."""
    for distance in (2, 3):
        assert curve(trade_off(mu)).overlap(distance) <= 2.0 * norm.cdf(-0.5 * distance * mu)


@pytest.mark.parametrize("distance", [1, 4, 30])
def test_variance_left_by_gaussians_is_the_integral(distance):
    m = distance * MU

    def left(x):
        p, q = norm.pdf(x), norm.pdf(x - m)
        return 2.0 * p * q / (p + q) if p + q > 0.0 else 0.0

    expected = quad(left, -12.0, m + 12.0, epsabs=1e-13, limit=200)[0]
    assert curves.bayes_variance(curve({"mu": MU}).pair(distance)) == pytest.approx(expected, rel=1e-9)
    assert curves.bayes_variance(curve(Unnamed(MU)).pair(distance)) == pytest.approx(expected, rel=5e-3)


def test_neighbours_under_gaussian_noise_leak_nothing_and_have_its_chi_squared():
    square = quad(lambda x: (norm.pdf(x) - norm.pdf(x - MU)) ** 2 / norm.pdf(x), -12.0, MU + 12.0, epsabs=1e-13)[0]
    assert curve({"mu": MU}).leak_and_square() == pytest.approx((0.0, square), rel=1e-9)
    for claim in ({"mu": 26.7}, {"mu": 1e3}, {"rdp": {2.0: 720.0}}, {"rho": 1e3}):  # whose exponential is no float
        leak, bound = curve(claim).leak_and_square()
        assert leak == 0.0 and bound > 1e300
    leak, bound = curve(Unnamed(MU)).leak_and_square()
    assert 0.0 <= leak < 5e-3 and bound >= 0.9 * square


def test_pure_approximate_and_laplace_profiles_come_back():
    for k in (1, 4, 9):
        pure = curve(pure_profile(0.4, why="a test")).overlap(k)
        assert pure == pytest.approx(two_point_constant(0.4, 0.0, k, "tight"), rel=1e-6)
        both = curve(approximate_profile(0.4, 0.01, why="a test")).overlap(k)
        assert both == pytest.approx(two_point_constant(0.4, 0.01, k, "tight"), rel=1e-3)
        laplace = curve(laplace_profile(0.4, kind="exact", why="a test")).overlap(k)
        assert math.exp(-0.2 * k) * (1.0 - 0.02) <= laplace <= math.exp(-0.2 * k) * (1.0 + 1e-9)


@pytest.mark.parametrize("privacy", [{"mu": 0.2}, Levels(LEVELS[0]), Unnamed(0.2), trade_off(0.2)])
def test_an_event_at_a_distance_is_bounded_by_composed_tests(privacy):
    made = curve(privacy)
    for p in (0.0, 1e-4, 0.1, 0.5, 0.99, 1.0):
        one_by_one = p
        for _ in range(6):
            one_by_one = float(made.most(one_by_one, 1))
        assert float(made.most(p, 6)) == pytest.approx(one_by_one, abs=1e-9)
        assert float(made.most(p, 6)) >= float(made.most(p, 5)) - 1e-12 >= p - 2e-12
    for distance in (1, 6):
        assert [law.sum() for law in made.pair(distance)] == pytest.approx([1.0, 1.0], abs=1e-12)


@pytest.mark.parametrize(
    ("privacy", "message"),
    [
        (object(), "epsilon must be a number > 0, a mapping"),
        ("0.5", "privacy must be a number > 0, a mapping"),
        ({"tau": 1.0}, r"privacy must be \{'mu': m\}"),
        ({"rho": 0.0}, "rho must be a finite number > 0"),
        ({"rdp": {}}, r"privacy must be \{'mu': m\}"),
        ({"rdp": {1.0: 0.2}}, "an order alpha of rdp must be a finite number > 1"),
        ({"rdp": {2.0: -0.2}}, "a bound tau of rdp must be a finite number > 0"),
        ({"mu": -1.0}, "mu must be a finite number > 0"),
        (gaussian_profile(0.1, kind="lower", why="a test"), "privacy must be a guarantee"),
        (gaussian_profile(0.1, kind="exact", why="a test", neighbours="add_remove"), "for neighbours 'replace'"),
        (pure_profile(0.1, why="a test", neighbours="add_remove"), "for neighbours 'replace'"),
        (
            Profile("upper", "a test", lambda epsilon: min(0.5, 0.1 + 0.1 * epsilon)),
            r"lies in \[0, 1\] and does not increase",
        ),
        (lambda alpha: alpha, "does not increase"),
        (lambda alpha: 1.0 - alpha**2, "convex trade-off"),
    ],
)
def test_claims_that_are_no_curves_are_refused(privacy, message):
    with pytest.raises(InvalidInput, match=message):
        curve(privacy)
    with pytest.raises(InvalidInput, match="delta must be 0 beside"):
        chaudhuri_hsu(100, gaussian_profile(0.1, kind="exact", why="a test"), 1e-5)


# --- Rényi divergences ----------------------------------------------------------------------------------------------

DENSE = [1.0001, *np.linspace(1.01, 8.0, 400).tolist(), *np.geomspace(8.0, 5e3, 200).tolist()]
RENYI = {
    "rho": ({"rho": 0.05}, [(a, 0.05 * a) for a in DENSE]),
    "rdp": ({"rdp": {2.0: 0.1, 16.0: 0.5}}, [(2.0, 0.1), (16.0, 0.5)]),
}


@pytest.mark.parametrize("name", RENYI)
def test_events_under_bounds_on_divergences_are_those_of_two_coins(name):
    """Against a root of the definition on a dense list of orders; supporting lines may only allow more.

    A bound 3% larger is seen.
    """
    privacy, bounds = RENYI[name]
    made = curve(privacy)
    for p in (1e-4, 0.03, 0.4, 0.9, 0.999):
        exact = naive.largest_coin(p, bounds)
        assert exact * (1.0 - 1e-9) <= float(made.most(p, 1)) <= exact + 2e-3 * min(exact, 1.0 - p) + 1e-6
    wider = naive.largest_coin(0.4, [(a, 1.03 * tau) for a, tau in bounds])
    assert wider > float(made.most(0.4, 1)) + 1e-3


@pytest.mark.few(1)
@pytest.mark.parametrize("rho", [0.01, 0.3])
@pytest.mark.parametrize("distance", [2, 5])
def test_groups_under_zero_concentrated_privacy_lie_between_a_gaussian_and_the_known_bound(rho, distance):
    """Gaussian noise has it with mu = sqrt(2 rho); k²ρ holds for groups and is weaker than the composed curve."""
    made = curve({"rho": rho})
    group = [(a, distance**2 * rho * a) for a in DENSE]
    for p in (0.001, 0.05, 0.5):
        found = float(made.most(p, distance))
        assert norm.cdf(norm.ppf(p) + distance * math.sqrt(2.0 * rho)) < found
        composed = p
        for _ in range(distance):
            composed = naive.largest_coin(composed, [(a, rho * a) for a in DENSE])
        assert composed <= naive.largest_coin(p, group) * (1.0 + 1e-4)  # orders are finitely many
        assert composed * (1.0 - 1e-9) <= found <= composed * 1.005  # supporting lines allow a little more
        assert found > naive.largest_coin(p, [(a, tau / distance) for a, tau in group])  # k is too little
    assert made.overlap(distance) < 2.0 * norm.cdf(-0.5 * distance * math.sqrt(2.0 * rho))


def test_approximate_zero_concentrated_privacy_adds_its_delta():
    pure, made = curve({"rho": 0.05}), curve({"rho": 0.05, "delta": 0.01})
    for p in (0.05, 0.4):
        assert float(made.most(p, 1)) == pytest.approx(0.01 + 0.99 * float(pure.most(p / 0.99, 1)), abs=1e-3)
    assert 0.01 <= float(made.most(0.0, 1)) < 0.0105 and float(pure.most(0.0, 1)) < 1e-5
    assert math.isinf(made.divergence(2)) and made.leak_and_square()[0] >= 0.01


def test_floors_under_zero_concentrated_privacy():
    """χ² of neighbours is at most e^{2ρ} − 1, what Gaussian noise has; information at distance k is at most k²ρ."""
    family = families.gaussian_mean(40, 30)
    assert score_attack(family, {"rho": 0.02}).value == pytest.approx(
        score_attack(family, {"mu": 0.2}).value, rel=1e-12
    )
    assert score_attack(family, {"rdp": {2.0: 0.04, 4.0: 0.09}}).value == pytest.approx(
        score_attack(family, {"rho": 0.02}).value, rel=1e-12
    )
    assert curve({"rdp": {2.0: 0.09, 4.0: 0.04}}).divergence(1) == 0.04  # of every order the least
    votes = families.selection(100, 50, 10)
    left = 1.0 - (10**2 * 0.01 + math.log(2.0)) / math.log(50)
    assert fano(votes, {"rho": 0.01}).value == pytest.approx(left, rel=1e-12)
    assert fano(votes, {"mu": math.sqrt(0.02)}).value == pytest.approx(left, rel=1e-12)
    mu = math.sqrt(0.02)
    weak, strong = (chaudhuri_hsu(1000, claim).floor for claim in ({"rho": 0.01}, {"mu": mu}))
    assert 0.7 * strong < weak < strong


# --- families under a curve ----------------------------------------------------------------------------------------


def test_two_point_floor_under_a_gaussian_claim_is_three_times_the_one_under_epsilon_and_delta():
    found = chaudhuri_hsu(1000, {"mu": MU})
    best = max(k * 2.0 * norm.cdf(-0.5 * k * MU) for k in range(1, 200))
    records = found.parameters["records"]
    assert found.floor == pytest.approx(2.0 * best / records, rel=1e-9) and best == pytest.approx(4.775, abs=1e-3)
    assert found.distance == 11 and found.epsilon is None and found.claim.curve.mu == MU
    weaker = max(k * two_point_constant(0.5, 1e-5, k, "tight") for k in range(1, 200))
    assert best / weaker == pytest.approx(3.245, abs=1e-3)


@pytest.mark.parametrize("make", [packing, norm_packing, large_radius])
def test_sign_families_under_a_curve(make):
    """The floor is the zero risk (or its like) times what the curve leaves, and rises as the claim gets stronger."""
    floors = [make(2000, 8, {"mu": mu}).floor for mu in (0.4, 0.2, 0.1)]
    assert 0.0 < floors[0] < floors[1] < floors[2]
    family = make(2000, 8, {"mu": 0.2})
    if family.name != "large radius":
        left = curves.bayes_variance(curve({"mu": 0.2}).pair(family.distance))
        assert family.floor == pytest.approx(family.parameters["zero_risk"] * left, rel=1e-12)
    assert family.floor_at({"mu": 0.1}) > family.floor > family.floor_at({"mu": 0.4})
    assert make(2000, 8, Unnamed(0.2)).floor == pytest.approx(family.floor, rel=0.05)


def test_fingerprinting_under_a_curve_uses_the_distance_of_neighbours():
    found = fingerprinting(100, 50, {"mu": 0.1}, constants="tight")
    level = 2.0 * math.atanh(2.0 * norm.cdf(0.05) - 1.0)  # pure ε with the same total variation
    assert found.floor == pytest.approx(fingerprinting(100, 50, level, constants="tight").floor, rel=1e-9)
    with pytest.raises(InvalidInput, match="beside a privacy curve"):
        fingerprinting(100, 50, {"mu": 0.1}, constants="printed")


def test_distance_for_the_floor_and_for_the_attack():
    assert best_distance({"mu": MU}, 1000) == 11 and best_distance({"mu": MU}, 5) == 5

    def power(k, mu=0.9):  # of noise 10% too small, in standard errors of one run
        misses = norm.cdf(-0.5 * k * MU)
        return (misses - norm.cdf(-0.5 * k * MU / mu)) / math.sqrt(misses * (1.0 - misses))

    chosen = best_distance({"mu": MU}, 1000, purpose="attack")
    assert power(chosen) >= 0.98 * max(power(k) for k in range(1, 200)) and chosen > 11


# --- claims at a distance ------------------------------------------------------------------------------------------


@pytest.mark.few(5)
@pytest.mark.parametrize("privacy", [{"mu": 0.2}, {"rho": 0.05}, Levels(LEVELS[0]), trade_off(0.2), 0.3])
@pytest.mark.parametrize("distance", [1, 5])
def test_a_claim_at_a_distance_is_what_composed_tests_leave(privacy, distance):
    """δ(ε) is the largest g∘…∘g(p) − e^ε·p over p, from `most`, which no pair of laws is used for."""
    made, composed = curve(privacy), at_distance(privacy, distance)
    p = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 20_001)])
    for epsilon in (0.0, 0.5, 2.0):
        expected = float((made.most(p, distance) - math.exp(epsilon) * p).max())
        if isinstance(composed, dict):
            found = naive.gaussian_delta(epsilon, composed["mu"]) if epsilon else 1.0 - made.overlap(distance)
        else:
            found = composed.get_delta_for_epsilon(epsilon)
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-6)


FAR = [(1.0, 0.0, 40, 38.0), (2.0, 0.0, 20, 30.0), (0.5, 0.0, 50, 24.0), (0.5, 1e-9, 30, 10.0), (0.1, 1e-3, 50, 1.0)]


@pytest.mark.parametrize(("epsilon", "delta", "distance", "level"), FAR)
def test_claims_far_away_are_exact(epsilon, delta, distance, level):
    """Against 80 digits, where e^level magnifies the rounding of what lies near 1."""
    exact = naive.composed_delta(epsilon, delta, distance, level)
    for claim in ({"epsilon": epsilon, "delta": delta}, approximate_profile(epsilon, delta, why="a test")):
        found = at_distance(claim, distance).get_delta_for_epsilon(level)
        assert found == pytest.approx(exact, rel=1e-12 if isinstance(claim, dict) else 1e-3)
    one_less = naive.composed_delta(epsilon, delta, distance - 1, level)
    assert abs(one_less - exact) > 1e-3 * exact


def test_the_group_bound_far_away_promises_nothing():
    """δ(e^{kε} - 1)/(e^ε - 1) is above 1 from k = 10 on; e^{1000} is no number."""
    group = curve(0.5, 0.01, constants="exact")
    assert [float(group.most(0.0, k)) for k in (1, 10, 2000)] == [pytest.approx(0.01), 1.0, 1.0]


def test_divergences_far_away_and_of_weak_claims_are_exact():
    """Of pure ε: every mass has the ratio e^((k − 2j)ε), and the smallest of them lie far below 1e-16."""
    for epsilon, distance in ((1.0, 40), (2.0, 20)):
        masses = naive.composed_masses(epsilon, distance)
        exact = sum(q * math.log(q / p) for p, q in masses)
        assert curve(epsilon).divergence(distance) == pytest.approx(exact, rel=1e-12)
    leak, square = curve(38.0).leak_and_square()
    assert leak == 0.0 and square == pytest.approx(math.exp(38.0), rel=1e-12)
