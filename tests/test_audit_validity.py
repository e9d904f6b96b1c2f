"""A bound above the truth must be as rare as stated: correct mechanisms, planted wrong auditors.

Null of each binomial test: the rate of ``epsilon_lower > true ε`` is at most 1 − confidence. It alarms
falsely with probability at most 1e-6 (fixed seeds). 400 audits at 95% catch a rate of 15% with probability
above 0.98, 20,000 catch 6.1%.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpbench import audit
from dpbench.auditing import intervals
from dpbench.privacy import gaussian

ALARM = 1e-6
MU = gaussian.mu(1.0, 0.01)


def laplace(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return d + rng.laplace(size=trials)


def normal(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return d + rng.standard_normal(trials)


def response(d: bool, trials: int, rng: np.random.Generator) -> np.ndarray:
    return np.array(["no", "yes"])[(d ^ (rng.random(trials) < 1.0 / (1.0 + math.e))).astype(int)]


def clipped(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Atoms at 0 and 1 of e-fold ratio, and a continuous part."""
    return np.clip(d + rng.laplace(size=trials), 0.0, 1.0)


def vector(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return d + rng.laplace(scale=2.0, size=(trials, 2))


def same(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return rng.laplace(size=trials)


# name: sampler, data set, neighbour, δ, exact ε at that δ
CASES: dict[str, tuple[Any, Any, Any, float, float]] = {
    "laplace": (laplace, 0.0, 1.0, 0.0, 1.0),
    "gaussian": (normal, 0.0, MU, 0.01, 1.0),
    "response": (response, False, True, 0.0, 1.0),
    "atoms": (clipped, 0.0, 1.0, 0.0, 1.0),
    "vector": (vector, 0.0, 1.0, 0.0, 1.0),
    "laplace-delta": (laplace, 0.0, 1.0, 0.1, 1.0 + 2.0 * math.log(0.9)),  # δ(ε) = 1 − e^{(ε−1)/2}
    "same": (same, 0.0, 1.0, 0.0, 0.0),
}


def too_often(wrong: int, audits: int, rate: float) -> bool:
    """The binomial test: `wrong` false bounds of `audits` are beyond chance at this rate."""
    return bool(binom.sf(wrong - 1, audits, rate) < ALARM)


def false_bounds(name: str, audits: int, confidence: float, trials: int) -> int:
    sampler, one, other, delta, truth = CASES[name]
    wrong = 0
    for seed in range(audits):
        found = audit(sampler, one, other, delta=delta, trials=trials, confidence=confidence, seed=seed)
        wrong += found.epsilon_lower > truth + 1e-12
    return wrong


@pytest.mark.parametrize("name", CASES)
def test_false_bounds_are_as_rare_as_stated(name: str) -> None:
    assert not too_often(false_bounds(name, 290, 0.95, 600), 290, 0.05)


@pytest.mark.evidence
@pytest.mark.parametrize("name", CASES)
def test_false_bounds_at_95_over_twenty_thousand_audits(name: str) -> None:
    audits = 20_000 if name == "same" else 2_900
    assert not too_often(false_bounds(name, audits, 0.95, 2_000), audits, 0.05)


@pytest.mark.evidence
@pytest.mark.parametrize("name", CASES)
def test_false_bounds_at_999_over_two_hundred_thousand_audits(name: str) -> None:
    assert not too_often(false_bounds(name, 29_000, 0.999, 600), 29_000, 0.001)


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_the_curve_is_valid_simultaneously(epsilon: float) -> None:
    """Laplace, 300 curves: any point above the exact δ(ε) = 1 − e^{(ε−1)/2} counts as one false bound."""
    grid = np.linspace(0.0, 1.5, 16)
    truth = np.maximum(1.0 - np.exp((grid - 1.0) / 2.0), 0.0)
    wrong = 0
    for seed in range(150):
        found = audit(laplace, 0.0, 1.0, delta=epsilon * 0.1, trials=1_000, confidence=0.9, seed=seed)
        wrong += bool((found.curve(grid) > truth + 1e-12).any())
    assert not too_often(wrong, 150, 0.1)


def test_mu_is_valid_on_a_gaussian() -> None:
    wrong = 0
    for seed in range(200):
        found = audit(normal, 0.0, 1.0, trials=800, confidence=0.9, seed=seed, assume="gaussian")
        assert found.mu_lower is not None
        wrong += found.mu_lower > 1.0
    assert not too_often(wrong, 200, 0.1)


# Planted wrong auditors, fed with counts on a mechanism whose ε is exactly known; each must be caught.


def _laplace_counts(rng: np.random.Generator, trials: int, thresholds: np.ndarray) -> np.ndarray:
    draws = np.stack([1.0 + rng.laplace(size=trials), rng.laplace(size=trials)])
    return (draws[:, :, None] >= thresholds).sum(axis=1)


def _bound(hits: np.ndarray, trials: int) -> float:
    return intervals.joint_region((int(hits[0]), int(hits[1])), (trials, trials), 0.05, 11, 64).epsilon(0.0)


def test_a_threshold_chosen_on_the_certifying_data_is_caught() -> None:
    rng, thresholds = np.random.default_rng(1), np.linspace(1.0, 3.0, 40)
    wrong = sum(max(_bound(pair, 500) for pair in _laplace_counts(rng, 500, thresholds).T) > 1.0 for _ in range(290))
    assert too_often(wrong, 290, 0.05)


def test_the_same_thresholds_chosen_on_other_data_pass() -> None:
    rng, thresholds = np.random.default_rng(2), np.linspace(1.0, 3.0, 40)
    wrong = 0
    for _ in range(290):
        best = int(np.argmax([_bound(pair, 500) for pair in _laplace_counts(rng, 500, thresholds).T]))
        wrong += _bound(_laplace_counts(rng, 500, thresholds)[:, best], 500) > 1.0
    assert not too_often(wrong, 290, 0.05)


def test_one_level_spent_on_two_directions_is_caught() -> None:
    """Identical data sets, a fair coin, both directions certified at 5% each: 10% false in all (20,000
    audits)."""
    trials, audits = 1_000, 20_000
    hits = np.random.default_rng(3).binomial(trials, 0.5, size=(audits, 2))
    pairs, times = np.unique(hits, axis=0, return_counts=True)
    both = sum(n for pair, n in zip(pairs, times, strict=True) if max(_fair(pair), _fair(pair[::-1])) > 0.0)
    single = sum(n for pair, n in zip(pairs, times, strict=True) if _fair(pair) > 0.0)
    assert too_often(int(both), audits, 0.05)
    assert not too_often(int(single), audits, 0.05)


def _fair(pair: np.ndarray) -> float:
    # The corner nearest the diagonal decides; a cheap necessary condition spares the quantiles.
    if pair[0] <= pair[1] + 20:
        return 0.0
    return intervals.joint_region((int(pair[0]), int(pair[1])), (1_000, 1_000), 0.05, 16, 128).epsilon(0.0)


def test_overlapping_parts_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certifying part reads the choosing part's streams: on identical data sets bounds turn positive."""
    from dpbench.auditing.blocks import Runs

    honest = Runs.draw

    def overlapping(self: Runs, part: str, side: int, block: int, rows: int) -> np.ndarray:
        return honest(self, "choose", side, block, rows)

    monkeypatch.setattr(Runs, "draw", overlapping)
    monkeypatch.setattr("dpbench.auditing.split.CHOOSE_SHARE", 0.5)
    wrong = 0
    for seed in range(120):
        found = audit(many, 0.0, 1.0, trials=2_000, confidence=0.95, seed=seed)
        wrong += found.epsilon_lower > 0.0
    assert too_often(wrong, 120, 0.05)


def many(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Thirty equally likely values, whatever the data: luck alone tells the sides apart."""
    return rng.integers(0, 30, size=trials)
