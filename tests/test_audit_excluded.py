"""What a result says it would have found, held against audits of just that."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbench import audit, audit_one_run_scores
from dpbench.auditing import excluded

Rng = np.random.Generator
AUDITS, MISSED = 12, 3
"""Each misses with probability 0.002 at most: more than 3 of 12 with probability 8e-9."""


def tail(found: np.ndarray, rng: Rng) -> np.ndarray:
    return np.where(found, 50.0 + rng.normal(size=len(found)), rng.laplace(size=len(found)))


def text(found: np.ndarray, rng: Rng) -> np.ndarray:
    return np.where(found, "secret", "usual")


def column(found: np.ndarray, rng: Rng) -> np.ndarray:
    made = rng.normal(size=(len(found), 5))
    made[:, 2] = np.where(found, 9.0, made[:, 2])
    return made


def least(said: str) -> float:
    match = re.search(r"an event of probability at least ([\d.e-]+) on one side and absent on the other", said)
    assert match is not None
    return float(match.group(1))


def missed(make: Callable[[np.ndarray, Rng], np.ndarray], share: float, claim: dict[str, Any]) -> int:
    """Audits of 400 runs a side that do not find the event at this share of the probability that is stated."""

    def sampler(chance: float, trials: int, rng: Rng) -> np.ndarray:
        return make(rng.random(trials) < chance, rng)

    stated = least(audit(sampler, 0.0, 1e-9, trials=400, **claim).excludes)
    found = [audit(sampler, share * stated, 0.0, trials=400, seed=seed, **claim) for seed in range(AUDITS)]
    return sum(f.verdict == "not refuted" if claim else f.epsilon_lower == 0.0 for f in found)


@pytest.mark.parametrize(
    ("make", "claim"),
    [(tail, {"claim": {"mu": 0.5}}), (text, {}), (column, {"epsilon": 1.0})],
)
def test_events_of_the_stated_probability_are_found(make: Any, claim: dict[str, Any]) -> None:
    """Planted: a seventh of the probability, with which most are missed."""
    assert missed(make, 1.0, claim) <= MISSED < missed(make, 1.0 / 7.0, claim)


def test_a_whole_claim_is_spoken_of() -> None:
    """Less is needed against 0.1-GDP than against 3-GDP; nothing refutes 9-GDP in 200 runs."""

    def sampler(d: float, trials: int, rng: Rng) -> np.ndarray:
        return d + rng.normal(size=trials)

    low, high = (audit(sampler, 0.0, 0.1, claim={"mu": mu}, trials=2_000).excludes for mu in (0.1, 3.0))
    assert least(low) < least(high) and "refuting the claim, where it is a value or a tail" in low
    assert audit(sampler, 0.0, 0.1, claim={"mu": 9.0}, trials=200).excludes == excluded.NOTHING


@pytest.mark.parametrize("claim", [{"epsilon": 1.0, "delta": 1e-5}, {"claim": {"mu": 0.5}}, {}])
def test_one_run_finds_what_it_says(claim: dict[str, Any]) -> None:
    """So many included canaries above all others refute, whatever the others; half as many do not."""
    coins = np.arange(400) % 2 == 0
    said = audit_one_run_scores(coins, np.zeros(400), **claim).excludes
    match = re.match(r"(\d+) included canaries that score above all others would have been enough", said)
    assert match is not None and ("refuting" in said) == bool(claim)
    for told, enough in ((int(match.group(1)), True), (int(match.group(1)) // 2, False)):
        scores = -np.where(coins, 1.0, 0.5)  # of the others, those that are not included score higher
        scores[np.flatnonzero(coins)[:told]] = 1.0
        found = audit_one_run_scores(coins, scores, **claim)
        assert (found.verdict == "refuted" if claim else found.epsilon_lower > 0.0) == enough
    assert "no scores of so few canaries" in audit_one_run_scores(coins, np.zeros(400), epsilon=30.0).excludes
