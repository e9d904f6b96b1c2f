"""A bound above the truth must be as rare as stated: correct mechanisms, planted wrong auditors.

Null of each binomial test: the rate of ``epsilon_lower > true ε`` is at most 1 − confidence. It alarms
falsely with probability at most 1e-6 (fixed seeds). 120 audits at 95% alarm from 21 false bounds on: they catch a
rate of 25% with probability 0.98; 20,000 catch 6.1%. The cases are those of ``python -m studies.validity``.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbench import DependentOutputs, audit, bounds
from dpbench.auditing.dependence import Watch

pytestmark = pytest.mark.meta

NAMES = ("laplace", "gaussian", "response", "atoms", "vector", "laplace, delta", "identical", "sequential")
OTHER_MODES = ("arrays", "claim", "one run")
"""Counted by the command, and in the tests of these modes."""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies.validity`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import validity

    return validity


def test_the_cases_are_these(bench: Any) -> None:
    assert tuple(bench.CASES) == (*NAMES, *OTHER_MODES)


FEW = ("laplace", "vector", "identical", "laplace, delta")
"""Those of which no other test outside the evidence counts false bounds."""


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.evidence) for name in NAMES]
)
def test_false_bounds_are_as_rare_as_stated(bench: Any, name: str) -> None:
    """120 audits a case; the sequential one stops at will, up to ten times the runs."""
    assert not bench.too_often(bench.false_bounds(name, range(120), 0.95, 400), 120, 0.05)


@pytest.mark.parametrize("name", ["response", "sequential", "arrays"])
def test_false_bounds_of_audits_that_share_choosing_parts(
    bench: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 audits at 95%, five choosing parts: they alarm from 52 false bounds on, and catch a rate of 15% with
    probability 0.998.

    Planted: regions at a level of 1/2.
    """
    row = bench.measure(name, 500, 0.95, 100)
    assert row["audits"] == 500 and not row["too_often"], row
    at_half = bounds.joint_region
    monkeypatch.setattr(
        "dpbench.auditing.certified.joint_region", lambda hits, both, alpha, *rest: at_half(hits, both, 0.5, *rest)
    )
    monkeypatch.setattr(bench.validity_shared, "_corner", lambda hits, *rest: (np.ones(len(hits)), np.zeros(len(hits))))
    assert bench.measure(name, 500, 0.95, 100)["too_often"]


def test_what_spares_the_certificates_spares_no_false_bound(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same count with every certificate computed, at a confidence of 1/2, where half the bounds are near it."""
    case = bench.CASES["response"]
    few = bench.validity_shared.false_of_many(case, 0, 0.5, 400, 150, 0)
    monkeypatch.setattr(bench.validity_shared, "_corner", lambda hits, *rest: (np.ones(len(hits)), np.zeros(len(hits))))
    assert 0 < few == bench.validity_shared.false_of_many(case, 0, 0.5, 400, 150, 0)


def test_arrays_that_share_choosing_rows_show_a_row_used_twice(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a split whose certifying rows are the choosing ones, so that its event looks as when it was chosen.

    At a confidence of 1/2, 20 choosing parts of 25 audits at ε = 0: each part's audits are then wrong together. They
    alarm from 304 false bounds of 500 on.
    """
    monkeypatch.setitem(bench.CASES, "identical arrays", replace(bench.CASES["identical"], mode="arrays"))
    honest = bench.measure("identical arrays", 500, 0.5, 25)
    assert not honest["too_often"], honest
    split = bench.validity_shared._split

    def overlapping(outputs: np.ndarray, rows: int, seed: int, side: int) -> tuple[np.ndarray, np.ndarray]:
        chosen, rest = split(outputs, rows, seed, side)
        return chosen, np.resize(chosen, len(rest))

    monkeypatch.setattr(bench.validity_shared, "_split", overlapping)
    assert bench.measure("identical arrays", 500, 0.5, 25)["too_often"]


@pytest.mark.evidence
@pytest.mark.parametrize("name", [*NAMES, *OTHER_MODES])
def test_false_bounds_at_95_over_twenty_thousand_audits(bench: Any, name: str) -> None:
    row = bench.measure(name, 20_000, 0.95, 200)
    assert not row["too_often"], row


@pytest.mark.evidence
@pytest.mark.parametrize("name", [*NAMES, *OTHER_MODES])
def test_false_bounds_at_999_over_two_hundred_thousand_audits(bench: Any, name: str) -> None:
    row = bench.measure(name, 200_000, 0.999, 1_000)
    assert not row["too_often"], row


@pytest.mark.parametrize("epsilon", [0.0, pytest.param(0.5, marks=pytest.mark.evidence)])
def test_the_curve_is_valid_simultaneously(bench: Any, epsilon: float) -> None:
    """Laplace, 100 curves: any point above the exact δ(ε) = 1 − e^{(ε−1)/2} counts as one false bound."""
    grid = np.linspace(0.0, 1.5, 16)
    truth = np.maximum(1.0 - np.exp((grid - 1.0) / 2.0), 0.0)
    wrong = 0
    for seed in range(100):
        found = audit(bench.laplace, 0.0, 1.0, delta=epsilon * 0.1, trials=1_000, confidence=0.9, seed=seed)
        wrong += bool((found.curve(grid) > truth + 1e-12).any())
    assert not bench.too_often(wrong, 100, 0.1)


@pytest.mark.evidence
def test_mu_is_valid_on_a_gaussian(bench: Any) -> None:
    wrong = 0
    for seed in range(100):
        found = audit(bench.normal, 0.0, 1.0, trials=800, confidence=0.9, seed=seed, assume="gaussian")
        assert found.mu_lower is not None
        wrong += found.mu_lower > 1.0
    assert not bench.too_often(wrong, 100, 0.1)


# Planted wrong auditors, fed with counts on a mechanism whose ε is exactly known; each must be caught.


def _laplace_counts(rng: np.random.Generator, trials: int, thresholds: np.ndarray) -> np.ndarray:
    draws = np.stack([1.0 + rng.laplace(size=trials), rng.laplace(size=trials)])
    return (draws[:, :, None] >= thresholds).sum(axis=1)


def _bound(hits: np.ndarray, trials: int) -> float:
    return bounds.joint_region((int(hits[0]), int(hits[1])), (trials, trials), 0.05, 11, 64).epsilon(0.0)


def test_a_threshold_chosen_on_the_certifying_data_is_caught(bench: Any) -> None:
    rng, thresholds = np.random.default_rng(1), np.linspace(1.0, 3.0, 24)
    wrong = sum(max(_bound(pair, 500) for pair in _laplace_counts(rng, 500, thresholds).T) > 1.0 for _ in range(200))
    assert bench.too_often(wrong, 200, 0.05)


def test_the_same_thresholds_chosen_on_other_data_pass(bench: Any) -> None:
    rng, thresholds = np.random.default_rng(2), np.linspace(1.0, 3.0, 24)
    wrong = 0
    for _ in range(200):
        best = int(np.argmax([_bound(pair, 500) for pair in _laplace_counts(rng, 500, thresholds).T]))
        wrong += _bound(_laplace_counts(rng, 500, thresholds)[:, best], 500) > 1.0
    assert not bench.too_often(wrong, 200, 0.05)


def test_one_level_spent_on_two_directions_is_caught(bench: Any) -> None:
    """Identical data sets, a fair coin, both directions certified at 5% each: 10% false in all (20,000
    audits)."""
    trials, audits = 1_000, 20_000
    hits = np.random.default_rng(3).binomial(trials, 0.5, size=(audits, 2))
    pairs, times = np.unique(hits, axis=0, return_counts=True)
    both = sum(n for pair, n in zip(pairs, times, strict=True) if max(_fair(pair), _fair(pair[::-1])) > 0.0)
    single = sum(n for pair, n in zip(pairs, times, strict=True) if _fair(pair) > 0.0)
    assert bench.too_often(int(both), audits, 0.05)
    assert not bench.too_often(int(single), audits, 0.05)


def _fair(pair: np.ndarray) -> float:
    # The corner nearest the diagonal decides; a cheap necessary condition spares the quantiles.
    if pair[0] <= pair[1] + 20:
        return 0.0
    return bounds.joint_region((int(pair[0]), int(pair[1])), (1_000, 1_000), 0.05, 16, 128).epsilon(0.0)


def test_overlapping_parts_are_caught(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The certifying part reads the choosing part's streams: on identical data sets bounds turn positive."""
    from dpbench.auditing.blocks import Runs

    honest = Runs.draw

    def overlapping(self: Runs, part: str, side: int, block: int, rows: int) -> np.ndarray:
        return honest(self, "choose", side, block, rows)

    monkeypatch.setattr(Runs, "draw", overlapping)
    with pytest.raises(DependentOutputs, match="equal outputs"):
        audit(many, 0.0, 1.0, trials=2_000)
    monkeypatch.setattr(Watch, "examine", lambda self: ())
    monkeypatch.setattr("dpbench.auditing.split.CHOOSE_SHARE", 0.5)
    monkeypatch.setattr("dpbench.auditing.blocks.CERTIFY_CALLS", 16)  # blocks as long as the choosing part's
    wrong = 0
    for seed in range(120):
        found = audit(many, 0.0, 1.0, trials=2_000, confidence=0.95, seed=seed)
        wrong += found.epsilon_lower > 0.0
    assert bench.too_often(wrong, 120, 0.05)


def many(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Thirty equally likely values, whatever the data: luck alone tells the sides apart."""
    return rng.integers(0, 30, size=trials)
