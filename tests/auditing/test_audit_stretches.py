"""Stretches of blocks of a large certifying part: the same counts, and dependence that is seen all the same."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from dpbench import DependentOutputs, audit
from dpbench.auditing import blocks, dependence
from dpbench.auditing.blocks import KEPT, Counter, Runs
from dpbench.auditing.dependence import Watch
from dpbench.auditing.traces import probe_of

Rng = np.random.Generator


def noisy(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Laplace noise about d."""
    return d + rng.laplace(size=trials)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 64 runs, in stretches of up to eight."""
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "STRETCHES", 32)
    monkeypatch.setattr(blocks, "LONGEST", 8)


@pytest.mark.parametrize("rows", [1, 63, 64, 64 * KEPT, 64 * KEPT + 1, 64 * 97 + 5, 64 * 331, 64 * 5000 + 63])
def test_stretches_hold_every_run_once(rows: int, short: None) -> None:
    jobs, length = blocks._stretches(rows, 64)
    assert length == max(1, min(8, -(-rows // 64) // 32))
    for side in (0, 1):
        mine = [(first, long) for s, first, long in jobs if s == side]
        assert sum(long for _, long in mine) == rows
        assert [first for first, _ in mine] == [
            start // 64 for start in itertools.accumulate((long for _, long in mine[:-1]), initial=0)
        ]
        assert all(long <= 64 for first, long in mine if first < KEPT) and max(long for _, long in mine) <= 64 * length


def test_counts_and_tables_are_those_of_single_blocks(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow road draws every block by itself. Planted: a stretch whose last block is left out."""
    rows, first, second = (
        64 * 300 + 9,
        noisy(0.0, 4000, np.random.default_rng(1)),
        noisy(1.0, 4000, np.random.default_rng(2)),
    )
    probe = probe_of(first, second).with_event((0.4, 0.5))
    counter = Counter((np.abs, np.negative), (np.array([0.5, 1.0]), np.linspace(-3.0, 3.0, 40)), probe, 1.0)
    runs, watch = Runs(noisy, 0.0, 1.0, 7, "noisy"), Watch("noisy")
    drawn = [[runs.draw("certify", s, b, min(64, rows - 64 * b)) for b in range(-(-rows // 64))] for s in (0, 1)]
    slow = [
        [int((score(np.concatenate(side)) >= t).sum()) for score, ts in ((np.abs, (0.5, 1.0)),) for t in ts]
        + [int((-np.concatenate(side) >= t).sum()) for t in np.linspace(-3.0, 3.0, 40)]
        for side in drawn
    ]  # fmt: skip
    found = runs.count("certify", rows, counter, first, 1, None, watch)
    assert found.tolist() == slow
    for side in (0, 1):
        traces = watch._blocks["certify", side]
        assert len(traces) < 150 and sum(t.blocks for t in traces) == 301 and sum(t.rows for t in traces) == rows
        assert sum(t.hits or 0 for t in traces) == slow[side][1]
        whole = sum(counter.probe.trace(x, side, np.abs(x) >= 1.0).tables for x in drawn[side])  # type: ignore[union-attr]
        assert np.array_equal(watch._tables["certify", side], whole)
        assert [p for t in traces for p in t.prefixes] == [
            p for x in drawn[side] for p in probe.trace(x, side).prefixes
        ]
    monkeypatch.setattr(Runs, "draw", _without(Runs.draw, 299))
    assert runs.count("certify", rows, counter, first, 1, None).tolist() != slow


def _without(draw: Any, block: int) -> Any:
    return lambda self, part, side, b, rows: draw(self, part, side, b, rows) * (np.nan if b == block else 1.0)


def again(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Every call far into the certifying part draws from one of twenty seeds."""
    return d + np.random.default_rng(int(rng.integers(20))).laplace(size=trials)


def shared(d: float, trials: int, rng: Rng) -> np.ndarray:
    """A number that is drawn once a call moves all its runs a little."""
    return d + 0.5 * rng.normal() + rng.laplace(size=trials)


@pytest.mark.parametrize(("sampler", "kind"), [(again, dependence.EQUAL), (shared, dependence.DISPERSED)])
def test_dependence_within_stretches_is_seen(sampler: Any, kind: str, short: None) -> None:
    """Null: independent runs, refused at 1e-9. Found where the first blocks, which are by themselves, are sound."""
    first = noisy(0.0, 4000, np.random.default_rng(1))
    probe = probe_of(first, first + 1.0).with_event((0.5, 0.5))
    counter = Counter((np.abs,), (np.array([1.0]),), probe, 1.0)
    for made, sound in ((noisy, True), (sampler, False)):
        watch = Watch("x")
        runs = Runs(noisy, 0.0, 1.0, 3, "x")
        runs.count("certify", 64 * KEPT, counter, first, 1, None, watch)
        late = blocks._Count(Runs(made, 0.0, 1.0, 3, "x"), "certify", counter, first[:0], 64)
        for side in (0, 1):
            for start in range(KEPT, KEPT + 400, 8):
                watch.add("certify", side, counter.probe, late((side, start, 512))[1])  # type: ignore[arg-type]
        assert (watch._least(kind)[0] > 1e-3) is sound
        if not sound:
            with pytest.raises(DependentOutputs):
                watch.examine()


def test_an_audit_is_the_same_whatever_the_stretches(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the p-value of the dispersion, which is of the counts of stretches."""
    made = audit(noisy, 0.0, 1.0, epsilon=0.5, trials=60_000)
    monkeypatch.setattr(blocks, "LONGEST", 1)
    single = audit(noisy, 0.0, 1.0, epsilon=0.5, trials=60_000)
    assert made.epsilon_lower == single.epsilon_lower > 0.5 and made.verdict == single.verdict == "refuted"
    differ = [a.what for a, b in zip(made.checks, single.checks, strict=True) if a != b]
    assert set(differ) <= {dependence.DISPERSED}
