"""Which score is taken: not the lucky one of several."""

from __future__ import annotations

import numpy as np
import pytest

from dpbench.auditing import choose
from dpbench.auditing.chains import chain
from dpbench.auditing.goals import epsilon_goal
from dpbench.auditing.scores import Score, Values

ROWS, Z = 160_000, 1.645
GOAL = epsilon_goal(0.0)


def named(words: str) -> Score:
    return Values(np.zeros(1, dtype=np.uint64), np.zeros(1), 0.0, True, words)


def contenders(seed: int) -> list[choose.Contender]:
    """The log-ratio of two normal samples, and three noisy ones."""
    rng = np.random.default_rng(seed)
    sides = rng.standard_normal(20_000) + 1.0, rng.standard_normal(20_000)
    tried = {"right": chain(*sides)}
    for k in range(3):
        one, other = (x + 0.25 * rng.standard_normal(20_000) for x in sides)
        tried[f"noisy {k}"] = chain(one, other)
    return [choose.contender(named(words), nested, GOAL, ROWS, Z, 4) for words, nested in tried.items()]


def test_a_score_that_tells_more_is_taken_before_a_lucky_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve fixed seeds: the log-ratio itself in all. Planted: by what is promised, others in at least three."""
    made = [contenders(seed) for seed in range(12)]

    def lucky() -> int:
        return sum(choose.ranked(one, GOAL, False)[0].score.words != "right" for one in made)

    assert lucky() == 0
    monkeypatch.setattr(choose, "TIE", 0.0)
    assert lucky() >= 3


def test_what_promises_far_more_is_taken_though_it_tells_less() -> None:
    """A value of one output in a hundred that only one side has, beside a weak shift of all outputs."""
    rng = np.random.default_rng(0)
    sides = rng.laplace(size=20_000) + 0.5, rng.laplace(size=20_000)
    flags = (rng.random(20_000) < 0.01).astype(float), np.zeros(20_000)
    tried = {"shift": chain(*sides), "flag": chain(*flags)}
    made = [choose.contender(named(words), nested, GOAL, ROWS, Z, 2) for words, nested in tried.items()]
    assert tried["shift"].log_likelihood_gain > 2.0 * tried["flag"].log_likelihood_gain
    assert choose.ranked(made, GOAL, False)[0].score.words == "flag"
