"""A bound above the truth is as rare as stated, in each condition, and a wrong auditor would be noticed."""

from __future__ import annotations

import numpy as np
import pytest

from dpbench import audit, bounds
from zoo import validity
from zoo.validity import CONDITIONS, chance, laplace, many_values

ALARM = 1e-6
QUICK = ("response, a hundred runs", "mu", "arrays", "one run, tied")
"""One of each way to audit."""


ALL = [pytest.param(name, 75, marks=pytest.mark.evidence) for name in CONDITIONS]


@pytest.mark.parametrize(("name", "audits"), [*((name, 24) for name in QUICK), *ALL])
def test_false_statements_are_as_rare_as_stated(name: str, audits: int) -> None:
    """Audits at confidence 0.9. Of 24 are 12 wrong with probability 1e-6 under it, and a rate of 0.7 is caught with
    probability 0.98; of 75 are 20 wrong with 1e-6, and a rate of 0.4 is caught with 0.99."""
    assert chance(validity.wrong(name, audits), audits) > ALARM


def test_an_audit_at_another_confidence_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control of the tests above: audits at confidence 0.05 are counted under a rate of 0.1."""
    usual = audit

    def lax(*given: object, **asked: object) -> object:
        return usual(*given, **{**asked, "confidence": 0.05})  # type: ignore[arg-type]

    monkeypatch.setattr("dpbench.audit", lax, raising=False)
    assert chance(validity.wrong("response, a hundred runs", 15), 15) < ALARM


# Planted wrong auditors, fed with counts on a mechanism whose ε is exactly known; each must be caught


def _laplace_counts(rng: np.random.Generator, trials: int, thresholds: np.ndarray) -> np.ndarray:
    draws = np.stack([laplace(1.0, trials, rng), laplace(0.0, trials, rng)])
    return (draws[:, :, None] >= thresholds).sum(axis=1)


def _bound(hits: np.ndarray, trials: int) -> float:
    return bounds.joint_region((int(hits[0]), int(hits[1])), (trials, trials), 0.1, 11, 64).epsilon(0.0)


def test_a_threshold_chosen_on_the_certifying_data_is_caught_and_on_other_data_not() -> None:
    rng, thresholds = np.random.default_rng(1), np.linspace(1.0, 3.0, 24)
    same = other = 0
    for _ in range(200):
        first, second = (_laplace_counts(rng, 500, thresholds).T for _ in range(2))
        same += max(_bound(pair, 500) for pair in first) > 1.0
        other += _bound(second[int(np.argmax([_bound(pair, 500) for pair in first]))], 500) > 1.0
    assert chance(same, 200) < ALARM < chance(other, 200)


def test_one_level_spent_on_two_directions_is_caught() -> None:
    """Identical data sets, a fair coin, both directions certified at 10% each: 20% false in all (2,000 audits:
    400 have probability 1e-40 at 10%)."""
    trials, audits = 1_000, 2_000
    hits = np.random.default_rng(3).binomial(trials, 0.5, size=(audits, 2))
    pairs, times = np.unique(hits, axis=0, return_counts=True)

    def false(pair: np.ndarray) -> bool:
        # The corner nearest the diagonal decides; a cheap necessary condition spares the quantiles.
        return (
            pair[0] > pair[1] + 10
            and bounds.joint_region((*map(int, pair),), (trials, trials), 0.1, 16).epsilon(0.0) > 0.0
        )  # type: ignore[arg-type]

    both = sum(n for pair, n in zip(pairs, times, strict=True) if false(pair) or false(pair[::-1]))
    single = sum(n for pair, n in zip(pairs, times, strict=True) if false(pair))
    assert chance(int(both), audits) < ALARM < chance(int(single), audits)


def test_a_score_that_chooses_on_certifying_rows_is_refused() -> None:
    """The split is kept: a score that remembers what it saw is no function of an output, and is refused."""
    seen: set[float] = set()

    def remembers(outputs: np.ndarray) -> np.ndarray:
        known = np.array([float(x) in seen for x in outputs])
        seen.update(outputs.tolist())
        return known

    with pytest.raises(ValueError, match=r"score must be a function of each output alone|must be independent"):
        audit(many_values, 0.0, 1.0, trials=2_000, score=remembers)
