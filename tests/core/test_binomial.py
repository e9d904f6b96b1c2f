"""Binomial probabilities against scipy.stats."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpbench.core import binomial

CHANCES = (0.0, 1e-6, 0.01, 0.3, 0.5, 0.999, 1.0)


@pytest.mark.parametrize("n", [0, 1, 10, 1_000, 100_000, 10**8])
def test_mass_to_its_stated_error(n):
    for p in CHANCES:
        spread = math.sqrt(n * p * (1.0 - p))
        k = np.unique(np.clip(np.round(n * p + np.linspace(-9.0, 9.0, 41) * spread), -1, n + 1))
        k = np.concatenate([k, [-1.0, n + 1.0]])
        expected = binom.pmf(k, n, p)
        np.testing.assert_allclose(binomial.mass(k, n, p), expected, rtol=1e-14 * max(n, 10), atol=1e-300)


def test_scalars_and_arrays_agree():
    both = binomial.mass(np.arange(-1, 9), 7, 0.3)
    assert [binomial.mass(k, 7, 0.3) for k in range(-1, 9)] == both.tolist()
    assert both.sum() == pytest.approx(1.0, rel=1e-14)
    assert binomial.mass(3, 7, np.array([0.3, 0.5]))[0] == both[4]


@pytest.mark.parametrize("n", [1, 10, 1_000, 10**6, 10**9])
def test_above(n):
    for p in (1e-6, 0.01, 0.3, 0.5, 0.999):
        spread = math.sqrt(n * p * (1.0 - p))
        for z in (-6.0, -1.0, 0.0, 1.0, 6.0, 30.0):
            k = math.floor(n * p + z * spread)
            assert binomial.above(k, n, p) == pytest.approx(float(binom.sf(k, n, p)), rel=1e-9, abs=1e-300)
    assert (binomial.above(-1, n, 0.3), binomial.above(n, n, 0.3), binomial.above(n + 1, n, 0.3)) == (1.0, 0.0, 0.0)
