"""Neighbour search: NaN and infinities, pairs of one's own, repeats, mutation, a budget in seconds."""

import time

import numpy as np
import pytest

from dpbench import audit, find_neighbours

QUICK = {"trials": 10_000, "search_trials": 400, "epsilon": 1.0}


def noisy_sum(data, trials, rng):
    return float(np.nansum(np.clip(data, 0.0, 1.0))) + rng.laplace(size=trials)


def leaking_where(fault):
    def sampler(data, trials, rng):
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
def test_faults_on_special_values(name, relation):
    """Each fault under one relation; what pairs are proposed under both is in the next test."""
    fault, fields = FAULTS[name]
    found = find_neighbours(
        leaking_where(fault), {"records": 4, "relation": relation, **fields}, mutations=16, **QUICK
    )  # fmt: skip
    assert found.verdict == "refuted" and found.epsilon_lower > 2.0


def looked_at(domain, mutations=0):
    """The data sets that a search looks at, each once."""
    seen = {}

    def spy(data, trials, rng):
        seen.setdefault(data.tobytes() + bytes(data.shape), data.copy())
        return rng.laplace(size=trials)

    find_neighbours(spy, domain, trials=200, search_trials=100, mutations=mutations)
    return list(seen.values())


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("name", FAULTS)
def test_pairs_that_show_faults_on_special_values_are_proposed(name, relation):
    """For each fault and relation some data set has it and some other has it not. Planted: no special values."""
    fault, fields = FAULTS[name]
    domain = {"records": 4, "relation": relation, **fields}
    assert {bool(fault(data)) for data in looked_at(domain)} == {True, False}
    if name in ("nan", "infinity"):
        assert {bool(fault(data)) for data in looked_at({"records": 4, "relation": relation})} == {False}


def neighbours_of(one, other, relation):
    if relation == "add_remove":
        longer, shorter = (one, other) if len(one) > len(other) else (other, one)
        return len(longer) == len(shorter) + 1 and np.array_equal(longer[:-1], shorter, equal_nan=True)
    same = ((one == other) | (np.isnan(one) & np.isnan(other))).reshape(len(one), -1).all(axis=1)
    return one.shape == other.shape and int((~same).sum()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("width", [None, 3])
@pytest.mark.parametrize("special", [False, True])
def test_data_sets_are_of_the_domain_and_have_neighbours(relation, width, special):
    """Proposals and mutants: whole numbers within the bounds, or the special values; ends that alternate among them
    where a record is replaced."""
    domain = {"records": 5, "low": -2.0, "high": 2.0, "width": width, "integers": True, "relation": relation,
              "nan": special, "infinities": special}  # fmt: skip
    seen = looked_at(domain, mutations=24)
    assert len(seen) > 20
    for data in seen:
        legal = (data == np.floor(data)) & (np.abs(data) <= 2.0)
        assert (legal | (special & ~np.isfinite(data))).all()
        assert data.shape[1:] == (() if width is None else (width,))
        assert len(data) == 5 or (relation == "add_remove" and len(data) == 4)
        assert any(neighbours_of(data, other, relation) for other in seen)
    if width is not None and relation == "replace":
        rows = [tuple(row) for data in seen for row in data.tolist()]
        assert (-2.0, 2.0, -2.0) in rows and (2.0, -2.0, 2.0) in rows


@pytest.mark.slow
def test_pairs_of_ones_own_may_be_of_any_type():
    def sampler(data, trials, rng):
        return 3.0 * (isinstance(data, str) and data == "secret") + rng.laplace(size=trials)

    pair = ("secret", "public")
    found = find_neighbours(sampler, {"records": 3}, pairs=[pair], mutations=2, **QUICK)
    assert found.pair == pair and found.verdict == "refuted"


@pytest.mark.slow
def test_mutation_climbs_from_what_promises_most():
    """The leak grows with the number of other records near 0.37: no background starts there; mutation gets there."""

    def sampler(data, trials, rng):
        near = np.exp(-8.0 * np.abs(data[1:] - 0.37)).mean()
        return 5.0 * near * data[0] + rng.laplace(size=trials)

    still, climbed = (
        find_neighbours(sampler, {"records": 3}, mutations=m, trials=20_000, search_trials=1_000, epsilon=9.0)
        for m in (0, 150)
    )
    assert climbed.epsilon_lower > still.epsilon_lower + 0.4


@pytest.mark.slow
def test_the_search_is_reproducible():
    found = [find_neighbours(noisy_sum, {"records": 3}, mutations=8, seed=2, **QUICK) for _ in range(2)]
    assert found[0].epsilon_lower == found[1].epsilon_lower
    assert all(np.array_equal(a, b) for a, b in zip(*(f.pair for f in found), strict=True))


@pytest.mark.slow
def test_a_budget_in_seconds_ends_the_search_and_not_the_audit():
    calls = []

    def slow(data, trials, rng):
        calls.append(trials)
        time.sleep(0.02)
        return noisy_sum(data, trials, rng)

    found = find_neighbours(slow, {"records": 4}, seconds=0.3, **QUICK)
    assert found.trials == 10_000 and found.pair is not None
    made = len(calls)
    audit(slow, *found.pair, epsilon=1.0, trials=10_000)  # the calls of the last audit alone
    searched = made - (len(calls) - made)
    assert 3 < searched < 150  # of some hundred pairs, two calls at least each


@pytest.mark.slow
def test_the_search_takes_a_whole_claim_and_a_score():
    sampler = leaking_where(lambda x: x.max() == 1.0)
    found = find_neighbours(
        sampler, {"records": 3}, claim={"mu": 1.5}, trials=10_000, search_trials=400, mutations=0,
        score=lambda outputs: outputs,
    )  # fmt: skip
    assert found.verdict == "refuted" and found.claim == "1.5-GDP"
