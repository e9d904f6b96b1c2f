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


def test_a_command_is_timed_in_a_process_of_its_own(
    goals: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
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
