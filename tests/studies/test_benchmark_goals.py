"""The command that measures what has a goal in seconds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

pytestmark = pytest.mark.meta


@pytest.fixture
def goals(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The folder is at the root, beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import goals as module

    return module


def test_a_command_is_timed_in_a_process_of_its_own(goals: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """Half a second of sleep is on the clock and hardly on the processor; what fails, or takes longer, is said."""
    asleep = goals.Case("asleep", "a nap", ("-S", "-c", "import time; time.sleep(0.5)"), 0.1)
    failing = goals.Case("failing", "a failure", ("-S", "-c", "raise SystemExit(3)"), 60.0)
    nap, failure = (goals.taken(case, dict(os.environ)) for case in (asleep, failing))
    assert nap.clock >= 0.5 and nap.processor < nap.clock and nap.entries is None and nap.code == 0
    assert failure.code == 3
    Console(file=sys.stdout).print(goals.table([(asleep, nap), (failing, failure)]))
    shown = capsys.readouterr().out
    assert "missed" in shown and "failed" in shown and "met" not in shown


def test_every_command_of_a_goal_is_one_that_runs(goals: ModuleType) -> None:
    """`import` alone is run here; the names are those of the command's option."""
    (case,) = [case for case in goals.CASES if case.name == "import"]
    assert goals.taken(case, dict(os.environ)).code == 0
    assert len({case.name for case in goals.CASES}) == len(goals.CASES)


def test_an_entry_by_itself_is_held_to_its_goal(
    goals: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is run twice, the second time with another empty folder of kernels; one above its goal is missed."""
    ran = []

    def taken(case: object, environment: dict[str, str], entries: bool) -> object:
        assert not entries
        ran.append((case.name, environment["NUMBA_CACHE_DIR"]))  # type: ignore[attr-defined]
        return goals.Seconds(9.0, {"a": 1.5, "b": 2.5}[ran[-1][0]], None, 0)

    monkeypatch.setattr(goals, "taken", taken)
    assert goals.main(["--entries", "a"]) == 0 and goals.main(["--entries", "a", "b"]) == 1
    assert [name for name, _ in ran] == ["a", "a", "a", "a", "b", "b"] and len({folder for _, folder in ran}) == 6
    assert capsys.readouterr().out.count("missed") == 1
