"""Exponents of cost are those of the times; the floors of a step of noisy GD are the descent's own parts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is at the root, beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])


def test_the_exponent_is_that_of_the_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that take size^1.5 seconds of a false clock."""
    from studies import slopes

    clock = [0.0]
    monkeypatch.setattr(slopes.time, "process_time", lambda: clock[0])

    def make(size: int) -> slopes.Run:
        def run() -> None:
            clock[0] += size**1.5

        return run

    monkeypatch.setitem(slopes.GROWTHS, "made up", (make, 2, 16, 1.5))
    assert slopes.Slopes().track_slope("made up") == pytest.approx(1.5)
    assert slopes.Slopes().track_theory("made up") == 1.5


def test_a_cost_that_grows_faster_than_theory_is_a_miss(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Exponents of a false clock: at, below and above theory; above once alone is measured again."""
    from studies import slopes

    said: list[float] = []
    monkeypatch.setattr(slopes, "GROWTHS", {"made up, n": (None, 2, 16, 1.0)})
    monkeypatch.setattr(slopes, "slope", lambda name: said.pop(0))
    for exponents, code in (([1.2], 0), ([0.3], 0), ([1.4, 1.0], 0), ([1.4, 1.3, 1.5], 1)):
        said[:] = exponents
        assert slopes.main(["--json", str(tmp_path / "slopes.json")]) == code and not said
    (row,) = json.loads((tmp_path / "slopes.json").read_text())["rows"]
    assert row == {"growth": "made up, n", "sizes": [2, 16], "measured": 1.3, "theory": 1.0}


def test_the_floors_are_parts_of_the_descent(monkeypatch: pytest.MonkeyPatch) -> None:
    """All parts run, the ratio is the descent over their sum; planted: a descent of twice the steps is a miss."""
    from studies import gd_floors

    monkeypatch.setattr(gd_floors, "one_core", lambda: None)
    made = gd_floors.parts(gd_floors.problem("logistic"))
    monkeypatch.setattr(gd_floors, "STEPS", 1)
    for run in made.values():
        run()
    clock = [0.0]
    monkeypatch.setattr(gd_floors.time, "process_time", lambda: clock[0])

    def takes(seconds: float) -> object:
        def run() -> None:
            clock[0] += seconds

        return run

    for whole, kept in ((6.3, True), (12.6, False)):
        fake = {"products": 4.0, "derivatives": 1.0, "normals and step": 1.0, "descent": whole}
        monkeypatch.setattr(gd_floors, "parts", lambda data, fake=fake: {k: takes(v) for k, v in fake.items()})
        document, _, said = gd_floors.measured()
        assert said is kept and document["ratio"] == pytest.approx(whole / 6.0)
        assert np.isclose(document["microseconds"]["products"], 4e6)
