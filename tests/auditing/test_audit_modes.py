"""Floating-point mode and neighbour search."""

import numpy as np
import pytest
from zoo.published import Geometric

from dpbench import audit_bits, find_neighbours


def laplace(d, trials, rng):
    return d + rng.laplace(size=trials)


def gaussian(d, trials, rng):
    return d + 4.0 * rng.standard_normal(trials)


def snapped(d, trials, rng):
    return np.round((d + rng.laplace(size=trials)) * 1024.0) / 1024.0


# Floating point


LEAST_BIT = 2.0**-40
LEAKS = {
    "the lowest bit": lambda d, r: np.ldexp(1.0, -(3 + int(r.random() < 0.2 + 0.6 * d))) + 1.0,
    "the exponent": lambda d, r: np.ldexp(1.0 + LEAST_BIT * r.integers(0, 2), int(r.random() < 0.2 + 0.6 * d)),
    "the last three bits": lambda d, r: np.nextafter(1.5, 2.0) if r.random() < 0.2 + 0.6 * d else 1.5 + 3 * 2.0**-52,
    "the sign": lambda d, r: -1.25 if r.random() < 0.2 + 0.6 * d else 1.25,
    "the sign of zero": lambda d, r: -0.0 if r.random() < 0.2 + 0.6 * d else 0.0,
    "below the normal numbers": lambda d, r: 5e-324 * (1 + int(r.random() < 0.2 + 0.6 * d)),
}


@pytest.mark.parametrize("kind", LEAKS)
def test_what_the_bits_of_a_float_tell_is_found(kind):
    """log(0.8/0.2) = 1.39 of loss, in one feature of the representation; and no loss where the data are not in it."""

    def sampler(d, trials, rng):
        return np.array([LEAKS[kind](d, rng) for _ in range(trials)])

    found = audit_bits(sampler, 0.0, 1.0, epsilon=1.0, trials=4_000)
    assert found.verdict == "refuted" and found.epsilon_lower < 1.5
    right = audit_bits(lambda d, n, rng: sampler(0.5, n, rng), 0.0, 1.0, trials=4_000, confidence=1.0 - 1e-6)
    assert right.epsilon_lower == 0.0


@pytest.mark.slow
def test_naive_noise_is_broken_by_its_last_bits():
    for sampler in (laplace, gaussian):
        found = audit_bits(sampler, 0.0, 1.0, epsilon=1.0, trials=100_000)
        assert found.verdict == "refuted" and found.epsilon_lower > 4.0


def test_snapped_and_discrete_outputs_pass():
    assert audit_bits(snapped, 0.0, 1.0, epsilon=1.0, trials=100_000).verdict == "not refuted"
    discrete = Geometric(1.0)
    found = audit_bits(lambda d, n, r: discrete((d,), n, r).astype(float), 0, 1, epsilon=1.0, trials=100_000)
    assert found.verdict == "not refuted"


# Search


@pytest.mark.slow
def test_search_finds_the_pair_that_breaks_a_mechanism():
    """Noise for sensitivity 1, but the largest record counts three times: ε is 3 where the pair moves it."""

    def leaky(data, trials, rng):
        return 3.0 * data.max() + rng.laplace(size=trials)

    found = find_neighbours(leaky, {"records": 5}, epsilon=1.0, trials=50_000)
    assert found.verdict == "refuted" and found.epsilon_lower > 2.4
    assert found.pair is not None
    one, other = found.pair
    assert abs(one.max() - other.max()) > 0.9
    assert "pair" not in found.to_dict()


@pytest.mark.slow
def test_search_does_not_refute_a_correct_mechanism():
    def fine(data, trials, rng):
        return data.sum() + rng.laplace(size=trials)

    found = find_neighbours(fine, {"records": 5}, epsilon=1.0, trials=50_000, confidence=1 - 1e-6)
    assert found.verdict == "not refuted" and found.epsilon_lower > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("leak", ["middle", "one coordinate", "turns"])
def test_search_finds_faults_that_extremes_do_not_show(leak):
    """Noise enough for the pair of extremes, and too little for one of the other replacements."""
    width = 1 if leak == "middle" else 2

    def sampler(data, trials, rng):
        if leak == "middle":
            shift = 4.0 * np.isclose(data, 0.5).sum()
        elif leak == "one coordinate":
            shift = 4.0 * (data.sum(axis=1) == 1.0).sum()
        else:
            shift = 4.0 * ((data[:, 0] == 0.0) & (data[:, 1] == 1.0)).sum()
        return data.sum() / (2.0 * width) + shift + rng.laplace(size=trials)

    domain = {"records": 4, "width": None if width == 1 else width}
    found = find_neighbours(sampler, domain, epsilon=1.0, trials=10_000, search_trials=400)
    assert found.verdict == "refuted" and found.epsilon_lower > 2.0


def laplace_sum(data, trials, rng):
    return data.sum() + rng.laplace(size=trials)


def test_search_tells_its_progress_and_stops_on_an_interrupt():
    told = []
    find_neighbours(
        laplace_sum, {"records": 2}, trials=1_000, search_trials=100, mutations=0,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    pairs = told[0][1]
    assert pairs > 5 and told[:pairs] == [(k, pairs) for k in range(1, pairs + 1)]
    assert told[-1][0] == told[-1][1] != pairs
    calls = []

    def interrupted(data, trials, rng):
        calls.append(trials)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_neighbours(interrupted, {"records": 3}, trials=1_000, search_trials=100)
    assert len(calls) == 1
