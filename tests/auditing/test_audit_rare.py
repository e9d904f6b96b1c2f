"""Events that were seen a few times: what they promise, how far that is believed, and how their counts are weighed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpbench import audit_samples
from dpbench.auditing import events
from dpbench.auditing.events import ADDED
from dpbench.auditing.goals import epsilon_goal
from dpbench.bounds import best_angle, joint_region

ALPHA, Z = 0.0425, 1.6449


def certified(p: float, q: float, rows: int, added: float) -> float:
    """The mean certified ε of an event of these probabilities, by quantiles of its two counts."""
    first, second = math.sqrt((1.0 - p) / p), math.sqrt((1.0 - q) / max(q + added / rows, 1e-12))
    angle = best_angle(first, second)
    shares = (np.arange(8) + 0.5) / 8.0
    hits = [binom.ppf(shares, rows, x).astype(int).tolist() for x in (p, q)]
    found = [joint_region((x, y), (rows, rows), ALPHA, angle, 64).epsilon(0.0) for x in hits[0] for y in hits[1]]
    return float(np.mean(found))


@pytest.mark.parametrize(("p", "q"), [(15, 0), (15, 1), (30, 0), (30, 3), (100, 3), (300, 30)])
def test_weights_of_few_counts_are_near_the_best(p: int, q: int) -> None:
    """The counts added for the weights: within 2% (or 0.01) of every angle. Planted: none, 10% lost at (15, 0)."""
    rows = 3_000
    found = certified(p / rows, q / rows, rows, ADDED)
    every = [1.0 / math.tan(0.5 * math.pi * k / 32) for k in range(2, 16, 2)]
    best = max(_at_ratio(p, q, rows, ratio) for ratio in every)
    assert found >= best - max(0.02 * best, 0.01)
    if (p, q) == (15, 0):
        assert certified(p / rows, q / rows, rows, 0.0) < 0.9 * best


def _at_ratio(p: int, q: int, rows: int, ratio: float) -> float:
    """`certified`, the standard error of the rare side `ratio` times the other's."""
    shares = (np.arange(8) + 0.5) / 8.0
    hits = [binom.ppf(shares, rows, x / rows).astype(int).tolist() for x in (p, q)]
    angle = best_angle(1.0, ratio)
    found = [joint_region((x, y), (rows, rows), ALPHA, angle, 64).epsilon(0.0) for x in hits[0] for y in hits[1]]
    return float(np.mean(found))


def test_the_promise_of_few_counts_is_the_mean_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside 200 draws of the posterior and of the certifying part, at exact regions: within 0.2, 4 standard errors.

    Planted: no count added on the rare side promises at least 0.3 too much of (3, 0).
    """
    rng = np.random.default_rng(0)
    goal, chosen, rows = epsilon_goal(0.0), 500, 2_000

    def slow(x: int, y: int) -> float:
        found = []
        for _ in range(200):
            p, q = (rng.beta(k + 0.5, chosen - k + 0.5) for k in (x, y))
            hits = int(rng.binomial(rows, p)), int(rng.binomial(rows, q))
            angle = best_angle(math.sqrt(chosen / (rows * x)), math.sqrt(1.0 / (rows / chosen * y + ADDED)))
            found.append(joint_region(hits, (rows, rows), ALPHA, angle, 32).epsilon(0.0))
        return float(np.mean(found))

    for x, y in ((3, 0), (8, 0), (20, 1), (30, 10)):
        fast, _, _ = events.mean_certificate(goal, np.array([float(x)]), np.array([float(y)]), chosen, rows, Z)
        assert float(fast[0]) == pytest.approx(slow(x, y), abs=0.2)
    monkeypatch.setattr(events, "NEXT", 1e-3)
    much, _, _ = events.mean_certificate(goal, np.array([3.0]), np.array([0.0]), chosen, rows, Z)
    assert float(much[0]) > slow(3, 0) + 0.3


def test_the_weight_of_an_event_is_a_posterior_probability() -> None:
    """By hand at (3, 0) and share 1/2: the factor is (1/4)/(1/8) = 2."""
    found = events.weight(np.array([3.0, 0.0]), np.array([0.0, 0.0]), np.full(2, 0.5), 1)
    prior = events.PRIOR / 2.0
    assert found == pytest.approx([2.0 * prior / (1.0 - prior + 2.0 * prior), prior])


def test_equal_tails_are_seldom_believed() -> None:
    """The factor exceeds 20 anywhere along a tail of fair counts with probability at most 1/20 (Ville).

    Of 400 fixed tails at most 40: more have probability 1e-5 under the null. Planted: the largest likelihood ratio in
    place of the factor exceeds it in more than 60.
    """
    rng = np.random.default_rng(1)
    prior = events.LEAST_PRIOR
    bar = 20.0 * prior / (1.0 - prior + 20.0 * prior)
    often = largest = 0
    for _ in range(400):
        first = np.cumsum(rng.random(events.FEW) < 0.5).astype(float)
        second = np.arange(1.0, events.FEW + 1.0) - first
        often += bool((events.weight(first, second, np.full(events.FEW, 0.5), events.FEW) > bar).any())
        share = first / (first + second)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nansum([first * np.log(2.0 * share), second * np.log(2.0 * (1.0 - share))], axis=0)
        largest += bool((ratio > math.log(20.0)).any())
    assert often <= 40 and largest > 60


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q", "rows", "least"), [(0.01, 0.0, 2_000, 0.95), (0.01, 0.001, 3_000, 0.95)])
def test_small_runs_certify_the_rare_event(
    p: float, q: float, rows: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Means of 20 fixed seeds. Planted: without the promise of few counts, less than 0.9 of them."""

    def mean() -> float:
        found = []
        for seed in range(20):
            rng = np.random.default_rng([seed, rows])
            sides = [(rng.random(rows) < share).astype(float) for share in (p, q)]
            found.append(audit_samples(*sides, confidence=0.95, seed=seed).epsilon_lower)
        return float(np.mean(found))

    usual = mean()
    monkeypatch.setattr(events, "FEW", -1)
    assert usual > least and mean() < 0.9 * usual
