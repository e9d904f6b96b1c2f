"""The floors of solver, tree and oracles: what is counted, and what stands beside what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpbench.papers.glm.algorithms import _erm_newton
from studies import floors


def test_passes_are_counted_with_their_records() -> None:
    """Planted: a second pass over fewer records, and one with a Hessian that is known without the records."""

    class Data:
        def __init__(self, n: int, second: Any = None) -> None:
            self.y, self.second = np.zeros(n), second

    given = [(Data(7), True), (Data(5), False), (Data(7, 1.0), True)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_erm_newton, "tour", lambda *given: None)
        made = floors.passes(lambda: [_erm_newton.tour(data, None, None, curved) for data, curved in given])  # type: ignore[arg-type,func-returns-value]
    assert made == [(7, True), (5, False), (7, False)]


def test_a_row_has_the_least_of_each_and_their_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that runs 1 s in each call of the work and 0.25 s in each of the floor, and more in the first of both."""
    now, first = [0.0], [3.0, 3.0]
    monkeypatch.setattr(floors.time, "process_time", lambda: now[0])

    def takes(k: int, seconds: float) -> Any:
        def run() -> None:
            now[0] += seconds + first[k]
            first[k] = 0.0

        return run

    floor = takes(1, 0.25)
    (row,) = floors.timed([("x", "half as much", takes(0, 1.0), lambda: floors.times(2.0, floor))], repeats=3)
    assert (row["seconds"], row["floor_seconds"], row["ratio"]) == (1.0, 0.5, 2.0)


def test_trees_and_oracles_have_rows_whose_work_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On small problems; the seconds of a call are one."""
    monkeypatch.setattr(floors, "TREES", (2,))
    monkeypatch.setattr(floors, "BINARY", [(*row[:3], 40, *row[4:]) for row in floors.BINARY])
    monkeypatch.setattr(floors, "spent", lambda function: (function(), 1.0)[1])
    monkeypatch.setattr(floors, "heavy_problem", lambda setting, seed: _heavy(seed))
    rows = [*floors.tree_rows(), *floors.oracle_rows()]
    assert [name.partition(",")[0] for name, *_ in rows] == ["tree", *["oracle"] * (len(floors.BINARY) + 2)]
    for *_, run, floor in rows[:-2]:
        run()
        assert floor() >= 1.0


def _heavy(seed: int) -> Any:
    from studies.heavytail import Setting, problem

    return problem(Setting(2, 200, 2.0), seed)
