"""The commands that time audits and count refusals: each planted kind is refused, rows and tables are as kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from studies.results import audits as measured_audits

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The modules of `benchmarks/`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import audit_speed, dependence

    return SimpleNamespace(speed=audit_speed, dependence=dependence)


def test_the_check_alone_refuses_what_is_planted_and_nothing_else(bench: SimpleNamespace) -> None:
    """Two seeds each; a correct one is refused with probability at most 1e-9."""
    for make in bench.dependence.PLANTED.values():
        assert all(bench.dependence.refused(make(seed), seed) for seed in range(2))
    for sampler in bench.dependence.CORRECT.values():
        assert not any(bench.dependence.refused(sampler, seed) for seed in range(2))


def test_the_least_of_all_times_is_kept(bench: SimpleNamespace) -> None:
    one, other = bench.speed.row([0.3, 0.5], 0.05, 0.2), bench.speed.row([0.19], None, 0.2)
    both = bench.speed.added(one, other)
    assert both == {"least": 0.19, "most": 0.5, "repeats": 3, "sampler": 0.05, "goal": 0.2}
    text = measured_audits.speed({"speed": {"x": one, "y": both}})
    assert text.count("missed") == 1 and "| y | 0.2 | 0.19 | 0.50 | 3 | 0.05 |" in text


def test_a_cost_that_grows_faster_than_linearly_is_seen(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Below a million runs exponents are not judged, whatever does not grow counting there."""
    monkeypatch.setattr(bench.speed, "audit", lambda *_, **__: None)
    for costs, code in (([0.1, 0.3, 1.9], 0), ([0.1, 0.3, 2.1], 1), ([0.01, 0.15, 1.9], 1)):
        left = iter(costs)
        monkeypatch.setattr(bench.speed, "taken", lambda work, clock, left=left: next(left))
        assert bench.speed.grow((100_000, 1_000_000, 10_000_000), 1) == code
    assert capsys.readouterr().out.count("exponent") == 9


def test_what_is_committed_is_of_every_case(bench: SimpleNamespace) -> None:
    """Each kind in all of a thousand audits, no false alarm."""
    kept = json.loads((ROOT / "evidence" / "audit.json").read_text(encoding="utf-8"))
    assert set(kept["speed"]) == {*bench.speed.CASES, bench.speed.NEW}
    assert set(bench.dependence.PLANTED) <= set(kept["dependence"])
    for row in kept["dependence"].values():
        assert row["refused"] == (row["audits"] if row["kind"] == "planted" else 0) and row["audits"] >= 1_000
    assert measured_audits.dependence(kept).count("\n") == 1 + len(kept["dependence"])
