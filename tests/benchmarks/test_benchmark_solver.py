"""The benchmark of the solver: right answers, promises, and what it says where a peer falls short; no timing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
ROW = {
    "what": "solver", "form": "dense", "loss": "huber", "promised": 2.0, "median": 2.5, "low": 2.0, "high": 3.0,
    "pairs": 15, "ours_per_second": 40.0, "peer_per_second": 16.0,
}  # fmt: skip


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The folder is at the root, beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import before, solver, work_solver

    for module in (work_solver, solver):
        monkeypatch.setattr(module, "N", 500)
    work_solver.records.cache_clear()
    return SimpleNamespace(before=before, solver=solver)


def test_peers_solve_the_same_problem(bench: SimpleNamespace) -> None:
    """At n = 500 each peer's answer is the certified one; planted: another λ."""
    for loss in ("logistic", "huber"):
        data = bench.solver.problem("dense", loss)
        m = bench.solver.OutputPerturbation(1.0, 1e-5, regularization=bench.solver.REGULARIZATION, constrained=False)
        want = m.centre(data)
        for name, run in bench.solver.peers(loss, data).items():
            assert np.linalg.norm(run(1e-10) - want) < 1e-4, name
        off = bench.solver.OutputPerturbation(1.0, 1e-5, regularization=0.021, constrained=False).centre(data)
        assert np.linalg.norm(off - want) > 1e-3


def test_data_sets_side_by_side_must_agree(bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    from studies import solver_many

    rows = list(solver_many.many_rows(1))
    assert len(rows) == 6 and all(row["median"] > 0.0 for row in rows)
    honest = solver_many.centres_of
    monkeypatch.setattr(
        solver_many, "centres_of", lambda m, problems, together: honest(m, problems, together) + 1e-3 * together
    )
    with pytest.raises(solver_many.WrongAnswer, match="side by side"):
        list(solver_many.many_rows(1))


def test_a_missed_promise_is_exit_1(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solver = bench.solver
    monkeypatch.setattr(solver, "one_core", lambda: None)
    monkeypatch.setattr(solver, "solver_rows", lambda: [ROW])
    monkeypatch.setattr(solver, "score_rows", list)
    monkeypatch.setattr(solver, "many_rows", lambda: [{**ROW, "what": "16 data sets", "promised": None}])
    short = {"what": "peer", "loss": "huber", "peer": "SciPy", "tolerance": None, "promised": None}
    monkeypatch.setattr(solver, "peer_rows", lambda: [short])
    monkeypatch.setattr(solver, "started", lambda root, where: 9.0 if root == "dpbench" else 6.0)
    file = tmp_path / "solver.json"
    assert solver.main(["--json", str(file)]) == 0
    assert json.loads(file.read_text())["first_start"] == {"before": 6.0, "now": 9.0, "promised": 4.0}
    monkeypatch.setattr(solver, "solver_rows", lambda: [{**ROW, "median": 1.9}])
    assert solver.main([]) == 1
    monkeypatch.setattr(solver, "solver_rows", lambda: [ROW])
    monkeypatch.setattr(solver, "started", lambda root, where: 11.0 if root == "dpbench" else 6.0)
    assert solver.main([]) == 1


def test_kernels_that_are_done_without_give_the_same(bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rest_rows` compares the answers before it times them; former code stands in by today's where git is not."""

    def today(module: str) -> Any:
        return sys.modules[module]

    monkeypatch.setattr(bench.solver, "former", today)
    monkeypatch.setattr(bench.solver, "heavy_problem", _small(bench.solver.heavy_problem, bench.solver.Setting))
    rows = list(bench.solver.rest_rows(1))
    assert len(rows) == 5 and all(row["median"] > 0.0 for row in rows)
    monkeypatch.setattr(bench.solver, "noisy_max", lambda scores, scale, rng, out: out.fill(3.0))
    with pytest.raises(bench.solver.WrongAnswer, match="noisy max"):
        list(bench.solver.rest_rows(1))


def _small(make: Any, setting: Any) -> Any:
    return lambda asked, seed: make(setting(asked.d, 200, 2.0), seed)


def test_no_history_is_said(bench: SimpleNamespace) -> None:
    with pytest.raises(bench.before.NoHistory):
        bench.before.folder("0" * 40)
