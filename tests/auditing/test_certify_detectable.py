"""What an audit says it would have refuted, held against counts drawn at just that loss."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from zoo import laws
from zoo.validity import laplace

from dpbench import InvalidInput, Profile, audit, audit_one_run_scores, audit_samples, runs_needed

Rng = np.random.Generator


def bits(p, q, rows, seed):
    rng = np.random.default_rng(seed)
    return rng.random(rows) < p, rng.random(rows) < q


def test_results_say_what_they_would_have_refuted():
    found = audit(laplace, 0.0, 1.0, epsilon=1.0, trials=20_000)
    assert found.verdict == "not refuted" and found.detectable is not None and 1.0 < found.detectable < 1.5
    assert audit(laplace, 0.0, 1.0, epsilon=30.0, trials=1_000).detectable is None
    more = audit(laplace, 0.0, 1.0, epsilon=1.0, trials=100_000).detectable
    assert more is not None and more < found.detectable


def test_plans_grow_with_what_is_harder_to_see():
    """And six times the runs refute where a third of them does not, of counts just as they are expected."""
    needed, fewer = runs_needed(1.0, 1.5), runs_needed(1.0, 3.0)
    harder = {"rarer": 0.001}, {"probability": 0.9}, {"confidence": 1.0 - 1e-6}, {"times": 1.4}
    assert needed is not None and fewer is not None and 100 <= fewer < needed
    for more in harder:
        larger = runs_needed(1.0, **{"times": 1.5, **more})
        assert larger is not None and larger > needed, more
    assert runs_needed(5.0, 2.0, rarer=0.5) is None and runs_needed(1.0, 1.5, rarer=1e-12) is None
    for given in ({"times": 1.0}, {"epsilon": 0.0}, {"rarer": 0.0}):
        with pytest.raises(InvalidInput, match=f"{next(iter(given))} must be"):
            runs_needed(**{"epsilon": 1.0, "times": 1.5, **given})
    for rows, verdict in ((6 * needed, "refuted"), (needed // 3 + 8, "not refuted")):
        shares = expit([1.5, -1.5])  # of the best event of randomised response at 1.5
        sides = (np.random.default_rng(k).permutation(np.arange(rows) < share * rows) for k, share in enumerate(shares))
        assert audit_samples(*sides, epsilon=1.0).verdict == verdict


@pytest.mark.slow
@pytest.mark.parametrize(("probability", "least"), [(0.5, 20), (0.95, 34)])
def test_runs_are_planned(probability, least):
    """Three times the planned runs refute at least as often as that, in 20 or 34 of 40 audits.

    Null: each is refuted with probability 0.825 where one half is asked for (33 of these 40 are): false alarms 6e-7. A
    chance of 0.25 or less is caught with probability 0.999. Of 0.95, 35 or fewer have probability 0.05.
    """
    needed = runs_needed(1.0, 1.5, probability=probability)
    assert needed is not None
    audits = [audit(laplace, 0.0, 1.5, epsilon=1.0, trials=3 * needed, seed=s).verdict for s in range(40)]
    assert audits.count("refuted") >= least


PURE = Profile("upper", "1", lambda epsilon: max(0.0, 1.0 - math.exp(epsilon - 1.0)))
CLAIMS = {
    "epsilon": ({"epsilon": 1.0}, lambda p, q: math.log(p / q)),
    "approximate": ({"epsilon": 1.0, "delta": 1e-3}, lambda p, q: math.log((p - 1e-3) / q)),
    "mu": ({"claim": {"mu": 1.0}}, lambda p, q: norm.ppf(p) - norm.ppf(q)),
    "rho": ({"claim": {"rho": 0.5}}, laws.concentrated),
    "profile": ({"claim": PURE}, lambda p, q: math.log(p / q) - 1.0),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_an_outcome_says_its_power(kind):
    """The least count of the event that refutes, found one by one, and its loss by the definition of the claim; how
    many times too little noise that is, by the ratio to the claim (of rho by its root), if that is one number."""
    claim, loss_of = CLAIMS[kind]
    found = audit_samples(*bits(0.2, 0.08, 2_000, 0), **claim)
    assert found.certified is not None and found.origin is not None and found.origin.claim is not None
    (hits, others), (rows, more) = found.certified.hits, found.certified.both
    region, excess = found.certified.region(32), found.origin.claim.excess
    least = hits
    while not (excess(region.low, region.high) > 0.0).all():
        least += 1
        region = replace(found.certified, hits=(least, others)).region(32)
    expected = loss_of(least / rows, others / more)
    times = {"rho": math.sqrt(expected / 0.5), "profile": None}.get(kind, expected)
    assert found.noise_caught == (None if times is None else pytest.approx(times, rel=1e-3))
    assert (
        found.outcome == f"not refuted; an event as frequent as this one would have shown {found.unit} {expected:.3g}"
    )


def test_an_outcome_without_power_says_so():
    """Ten times is said where the event has it; where the event could not have refuted, that alone is said."""

    def at(epsilon, trials):
        return audit(laplace, 0.0, 1.0, epsilon=epsilon, trials=trials).outcome

    assert re.fullmatch(r"refuted: epsilon >= 0\.[0-9]+ > 0\.5", at(0.5, 100_000))
    assert at(12.0, 100).startswith("not refuted; no power: this event could not have refuted it in so few runs")
    few = audit_one_run_scores(np.arange(100) % 2, np.zeros(100), epsilon=0.05).outcome
    assert few == "not refuted; no power: would not have caught ten times too little noise"
    none = audit_one_run_scores(np.arange(400) % 2 == 0, np.zeros(400), epsilon=30.0)
    assert none.detectable is None and none.outcome == f"not refuted; {none.power}"
    assert none.power.startswith("no power: so") and "few canaries" in none.power


def test_tied_scores_are_broken_at_random_whatever_their_order():
    """Planted: ties broken by position, with sorted coins, would be perfect guesses."""
    coins = np.arange(400) < 200
    for order in (np.arange(400), np.arange(400)[::-1], np.random.default_rng(0).permutation(400)):
        found = audit_one_run_scores(coins[order], np.zeros(400), epsilon=1.0)
        assert found.verdict == "not refuted" and found.epsilon_lower == 0.0
