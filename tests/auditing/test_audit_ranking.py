"""Which score is taken, not the lucky one of several; and the level of a common event beside one seen a few times."""

from __future__ import annotations

import numpy as np
import pytest

from dpbench.auditing import ranking
from dpbench.auditing.chains import chain
from dpbench.auditing.events import Event
from dpbench.auditing.goals import epsilon_goal
from dpbench.auditing.scores import Values
from dpbench.auditing.second import Arm, Score

ROWS, ALPHA, Z = 160_000, 0.05, 1.645
GOAL = epsilon_goal(0.0)


def named(words: str) -> Score:
    return Values(np.zeros(1, dtype=np.uint64), np.zeros(1), 0.0, True, words)


def contenders(seed: int) -> list[ranking.Contender]:
    """The log-ratio of two normal samples, and three noisy ones."""
    rng = np.random.default_rng(seed)
    sides = rng.standard_normal(20_000) + 1.0, rng.standard_normal(20_000)
    tried = {"right": chain(*sides)}
    for k in range(3):
        one, other = (x + 0.25 * rng.standard_normal(20_000) for x in sides)
        tried[f"noisy {k}"] = chain(one, other)
    return [ranking.contender(named(words), nested, GOAL, ROWS, Z, 4) for words, nested in tried.items()]


def test_a_score_that_tells_more_is_taken_before_a_lucky_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve fixed seeds: the log-ratio itself in all. Planted: by what is promised, others in at least three."""
    made = [contenders(seed) for seed in range(12)]

    def lucky() -> int:
        return sum(ranking.ranked(one, GOAL, False)[0].best.score.words != "right" for one in made)

    assert lucky() == 0
    monkeypatch.setattr(ranking, "TIE", 0.0)
    assert lucky() >= 3


def test_what_promises_far_more_is_taken_though_it_tells_less() -> None:
    """A value of one output in a hundred that only one side has, beside a weak shift of all outputs."""
    rng = np.random.default_rng(0)
    sides = rng.laplace(size=20_000) + 0.5, rng.laplace(size=20_000)
    flags = (rng.random(20_000) < 0.01).astype(float), np.zeros(20_000)
    tried = {"shift": chain(*sides), "flag": chain(*flags)}
    made = [ranking.contender(named(words), nested, GOAL, ROWS, Z, 2) for words, nested in tried.items()]
    assert tried["shift"].told > 2.0 * tried["flag"].told
    assert ranking.ranked(made, GOAL, False)[0].best.score.words == "flag"


def few(promise: float) -> Arm:
    """An event of about twenty outputs of 20,000."""
    rng = np.random.default_rng(1)
    nested = chain((rng.random(20_000) < 1e-3).astype(float), (rng.random(20_000) < 1e-4).astype(float))
    return Arm(named("few"), nested, promise, Event(float(nested.thresholds[0]), True, True, 16))


def common(shift: float, promise: float) -> Arm:
    """An event of a good part of the outputs."""
    rng = np.random.default_rng(0)
    nested = chain(rng.laplace(size=20_000) + shift, rng.laplace(size=20_000))
    return Arm(named("common"), nested, promise, Event(float(nested.thresholds[-80]), True, True, 16))


def test_the_share_of_a_common_event_beside_one_seen_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The more uncertain, the larger; none for an event that promises nothing. Planted: no luck, no share."""
    shares = [ranking.insured(few(1.5), common(shift, 0.5), GOAL, ROWS, ALPHA) for shift in (0.3, 3.0)]
    assert 0.0 < shares[0] < shares[1] <= 0.5
    assert ranking.insured(few(1.5), common(0.3, 0.0), GOAL, ROWS, ALPHA) == 0.0
    monkeypatch.setattr(ranking, "LUCK", 0.0)
    assert ranking.insured(few(1.5), common(0.3, 0.5), GOAL, ROWS, ALPHA) == 0.0
