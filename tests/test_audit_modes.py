"""One-run mode, floating-point mode and neighbour search."""

from __future__ import annotations

import itertools
import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dpbench import InvalidInput, audit_bits, audit_one_run, find_neighbours
from dpbench.auditing import one_run
from dpbench.auditing.bits import bit_features
from dpbench.auditing.broken import ZOO, Geometric
from dpbench.auditing.search import Domain, proposals

Rng = np.random.Generator


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(size=trials)


def gaussian(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + 4.0 * rng.standard_normal(trials)


def snapped(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.round((d + rng.laplace(size=trials)) * 1024.0) / 1024.0


# Floating point


def _slow_lowest_bit(x: float) -> int:
    """Exponent of the lowest set bit, from the exact fraction."""
    value = Fraction(x)
    power = 0
    while value.denominator != 1:
        value, power = value * 2, power - 1
    number = abs(value.numerator)
    while number % 2 == 0:
        number, power = number // 2, power + 1
    return power


@pytest.mark.parametrize("x", [1.0, 0.1, -0.3, 3.0, 1e300, 5e-324, 2.5e-310, -7.25, 2.0**-1022])
def test_bit_features_against_exact_fractions(x: float) -> None:
    lowest, zeros, exponent, last, sign = bit_features(np.array([x]))[0]
    assert lowest == _slow_lowest_bit(x)
    assert exponent == max(math.frexp(x)[1] - 1, -1022)
    assert zeros == lowest - (exponent - 52)
    pattern = struct.unpack("<Q", struct.pack("<d", x))[0]
    assert (last, sign) == (pattern & 7, pattern >> 63)


def test_naive_noise_is_broken_by_its_last_bits() -> None:
    for sampler in (laplace, gaussian):
        found = audit_bits(sampler, 0.0, 1.0, epsilon=1.0, trials=100_000)
        assert found.verdict == "refuted" and found.epsilon_lower > 4.0


def test_snapped_and_discrete_outputs_pass() -> None:
    assert audit_bits(snapped, 0.0, 1.0, epsilon=1.0, trials=100_000).verdict == "not refuted"
    discrete = Geometric(1.0)
    found = audit_bits(lambda d, n, r: discrete((d,), n, r).astype(float), 0, 1, epsilon=1.0, trials=100_000)
    assert found.verdict == "not refuted"


def test_the_float_entries_of_the_zoo_that_leak() -> None:
    """Correct over the reals, refuted in floating point: Laplace and Gaussian noise added to another
    number."""
    leaking = {
        e.name
        for e in ZOO
        if not e.wrong
        and e.name in ("laplace", "gaussian", "histogram")
        and audit_bits(e.sampler, e.dataset, e.neighbour, epsilon=e.claimed, delta=e.delta, trials=50_000).verdict
        == "refuted"
    }
    assert {"laplace", "gaussian"} <= leaking


def test_bits_of_integers_are_refused_by_name() -> None:
    def whole(d: float, trials: int, rng: Rng) -> np.ndarray:
        return rng.integers(0, 2, trials)

    with pytest.raises(InvalidInput, match=r"sampler whole raised InvalidInput .* floating-point numbers"):
        audit_bits(whole, 0.0, 1.0, trials=1_000)


# One run


def test_p_value_without_delta_is_the_exact_binomial_tail() -> None:
    for right in range(11):
        exact = sum(math.comb(10, k) * 0.75**k * 0.25 ** (10 - k) for k in range(right, 11))
        assert one_run.p_value(40, 10, right, math.log(3.0), 0.0) == pytest.approx(exact, rel=1e-12)


def test_p_value_with_delta_is_the_theorems_formula() -> None:
    m, r, v, rate, delta = 30, 12, 9, 0.6, 1e-3
    mass = [math.comb(r, k) * rate**k * (1 - rate) ** (r - k) for k in range(r + 1)]
    worst = max(sum(mass[v - i : v]) / i for i in range(1, v + 1))
    expected = sum(mass[v:]) + 2 * m * delta * worst
    assert one_run.p_value(m, r, v, math.log(rate / (1 - rate)), delta) == pytest.approx(expected, rel=1e-12)


def test_one_run_is_valid_and_near_on_randomised_response() -> None:
    """Null: the bound exceeds the true 1.0 in at most 10% of 300 runs; alarms at 1e-6."""
    wrong, bounds = 0, []
    for seed in range(300):
        found = audit_one_run(_response, 400, confidence=0.9, seed=seed, guesses=400)
        wrong += found.epsilon_lower > 1.0
        bounds.append(found.epsilon_lower)
    assert binom.sf(wrong - 1, 300, 0.1) > 1e-6
    assert np.mean(bounds) > 0.75


def _response(included: np.ndarray, rng: Rng) -> np.ndarray:
    return included ^ (rng.random(len(included)) < 1.0 / (1.0 + math.e))


def test_one_run_refutes_and_says_so() -> None:
    found = audit_one_run(lambda inc, r: 3.0 * inc + r.laplace(size=len(inc)), 2_000, epsilon=1.0, delta=1e-6)
    assert found.verdict == "refuted" and found.trials == 2_000
    assert "guesses at 2000 canaries are right, in one run" in found.event
    assert found.certificate is None and (found.curve([0.0, 1.0]) == 0.0).all()


def test_ties_say_nothing() -> None:
    """Constant scores in the order of the coins: broken by position they would give the coins away."""
    assert audit_one_run(lambda inc, r: np.zeros(len(inc)), 2_000, confidence=1 - 1e-6).epsilon_lower == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"canaries": 5}, "canaries must be an integer >= 10"),
        ({"guesses": 3}, "guesses must be even numbers from 2 to the 20 canaries"),
        ({"guesses": 22}, "guesses must be even numbers"),
        ({"guesses": []}, "guesses must be even numbers"),
        ({"run": 3}, "run must be callable"),
        ({"run": lambda inc, r: np.zeros(3)}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: 1 / 0}, "run raised ZeroDivisionError"),
    ],
)
def test_one_run_refuses_bad_input(options: dict, message: str) -> None:
    given = {"run": _response, "canaries": 20, **options}
    with pytest.raises(InvalidInput, match=message):
        audit_one_run(given.pop("run"), given.pop("canaries"), **given)


# Search


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
@pytest.mark.parametrize("width", [None, 2])
def test_proposals_are_neighbours_within_the_domain(relation: str, width: int | None) -> None:
    domain = Domain(6, -1.0, 3.0, width, integers=True, relation=relation)
    pairs = list(proposals(domain, 0))
    assert len(pairs) > 20
    for one, other in pairs:
        assert one.shape == domain.shape and one.min() >= -1.0 and one.max() <= 3.0
        assert (one == np.floor(one)).all()
        if relation == "replace":
            assert (one != other).reshape(6, -1).any(axis=1).sum() == 1
        else:
            assert np.array_equal(one[:-1], other)
    for (a, b), (c, d) in zip(itertools.islice(proposals(domain, 0), 60), pairs, strict=False):
        assert np.array_equal(a, c) and np.array_equal(b, d)


def test_search_finds_the_pair_that_breaks_a_mechanism() -> None:
    """Noise for sensitivity 1, but the largest record counts three times: ε is 3 where the pair moves it."""

    def leaky(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
        return 3.0 * data.max() + rng.laplace(size=trials)

    found = find_neighbours(leaky, {"records": 5}, epsilon=1.0, trials=50_000)
    assert found.verdict == "refuted" and found.epsilon_lower > 2.4
    assert found.pair is not None
    one, other = found.pair
    assert abs(one.max() - other.max()) > 0.9
    assert "pair" not in found.to_dict()


def test_search_does_not_refute_a_correct_mechanism() -> None:
    def fine(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
        return data.sum() + rng.laplace(size=trials)

    found = find_neighbours(fine, Domain(5), epsilon=1.0, trials=50_000, confidence=1 - 1e-6)
    assert found.verdict == "not refuted" and found.epsilon_lower > 0.8


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (3, "domain must be a Domain"),
        ({"low": 0.0}, "with the number of records"),
        ({"records": 3, "hight": 1.0}, "did you mean high"),
        ({"records": 0}, "records must be an integer >= 1"),
        ({"records": 3, "low": 1.0}, "high must be a number > low"),
        ({"records": 3, "relation": "swap"}, "relation must be one of"),
    ],
)
def test_search_refuses_bad_domains(domain: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        find_neighbours(laplace, domain, trials=1_000)  # type: ignore[arg-type]
