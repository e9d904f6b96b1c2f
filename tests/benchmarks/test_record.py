"""The record over the commits: a planted step is found with its commit, noise is not, changed work starts anew."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("one", "two")


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks import record

    return record


def recorded(folder: Path, ratios: np.ndarray, version: str = "new", first: int = 0) -> None:
    """Results as asv writes them, one file a commit, and those of equal runs."""
    (folder / "machine").mkdir(parents=True, exist_ok=True)
    for number, row in enumerate(ratios, first):
        params = [[f"'{name}'" for name in NAMES]]
        results = {"bench_record.Headline.track_ratio": [list(row), params, version],
                   "bench_record.Headline.track_quality": [[0.5, 0.25], params, version]}  # fmt: skip
        document = {"commit_hash": f"{number:040d}", "date": number, "results": results}
        (folder / "machine" / f"{number:08d}-env.json").write_text(json.dumps(document))


def equal(folder: Path, rng: np.random.Generator) -> None:
    runs = [dict(zip(NAMES, np.exp(0.02 * rng.standard_normal(2)), strict=True)) for _ in range(40)]
    (folder / "equal.json").write_text(json.dumps({"schema": 1, "runs": runs}))


@pytest.mark.parametrize("factor", [1.0, 1.1, 0.8])
def test_a_planted_step_is_named_with_its_commit(
    module: ModuleType, tmp_path: Path, factor: float, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    ratios = 3.0 * np.exp(0.02 * rng.standard_normal((40, 2)))
    ratios[25:, 1] *= factor
    recorded(tmp_path, ratios)
    equal(tmp_path, rng)
    assert module.main([str(tmp_path / "site" / "record.html"), "--results", str(tmp_path)]) == 0
    said, page = capsys.readouterr().out, (tmp_path / "site" / "record.html").read_text()
    assert page.count("<svg") == 2 and "http" not in page
    if factor == 1.0:
        assert "40 commits; nothing changed" in said and "<strong>nothing changed</strong>" in page
        return
    (change,) = module.changes(ratios[:, 1], 0.02)
    assert abs(change.at - 25) <= 1 and change.low < factor < change.high
    assert f"{change.at:040d}"[:8] + f" two {100 * (change.factor - 1):+.0f}% [" in said and page.count('"change"') == 1


def test_noise_alone_is_no_change(module: ModuleType) -> None:
    rng = np.random.default_rng(1)
    found = [module.changes(np.exp(0.03 * rng.standard_normal(60)), 0.03) for _ in range(200)]
    assert sum(map(bool, found)) <= 2


def test_two_steps_are_two_and_each_between_its_neighbours(module: ModuleType) -> None:
    values = np.exp(0.02 * np.random.default_rng(2).standard_normal(60))
    values[20:] *= 1.5
    values[40:] *= 1.2
    first, second = module.changes(values, 0.001)  # the history is noisier than the equal runs were
    assert abs(first.at - 20) <= 1 and abs(second.at - 40) <= 1
    assert first.low < 1.5 < first.high and second.low < 1.2 < second.high


def test_changed_work_starts_anew_and_gaps_are_left_out(module: ModuleType, tmp_path: Path) -> None:
    recorded(tmp_path, np.full((10, 2), 9.0), version="old")
    ratios = np.full((12, 2), 3.0)
    recorded(tmp_path, ratios, first=10)
    gap = tmp_path / "machine" / "00000015-env.json"
    document = json.loads(gap.read_text())
    document["results"]["bench_record.Headline.track_ratio"][0] = None
    gap.write_text(json.dumps(document))
    found = module.history(tmp_path)
    assert len(found.commits) == 12 and np.isnan(found.ratios["one"][5]) and set(found.ratios) == set(NAMES)
    assert module.sentence(found, dict.fromkeys(NAMES, 0.02)) == "nothing changed"
    found.qualities["two"][7:] = 0.3
    assert module.sentence(found, dict.fromkeys(NAMES, 0.02)) == "00000000 quality of two 0.25 to 0.3"


def test_a_ratio_is_to_the_loop_in_the_same_process(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import bench_record

    clock = [0.0]

    def loop(rounds: int) -> float:
        clock[0] += 1e-4 * rounds
        return 0.0

    def run(call: int) -> None:
        clock[0] += 0.2

    monkeypatch.setattr(bench_record.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(bench_record, "reference", loop)
    assert bench_record.ratio(run) == pytest.approx(2.0)
