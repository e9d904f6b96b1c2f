"""Dependent runs are refused, independent ones are not: exact levels, and planted dependence of each kind.

Null of every test: rows are independent. An audit of independent rows is refused with probability at most 1e-9, which
is shown for its parts: the tail bound by enumeration, the order of equal rows by enumeration.
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbench
from dpbench import DependentOutputs, audit
from dpbench.auditing import dependence, traces
from dpbench.auditing.dependence import KINDS, Watch, check_arrays
from dpbench.auditing.pair_tables import tail
from dpbench.auditing.traces import PREFIXES, Trace

Rng = np.random.Generator


def hypergeometric(both: int, first: int, second: int, pairs: int) -> float:
    """The two-sided p-value of the slow road: twice the smaller tail, by exact integers."""
    low, high = max(0, first + second - pairs), min(first, second)
    mass = {k: math.comb(second, k) * math.comb(pairs - second, first - k) for k in range(low, high + 1)}
    whole = math.comb(pairs, first)
    ends = [sum(m for k, m in mass.items() if k <= both), sum(m for k, m in mass.items() if k >= both)]
    return min(1.0, 2.0 * min(ends) / whole)


def test_the_tail_bound_is_never_below_the_exact_p_value_and_near_it_where_it_is_small() -> None:
    """All tables of up to 14 pairs. Planted: one tail alone, which is below it."""
    worst, short = 0.0, False
    for pairs in range(1, 15):
        for first, second in itertools.product(range(pairs + 1), repeat=2):
            for both in range(max(0, first + second - pairs), min(first, second) + 1):
                exact, bound = hypergeometric(both, first, second, pairs), tail(both, first, second, pairs)
                assert bound >= exact * (1.0 - 1e-12)
                short |= 0.5 * bound < exact * (1.0 - 1e-12)
                if exact < 1e-3:
                    worst = max(worst, bound / exact)
    assert short and worst < 1.3
    assert 0.0 <= tail(300_000, 400_000, 450_000, 1_000_000) < 1e-300


def test_the_chance_of_an_order_is_exact() -> None:
    """Two blocks of four rows with values 0, 0, 1, 2: the same order in 1 of 12 arrangements."""
    rows = np.array([0.0, 0.0, 1.0, 2.0])
    (kept,) = traces.probe_of(rows, rows).trace(rows, 0).prefixes
    orders = set(itertools.permutations(rows.tolist()))
    assert kept[0] == 4 and math.exp(kept[2]) == pytest.approx(1.0 / len(orders), rel=1e-12)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies.dependence`, found beside the tests: samplers that are dependent, and correct ones."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import dependence as module

    return module


def tiled(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + np.resize(rng.laplace(size=max(trials // 3, 1)), trials)


def chained(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Every row keeps 0.6 of the one before it."""
    noise = rng.normal(size=trials)
    for i in range(1, trials):
        noise[i] += 0.6 * noise[i - 1]
    return d + noise


def antithetic(d: float, trials: int, rng: Rng) -> np.ndarray:
    half = rng.laplace(size=-(-trials // 2))
    return d + np.stack([half, -half], axis=1).ravel()[:trials]


def shared_offset(d: float, trials: int, rng: Rng) -> np.ndarray:
    """A hundred rows share an offset; each has noise of its own."""
    return d + np.repeat(rng.normal(size=-(-trials // 100)), 100)[:trials] + rng.laplace(size=trials)


def words(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.repeat(np.array(["a", "bb", "ccc"])[rng.integers(0, 2 + int(d), -(-trials // 3))], 3)[:trials]


def rows_of_five(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.repeat(rng.laplace(size=(-(-trials // 2), 5)) + d, 2, axis=0)[:trials]


CAUSES = {
    "a seed of its own": "own|cached",
    "one call repeated": "draw",
    "one draw for 2 rows": "one draw that is repeated",
    "one draw for 10 rows": "one draw that is repeated",
    "one draw for 100 rows": "one draw that is repeated",
    "noise cached between calls": "cache",
}
"""What the message says of the samplers of `studies.dependence`."""

FURTHER: dict[str, tuple[Any, str]] = {
    "tiled": (tiled, "one draw that is repeated|a draw that several trials share"),
    "a chain": (chained, "a chain that carries on"),
    "antithetic": (antithetic, "stratified"),
    "an offset shared": (shared_offset, "several trials share|a draw that is shared"),
    "words": (words, "repeated"),
    "vectors": (rows_of_five, "repeated"),
}


def test_every_planted_sampler_has_a_cause(bench: Any) -> None:
    assert list(bench.PLANTED) == list(CAUSES)


@pytest.mark.few(6)
@pytest.mark.parametrize("name", [*CAUSES, *FURTHER])
def test_planted_dependence_is_refused_and_explained(bench: Any, name: str) -> None:
    """2,000 runs a side, five seeds."""
    sampler, cause = (bench.PLANTED[name](0), CAUSES[name]) if name in CAUSES else FURTHER[name]
    for seed in range(5):
        with pytest.raises(
            DependentOutputs, match=rf"must be independent, got .*\(p-value .*likely cause is .*({cause})"
        ):
            audit(sampler, 0.0, 1.0, trials=2_000, seed=seed)


@pytest.mark.evidence
@pytest.mark.parametrize("name", CAUSES)
def test_planted_dependence_is_refused_in_all_of_a_thousand_audits(bench: Any, name: str) -> None:
    for seed in range(1_000):
        with pytest.raises(DependentOutputs):
            audit(bench.PLANTED[name](seed), 0.0, 1.0, trials=2_000, seed=seed)


CORRECT = ("Laplace noise", "rare bits", "two words", "vectors of four sums", "atoms")
"""Of `studies.dependence`."""

FURTHER_CORRECT: dict[str, Any] = {
    "constant": lambda d, n, rng: np.full(n, d),
    "equal coordinates": lambda d, n, rng: np.repeat(d + rng.laplace(size=(n, 1)), 3, axis=1),
    "nan": lambda d, n, rng: np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n)),
}


@pytest.mark.parametrize("name", [*CORRECT, *FURTHER_CORRECT])
@pytest.mark.few(1)
def test_independent_runs_pass_and_every_check_is_told(bench: Any, name: str) -> None:
    """Six seeds; a check's p-value is at most 1e-6 with probability at most 1e-6 each."""
    assert tuple(bench.CORRECT) == CORRECT
    sampler = {**bench.CORRECT, **FURTHER_CORRECT}[name]
    for seed in range(6):
        found = audit(sampler, 0.0, 1.0, trials=3_000, seed=seed)
        assert [check.what for check in found.checks] == list(KINDS)
        assert all(1e-6 < check.p_value <= 1.0 for check in found.checks)
        assert found.to_dict()["checks"][0]["what"] == KINDS[0]


@pytest.mark.slow
def test_p_values_are_uniform_or_larger() -> None:
    """The least p-value of 400 watches of independent normals is at most t in no more than a share t of them: at 5% a
    share of 13% would be noticed (binomial, level 1e-6)."""
    from scipy.stats import binom

    rng = np.random.default_rng(5)
    counts = dict.fromkeys(KINDS, 0)
    for _ in range(400):
        for check in check_arrays(rng.normal(size=600), rng.normal(size=600)):
            counts[check.what] += check.p_value <= 0.05
    assert all(binom.sf(wrong - 1, 400, 0.05) > 1e-6 for wrong in counts.values())


def test_arrays_that_were_copied_or_sorted_are_refused() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.laplace(size=2_000), rng.laplace(size=2_000)
    assert len(check_arrays(one, other)) == len(KINDS)
    for pair in ((one, one + 0.5), (one, one), (np.sort(one), other), (np.tile(one[:1000], 2), other)):
        with pytest.raises(DependentOutputs, match=r"copies of others, that were sorted|runs that were copied"):
            check_arrays(*pair)


def test_the_error_is_a_value_error_and_public() -> None:
    assert issubclass(dpbench.DependentOutputs, ValueError)


def test_a_sequential_audit_refuses_too(bench: Any) -> None:
    with pytest.raises(DependentOutputs):
        audit(bench.own_generator, 0.0, 1.0, epsilon=1.0, trials="auto")


def test_without_the_watch_a_fixed_seed_is_refuted(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted error: no test of independence. A correct Laplace mechanism of ε = 1 is then refuted."""
    monkeypatch.setattr(Watch, "examine", lambda self: ())
    assert audit(bench.own_generator, 0.0, 1.0, epsilon=1.0, trials=1_000_000).verdict == "refuted"


def test_level_and_looks_are_shared_between_the_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """An observation just above its share of the level passes, one just below is refused. Planted: no sharing."""
    watch = Watch("x", level=1e-3, looks=2)
    share = 1e-3 / (2 * len(KINDS))
    for factor, refused in ((1.001, False), (0.999, True)):
        monkeypatch.setattr(Watch, "_least", lambda self, kind, f=factor: (f * share, "something"))
        if refused:
            with pytest.raises(DependentOutputs):
                watch.examine()
        else:
            assert watch.examine()[0].p_value == factor * share
    assert dependence.LEVEL == 1e-9


def test_equal_blocks_pay_for_every_pair_of_blocks_at_every_length() -> None:
    """Five blocks on one side and three on the other: 10 + 3 pairs of a side, 15 across."""
    same = Trace(8, ((8, b"the same rows", math.log(1e-6)),), None, np.zeros((0, 0), np.uint8), np.zeros((0, 0, 4)))
    watch = Watch("x")
    watch._blocks = {("certifying", 0): [same] * 5, ("certifying", 1): [same] * 3}
    for kind, pairs in ((dependence.EQUAL, 13), (dependence.SHARED, 15)):
        assert watch._least(kind)[0] == pytest.approx(1e-6 * pairs * len(PREFIXES), rel=1e-12)


def one_column_a_call(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Fresh Laplace noise beside a number that is drawn once a call."""
    return np.stack([d + rng.laplace(size=trials), np.full(trials, rng.normal()), rng.normal(size=trials)], axis=1)


def test_a_column_that_is_drawn_once_a_call_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sides' numbers differ in either part, which certifies what is false. Planted: nothing is examined."""
    for seed in range(8):
        with pytest.raises(DependentOutputs, match=r"in column 1|a draw that several trials share"):
            audit(one_column_a_call, 0.0, 1.0, epsilon=1.2, trials=2_000, seed=seed)
    monkeypatch.setattr(Watch, "examine", lambda self: ())
    found = [audit(one_column_a_call, 0.0, 1.0, epsilon=1.2, trials=2_000, seed=seed).verdict for seed in range(8)]
    assert "refuted" in found


@pytest.mark.parametrize("width", [1, 2])
def test_a_coin_a_call_is_refused(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen calls a side hold one value each, and not the same. Planted: nothing is examined."""

    def coin(d: float, trials: int, rng: Rng) -> np.ndarray:
        one = np.full(trials, rng.integers(2))
        return one if width == 1 else np.stack([one, rng.integers(0, 5, trials)], axis=1)

    for seed in range(8):
        with pytest.raises(DependentOutputs, match=r"calls for one run|hold one value each|several trials"):
            audit(coin, 0.0, 1.0, epsilon=1.0, trials=1_000, seed=seed)
    monkeypatch.setattr(Watch, "examine", lambda self: ())
    assert audit(coin, 0.0, 1.0, epsilon=1.0, trials=1_000).trials == 1_000


def test_the_chance_that_only_calls_differ_is_exact() -> None:
    """Of 3 rows and 2 calls with one other value: among the calls in 2 of 5 orders; with two others in 1 of 10."""
    for calls, exact in (([0.0, 1.0], 0.4), ([1.0, 2.0], 0.1), ([0.0, 0.0], 1.0)):
        watch = Watch("x")
        watch.add_calls(0, {0: 0.0}, 3, np.array(calls))
        assert watch._called[1][1] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("column", "held"), [(np.nan, None), (-0.0, 0.0), (3.0, 3.0)])
def test_a_column_that_never_changes_is_no_dependence(column: float, held: float | None) -> None:
    """NaN is one value, whatever its bits; so are both zeros."""

    def sampler(d: float, trials: int, rng: Rng) -> np.ndarray:
        same = np.where(rng.random(trials) < 0.5, column, np.abs(column))
        return np.stack([d + rng.laplace(size=trials), same], axis=1)

    assert traces.fixed_columns(sampler(0.0, 300, np.random.default_rng(0))) == {1: held}
    assert audit(sampler, 0.0, 1.0, trials=1_000).checks


def test_the_chance_of_two_constant_blocks_is_never_below_the_exact_one() -> None:
    """All orders of n and m values: two blocks of n and m rows hold one value each in at most two of them."""
    for n, m in ((2, 2), (2, 3), (1, 3)):
        rows = [0.0] * n + [1.0] * m
        orders = set(itertools.permutations(rows))
        seen = sum(len(set(o[:n])) == 1 and len(set(o[n:])) == 1 for o in orders) / len(orders)
        blocks = [np.stack([part, np.arange(len(part))], axis=1) for part in (rows[:n], rows[n:])]
        watch, probe = Watch("x"), traces.probe_of(*blocks)
        for part, block in zip(("one", "other"), blocks, strict=True):
            watch.add(part, 0, probe, probe.trace(block, 0))
        chance = min(p for _, p, words in watch._between() if isinstance(p, float) and "column 0" in words)
        assert seen * (1.0 - 1e-12) <= chance <= 2.0 * seen * (1.0 + 1e-12)
