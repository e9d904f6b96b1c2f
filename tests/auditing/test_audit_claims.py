"""Claims beyond (ε, δ), the trade-off curve and the attack risk: exact laws, validity, power, bad input."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, norm

from dpbench import InvalidInput, Profile, audit, audit_one_run
from dpbench.auditing import claimed, tradeoff
from dpbench.auditing.certified import Certified, exceeds
from dpbench.auditing.claimed import as_claim
from dpbench.privacy.profile import gaussian_profile, laplace_profile, no_privacy, pure_profile

Rng = np.random.Generator


def gaussian(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.standard_normal(trials)


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(size=trials)


LAPLACE = laplace_profile(1.0, kind="exact", why="Laplace noise")
CLAIMS = [
    {"mu": 1.0},
    {"rdp": {2: 1.0, 8: 4.0, 1.5: 0.75}},
    gaussian_profile(1.0, kind="upper", why="Gaussian noise"),
    Profile("upper", "the same, not known to be Gaussian", gaussian_profile(1.0, kind="exact", why="").delta_of),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=["mu", "rdp", "gaussian profile", "profile"])
def test_exact_events_of_a_gaussian_pair_reach_a_true_claim_and_never_exceed_it(claim: object) -> None:
    """p and q of {x ≥ t} and {x < t} in closed form; any smaller distance of the means stays below too."""
    made = as_claim(claim, None, 0.0)
    t = np.linspace(-4.0, 5.0, 400)
    for sign in (1.0, -1.0):
        assert (made.excess(norm.cdf(sign * (1.0 - t)), norm.cdf(-sign * t)) <= 1e-6).all()
    assert made.excess(norm.cdf(1.3 - t), norm.cdf(-t)).max() > 0.02
    if claim != CLAIMS[1]:  # two cells of a Gaussian have less Renyi divergence than it has
        assert made.excess(norm.cdf(1.0 - t), norm.cdf(-t)).max() > -0.05


def test_two_cells_have_the_renyi_divergence_of_their_definition() -> None:
    made = as_claim({"rdp": {3.0: 0.0}}, None, 0.0)
    p, q = 0.7, 0.2
    forward = math.log(p**3 * q**-2 + 0.3**3 * 0.8**-2) / 2
    backward = math.log(q**3 * p**-2 + 0.8**3 * 0.3**-2) / 2
    assert made.excess(np.array([p]), np.array([q]))[0] == pytest.approx(max(forward, backward), rel=1e-12)
    assert made.excess(np.array([q]), np.array([p]))[0] <= 0.0


def test_excess_rises_with_p_and_falls_with_q() -> None:
    grid = np.linspace(0.001, 0.999, 60)
    p, q = np.meshgrid(grid, grid)
    for claim in [*CLAIMS, LAPLACE, pure_profile(0.5, why="")]:
        e = as_claim(claim, None, 0.0).excess(p, q)
        positive = e > 0.0
        assert (np.diff(e, axis=1)[positive[:, :-1]] >= -1e-9).all()
        assert (np.diff(e, axis=0)[positive[1:]] <= 1e-9).all()


@pytest.mark.parametrize(
    ("claim", "sampler", "verdict"),
    [
        ({"mu": 1.0}, gaussian, "not refuted"),
        ({"mu": 0.9}, gaussian, "refuted"),
        (LAPLACE, laplace, "not refuted"),
        (laplace_profile(0.93, kind="upper", why="too little noise"), laplace, "refuted"),
        (LAPLACE, gaussian, "refuted"),
        ({"rdp": {2.0: 1.0}}, gaussian, "not refuted"),
        ({"rdp": {2.0: 1.0, 8.0: 1.0}}, gaussian, "refuted"),
        (pure_profile(1.0, why="pure"), laplace, "not refuted"),
        (no_privacy("none"), laplace, "not refuted"),
    ],
)
@pytest.mark.few(2)
def test_verdicts_on_whole_claims(claim: object, sampler: object, verdict: str) -> None:
    found = audit(sampler, 0.0, 1.0, claim=claim, trials=200_000)
    assert found.verdict == verdict
    assert found.epsilon is None and found.claim and found.claim in str(found)
    assert found.to_dict()["claim"] == found.claim


def test_a_profile_is_refuted_where_one_point_of_it_is_not() -> None:
    """Gaussian noise at μ = 1 meets (4.38, 1e-5) and is not 0.9-GDP: the curve is what refutes."""
    at_a_point = audit(gaussian, 0.0, 1.0, epsilon=4.38, delta=1e-5, trials=200_000)
    assert at_a_point.verdict == "not refuted"
    assert audit(gaussian, 0.0, 1.0, claim={"mu": 0.9}, delta=1e-5, trials=200_000).verdict == "refuted"


@pytest.mark.evidence
def test_false_refutations_of_a_true_profile_are_within_the_level() -> None:
    """Null: a true 1-GDP claim falls in at most 10% of 150 audits of 2,000 runs; rejected at 1e-6: beyond 35.

    Planted: a claim of μ = 0.75 falls in more than 25%.
    """
    wrong = sum(
        audit(gaussian, 0.0, 1.0, claim={"mu": 1.0}, trials=2_000, confidence=0.9, seed=s).verdict == "refuted"
        for s in range(150)
    )
    assert wrong <= binom.isf(1e-6, 150, 0.1)
    low = sum(
        audit(gaussian, 0.0, 1.0, claim={"mu": 0.75}, trials=2_000, confidence=0.9, seed=s).verdict == "refuted"
        for s in range(50)
    )
    assert low > 12


def test_every_corner_must_exceed() -> None:
    """One lucky corner refutes nothing: a region that reaches within the claim stands."""
    claim = as_claim({"mu": 1.0}, None, 0.0)
    assert exceeds(claim, Certified((900, 100), 1_000, True, 0.01, 16))
    assert not exceeds(claim, Certified((9, 1), 10, True, 0.01, 16))
    assert not exceeds(None, Certified((900, 100), 1_000, True, 0.01, 16))


@pytest.mark.slow
def test_privacy_loss_distributions_are_claims() -> None:
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    right = pld.from_gaussian_mechanism(1.0)
    wrong = pld.from_gaussian_mechanism(1.25)
    assert audit(gaussian, 0.0, 1.0, claim=right, trials=200_000).verdict == "not refuted"
    found = audit(gaussian, 0.0, 1.0, claim=wrong, trials=200_000)
    assert found.verdict == "refuted" and "PrivacyLossDistribution" in found.claim
    both = pld.from_laplace_mechanism(1.0).compose(right)

    def two(d: float, trials: int, rng: Rng) -> np.ndarray:
        return np.column_stack([laplace(d, trials, rng), gaussian(d, trials, rng)])

    assert audit(two, 0.0, 1.0, claim=both, trials=100_000).verdict == "not refuted"
    assert audit(two, 0.0, 1.5, claim=both, trials=100_000).verdict == "refuted"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (3.0, "claim must be a Profile"),
        ({"mu": 1.0, "rdp": {2: 1.0}}, "claim must be one of {.mu.: number}, {.rho.: number}"),
        ({"nu": 1.0}, "the key of claim must be one of mu, rho, rdp, epsilon, delta"),
        ({"mu": -1.0}, "mu must be"),
        ({"rdp": {}}, "rdp must be a mapping from orders"),
        ({"rdp": {1.0: 1.0}}, "an order of rdp must be a finite number > 1"),
        ({"rdp": {2.0: -1.0}}, "rdp at order 2 must be"),
        (laplace_profile(1.0, kind="lower", why=""), "claim must be a Profile of kind exact or upper"),
        (Profile("upper", "", lambda e: 2.0), r"claim must be a profile whose deltas lie in \[0, 1\]"),
        (Profile("upper", "", lambda e: 1.0 / 0.0), "delta at epsilon 60 is a number, got ZeroDivisionError"),
        (SimpleNamespace(get_delta_for_epsilon=lambda e: None), "delta at epsilon 60 is a number, got TypeError"),
        (SimpleNamespace(get_delta_for_epsilon=lambda e: math.nan), r"deltas lie in \[0, 1\], got nan"),
    ],
)
def test_bad_claims_are_refused(claim: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        audit(laplace, 0.0, 1.0, claim=claim, trials=1_000)


def test_a_claim_beside_epsilon_is_refused() -> None:
    with pytest.raises(InvalidInput, match="epsilon must be left out beside claim"):
        audit(laplace, 0.0, 1.0, epsilon=1.0, claim={"mu": 1.0}, trials=1_000)


# The trade-off curve


def test_the_curve_of_a_gaussian_pair_lies_above_the_true_one_and_near_it() -> None:
    """G_1(α) = Φ(Φ⁻¹(1 − α) − 1); 1e6 runs a side come within 0.03 of it everywhere."""
    found = audit(gaussian, 0.0, 1.0, trials=1_000_000)
    rates = np.linspace(0.0, 1.0, 201)
    bound, true = found.tradeoff(rates), norm.cdf(norm.ppf(1.0 - rates) - 1.0)
    assert (bound >= true - 1e-12).all() and np.abs(bound - true).max() < 0.03
    assert bound[0] == 1.0 and bound[-1] == 0.0
    assert (np.diff(bound) <= 0.0).all() and (np.diff(bound, 2) >= -1e-9).all()
    # Its conjugate is within the curve of δ: 1 − f(α) − e^ε α ≤ δ(ε) for the true profile.
    gap = 1.0 - bound - math.e * rates
    assert gap.max() <= gaussian_profile(1.0, kind="exact", why="").delta(1.0)


def test_the_curve_is_that_of_its_corners() -> None:
    """One known corner (p, q) = (0.6, 0.2): lines through (0.2, 0.4) and, read backwards, through (0.4, 0.2)."""

    class Corner:
        low, high = np.array([0.6]), np.array([0.2])

    rates = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.7, 1.0])
    bound = tradeoff.upper_bound([Corner()], rates)  # type: ignore[list-item]
    assert bound == pytest.approx([1.0, 0.7, 0.4, 0.3, 0.2, 0.1, 0.0], abs=1e-3)
    risk = tradeoff.attack_risk([Corner()], [0.2], 0.5)  # type: ignore[list-item]
    assert risk.advantage == pytest.approx(0.4, abs=1e-3) and risk.success == pytest.approx(0.7, abs=1e-3)
    assert risk.true_positive_rates[0][1] == pytest.approx(0.6, abs=1e-3)


def test_nothing_is_said_of_a_perfectly_private_pair() -> None:
    found = audit(lambda d, n, r: r.standard_normal(n), 0, 1, trials=10_000)
    rates = np.linspace(0.0, 1.0, 21)
    assert found.tradeoff(rates) == pytest.approx(1.0 - rates, abs=1e-3)
    assert found.attack_risk().advantage < 1e-3


@pytest.mark.slow
def test_false_curves_are_within_the_level() -> None:
    """Null: at 90% the curve dips below the true one anywhere in at most 10% of 100 audits; at 1e-6: beyond 27.

    Planted: frequencies in place of regions, which dip in nearly all.
    """
    rates = np.geomspace(1e-4, 0.9, 60)
    true = norm.cdf(norm.ppf(1.0 - rates) - 1.0)
    wrong = planted = 0
    for seed in range(100):
        found = audit(gaussian, 0.0, 1.0, trials=2_000, confidence=0.9, seed=seed)
        wrong += bool((found.tradeoff(rates) < true - 1e-9).any())
        points = [c.frequencies for c in found.family if isinstance(c, Certified)]
        planted += any(1.0 - p < norm.cdf(norm.ppf(1.0 - max(q, 1e-12)) - 1.0) for p, q in points)
    assert wrong <= binom.isf(1e-6, 100, 0.1) < planted


def test_attack_risk_in_words_and_bad_input() -> None:
    found = audit(gaussian, 0.0, 2.0, trials=50_000)
    risk = found.attack_risk([0.01, 0.1], prior=0.1)
    assert 0.55 < risk.advantage < 2.0 * norm.cdf(1.0) - 1.0
    assert 0.9 <= risk.success < 1.0 and [f for f, _ in risk.true_positive_rates] == [0.01, 0.1]
    assert "advantage >= " in str(risk) and "a false-positive rate of 0.01" in str(risk)
    for rates in ([-0.1], [1.1], [np.nan]):
        with pytest.raises(InvalidInput, match="false_positive_rates must be"):
            found.tradeoff(rates)
    with pytest.raises(InvalidInput, match="prior must be"):
        found.attack_risk(prior=0.0)
    one_run = audit_one_run(lambda inc, rng: inc + rng.laplace(size=len(inc)), 100)
    with pytest.raises(InvalidInput, match="the result must be of an audit of two data sets"):
        one_run.tradeoff([0.5])


def test_the_figure_and_the_table_hold_the_curve() -> None:
    from dpbench.report.tradeoff import tradeoff as draw
    from dpbench.report.tradeoff import tradeoff_table

    found = audit(gaussian, 0.0, 2.0, trials=20_000)
    axes = draw(found).axes[0]
    x, y = axes.lines[0].get_data()
    assert np.array_equal(y, found.tradeoff(x)) and axes.get_xlabel() == "false-positive rate"
    header, *rows = tradeoff_table(found).splitlines()
    numbers = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    assert header.count(",") == 2 and numbers[:, 1] == pytest.approx(found.tradeoff(numbers[:, 0]), abs=1e-5)
    assert numbers[:, 1] + numbers[:, 2] == pytest.approx(np.ones(len(rows)), abs=1e-5)


def test_goals_follow_the_loss() -> None:
    """The goal's slopes, by differences, are those of Φ⁻¹(p) − Φ⁻¹(q)."""
    goal = claimed.loss_goal(as_claim({"mu": 1.0}, None, 0.0))
    p, q = np.array([0.3, 0.6]), np.array([0.1, 0.2])
    first, second = goal.errors(p, q)
    assert first == pytest.approx(np.sqrt(p * (1 - p)) / norm.pdf(norm.ppf(p)), rel=1e-5)
    assert second == pytest.approx(np.sqrt(q * (1 - q)) / norm.pdf(norm.ppf(q)), rel=1e-5)
