"""The benchmarks measure what they say, refuse to time a wrong answer, and show what changed over the commits."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch):
    """The modules of `benchmarks/`, found beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks import noisy_gd as workload
    from benchmarks import numpy_loop
    from benchmarks.peers import pairs

    return SimpleNamespace(numpy_loop=numpy_loop, pairs=pairs, workload=workload)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("changed", [None, "sigma", "eta"])
def test_a_wrong_answer_is_refused(bench, monkeypatch, loss, changed):
    """Planted: the timed code runs with a noise or a step size one part in a million off."""
    data, block = bench.workload.problem(loss), NoisyGD._constants
    if changed is None:
        bench.workload.check_noisy_gd(data, bench.workload.MECHANISM)
        return

    def off(self, problem):
        eta, sigma, radius = block(self, problem)
        factor = 1.0 + 1e-6
        return (eta * factor, sigma, radius) if changed == "eta" else (eta, sigma * factor, radius)

    monkeypatch.setattr(NoisyGD, "_constants", off)
    with pytest.raises(bench.workload.WrongAnswer, match="off by"):
        bench.workload.check_noisy_gd(data, bench.workload.MECHANISM)


def test_ratio_is_that_of_the_medians_and_the_order_alternates(bench, monkeypatch):
    clock, calls = [0.0], []

    def work(name, seconds):
        def run():
            calls.append(name)
            clock[0] += seconds

        return run

    monkeypatch.setattr(bench.pairs.time, "process_time", lambda: clock[0])
    found = bench.pairs.ratio(bench.pairs.Work(work("a", 2.0), 4), bench.pairs.Work(work("b", 3.0), 2), pairs=3)
    assert calls == ["a", "b", "a", "b", "b", "a", "a", "b"]  # the first two warm up
    assert found.median == found.low == found.high == pytest.approx(3.0)
    assert (found.ours_per_second, found.peer_per_second, found.pairs) == (2.0, pytest.approx(2.0 / 3.0), 3)


def test_median_interval_covers(bench):
    """For 15 values the 4th and the 12th: 96.5%; too few values give the extremes."""
    assert bench.pairs.median_interval(np.arange(15.0)[::-1]) == (3.0, 11.0)
    assert bench.pairs.median_interval(np.arange(3.0)) == (0.0, 2.0)
    assert bench.pairs.median_interval(np.arange(1.0)) == (0.0, 0.0)
    assert bench.pairs.median_interval(np.arange(20.0)) == (5.0, 14.0)  # binom.cdf(5, 20, 1/2) = 0.0207
    # the interval misses when at most three of fifteen fall on one side of the median
    assert 1.0 - 2.0 * binom.cdf(3, 15, 0.5) >= 0.95 > 1.0 - 2.0 * binom.cdf(4, 15, 0.5)


def test_numpy_loop_stays_in_the_ball_and_averages(bench):
    data = bench.workload.problem("logistic")
    m = NoisyGD(1.0, 1e-5, steps=4, noise_scale=1e3)
    norms = np.linalg.norm(bench.numpy_loop.trials(data, m, 3, np.random.default_rng(0)), axis=1)
    assert np.all(norms <= 0.75 + 1e-12) and np.all(norms > 0.1)  # three steps on the sphere, one at 0


def test_a_ratio_of_the_history_is_to_the_loop_in_the_same_process(monkeypatch):
    from benchmarks import bench_headline

    clock = [0.0]

    def move(seconds):
        clock[0] += seconds
        return 0.0

    monkeypatch.setattr(bench_headline.time, "process_time", lambda: clock[0])
    monkeypatch.setattr(bench_headline, "reference", lambda rounds: move(1e-4 * rounds))
    assert bench_headline.ratio(lambda call: move(0.2)) == pytest.approx(2.0)


def test_a_change_lies_between_two_commits_and_a_last_point_alone_is_unconfirmed(monkeypatch):
    """A tenth is seen at two points and suspected at one; a single burst, and 4%, are no change."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks.record import Change, changes

    steady = [1.0, 1.02, 0.98, 1.01]
    (change,) = changes([*steady, 1.11, 1.10], 1.05)
    assert (change.before, change.after, change.confirmed) == (3, 4, True)
    assert change.factor == pytest.approx(1.105 / 1.005)
    (last,) = changes([*steady, 1.11], 1.05)
    assert last == Change(3, 4, pytest.approx(1.11 / 1.005), False)
    (faster,) = changes([*steady, 0.7, 0.7, 0.71], 1.05)
    assert faster.factor == pytest.approx(0.7 / 1.005) and faster.confirmed
    assert [(one.before, one.after) for one in changes([*steady, 1.3, 1.31, 1.0, 1.0], 1.05)] == [(3, 4), (5, 6)]
    assert (
        not changes([*steady, 1.3, 1.0, 1.01], 1.05)
        and not changes([*steady, 1.04, 1.04], 1.05)
        and not changes([2.0], 1.05)
    )
    assert [(one.before, one.after) for one in changes([*steady, 1.3, 1.0, 1.2, 1.2], 1.05)] == [(5, 6)]


def written(folder, machine, commit, day, ratios, version="1", cpu="c"):
    """A result as `asv run` writes it."""
    names = [f"'{name}'" for name in ratios]
    row = [list(ratios.values()), [names], version]
    document = {
        "commit_hash": commit, "date": 86_400_000 * day, "params": {"machine": machine, "cpu": cpu},
        "result_columns": ["result", "params", "version"], "results": {"bench_headline.Headline.track_ratio": row},
    }  # fmt: skip
    (folder / machine).mkdir(parents=True, exist_ok=True)
    (folder / machine / f"{commit[:8]}-env.json").write_text(json.dumps(document))


def test_a_record_is_of_one_machine_and_of_one_work(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks import record

    written(tmp_path / "results", "here", "0" * 40, 9, {"jl": 9.0, "old": 1.0}, version="0")  # the work was another
    for number, ratio in enumerate([1.0, 1.01, 1.2, 1.21]):
        written(tmp_path / "results", "here", f"{number + 1}" * 40, 12 - number, {"jl": ratio, "rrspm": 2.0})
    written(tmp_path / "results", "here", "b" * 40, 20, {"jl": 5.0, "rrspm": None}, cpu="other")
    found = record.read(tmp_path / "results")
    here, other = (dict(zip(record.MACHINE, machine, strict=True))["cpu"] for machine in found)
    assert {here, other} == {"c", "other"}
    lines = next(pieces for pieces in found.values() if "rrspm" in pieces)
    assert [point.ratio for point in lines["jl"]] == [1.21, 1.2, 1.01, 1.0]  # by date of the commit
    assert record.band(lines) == pytest.approx(1.05)  # six steps of at most 1%, one of a fifth
    noisy = {
        "jl": [record.Point("", point.when, ratio) for point, ratio in zip(lines["jl"], [1, 1.1, 1, 1.1], strict=True)]
    }
    assert record.band(noisy) == pytest.approx(1.1**3)
    record.main(tmp_path / "results")
    page = (tmp_path / "record.html").read_text(encoding="utf-8")
    assert "<b>jl</b> takes 0.83 times as long, between" in page and 'href="#c333333333"' in page
    assert 'id="c222222222"' in page and 'src="http' not in page and "rrspm</b>" not in page
    assert "Changes below 5% are not seen" in page
    assert "asv has run no commit here" in record.body(tmp_path / "none")
