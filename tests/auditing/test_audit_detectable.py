"""What an audit says it would have refuted, held against counts drawn at just that loss."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from dpbench import InvalidInput, audit, audit_one_run_scores, runs_needed
from dpbench.auditing.certified import Certified, exceeds
from dpbench.auditing.claimed import as_claim
from dpbench.auditing.detectable import smallest_detectable

Rng = np.random.Generator


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(size=trials)


def refuted(claim: Any, p: float, counts: Certified, draws: int = 400) -> float:
    """Share of draws of the likelier side's count that refute, the other side's as observed."""
    hits = np.random.default_rng(0).binomial(counts.trials, p, size=draws)
    made = [
        Certified((int(h), counts.hits[1]), counts.trials, True, counts.alpha, counts.angle) for h in np.unique(hits)
    ]
    yes = {m.hits[0]: exceeds(claim, m) for m in made}
    return float(np.mean([yes[int(h)] for h in hits]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "epsilon", "delta"),
    [(None, 1.0, 0.0), (None, 0.3, 1e-2), ({"rho": 0.5}, None, 0.0), ({"mu": 1.0}, None, 0.0)],
)
def test_the_detectable_loss_refutes_half_of_the_time(claim: Any, epsilon: float | None, delta: float) -> None:
    """Planted: at 0.8 of it hardly ever, at 1.2 times nearly always (binomial counts, 400 draws, fixed seed)."""
    held = as_claim(claim, epsilon, delta)
    assert held is not None
    counts = Certified((0, 800), 8_000, True, 1e-3, 12)
    found = smallest_detectable(held, counts)
    assert found is not None
    grid = np.linspace(0.1, 0.999, 20_000)
    losses = np.array([held.read(_point(float(p), 0.1))[0] for p in grid])

    def share(times: float) -> float:
        return refuted(held, float(grid[np.searchsorted(losses, times * found)]), counts)

    assert 0.35 < share(1.0) < 0.65
    assert share(0.8) < 0.15 and share(1.2) > 0.85


def _point(p: float, q: float) -> Any:
    from dpbench.bounds import Region

    return Region(np.array([p]), np.array([q]))


def test_results_say_what_they_would_have_refuted() -> None:
    found = audit(laplace, 0.0, 1.0, epsilon=1.0, trials=20_000)
    assert found.verdict == "not refuted" and found.detectable is not None and 1.0 < found.detectable < 1.5
    assert f"epsilon {found.detectable:.4g}" in found.excludes
    assert audit(laplace, 0.0, 1.0, epsilon=30.0, trials=1_000).detectable is None
    more = audit(laplace, 0.0, 1.0, epsilon=1.0, trials=100_000).detectable
    assert more is not None and more < found.detectable


@pytest.mark.slow
def test_runs_are_planned() -> None:
    """Three times the runs of an even chance refute at least as often as that: in 20 of 40 audits.

    Null: each is refuted with probability 0.825 (33 of these 40 are): false alarms 6e-7. A chance of 0.25 or less is
    caught with probability 0.999.
    """
    needed = runs_needed(1.0, 1.5)
    assert needed is not None
    audits = [audit(laplace, 0.0, 1.5, epsilon=1.0, trials=3 * needed, seed=s).verdict for s in range(40)]
    assert audits.count("refuted") >= 20
    fewer, rarer = runs_needed(1.0, 3.0), runs_needed(1.0, 1.5, probability=0.001)
    assert fewer is not None and rarer is not None and fewer < needed < rarer
    assert runs_needed(5.0, 2.0, probability=0.5) is None
    with pytest.raises(InvalidInput, match="times must be"):
        runs_needed(1.0, 1.0)
    assert math.isfinite(needed)


@pytest.mark.parametrize("claim", [{"epsilon": 1.0, "delta": 1e-5}, {"claim": {"mu": 0.5}}, {}])
def test_one_run_finds_what_it_says(claim: dict[str, Any]) -> None:
    """So many included canaries above all others refute, whatever the others; half as many do not."""
    coins = np.arange(400) % 2 == 0
    said = audit_one_run_scores(coins, np.zeros(400), direction="high", **claim).excludes
    match = re.match(r"(\d+) included canaries that score above all others would have been enough", said)
    assert match is not None and ("refuting" in said) == bool(claim)
    for told, enough in ((int(match.group(1)), True), (int(match.group(1)) // 2, False)):
        scores = -np.where(coins, 1.0, 0.5)  # of the others, those that are not included score higher
        scores[np.flatnonzero(coins)[:told]] = 1.0
        found = audit_one_run_scores(coins, scores, direction="high", **claim)
        assert (found.verdict == "refuted" if claim else found.epsilon_lower > 0.0) == enough
    assert "no scores of so few canaries" in audit_one_run_scores(coins, np.zeros(400), epsilon=30.0).excludes


def test_tied_scores_are_broken_at_random_whatever_their_order() -> None:
    """Planted: ties broken by position, with sorted coins, would be perfect guesses."""
    coins = np.arange(400) < 200
    for order in (np.arange(400), np.arange(400)[::-1], np.random.default_rng(0).permutation(400)):
        found = audit_one_run_scores(coins[order], np.zeros(400), epsilon=1.0)
        assert found.verdict == "not refuted" and found.epsilon_lower == 0.0
