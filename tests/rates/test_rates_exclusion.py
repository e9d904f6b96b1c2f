"""What a slope excludes, warnings, intervals from ranges, and the bootstrap against a slow twin."""

import math
from pathlib import Path

import numpy as np
import pytest
from naive import rates as naive
from scipy.stats import binom

from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput
from dpbench.ledger.evidence import committed
from dpbench.ledger.registry import all_claims
from dpbench.rates import compatible, data_sets_needed, rate_verdict, slope, would_see
from dpbench.rates.exclusion import slowest, wording, worthless
from dpbench.rates.slopes import mean_limits

GRID = [100.0, 200.0, 400.0, 800.0]


def rare(rng, trials, chances, base=0.5):
    """Mean 1 everywhere: `base` with a tenth of noise, and with a falling chance a failure that makes up the rest."""
    return [
        base * np.clip(1.0 + 0.1 * rng.standard_normal(trials), 0.0, 2.0) + (1.0 - base) / p * (rng.random(trials) < p)
        for p in chances
    ]


FALLING = np.geomspace(0.2, 0.02, 4)


@pytest.mark.parametrize("seed", range(4))
def test_widening_is_that_of_a_studentised_bootstrap(seed):
    """Against loops with the same resamples; a variance over the mean of the trials, not the resample's, is seen."""
    samples = [stream("widening", seed, g).lognormal(0.0, 1.5, 12) for g in range(3)]
    found = slope(GRID[:3], samples, resamples=200).widening
    expected = naive.widening(GRID[:3], samples, 200, stream("rates.slope", [12, 12, 12]))
    assert found == pytest.approx(expected, rel=1e-9)
    assert max(expected) > 1.005  # so that it is tested at all


@pytest.mark.slow
def test_an_interval_from_ranges_covers_what_students_misses():
    """Rare failures with a chance that falls along the grid, 16 trials: Student's misses more than 10% at level 1%.

    Null: the range's misses at most 1%; 150 sweeps; above `most` with probability below 1e-6. Caught: Student's.
    """
    largest = [(1.0 - 0.5) / p + 1.0 for p in FALLING]
    most = binom.isf(1e-6, 150, 0.01)
    missed = {"range": 0, "student": 0}
    for t in range(150):
        samples = rare(stream("rare", t), 16, FALLING)
        for found in (slope(GRID, samples, level=1e-2, largest=largest),
                      slope(GRID, samples, level=1e-2, resamples=0)):  # fmt: skip
            missed[found.method] += not found.interval[0] <= 0.0 <= found.interval[1]
    assert missed["range"] <= most < 15 < missed["student"]


@pytest.mark.slow
def test_sweeps_that_miss_are_warned_of():
    """Null: misses without a warning have probability at most 1%, for laws that miss 4 to 20 times too often.

    400 sweeps a law; above `most` with probability below 1e-6. Planted: without the warning both laws are above.
    Laws that cover are seldom warned of.
    """
    most = binom.isf(1e-6, 400, 0.01)
    laws = {
        "rare failures": lambda rng: rare(rng, 16, FALLING),
        "lognormal, spread grows": lambda rng: [rng.lognormal(-s * s / 2, s, 16) for s in np.geomspace(0.2, 1.8, 4)],
        "gamma of skewness 0.5": lambda rng: [rng.gamma(16.0, 1.0 / 16.0, 16) for _ in GRID],
    }
    silent, warned, missed = {}, {}, {}
    for name, law in laws.items():
        found = [slope(GRID, law(stream("warned", name, t)), level=1e-2, resamples=200) for t in range(400)]
        misses = [not f.interval[0] <= 0.0 <= f.interval[1] for f in found]
        missed[name], warned[name] = sum(misses), sum(bool(f.warning) for f in found)
        silent[name] = sum(miss and not f.warning for miss, f in zip(misses, found, strict=True))
    assert max(silent.values()) <= most
    assert missed["rare failures"] > most
    assert warned["gamma of skewness 0.5"] < 60 < 300 < warned["rare failures"]


def test_a_point_whose_trials_are_all_equal_is_warned_of():
    """Sixteen losses of 0 or 1 with means 1 to 0.96 are all 1 in a third of sweeps: an interval of no length."""
    varied = stream("equal trials").random(16) + 1.0
    for still, draws in ((4, [np.ones(16)] * 4), (1, [varied] * 3 + [np.ones(16)])):
        assert f"no error is seen at {still} of 4 points" in slope(GRID, draws, resamples=0).warning
        assert not slope(GRID, draws, largest=2.0).warning
    assert not slope(GRID, [varied] * 4, resamples=0).warning


@pytest.mark.parametrize("law", ["coin", "uniform", "never seen"])
def test_limits_of_a_bounded_mean_hold(law):
    """Null: each limit misses with at most 5%; 400 samples of 20; above `most` with probability below 1e-6.

    Caught: limits at a tail of 60%, the smallest error that these limits, which are not sharp, show.
    """
    draw, mean = {
        "coin": (lambda rng: (rng.random(20) < 0.1) * 2.0, 0.2),
        "uniform": (lambda rng: 2.0 * rng.random(20), 1.0),
        "never seen": (lambda rng: (rng.random(20) < 0.01) * 2.0, 0.02),
    }[law]
    most = binom.isf(1e-6, 400, 0.05)
    limits = np.array([mean_limits(draw(stream("limits", law, t)), 2.0, 0.05) for t in range(400)])
    assert np.count_nonzero(limits[:, 0] > mean) <= most and np.count_nonzero(limits[:, 1] < mean) <= most
    low, high = mean_limits(np.zeros(20), 2.0, 0.05)
    assert low == 0.0 and high == pytest.approx(2.0 * (1.0 - 0.025 ** (1.0 / 20.0)), rel=1e-9)


def test_the_smallest_error_seen_is_where_the_verdict_turns():
    for interval, expected, side, allowance in (
        ((-0.9, -0.5), -0.6, "upper", (0.0, 0.0)), ((-0.62, -0.58), -0.6, "tight", (0.0, 0.0)),
        ((-0.9, -0.5), -0.6, "upper", (-0.1, 0.05)), ((-0.7, -0.6), -0.6, "tight", (-0.08, 0.0)),
    ):  # fmt: skip
        seen = would_see(interval, expected, side=side, allowance=allowance)
        for factor, verdict in ((0.99, False), (1.01, True)):
            moved = tuple(end + factor * seen for end in interval)
            assert (rate_verdict(moved, expected, side, allowance) == "inconsistent") is verdict
    assert would_see((-0.3, -0.2), -0.6) == 0.0 and wording((-0.3, -0.2), -0.6).startswith("contradicted")
    assert "not contradicted (would see 0.12)" in wording((-0.72, -0.5), -0.6)


EVIDENCE = Path(__file__).resolve().parents[2] / "evidence" / "ledger"


def test_every_rate_of_the_ledger_rejects_a_planted_wrong_exponent():
    """Planted: a law that does not fall (steeper by half a power, where none is to fall), measured as finely."""
    seen, known = 0, committed(EVIDENCE)
    for claim in (claim for claim in all_claims() if claim.kind == "rate"):
        document = known[claim.id]
        found, expected = document["evidence"], document["evidence"]["reference"]
        low, high = found["interval"] or (found["value"], found["value"])
        wrong, half = worthless(expected, claim.resolution), 0.5 * (high - low)
        planted = rate_verdict((wrong - half, wrong + half), expected, claim.side, found["allowance"], claim.resolution)
        assert planted == "inconsistent", f"{claim.id}: at {wrong:+.2f} +- {half:.3f} it says {planted}"
        seen += 1
    assert seen > 70


@pytest.mark.parametrize(("expected", "wrong"), [(-0.5, 0.0), (-0.11, 0.0), (-0.1, 0.4), (0.0, 0.5), (1.0, 1.5)])
def test_what_tests_nothing_says_so(expected, wrong):
    """An interval is called an illustration from the width on at which the worthless law is no longer rejected."""
    assert worthless(expected) == pytest.approx(wrong)
    half = wrong - expected
    for factor, illustrates in ((0.99, False), (1.01, True)):
        wide = (expected - factor * half, expected + factor * half)
        assert (slowest(wide, expected) > wrong) is illustrates is ("an illustration" in wording(wide, expected))
        laid = (wrong - factor * half, wrong + factor * half)
        assert (rate_verdict(laid, expected, "upper") == "inconsistent") is not illustrates


def test_planned_data_sets_see_the_error_half_the_time():
    """Null: with the planned trials a law slower by 0.25 is inconsistent in a half of 200 sweeps; 6 standard errors."""
    spreads = [0.5, 0.5, 0.7, 0.7]
    count = data_sets_needed(GRID, spreads, 0.25, level=1e-2)
    seen = 0
    for t in range(200):
        rng = stream("planned", t)
        samples = [x**-0.25 * rng.gamma(1.0 / s**2, s**2, count) for x, s in zip(GRID, spreads, strict=True)]
        found = slope(GRID, samples, level=1e-2, resamples=0)
        seen += rate_verdict(found.interval, -0.5, "upper") == "inconsistent"
    assert abs(seen - 100) < 6.0 * math.sqrt(50.0) + 8
    assert data_sets_needed(GRID, spreads, 0.25, level=1e-2, slower=0.1) > 2 * count
    assert data_sets_needed(GRID, [0.0] * 4, 0.15) == 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: slope(GRID, [np.ones(8)] * 4, largest=[2.0]), "largest must be one number, or one for each"),
        (lambda: slope(GRID, [np.ones(8)] * 4, largest=0.5), r"samples must be arrays of numbers in \[0, 0.5\]"),
        (lambda: compatible((1.0, 0.0), GRID), "interval must be two numbers in order"),
        (lambda: would_see((0.0, 1.0), 0.5, side="both"), "side must be one of"),
        (lambda: data_sets_needed(GRID, [1.0] * 4, 0.1, slower=0.1), "error must be above the 0.1"),
        (lambda: data_sets_needed(GRID, [1.0], 0.5), "spreads must be one for each"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
