"""A second event beside the best one: its share of the level, by simulation; where there is one; its levels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from dpbench import audit
from dpbench.auditing import choose, second
from dpbench.auditing.certified import Certified
from dpbench.auditing.chains import chain
from dpbench.auditing.events import Event
from dpbench.auditing.goals import epsilon_goal
from dpbench.auditing.interactions import Quadratic, normal_scores
from dpbench.auditing.scores import Plain
from dpbench.auditing.second import Arm, _divided

ROWS, ALPHA = 160_000, 0.05
GOAL = epsilon_goal(0.0)


def arms(less: float) -> tuple[Arm, Arm]:
    """The two directions of a Laplace pair one apart; the second promises `less`."""
    rng = np.random.default_rng(0)
    nested = chain(rng.laplace(size=40_000), 1.0 + rng.laplace(size=40_000))
    low, high = (float(nested.thresholds[np.searchsorted(nested.thresholds, t)]) for t in (-0.5, 1.5))
    best = Arm(Plain(), nested, 0.98, Event(low, False, True, 16))
    return best, Arm(Plain(), nested, 0.98 - less, Event(high, True, False, 16))


def mean_of_the_larger(best: Arm, other: Arm, alike: float, share: float, draws: int) -> tuple[float, float]:
    """By simulation: two bounds around their promises, and its standard error."""
    deep = [math.hypot(*arm.errors(GOAL)) / math.sqrt(ROWS) for arm in (best, other)]
    luck = math.sqrt(1.0 + ROWS / best.nested.rows) * min(deep)
    levels = ALPHA * (1.0 - share), ALPHA * share
    x = np.random.default_rng(1).standard_normal((2, draws))
    x[1] = alike * x[0] + math.sqrt(1.0 - alike * alike) * x[1]
    bounds = [
        arm.promise + (-ndtri(ALPHA) + ndtri(level)) * d + luck * noise
        for arm, level, d, noise in zip((best, other), levels, deep, x, strict=True)
    ]
    larger = np.maximum(*bounds)
    return float(larger.mean()), float(larger.std()) / math.sqrt(draws)


@pytest.mark.parametrize("less", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("alike", [0.0, 0.8])
def test_the_mean_of_the_larger_bound(less: float, alike: float) -> None:
    """Against 200,000 simulated pairs, to five standard errors (false alarm 6e-7), which see an error of 1% of the
    spread. Planted: the correlation of the wrong sign."""
    best, other = arms(less)
    frequencies = [np.array(a.errors(GOAL)) for a in (best, other)]
    scale = math.prod(float(np.hypot(*f)) for f in frequencies)
    along = alike * scale / float((frequencies[0] * frequencies[1]).sum())  # alike in the bounds
    mean, share = _divided(best, other, (along, along), GOAL, ROWS, ALPHA)
    simulated, error = mean_of_the_larger(best, other, alike, share, 200_000)
    assert abs(mean - simulated) < 5.0 * error
    if alike:
        wrong, share = _divided(best, other, (-along, -along), GOAL, ROWS, ALPHA)
        assert abs(wrong - simulated) > 5.0 * error


def test_the_share_falls_as_the_second_promises_less() -> None:
    shares = [_divided(*arms(less), (0.0, 0.0), GOAL, ROWS, ALPHA)[1] for less in (0.0, 0.01, 0.05, 0.2)]
    assert shares[0] == 0.5 and shares == sorted(shares, reverse=True) and shares[-1] == second.SHARES[0]
    best, other = arms(0.5)  # too little to be looked at
    assert _divided(best, other, (0.0, 0.0), GOAL, ROWS, ALPHA) == (-math.inf, 0.0)
    sides = tuple(np.random.default_rng(2).laplace(size=(2, 2_000)) + np.array([[0.0], [1.0]]))
    assert second.second_event([best, other], (sides[0], sides[1]), GOAL, ROWS, ALPHA) is None
    best, other = arms(0.0)
    found = second.second_event([best, other], (sides[0], sides[1]), GOAL, ROWS, ALPHA)
    assert found is not None and found[0] is other and found[1] > 0.2


def cauchy(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return d + rng.standard_cauchy(trials)


@pytest.mark.slow
def test_two_scores_are_certified_and_their_counts_are_not_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rising and falling log-ratio for one direction, a falling and rising one for the other: both bounds of each of
    twenty audits are within 15% of the frequencies' (a wrong column of counts is off by more). Planted: one."""

    def apart() -> bool:
        seen = False
        for seed in range(20):
            found = audit(cauchy, 0.0, 1.0, trials=40_000, confidence=0.95, seed=seed)
            one, other = (c for c in found.family[:2] if isinstance(c, Certified))
            p, q = other.frequencies
            seen |= one.alpha > 0.5 * other.alpha > 0.1 * one.alpha and not 0.7 < math.log(max(p, 1e-9) / q) < 1.2
        return seen

    assert not apart()
    usual = choose.second_event

    def planted(*given: Any) -> tuple[Arm, float] | None:
        found = usual(*given)
        if found is None:
            return None
        arm, share = found
        return replace(arm, event=replace(arm.event, above=not arm.event.above)), share

    monkeypatch.setattr(choose, "second_event", planted)
    assert apart()


def test_a_quadratic_form_is_nearer_the_truth_from_more_rows() -> None:
    """Mean squared error of the forms of ten pairs of normal samples: from four times the rows about a quarter.

    Planted: a form that is not learned again."""
    columns, every = np.arange(3), np.ones((3, 3), dtype=bool)
    covariance = np.full((3, 3), 0.3) + 0.7 * np.eye(3)
    truth = 0.5 * (np.eye(3) - np.linalg.inv(covariance))
    errors = np.zeros(3)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        first, other = rng.multivariate_normal(np.zeros(3), covariance, 2_000), rng.standard_normal((2_000, 3))
        empty = Quadratic(normal_scores(first, other, columns), np.zeros((3, 3)), every)
        half = empty.relearned(first[:500], other[:500])
        whole = half.relearned(first, other)
        same = half
        errors += [float(((x.matrix - truth) ** 2).sum()) for x in (half, whole, same)]
    assert errors[1] < 0.5 * errors[0] and not errors[2] < 0.5 * errors[0]
