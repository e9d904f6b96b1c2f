"""The oracles' benchmark cases check their answers and refuse wrong ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dpbench.publicdata import _interior, hypotheses_cube, hypotheses_line, hypotheses_plane

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`benchmarks/cases_publicdata.py`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks import cases_publicdata

    return cases_publicdata


def test_every_case_gives_the_right_answer(cases: Any) -> None:
    for name, make in cases.CASES.items():
        case = make()
        case.check()
        if "linear" in name or "cube" in name:
            assert 0.0 <= case.quality(case.run()) < 1.0


@pytest.mark.parametrize(
    ("name", "owner", "kernel"),
    [
        ("oracle-thresholds", hypotheses_line.kernels, "scan_thresholds"),
        ("oracle-intervals", hypotheses_line.kernels, "scan_intervals"),
        ("oracle-stumps", hypotheses_line.kernels, "scan_stumps"),
        ("oracle-halfspaces", hypotheses_plane.kernels, "turn_lines"),
        ("oracle-parity-cube", hypotheses_cube.kernels, "choose_signs"),
        ("oracle-linear-absolute", _interior, "newton_steps"),
    ],
)
def test_a_wrong_answer_is_refused(
    cases: Any, monkeypatch: pytest.MonkeyPatch, name: str, owner: Any, kernel: str
) -> None:
    """Planted: a kernel that fills its answer with ones, or does nothing."""
    case = cases.CASES[name]()

    def idle(*arguments: Any) -> float:
        if kernel.startswith(("scan", "choose")):
            arguments[-1][...] = 1
        return 0.0

    monkeypatch.setattr(owner, kernel, idle)
    with pytest.raises(cases.WrongAnswer):
        case.check()


def test_releases_count_the_calls_of_each_algorithm(cases: Any) -> None:
    """Algorithm 2 asks J times and at most once more; outputs of Algorithm 3 share the call for f̄."""
    from benchmarks import publicdata

    (setting,) = publicdata.private_grid((300,))
    rows = {row["algorithm"]: row for row in publicdata.releases((300,))}
    assert set(rows) == {"Algorithm 2", "Algorithm 3", "Algorithm 4", "ERM"}
    assert setting.mechanism.calls < rows["Algorithm 2"]["calls"] <= setting.mechanism.calls + 1
    assert 0.125 < rows["Algorithm 3"]["calls"] <= 1.125
    assert all(row["n"] == 300 and row["m"] == setting.m and row["seconds"] >= 0.0 for row in rows.values())
