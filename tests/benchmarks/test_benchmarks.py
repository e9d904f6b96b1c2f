"""The benchmarks measure what they say, refuse to time a wrong answer, and show what changed over the commits."""

import json
import sys
from contextlib import contextmanager
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


@pytest.fixture
def record(monkeypatch):
    """`benchmarks.record`, found beside the tests; git knows commits of the letters a to d."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks import record

    def git(first, *words):
        letter = words[-1][0]
        day = ord(letter) - 87
        return f"{letter * 40}\x002026-11-{day} 09:00:07\x00area: {letter} < z" if first == "log" else "3"

    monkeypatch.setattr(record, "_git", git)
    monkeypatch.setattr(record, "machine", lambda: {"machine": "here"})
    return record


def measured_as(monkeypatch, record, ratio):
    """Pairs about `ratio(before, after, name)`, up to a fifth off in two of nine; returns what was asked."""
    asked = []

    @contextmanager
    def side_by_side(before, after):
        def measured(names, pairs):
            asked.append((before[0], after[0], *names, pairs))
            spread = [0.8, 0.99, 1.0, 1.0, 1.0, 1.0, 1.0, 1.01, 1.2][:pairs]
            return {name: [Pair(ratio(before[0], after[0], name) * one, 1.0) for one in spread] for name in names}

        yield measured

    from benchmarks.compare import Pair

    monkeypatch.setattr(record, "side_by_side", side_by_side)
    return asked


def test_a_tenth_is_unconfirmed_until_it_is_measured_again(monkeypatch, record):
    """Planted between c and d; 2% between a and b are no change, and a burst that does not come again is none."""
    ratios = {("a", "b"): 1.02, ("b", "c"): 0.98, ("c", "d"): 1.1}
    asked = measured_as(monkeypatch, record, lambda before, after, name: ratios[before, after])
    document = {"records": []}
    record.add(document, ["a", "b", "c", "d"], ["jl"], record.PAIRS)
    (record_of_here,) = document["records"]
    assert [record.state(step["jl"]) for step in record_of_here["steps"]] == ["same", "same", "unconfirmed"]
    page = record.body(document)
    assert "<b>jl</b> takes 1.10 times" in page and "compare ccccccccc ddddddddd --only jl" in page
    assert 'href="#cccccccccc"' in page and 'id="cddddddddd"' in page and 'src="http' not in page
    assert "2026-11-13 09:00" in page and "area: d &lt; z" in page

    record.add(document, ["d"], ["jl"], record.PAIRS)  # measures again what is unconfirmed, and nothing else
    assert asked[3:] == [("c", "d", "jl", 9)] and record.state(record_of_here["steps"][-1]["jl"]) == "changed"
    page = record.body(document)
    assert "<b>jl</b> takes 1.10 times" in page and "Unconfirmed" not in page and "No other change" in page
    assert "measured 2 times. Again: <code>python -m benchmarks.compare ccccccccc ddddddddd --only jl" in page
    assert record.state([[1.1] * 9, [1.0] * 9]) == "same" and record.state([[0.9] * 9] * 2) == "changed"


def test_a_quick_run_calls_no_change_and_another_machine_has_another_record(monkeypatch, record):
    asked = measured_as(monkeypatch, record, lambda *_: 2.0)
    document = {"records": []}
    record.add(document, ["a", "b"], ["jl"], 1)
    assert record.state(document["records"][0]["steps"][0]["jl"]) == "quick"
    assert "No change by more" in record.body(document)
    record.add(document, ["b"], ["jl"], 1)
    assert len(asked) == 1
    record.add(document, ["b"], ["jl", "rrspm"], record.PAIRS)
    assert "takes 2.00 times" in record.body(document) and "rrspm" in record.body(document)
    monkeypatch.setattr(record, "machine", lambda: {"machine": "there"})
    record.add(document, ["c"], ["jl"], record.PAIRS)
    assert [len(one["commits"]) for one in document["records"]] == [2, 1]
    assert "there" not in record.body(document) and "Nothing was compared" in record.body({"records": []})


def test_the_command_keeps_the_file_and_writes_the_page(monkeypatch, record, tmp_path, capsys):
    measured_as(monkeypatch, record, lambda *_: 1.0)
    monkeypatch.setattr(record, "PAGE", tmp_path / "pages" / "record.html")
    line = ["a", "b", "--only", "jl", "--file", str(tmp_path / "speed.json")]
    assert record.main(line) == 0 and record.main(line[1:]) == 0
    assert str(record.PAGE) in capsys.readouterr().out
    (kept,) = json.loads((tmp_path / "speed.json").read_text())["records"]
    assert [one["commit"][0] for one in kept["commits"]] == ["a", "b"] and len(kept["steps"][0]["jl"]) == 1
    monkeypatch.setattr(record, "_git", lambda *_: "")
    with pytest.raises(SystemExit):
        record.main(["nowhere"])
    assert "COMMIT must be a commit of this repository, got 'nowhere'" in capsys.readouterr().err
