"""The oracles' cases check their answers and refuse wrong ones; the commands count calls and measure risks."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from dpbench.core.validation import InvalidInput
from dpbench.papers.publicdata import drawings_risk as figures_publicdata_risk
from dpbench.papers.publicdata.hypotheses import _interior
from dpbench.papers.publicdata.hypotheses import cube as hypotheses_cube
from dpbench.papers.publicdata.hypotheses import line as hypotheses_line
from dpbench.papers.publicdata.hypotheses import plane as hypotheses_plane
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull
from dpbench.papers.publicdata.objective import Objective

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies/work_publicdata.py`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import work_publicdata

    return work_publicdata


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
    from studies import publicdata

    point = publicdata.private_grid((300,))[0]["point"]
    rows = {row["algorithm"]: row for row in publicdata.releases((300,))}
    assert set(rows) == {"Algorithm 2", "Algorithm 3", "Algorithm 4", "ERM"}
    assert point.mechanism.calls < rows["Algorithm 2"]["calls"] <= point.mechanism.calls + 1
    assert 0.125 < rows["Algorithm 3"]["calls"] <= 1.125
    assert all(row["n"] == 300 and row["m"] == point.population.m and row["seconds"] >= 0.0 for row in rows.values())


@pytest.fixture
def risk(cases: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies/publicdata_risk.py` at n = 1000 and eight oracle calls."""
    from studies import publicdata_risk

    monkeypatch.setattr(publicdata_risk, "BASE", {**publicdata_risk.BASE, "n": 1000})
    monkeypatch.setattr(publicdata_risk, "CALLS", 8)
    return publicdata_risk


def test_the_task_is_the_same_for_every_class_and_every_share(risk: Any) -> None:
    """σ is exact, the least risk 0.3 (E min(p, 1 − p), p uniform on [0.1, 0.9]), a constant 0.2 worse."""
    for sigma in risk.GRIDS["sigma"]:
        for kind, constants in (("thresholds", [[-np.inf], [np.inf]]), ("table", [[0], [116]])):
            made = risk.population(sigma, kind)
            assert made.smoothness == sigma and made.best_risk == pytest.approx(0.3, abs=1e-12)
            assert made.excess_risk(constants) == pytest.approx([0.2, 0.2], abs=1e-12)
    hull = risk.population(0.25, "hull")
    assert hull.best_risk == pytest.approx(0.3, abs=1e-9) and hull.smoothness == 0.25
    assert risk.constant() == pytest.approx(0.2, abs=1e-12)


def test_settings_follow_n_as_the_theorems_say_and_are_private(risk: Any) -> None:
    for name, power in risk.POWERS.items():
        base, more = (risk.setting(name, "n", n) for n in (1000, 1000 * 2.0**power))  # α halves
        assert (base.population.m, more.population.m) == (64, 256) and more.n == 1000 * 2**power
        if name == "Algorithm 2":
            assert (base.mechanism.calls, more.mechanism.calls) == (8, 8 * 2**8)
            assert more.mechanism.perturbation == 0.5 * base.mechanism.perturbation
        if name == "Algorithm 3":
            assert more.mechanism.regularization == 0.5 * base.mechanism.regularization
    rng = np.random.default_rng(0)
    for name in risk.POWERS:
        at = risk.setting(name, "epsilon", 0.3)
        data = at.population.draw(1000, rng)
        assert at.mechanism.guarantee(data).delta(0.3) <= risk.DELTA
    five = risk.setting("Algorithm 5", "epsilon", 0.3)
    data = five.population.draw(1000, rng)
    identified = replace(data, public=np.arange(five.mechanism.cells))
    assert five.mechanism.base.guarantee(identified).delta(0.3 * (1.0 + 1e-12)) == 0.0


def test_monotone_functions_are_minimised_exactly(cases: Any) -> None:
    """Against isotonic regression where all cells weigh, and against the hull of thresholds where some do not."""
    from studies.cells import Monotone

    rng = np.random.default_rng(0)
    for _ in range(200):
        weights, targets = rng.integers(1, 4, 9) / 2.0, rng.normal(0.0, 1.5, 9)
        made = Monotone(9).erm(np.arange(9), Objective(np.ones(9), 0.0, -2.0 * weights * targets, weights))
        expected = np.clip(isotonic_regression(targets, weights=weights).x, -1.0, 1.0)
        np.testing.assert_allclose(made, expected, atol=1e-12)
    hull = ConvexHull(np.where(np.arange(6) >= np.arange(7)[:, None], 1.0, -1.0))
    for _ in range(200):
        points, labels = rng.integers(0, 6, 12), rng.choice([-1.0, 1.0], 12)
        parts = rng.integers(0, 3, 12), 0.5 * rng.integers(-2, 3, 12), rng.integers(0, 2, 12)
        objective = Objective(labels, *parts, loss="absolute")
        made, other = (c.predict(c.erm(points, objective)[None], points)[0] for c in (Monotone(6), hull))
        assert (np.diff(Monotone(6).erm(points, objective)) >= 0.0).all() and np.abs(made).max() <= 1.0
        assert abs(objective.value(made) - objective.value(other)) < 1e-8
    unseen = Monotone(6).erm([1, 4], Objective([1.0, 1.0], 0.0, [1.0, -1.0], 1.0))  # -1/2 at 1 and 1/2 at 4
    assert unseen.tolist() == [-1.0, -0.5, -0.5, 0.5, 0.5, 0.5]
    with pytest.raises(InvalidInput, match="objective must be of absolute losses"):
        Monotone(2).erm([0, 1], Objective([1.0, 0.5], loss="absolute"))


def test_the_interval_is_that_of_student_over_the_data_sets(risk: Any) -> None:
    row = risk.row("ERM", "n", 300, np.array([1.0, 2.0, 3.0]))
    assert row["mean"] == 2.0 and row["data sets"] == 3
    assert row["high"] - 2.0 == pytest.approx(4.302653 / np.sqrt(3.0)) == pytest.approx(2.0 - row["low"])


def test_risks_are_measured_and_drawn(risk: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A point that axes share is one; no fit, and a hollow marker on the lower edge, where a mean is 0."""
    grids: dict[str, tuple[float, ...]] = {"n": (300, 1000), "sigma": (1.0,), "m": (64,), "epsilon": (1.0,)}
    asked: list[Any] = []
    sweep = risk.sweep
    monkeypatch.setattr(risk, "sweep", lambda points, *a, **k: asked.extend(points) or sweep(points, *a, **k))
    sets = dict.fromkeys(risk.DATA_SETS, 8)
    monkeypatch.setattr(risk, "document", partial(risk.document, grids, sets))
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "risk.json"
    assert risk.main(["--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert len(found["rows"]) == 5 * len(sets) and len(asked) == 2 * len(sets)
    shared = [row["mean"] for row in found["rows"] if row["algorithm"] == "Algorithm 4" and row["n"] == 1000]
    assert len(shared) == 4 and len(set(shared)) == 1
    assert {item["algorithm"] for item in found["slopes"] if item["proven"] is None} == {"ERM"}
    for row in found["rows"]:
        assert 0.0 <= row["mean"] <= 0.8 and row["low"] <= row["mean"] <= row["high"]
        if row["algorithm"] == "ERM":
            row.update(mean=0.0, low=0.0, high=0.0)
    assert risk.fitted("ERM", (300.0, 1000.0), [np.zeros(8), np.ones(8)])["value"] is None
    for item in found["slopes"]:
        if item["algorithm"] == "ERM":
            item.update(value=None, interval=None)
            assert item["late"] == {"value": None, "interval": None}  # no n from 10,000 on
    places = figures_publicdata_risk.risks(found).axes
    hollow = [line for place in places for line in place.lines if line.get_markerfacecolor() == "white"]
    assert len(hollow) == 4 and all(line.get_ydata() == pytest.approx(places[0].get_ylim()[0]) for line in hollow)
    file.write_text(json.dumps(found))
    assert risk.main(["--json", str(file), "--figure", str(tmp_path / "risk")]) == 0
    for ending in ("_all", "_alg5"):
        assert (tmp_path / f"risk{ending}.pdf").read_bytes().startswith(b"%PDF")
        assert (tmp_path / f"risk{ending}.png").stat().st_size > 0
