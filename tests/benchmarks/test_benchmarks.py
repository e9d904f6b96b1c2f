"""The benchmarks measure what they say, refuse to time a wrong answer, and name a missing extra."""

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
    from benchmarks import bench_cases, cases, numpy_loop
    from benchmarks import noisy_gd as workload
    from benchmarks.peers import pairs

    return SimpleNamespace(
        bench_cases=bench_cases, cases=cases, numpy_loop=numpy_loop, pairs=pairs,
        workload=workload,
    )  # fmt: skip


def test_every_case_gives_the_right_answer(bench):
    assert set(bench.bench_cases.Cases.params) == set(bench.cases.CASES)
    for name, make in bench.cases.CASES.items():
        case = make()
        case.check()
        if name.startswith("output"):
            assert 0.0 < case.quality(case.run()) < 1.0


@pytest.mark.parametrize("name", ["noisy-gd-squared", "noisy-gd-logistic", "noisy-gd-sparse-logistic"])
@pytest.mark.parametrize("changed", ["sigma", "eta"])
def test_a_wrong_answer_is_refused(bench, monkeypatch, name, changed):
    """Planted: the timed code runs with a noise or a step size one part in a million off."""
    case = bench.cases.CASES[name]()
    block = NoisyGD._constants

    def off(self, problem):
        eta, sigma, radius = block(self, problem)
        factor = 1.0 if problem.sparse is False and name.endswith("sparse-logistic") else 1.0 + 1e-6
        return (eta * factor, sigma, radius) if changed == "eta" else (eta, sigma * factor, radius)

    monkeypatch.setattr(NoisyGD, "_constants", off)
    with pytest.raises(bench.workload.WrongAnswer, match="off by"):
        case.check()


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
