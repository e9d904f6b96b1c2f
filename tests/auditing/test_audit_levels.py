"""Error probabilities are accounted: what all certificates of an audit were given sums to at most 1 − confidence.

Counts of false bounds have too little power against a level of 2α; the ledger of levels has all of it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpbench import audit, audit_one_run_scores
from dpbench.auditing import choose, guesses, one_run, sequential, split
from dpbench.auditing.levels import Levels, LevelsExceeded

Rng = np.random.Generator


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(size=trials)


def test_a_ledger_adds_up_and_refuses_more() -> None:
    levels = Levels(0.05)
    assert levels.split("curve", 0.2, 4) == pytest.approx([0.0025] * 4)
    assert levels.draw("main", 0.03) == 0.03
    part = levels.part("round", 0.01)
    assert part.total == 0.01 and levels.spent == pytest.approx(0.05)
    levels.settle([0.0025] * 4 + [0.03, 0.01])
    with pytest.raises(LevelsExceeded, match=r"sum to 0\.06.*main 0\.03"):
        levels.draw("more", 0.01)
    with pytest.raises(LevelsExceeded):
        Levels(0.05).draw("negative", -0.01)
    with pytest.raises(LevelsExceeded, match="certificates at levels"):
        Levels(0.05).settle([0.01])


@pytest.mark.parametrize("assume", [None, "gaussian"])
def test_an_audit_spends_its_level_and_no_more(assume: str | None) -> None:
    found = audit(laplace, 0.0, 1.0, trials=2_000, confidence=0.95, assume=assume)
    assert math.fsum(c.alpha for c in found.family) == pytest.approx(0.05, rel=1e-9)
    assert found.certified in found.family


def test_a_sequential_audit_spends_its_level_over_all_rounds() -> None:
    found = audit(laplace, 0.0, 1.0, epsilon=1.0, trials="auto", gap=1e-9, budget=60_000, confidence=0.95)
    used = math.fsum(c.alpha for c in found.family)
    assert 0.6 * 0.05 < used <= 0.05 * (1.0 + 1e-9)  # three rounds: 1/2 + 1/6 + 1/12


def _main_at_twice(usual: Any) -> Any:
    def planted(*given: Any) -> Any:
        made = usual(*given)
        event, main = made[0]
        return [(event, replace(main, alpha=2.0 * main.alpha)), *made[1:]]

    return planted


def _curve_at_the_whole(usual: Any) -> Any:
    def planted(*given: Any) -> Any:
        total = given[-1].total
        return [(event, replace(c, alpha=total)) for event, c in usual(*given)]

    return planted


def _second_at_what_both_have(usual: Any) -> Any:
    def planted(*given: Any) -> Any:
        made = usual(*given)
        assert given[0].second is not None
        (_, main), (event, other) = made[:2]
        return [made[0], (event, replace(other, alpha=main.alpha + other.alpha)), *made[2:]]

    return planted


@pytest.mark.parametrize("plant", [_main_at_twice, _second_at_what_both_have, _curve_at_the_whole])
def test_a_certificate_at_more_than_its_level_is_noticed(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "certificates", plant(split.certificates))
    with pytest.raises(LevelsExceeded):
        audit(laplace, 0.0, 1.0, trials=1_000)


def test_a_second_event_whose_share_the_main_one_keeps_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a share below 0, by which the main event would get more than there is."""
    usual = choose.second_event

    def planted(*given: Any) -> Any:
        found = usual(*given)
        assert found is not None
        return found[0], -found[1]

    monkeypatch.setattr(choose, "second_event", planted)
    with pytest.raises(LevelsExceeded):
        audit(laplace, 0.0, 1.0, trials=1_000)


def test_shares_that_sum_to_more_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "CURVE_SHARE", 1.1)
    with pytest.raises(LevelsExceeded):
        audit(laplace, 0.0, 1.0, trials=1_000)


def test_rounds_whose_shares_sum_to_two_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: round k at α/2^k, from 0 on. The second round raises."""
    assert sum(sequential.share(k) for k in range(10_000)) == pytest.approx(1.0, abs=1e-3)
    monkeypatch.setattr(sequential, "share", lambda k: 0.5**k)
    with pytest.raises(LevelsExceeded):
        audit(laplace, 0.0, 1.0, epsilon=1.0, trials="auto", gap=1e-9, budget=30_000)


def test_guess_sets_of_one_run_draw_from_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: weights that sum to more than 1, and a guess set that is read at more than it has drawn."""
    coins = np.random.default_rng(0).random(100) < 0.5
    for sizes in (None, [20, 50]):
        found = audit_one_run_scores(coins, coins + 0.0, confidence=0.95, guesses=sizes)
        assert 0.8 * 0.05 < math.fsum(g.alpha for g in found.family) <= 0.05 * (1.0 + 1e-9)
    plan = guesses.PLAN
    monkeypatch.setattr(guesses, "PLAN", (*plan, (guesses.BOTH, 0.5, 0.01)))
    with pytest.raises(LevelsExceeded, match=r"guesses of both 0\.5"):
        audit_one_run_scores(coins, coins + 0.0)
    monkeypatch.setattr(guesses, "PLAN", plan)
    usual = one_run.guess_sets
    monkeypatch.setattr(
        one_run, "guess_sets", lambda *given: tuple(replace(g, alpha=2.0 * g.alpha) for g in usual(*given))
    )
    with pytest.raises(LevelsExceeded, match="certificates at levels"):
        audit_one_run_scores(coins, coins + 0.0)


def test_no_result_holds_more_certificates_than_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: one certificate more after all were settled, in a result that is made or changed."""
    found = audit(laplace, 0.0, 1.0, trials=1_000)
    with pytest.raises(LevelsExceeded, match="certificates at levels"):
        replace(found, family=(*found.family, found.family[-1]))
    with pytest.raises(LevelsExceeded):
        replace(found, confidence=0.9995)
    monkeypatch.setattr(Levels, "settle", lambda self, levels: None)
    usual = split.certificates
    monkeypatch.setattr(split, "certificates", lambda *given: [*usual(*given), usual(*given[:-1], Levels(0.001))[0]])
    with pytest.raises(LevelsExceeded, match="certificates at levels"):
        audit(laplace, 0.0, 1.0, trials=1_000)
