"""Error probabilities are accounted: what all certificates of an audit were given sums to at most 1 − confidence.

Counts of false bounds have too little power against a level of 2α; the ledger of levels has all of it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import ndtr

from dpbench import audit, audit_one_run_scores
from dpbench.auditing import bounded_mean, choose, guesses, one_run, one_run_bounds, sequential, split
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


def test_a_bet_does_not_look_at_its_own_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bet i is the same whatever the values from i on are. Planted: one that knows value i."""

    def looks_ahead() -> bool:
        rng = np.random.default_rng(3)
        x = rng.random(400)
        usual = bounded_mean._bets(x, 0.05)
        for i in range(0, 400, 7):
            other = x.copy()
            other[i:] = rng.random(400 - i)
            if not np.array_equal(bounded_mean._bets(other, 0.05)[: i + 1], usual[: i + 1]):
                return True
        return False

    assert not looks_ahead()
    honest = bounded_mean._bets
    monkeypatch.setattr(bounded_mean, "_bets", lambda x, alpha: np.roll(honest(x, alpha), -1))
    assert looks_ahead()


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_the_wealth_at_the_upper_mean_is_one_over_alpha(alpha: float) -> None:
    """Π(1 + λ_i(m − x_i)) at the bound m of values in [0, R], by its own bets (docstring of the module)."""
    values = 3.0 * np.random.default_rng(8).beta(2.0, 5.0, 500)
    bound = bounded_mean.upper_mean(values, 3.0, alpha)
    x = values / 3.0
    bets = bounded_mean._bets(x, alpha)
    wealth = np.prod([1.0 + bet * (bound / 3.0 - one) for bet, one in zip(bets, x, strict=True)])
    assert wealth == pytest.approx(1.0 / alpha, rel=1e-6)
    assert values.mean() < bound < 3.0


def most_right(canaries: int, guesses: int, right: int, mu: float) -> float:
    """The largest P(V >= v) that the inequalities of arXiv 2410.22235 allow under μ-GDP, by a linear programme.

    Unknown are p_k = P(V = k). With A_j = Σ_{k>j} (k/m) p_k and B_j = Σ_{k≥j} ((r − k)/m) p_k they say B_j ≥
    Φ(Φ⁻¹(A_j) − μ) for j < v, a convex curve: 600 tangents.
    """
    m, r = canaries, guesses
    k = np.arange(r + 1)
    z = np.linspace(-6.0, 6.0, 600)
    slope, height = np.exp(mu * z - 0.5 * mu * mu), ndtr(z - mu)
    rows, limits = [], []
    for j in range(right):
        a, b = np.where(k > j, k / m, 0.0), np.where(k >= j, (r - k) / m, 0.0)
        rows.append(slope[:, None] * a - b)
        limits.append(slope * ndtr(z) - height)
    found = linprog(
        -(k >= right).astype(float), A_ub=np.concatenate(rows), b_ub=np.concatenate(limits),
        A_eq=np.ones((1, r + 1)), b_eq=[1.0], bounds=(0.0, 1.0), method="highs",
    )  # fmt: skip
    return float(-found.fun)


def least_ruled_out(rules_out: Any, canaries: int, guesses: int, right: int, mu: float) -> float:
    """The level above which μ is ruled out."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        out = bool(rules_out(canaries, guesses, right, np.array([mu]), middle)[0])
        low, high = (low, middle) if out else (middle, high)
    return high


def test_the_mu_recursion_equals_a_linear_programme() -> None:
    """To 1e-3, on small cases. Planted: one guess more or less, which is off by 1% at least."""
    usual = one_run_bounds.gaussian_joint_rules_out
    for m, r, v, mu in ((6, 6, 5, 0.5), (8, 6, 6, 1.0), (10, 4, 4, 0.7), (12, 10, 9, 0.4)):
        best = most_right(m, r, v, mu)
        assert best < 0.99
        assert least_ruled_out(usual, m, r, v, mu) == pytest.approx(best, rel=1e-3), (m, r, v, mu)
        for planted in (
            lambda m, r, v, mus, level: usual(m, r, v - 1, mus, level),
            lambda m, r, v, mus, level: usual(m + 1, r + 1, v + 1, mus, level),
        ):
            assert abs(least_ruled_out(planted, m, r, v, mu) / best - 1.0) > 0.01
