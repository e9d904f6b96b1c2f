"""Neighbour search: NaN and infinities, pairs and backgrounds of one's own, repeats, mutation, a budget in seconds."""

from __future__ import annotations

import time

import numpy as np
import pytest

from dpbench import InvalidInput, audit, find_neighbours
from dpbench.auditing import neighbours
from dpbench.auditing.neighbours import Domain, mutated, proposals
from dpbench.auditing.pair import equal

Rng = np.random.Generator
QUICK = {"trials": 10_000, "search_trials": 400, "epsilon": 1.0}


def noisy_sum(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
    return float(np.nansum(np.clip(data, 0.0, 1.0))) + rng.laplace(size=trials)


def leaking_where(fault):
    def sampler(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
        return noisy_sum(data, trials, rng) + 4.0 * float(fault(data))

    return sampler


FAULTS = {
    "nan": (lambda x: np.isnan(x).any(), {"nan": True}),
    "infinity": (lambda x: np.isposinf(x).any(), {"infinities": True}),
    "a value, twice": (lambda x: (x == 3.0).sum() == 2, {"integers": True, "high": 5.0}),
    "equal records": (lambda x: len(np.unique(x)) < len(x), {}),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "relation"), list(zip(FAULTS, ["replace", "add_remove"] * 2, strict=True)))
def test_faults_on_special_values(name: str, relation: str) -> None:
    """Each fault under one relation; all pairs of them in the next test. Planted: the same search without the special
    values, or without repeats, finds nothing (below)."""
    fault, fields = FAULTS[name]
    found = find_neighbours(
        leaking_where(fault), {"records": 4, "relation": relation, **fields}, mutations=16, **QUICK
    )  # fmt: skip
    assert found.verdict == "refuted" and found.epsilon_lower > 2.0


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("name", FAULTS)
def test_pairs_that_show_faults_on_special_values_are_proposed(
    name: str, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each fault and relation, without an audit. Planted: no special values, no repeats."""
    fault, fields = FAULTS[name]

    def shown() -> bool:
        domain = Domain(records=4, relation=relation, **fields)
        return any(bool(fault(x)) != bool(fault(y)) for x, y in proposals(domain, 0))

    assert shown()
    monkeypatch.setattr(Domain, "specials", property(lambda self: []))
    monkeypatch.setattr(neighbours, "_repeated", lambda *given: iter(()))
    assert shown() == (name == "equal records")  # in random data no two records are equal, in even ones all are


@pytest.mark.slow
def test_without_special_values_and_repeats_these_faults_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "REPEATS", 0)
    for name in ("nan", "infinity"):
        found = find_neighbours(leaking_where(FAULTS[name][0]), {"records": 4}, mutations=8, **QUICK)
        assert found.verdict == "not refuted"


@pytest.mark.slow
def test_pairs_of_ones_own_may_be_of_any_type() -> None:
    def sampler(data: object, trials: int, rng: Rng) -> np.ndarray:
        return 3.0 * (isinstance(data, str) and data == "secret") + rng.laplace(size=trials)

    pair = ("secret", "public")
    found = find_neighbours(sampler, {"records": 3}, pairs=[pair], mutations=2, **QUICK)
    assert found.pair == pair and found.verdict == "refuted"


@pytest.mark.slow
def test_backgrounds_of_ones_own_are_tried() -> None:
    background = np.array([0.123, 0.456, 0.789, 0.321])
    sampler = leaking_where(lambda x: x[0] == 0.0 and (x[1:] == background[1:]).all())
    found = find_neighbours(sampler, {"records": 4}, backgrounds=[background], mutations=0, **QUICK)
    assert found.verdict == "refuted"
    missed = find_neighbours(sampler, {"records": 4}, mutations=0, **QUICK)
    assert missed.verdict == "not refuted"


@pytest.mark.slow
def test_mutation_climbs_from_what_promises_most() -> None:
    """The leak grows with the number of other records near 0.37: no background starts there; mutation gets there."""

    def sampler(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
        near = np.exp(-8.0 * np.abs(data[1:] - 0.37)).mean()
        return 5.0 * near * data[0] + rng.laplace(size=trials)

    still, climbed = (
        find_neighbours(sampler, {"records": 3}, mutations=m, trials=20_000, search_trials=1_000, epsilon=9.0)
        for m in (0, 150)
    )
    assert climbed.epsilon_lower > still.epsilon_lower + 0.4


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("width", [None, 3])
def test_mutants_are_neighbours_within_the_domain(relation: str, width: int | None) -> None:
    domain = Domain(5, -2.0, 2.0, width, integers=True, relation=relation, nan=True, infinities=True)
    rng = np.random.default_rng(0)
    changed = 0
    for pair in list(proposals(domain, 0))[::5]:
        start = pair
        for _ in range(30):
            start = mutated(domain, start, rng)
            one, other = start
            assert one.shape == domain.shape and not equal(one, other)
            legal = (one == np.floor(one)) & (np.abs(one) <= 2.0)
            assert (legal | ~np.isfinite(one)).all()
            if relation == "add_remove":
                assert np.array_equal(one[:-1], other, equal_nan=True)
            else:
                assert other.shape == one.shape
                same = ((one == other) | (np.isnan(one) & np.isnan(other))).reshape(5, -1).all(axis=1)
                assert (~same).sum() == 1
        changed += not np.array_equal(start[0], pair[0], equal_nan=True)
    assert changed > 5


@pytest.mark.slow
def test_the_search_is_reproducible() -> None:
    found = [find_neighbours(noisy_sum, {"records": 3}, mutations=8, seed=2, **QUICK) for _ in range(2)]
    assert found[0].epsilon_lower == found[1].epsilon_lower
    assert all(np.array_equal(a, b) for a, b in zip(*(f.pair for f in found), strict=True))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_budget_in_seconds_ends_the_search_and_not_the_audit() -> None:
    calls = []

    def slow(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
        calls.append(trials)
        time.sleep(0.02)
        return noisy_sum(data, trials, rng)

    found = find_neighbours(slow, {"records": 4}, seconds=0.3, **QUICK)
    assert found.trials == 10_000 and found.pair is not None
    made = len(calls)
    audit(slow, *found.pair, epsilon=1.0, trials=10_000)  # the calls of the last audit alone
    searched = made - (len(calls) - made)
    assert 3 < searched < 104 <= len(list(proposals(Domain(4), 0)))  # each pair takes two calls at least


@pytest.mark.slow
def test_the_search_takes_a_whole_claim_and_a_score() -> None:
    sampler = leaking_where(lambda x: x.max() == 1.0)
    found = find_neighbours(
        sampler, {"records": 3}, claim={"mu": 1.5}, trials=10_000, search_trials=400, mutations=0,
        score=lambda outputs: outputs,
    )  # fmt: skip
    assert found.verdict == "refuted" and found.claim == "1.5-GDP"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": [(1, 2, 3)]}, "pairs must be a sequence of"),
        ({"pairs": [(1.0, 1.0)]}, "neighbour must be a data set that differs"),
        ({"backgrounds": [np.zeros(2)]}, r"backgrounds must be data sets of shape \(3,\)"),
        ({"backgrounds": ["abc"]}, r"backgrounds must be data sets of shape \(3,\)"),
        ({"backgrounds": 3}, r"backgrounds must be a sequence of data sets of shape \(3,\)"),
        ({"pairs": 3}, "pairs must be a sequence of"),
        ({"trials": "auto"}, "trials must be an integer >= 100 .a search takes no words., got 'auto'"),
        ({"mutations": -1}, "mutations must be an integer >= 0"),
        ({"seconds": 0.0}, "seconds must be"),
        ({"score": 3}, "score must be callable"),
        ({"claim": {"mu": 1.0}, "epsilon": 1.0}, "epsilon must be left out beside claim"),
    ],
)
def test_bad_parameters_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        find_neighbours(noisy_sum, {"records": 3}, **{"trials": 1_000, **options})


@pytest.mark.parametrize("field", ["nan", "infinities"])
def test_bad_fields_of_a_domain(field: str) -> None:
    with pytest.raises(InvalidInput, match=f"{field} must be True or False"):
        Domain(3, **{field: "yes"})
