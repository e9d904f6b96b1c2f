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
from dpbench.auditing.choose import Contender
from dpbench.auditing.events import Event
from dpbench.auditing.goals import epsilon_goal
from dpbench.auditing.scores import Plain

ROWS, ALPHA = 160_000, 0.05
GOAL = epsilon_goal(0.0)


def contenders(less: float) -> tuple[Contender, Contender]:
    """The two directions of a Laplace pair one apart; the second promises `less`."""
    rng = np.random.default_rng(0)
    nested = chain(rng.laplace(size=40_000), 1.0 + rng.laplace(size=40_000))
    low, high = (float(nested.thresholds[np.searchsorted(nested.thresholds, t)]) for t in (-0.5, 1.5))
    opposite = 0.98 - less, Event(high, True, False, 16)
    best = Contender(Plain(), nested, 0.98, Event(low, False, True, 16), opposite)
    return best, best.turned()


def shared(less: float, alike: float) -> tuple[float, float]:
    """The mean of the larger bound and the share, of the pair."""
    pair = contenders(less)
    deep = pair[0].error(GOAL, ROWS), pair[1].error(GOAL, ROWS)
    return second.divided((0.98, 0.98 - less), deep, alike, 1.0 + ROWS / pair[0].nested.rows, ALPHA)


def mean_of_the_larger(less: float, alike: float, share: float, draws: int) -> tuple[float, float]:
    """By simulation: two bounds around their promises, and its standard error."""
    pair = contenders(less)
    deep = [one.error(GOAL, ROWS) for one in pair]
    luck = math.sqrt(1.0 + ROWS / pair[0].nested.rows) * min(deep)
    levels = ALPHA * (1.0 - share), ALPHA * share
    x = np.random.default_rng(1).standard_normal((2, draws))
    x[1] = alike * x[0] + math.sqrt(1.0 - alike * alike) * x[1]
    bounds = [
        one.promise + (-ndtri(ALPHA) + ndtri(level)) * d + luck * noise
        for one, level, d, noise in zip(pair, levels, deep, x, strict=True)
    ]
    larger = np.maximum(*bounds)
    return float(larger.mean()), float(larger.std()) / math.sqrt(draws)


@pytest.mark.parametrize("less", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("alike", [0.0, 0.8])
def test_the_mean_of_the_larger_bound(less: float, alike: float) -> None:
    """Against 200,000 simulated pairs, to five standard errors (false alarm 6e-7), which see an error of 1% of the
    spread. Planted: the correlation of the wrong sign."""
    mean, share = shared(less, alike)
    simulated, error = mean_of_the_larger(less, alike, share, 200_000)
    assert abs(mean - simulated) < 5.0 * error
    if alike:
        wrong, share = shared(less, -alike)
        assert abs(wrong - simulated) > 5.0 * error


def test_the_share_falls_as_the_second_promises_less() -> None:
    shares = [shared(less, 0.0)[1] for less in (0.0, 0.01, 0.05, 0.2)]
    assert shares[0] == 0.5 and shares == sorted(shares, reverse=True) and shares[-1] == second.SHARES[0]


def test_an_event_beside_the_best_one_is_looked_for_among_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """None where the other promises too little, and none that is the best one again by another score.

    Planted: events that are always taken for different ones.
    """
    sides = tuple(np.random.default_rng(2).laplace(size=(2, 2_000)) + np.array([[0.0], [1.0]]))

    def found(order: list[Contender]) -> tuple[Contender, float] | None:
        return choose.second_event(order, (sides[0], sides[1]), GOAL, ROWS, ALPHA)

    assert found([contenders(0.5)[0]]) is None
    both = found([contenders(0.0)[0]])
    assert both is not None and both[0].event == contenders(0.0)[1].event and both[1] > 0.2
    best = contenders(0.5)[0]
    assert found([best, best]) is None
    monkeypatch.setattr(np, "array_equal", lambda *_: False)
    monkeypatch.setattr(choose, "correlation", lambda *_: 0.0)
    assert found([best, best]) is not None


def test_the_correlation_of_events() -> None:
    """Against NumPy's of the two indicators; planted: of one of them and the other's complement."""
    x = np.random.default_rng(3).standard_normal((2, 500))
    one, other = x[0] > 0.3, x.sum(axis=0) > -0.2
    right = pytest.approx(float(np.corrcoef(one, other)[0, 1]), rel=1e-12)
    assert second.correlation(one, other) == right and second.correlation(one, ~other) != right
    assert second.correlation(one, np.ones(500, dtype=bool)) == 0.0


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

    def planted(*given: Any) -> tuple[Contender, float] | None:
        found = usual(*given)
        if found is None:
            return None
        one, share = found
        return replace(one, event=replace(one.event, above=not one.event.above)), share

    monkeypatch.setattr(choose, "second_event", planted)
    assert apart()
