"""The bits of floating-point outputs."""

import numpy as np
import pytest
from zoo.published import Geometric
from zoo.validity import laplace

from dpbench import InvalidInput, audit_bits


def gaussian(d, trials, rng):
    return d + 4.0 * rng.standard_normal(trials)


def snapped(d, trials, rng):
    return np.round((d + rng.laplace(size=trials)) * 1024.0) / 1024.0


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


@pytest.mark.parametrize("shape", [(3,), (), (5, 2), "one block too many"])
def test_outputs_that_are_no_floats_for_each_run_are_refused(shape):
    def sampler(d, trials, rng):
        return np.zeros((trials, 2, 2) if isinstance(shape, str) else shape)

    for wrong in (sampler, lambda d, trials, rng: rng.integers(5, size=trials)):
        with pytest.raises(InvalidInput, match=r"must be .*(floating-point numbers|shape)"):
            audit_bits(wrong, 0.0, 1.0, trials=1_000)


@pytest.mark.slow
def test_naive_noise_is_broken_by_its_last_bits():
    for sampler in (laplace, gaussian):
        found = audit_bits(sampler, 0.0, 1.0, epsilon=1.0, trials=100_000)
        assert found.verdict == "refuted" and found.epsilon_lower > 4.0


def test_snapped_and_discrete_outputs_pass():
    assert audit_bits(snapped, 0.0, 1.0, epsilon=1.0, trials=50_000).verdict == "not refuted"
    discrete = Geometric(1.0)
    found = audit_bits(lambda d, n, r: discrete((d,), n, r).astype(float), 0, 1, epsilon=1.0, trials=50_000)
    assert found.verdict == "not refuted"
