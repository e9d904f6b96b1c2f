"""One-run audits: validity, assumptions, ties and bad input."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.stats import binom

from dpbench import InvalidInput, audit_one_run, bounds

Rng = np.random.Generator


def response(included: np.ndarray, rng: Rng) -> np.ndarray:
    """Randomised response at ε = 1."""
    return included ^ (rng.random(len(included)) < 1.0 / (1.0 + math.e))


def _false_bounds(audits: int) -> tuple[int, int]:
    """Wrong ones of `audits` at 95% on randomised response; and with the level spent whole on each size."""
    bound = functools.lru_cache(None)(bounds.one_run_epsilon)
    wrong = greedy = 0
    for seed in range(audits):
        found = audit_one_run(response, 256, confidence=0.95, seed=seed)
        wrong += found.epsilon_lower > 1.0
        flips = np.random.default_rng(seed).random(256) < math.e / (1.0 + math.e)
        greedy += max(bound(256, r, int(flips[:r].sum()), 0.0, 0.05) for r in (256, 64, 16)) > 1.0
    return wrong, greedy


@pytest.mark.slow
def test_false_bounds_are_within_the_level() -> None:
    """Null: at most 5% of 1,500 audits exceed the true ε; rejected at 1e-6, that is, beyond 118 (7.9%).

    Planted: the level spent whole on each of three numbers of guesses.
    """
    most = binom.isf(1e-6, 1500, 0.05)
    wrong, greedy = _false_bounds(1500)
    assert wrong <= most < greedy


@pytest.mark.evidence
def test_false_bounds_are_within_the_level_20_000_audits() -> None:
    most = binom.isf(1e-6, 20_000, 0.05)
    wrong, greedy = _false_bounds(20_000)
    assert wrong <= most < greedy


# Independent canaries, and Gaussian curves


# The whole audit


def test_one_run_is_near_on_randomised_response() -> None:
    found = [audit_one_run(response, 400, confidence=0.9, seed=s, guesses=400).epsilon_lower for s in range(100)]
    assert 0.75 < np.mean(found) < 1.0


def test_one_run_refutes_and_says_so() -> None:
    found = audit_one_run(lambda inc, r: 3.0 * inc + r.laplace(size=len(inc)), 2_000, epsilon=1.0, delta=1e-6)
    assert found.verdict == "refuted" and found.trials == 2_000
    assert "guesses at 2000 canaries are right, in one run" in found.event
    assert found.certified is None and 0.0 < found.curve([1.0])[0] < found.curve([0.0])[0]


def test_assumptions_are_in_the_result() -> None:
    def sum_with_noise(included: np.ndarray, rng: Rng) -> np.ndarray:
        return included + rng.standard_normal(len(included))

    plain = audit_one_run(sum_with_noise, 500, epsilon=4.0, delta=1e-5)
    trusting = audit_one_run(sum_with_noise, 500, epsilon=4.0, delta=1e-5, independent=True)
    assert len(plain.assumptions) == 1 and "coins are fair, independent" in plain.assumptions[0]
    assert trusting.assumptions[:1] == plain.assumptions and "independent parts" in trusting.assumptions[1]
    assert 0.0 < plain.epsilon_lower <= trusting.epsilon_lower
    weaker, stronger = (
        audit_one_run(sum_with_noise, 500, claim={"mu": 2.0}, independent=apart).bound for apart in (False, True)
    )
    assert weaker is not None and stronger is not None and 0.0 < weaker < stronger < 1.2
    assert "500 canaries" in str(plain) and trusting.assumptions[1] in str(trusting)
    assert trusting.to_dict()["assumptions"] == trusting.assumptions
    assert plain.verdict == "not refuted"


def test_ties_say_nothing() -> None:
    """Constant scores in the order of the coins: broken by position they would give the coins away."""
    assert audit_one_run(lambda inc, r: np.zeros(len(inc)), 2_000, confidence=1 - 1e-6).epsilon_lower == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"canaries": 5}, "canaries must be an integer >= 10"),
        ({"guesses": 3}, "guesses must be even numbers from 2 to the 20 canaries"),
        ({"guesses": 22}, "guesses must be even numbers"),
        ({"guesses": []}, "guesses must be even numbers"),
        ({"guesses": "all"}, "guesses must be an integer"),
        ({"run": 3}, "run must be callable"),
        ({"run": lambda inc, r: np.zeros(3)}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: [[1.0], [2.0, 3.0]]}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: ["a"] * 20}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: 1 / 0}, "run raised ZeroDivisionError"),
        ({"independent": "yes"}, "independent must be True or False"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"delta": 1.0}, "delta must be"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_one_run_refuses_bad_input(options: dict, message: str) -> None:
    given = {"run": response, "canaries": 20, **options}
    with pytest.raises(InvalidInput, match=message):
        audit_one_run(given.pop("run"), given.pop("canaries"), **given)
