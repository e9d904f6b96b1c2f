"""`audit` as users meet it: outputs of every kind, seeds, workers, memory, the sequential mode."""

import math
import tracemalloc
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits
from zoo.validity import laplace

from dpbench import InvalidInput, audit

Rng = np.random.Generator


def test_the_bound_the_event_and_the_verdict():
    found = audit(laplace, 0.0, 1.0, epsilon=0.8, trials=100_000)
    assert 0.9 < found.epsilon_lower < 1.0
    assert found.verdict == "refuted"
    assert found.trials == 100_000 and found.confidence == 0.999 and found.delta == 0.0
    assert "of the runs on the" in found.event
    assert audit(laplace, 0.0, 1.0, epsilon=1.0, trials=20_000).verdict == "not refuted"
    unclaimed = audit(laplace, 0.0, 1.0, trials=20_000)
    assert (unclaimed.verdict, unclaimed.outcome) == (None, "no claim")
    assert ", confidence 0.999999999, " in str(audit(laplace, 0.0, 1.0, trials=200, confidence=1.0 - 1e-9))
    assert audit(lambda d, n, r: r.laplace(size=n), 0.0, 1.0, trials=20_000).epsilon_lower == 0.0


def test_the_curve_bounds_and_follows_the_exact_profile():
    found = audit(laplace, 0.0, 1.0, trials=200_000)
    grid = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 2.0])
    truth = np.maximum(1.0 - np.exp((grid - 1.0) / 2.0), 0.0)
    curve = found.curve(grid)
    assert (curve <= truth).all()
    assert (curve[:4] >= truth[:4] - 0.012).all()
    assert np.array_equal(found.curve(grid[::-1]), curve[::-1])
    with pytest.raises(InvalidInput, match="epsilons must be values >= 0"):
        found.curve([-0.1])


SHIFTED = {
    "bool": lambda d, n, r: r.random(n) < 0.3 + 0.3 * d,
    "int8": lambda d, n, r: (r.integers(0, 4, n) + int(d)).astype(np.int8),
    "uint64": lambda d, n, r: r.integers(0, 9, n, dtype=np.uint64) * np.uint64(1 + d),
    "float32": lambda d, n, r: (d + r.laplace(size=n)).astype(np.float32),
    "str": lambda d, n, r: np.array(["no", "yes"])[(r.random(n) < 0.3 + 0.3 * d).astype(int)],
    "bytes": lambda d, n, r: np.array([b"n", b"yes"])[(r.random(n) < 0.3 + 0.3 * d).astype(int)],
    "nan": lambda d, n, r: np.where(r.random(n) < 0.05 + 0.2 * d, np.nan, r.normal(size=n)),
    "inf": lambda d, n, r: np.where(r.random(n) < 0.05 + 0.2 * d, np.inf, r.normal(size=n)),
    "minus inf": lambda d, n, r: np.where(r.random((n, 2)) < 0.05 + 0.2 * d, -np.inf, r.normal(size=(n, 2))),
    "an atom inside": lambda d, n, r: np.where(r.random(n) < 0.02 + 0.08 * d, 0.5, r.normal(size=n)),
    "two modes": lambda d, n, r: r.normal(size=n) + 4.0 * d * (2 * r.integers(0, 2, n) - 1),
    "equal coordinates": lambda d, n, r: _sometimes_equal(0.1 + 0.2 * d, n, r),
    "wide": lambda d, n, r: 0.1 * d + r.normal(size=(n, 200)),
}


def _sometimes_equal(chance, trials, rng):
    rows = rng.normal(size=(trials, 4))
    rows[:, 1] = np.where(rng.random(trials) < chance, rows[:, 0], rows[:, 1])
    return rows


@pytest.mark.parametrize("name", SHIFTED)
@pytest.mark.few(6)
def test_outputs_of_every_kind_are_told_apart(name):
    """Kinds that the zoo has not. Each pair has ε >= 0.69 somewhere; identical ones give 0 at confidence 1 - 1e-7."""
    sampler = SHIFTED[name]
    assert audit(sampler, 0.0, 1.0, trials=20_000).epsilon_lower > 0.3
    same = audit(lambda d, n, r: sampler(1.0, n, r), 0.0, 1.0, trials=4_000, confidence=1.0 - 1e-7)
    assert same.epsilon_lower == 0.0


SUPPORTS = {
    "constant": lambda d, n, r: np.full(n, d),
    "uniform": lambda d, n, r: r.random(n) + 0.3 * d,
    "rare value": lambda d, n, r: np.where(r.random(n) < 0.01 * d, 7.5, r.normal(size=n)),
    "rare nan": lambda d, n, r: np.where(r.random(n) < 0.01 * d, np.nan, r.normal(size=n)),
    "difference": lambda d, n, r: np.add.outer(r.integers(-9, 9, n), [0, int(d)]),
    "real difference": lambda d, n, r: np.add.outer(r.laplace(size=n), [0.0, d]),
}


@pytest.mark.parametrize("name", SUPPORTS)
def test_an_event_on_one_side_alone_is_found(name):
    """The true ε is infinite: an event of probability >= 0.01 against 0, 40,000 runs, so the bound can pass
    3."""
    assert audit(SUPPORTS[name], 0.0, 1.0, trials=50_000).epsilon_lower > 3.0


def test_nothing_to_tell_apart_gives_zero():
    for value in (0.0, math.nan, math.inf):
        assert audit(lambda d, n, r, v=value: np.full(n, v), 0.0, 1.0, trials=1_000).epsilon_lower == 0.0
    assert audit(lambda d, n, r: np.zeros((n, 3)), 0.0, 1.0, trials=1_000).epsilon_lower == 0.0
    found = audit(lambda d, n, r: np.array([str(x) for x in r.random(n)]), 0.0, 1.0, trials=1_000)
    assert found.epsilon_lower == 0.0  # no text recurs
    read = audit(lambda d, n, r: np.array([str(x) for x in d + r.random(n)]), 0.0, 1.0, trials=1_000,
                 score=lambda outputs: outputs.astype(float))  # fmt: skip
    assert read.epsilon_lower > 1.0  # but a score of one's own can read it


def test_huge_and_tiny_numbers():
    for scale in (1e-300, 1e300):
        found = audit(lambda d, n, r, s=scale: s * (d + r.laplace(size=n)), 0.0, 1.0, trials=20_000)
        assert found.epsilon_lower > 0.8
        audit(lambda d, n, r, s=scale: s * (d + r.laplace(size=(n, 3))), 0.0, 1.0, trials=5_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (1.7e308, 1e-320):
            audit(lambda d, n, r, s=scale: s * r.uniform(-1.0, 1.0, (n, 3)), 0.0, 1.0, trials=2_000)


def test_the_same_for_any_number_of_workers():
    one = audit(laplace, 0.0, 1.0, trials=100_000, seed=5)
    assert one == audit(laplace, 0.0, 1.0, trials=100_000, seed=5)
    assert one == audit(laplace, 0.0, 1.0, trials=100_000, seed=5, workers=3)
    with ThreadPoolExecutor(2) as pool:
        assert one == audit(laplace, 0.0, 1.0, trials=100_000, seed=5, workers=pool)
    assert one != audit(laplace, 0.0, 1.0, trials=100_000, seed=6)


@pytest.mark.process
def test_the_same_from_other_processes():
    import multiprocessing

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        spread = audit(dpbench_sampler(), (0.0,), (1.0,), trials=100_000, workers=pool)
    assert spread == audit(dpbench_sampler(), (0.0,), (1.0,), trials=100_000)


def dpbench_sampler():
    from zoo.published import Laplace

    return Laplace(1.0)


def test_no_two_blocks_share_a_stream_and_parts_never_meet():
    """First draws of all calls of an audit are distinct; at least 80 calls a side, none of more than 16,384 runs."""
    seen = []

    def spy(d, trials, rng):
        draws = d + rng.laplace(size=trials)
        seen.append((float(draws[0] - d), trials))
        return draws

    audit(spy, 0.0, 1.0, trials=150_000)
    assert len({first for first, _ in seen}) == len(seen)
    assert len(seen) >= 160 and max(size for _, size in seen) <= 16_384
    assert 300_000 <= sum(size for _, size in seen) <= 300_010  # a few more tell type and width


@pytest.mark.slow
def test_at_least_four_fifths_certify_and_outputs_are_not_kept():
    """From ten million runs on, of which a fifth chooses the event, memory does not grow."""
    found = audit(laplace, 0.0, 1.0, trials=100_000)
    assert found.certified is not None and found.certified.trials >= 80_000
    peaks = []
    for trials in (11_000_000, 22_000_000):
        tracemalloc.start()
        audit(laplace, 0.0, 1.0, trials=trials)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_openmp_has_one_thread_in_an_audit():
    """A sampler of scikit-learn's, and the learning of trees: a team of threads would not survive a worker's fork."""
    pytest.importorskip("sklearn.ensemble")

    def openmp():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"}

    seen = []

    def watched(d, trials, rng):
        seen.append(openmp())
        return laplace(d, trials, rng)

    with threadpool_limits(3, user_api="openmp"):
        before = openmp()
        audit(watched, 0.0, 1.0, trials=1_000)
        assert openmp() == before
    assert all(one <= {1} for one in seen)


def test_progress_reaches_its_end():
    steps = []
    audit(laplace, 0.0, 1.0, trials=1_500_000, progress=lambda done, total: steps.append((done, total)))
    assert len(steps) >= 2
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert steps[-1][0] == steps[-1][1]


def test_sequential_stops_early_on_clear_cases_and_at_the_budget():
    wrong = audit(laplace, 0.0, 1.0, epsilon=0.3, trials="auto", seed=1)
    assert wrong.verdict == "refuted" and wrong.trials <= 30_000
    right = audit(laplace, 0.0, 1.0, epsilon=1.0, trials="auto", gap=0.1, seed=1)
    assert right.verdict == "not refuted" and right.trials <= 200_000 and right.epsilon_lower >= 0.9
    loose = audit(laplace, 0.0, 1.0, epsilon=3.0, trials="auto", budget=50_000, seed=1)
    assert loose.verdict == "not refuted" and loose.trials == 50_000


# Error probabilities sum to at most 1 − confidence


def test_an_audit_spends_its_level_and_no_more():
    found = audit(laplace, 0.0, 1.0, trials=2_000, confidence=0.95)
    assert math.fsum(c.alpha for c in found.family) == pytest.approx(0.05, rel=1e-9)
    assert found.certified in found.family


def test_the_runs_that_were_made_are_counted_where_the_time_is_short():
    """As few as there can be: 20 choose, 80 certify. Planted: the runs that a round would have made, 4,000."""
    found = audit(laplace, 0.0, 1.0, epsilon=1.0, trials="auto", max_seconds=1e-9)
    assert found.trials == 100 and found.certified.trials == 80


def test_a_sequential_audit_spends_its_level_over_all_rounds():
    found = audit(laplace, 0.0, 1.0, epsilon=1.0, trials="auto", gap=1e-9, budget=60_000, confidence=0.95)
    used = math.fsum(c.alpha for c in found.family)
    assert 0.6 * 0.05 < used <= 0.05 * (1.0 + 1e-9)  # three rounds: 1/2 + 1/6 + 1/12


def test_no_result_holds_more_certificates_than_its_level():
    """Planted: one certificate more, or a confidence that is not theirs."""
    found = audit(laplace, 0.0, 1.0, trials=1_000)
    with pytest.raises(RuntimeError, match="levels"):
        replace(found, family=(*found.family, found.family[0]))
    with pytest.raises(RuntimeError, match="levels"):
        replace(found, confidence=0.9995)
