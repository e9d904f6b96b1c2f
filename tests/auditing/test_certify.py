"""Claims beyond (ε, δ), the trade-off curve and the attack risk: exact laws, validity, power, bad input."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from zoo import laws
from zoo.validity import laplace, normal

from dpbench import InvalidInput, Profile, audit, audit_one_run
from dpbench.auditing.certify import Approximate, as_claim
from dpbench.privacy.profile import gaussian_profile, laplace_profile, no_privacy

LAPLACE = laplace_profile(1.0, kind="exact", why="Laplace noise")


# Losses in the unit of a claim, by their definitions

P, Q = 0.7, 0.2


def two_point(alpha):
    """Rényi divergence of order α of the laws (0.7, 0.3) and (0.2, 0.8), the larger of both directions."""
    ways = ((P, Q), (Q, P))
    return max(
        math.log(a**alpha * b ** (1 - alpha) + (1 - a) ** alpha * (1 - b) ** (1 - alpha)) / (alpha - 1) for a, b in ways
    )


UNITS = {
    "epsilon": ({"epsilon": 1.0}, math.log(P / Q)),
    "epsilon, delta": ({"epsilon": 1.0, "delta": 0.1}, math.log((P - 0.1) / Q)),
    "mu": ({"mu": 1.0}, norm.ppf(P) - norm.ppf(Q)),
    "rho": ({"rho": 0.2}, laws.concentrated(P, Q)),
    "rho, delta": ({"rho": 0.2, "delta": 0.1}, laws.concentrated((P - 0.1) / 0.9, Q / 0.9)),
    "renyi 3": ({"rdp": {3: 0.5}}, two_point(3.0)),
    "renyi 1.5": ({"rdp": {1.5: 0.2, 20.0: 50.0}}, two_point(1.5)),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNITS)
def test_the_bound_is_the_loss_of_its_event_by_definition(kind):
    """A bit of probability 0.7 against 0.2: the bound is below the loss, by 3% at most. The claims are false."""
    claim, loss = UNITS[kind]
    for pair in ((1, 0), (0, 1)):
        found = audit(lambda d, n, rng: rng.random(n) < (P if d else Q), *pair, claim=claim, trials=400_000)
        assert found.verdict == "refuted" and found.bound is not None and 0.97 * loss < found.bound < loss


def test_no_event_of_equal_chances_exceeds_a_claim_and_complements_say_the_same():
    p, q = np.meshgrid(*[np.linspace(0.01, 0.99, 50)] * 2)
    for given in (*(given for given, _ in UNITS.values()), LAPLACE, no_privacy("")):
        claim = as_claim(given, None, 0.0)
        assert (claim.excess(np.diag(p), np.diag(p)) <= 1e-12 - claim.level).all()
        if not isinstance(claim, Approximate) and not getattr(claim, "delta", 0.0):  # their δ is of the event itself
            np.testing.assert_allclose(claim.excess(p, q), claim.excess(1.0 - q, 1.0 - p), rtol=1e-9, atol=1e-9)


def test_the_profile_of_a_gaussian_is_its_mu():
    assert as_claim(gaussian_profile(0.9, kind="upper", why=""), None, 0.0) == as_claim({"mu": 0.9}, None, 0.0)
    with pytest.raises(InvalidInput, match="a lower bound is no guarantee"):
        as_claim(gaussian_profile(0.9, kind="lower", why=""), None, 0.0)


def test_a_profile_is_refuted_by_what_is_beyond_it():
    """Of a profile all of whose ε are 0.3 too small, 0.3 are beyond it at most, and most of it is seen."""
    short = Profile("upper", "", lambda e: LAPLACE.delta(e + 0.3))
    found = audit(laplace, 0.0, 1.0, claim=short, trials=400_000)
    assert found.verdict == "refuted" and found.bound is not None and 0.25 < found.bound < 0.3


def test_the_tradeoff_of_a_bit_is_its_corner():
    """Lines through (0.2, 0.3) and, read backwards, through (0.3, 0.2)."""
    found = audit(lambda d, n, rng: rng.random(n) < (P if d else Q), 1, 0, trials=1_000_000)
    rates = np.array([0.0, 0.1, 0.2, 0.25, 0.3, 0.65, 1.0])
    assert found.tradeoff(rates) == pytest.approx([1.0, 0.65, 0.3, 0.25, 0.2, 0.1, 0.0], abs=0.01)


# Verdicts


def test_a_profile_is_refuted_where_one_point_of_it_is_not():
    """Gaussian noise at μ = 1 meets (4.38, 1e-5) and is not 0.9-GDP: the curve is what refutes."""
    at_a_point = audit(normal, 0.0, 1.0, epsilon=4.38, delta=1e-5, trials=200_000)
    assert at_a_point.verdict == "not refuted"
    assert audit(normal, 0.0, 1.0, claim={"mu": 0.9}, delta=1e-5, trials=200_000).verdict == "refuted"


@pytest.mark.slow
def test_privacy_loss_distributions_are_claims():
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    right = pld.from_gaussian_mechanism(1.0)
    wrong = pld.from_gaussian_mechanism(1.25)
    assert audit(normal, 0.0, 1.0, claim=right, trials=200_000).verdict == "not refuted"
    found = audit(normal, 0.0, 1.0, claim=wrong, trials=200_000)
    assert found.verdict == "refuted" and "PrivacyLossDistribution" in found.claim


# The trade-off curve


def test_the_curve_of_a_gaussian_pair_lies_above_the_true_one_and_near_it():
    """G_1(α) = Φ(Φ⁻¹(1 − α) − 1); 1e6 runs a side come within 0.03 of it everywhere."""
    found = audit(normal, 0.0, 1.0, trials=1_000_000)
    rates = np.linspace(0.0, 1.0, 201)
    bound, true = found.tradeoff(rates), norm.cdf(norm.ppf(1.0 - rates) - 1.0)
    assert (bound >= true - 1e-12).all() and np.abs(bound - true).max() < 0.03
    assert bound[0] == 1.0 and bound[-1] == 0.0
    assert (np.diff(bound) <= 0.0).all() and (np.diff(bound, 2) >= -1e-9).all()
    # Its conjugate is within the curve of δ: 1 − f(α) − e^ε α ≤ δ(ε) for the true profile.
    gap = 1.0 - bound - math.e * rates
    assert gap.max() <= gaussian_profile(1.0, kind="exact", why="").delta(1.0)


def test_nothing_is_said_of_a_perfectly_private_pair():
    found = audit(lambda d, n, r: r.standard_normal(n), 0, 1, trials=10_000)
    rates = np.linspace(0.0, 1.0, 21)
    assert found.tradeoff(rates) == pytest.approx(1.0 - rates, abs=1e-3)
    profile = gaussian_profile(1.0, kind="upper", why="")
    for claim in (None, *(claim for claim, _ in UNITS.values()), Profile("upper", "", profile.delta)):
        assert audit(lambda d, n, r: r.standard_normal(n), 0, 1, claim=claim, trials=2_000).bound == 0.0


def test_rates_are_checked():
    found = audit(normal, 0.0, 2.0, trials=2_000)
    for rates in ([-0.1], [1.1], [np.nan]):
        with pytest.raises(InvalidInput, match="false_positive_rates must be"):
            found.tradeoff(rates)
    one_run = audit_one_run(lambda inc, rng: inc + rng.laplace(size=len(inc)), 100)
    with pytest.raises(InvalidInput, match="the result must be of an audit of two data sets"):
        one_run.tradeoff([0.5])
