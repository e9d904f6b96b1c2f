"""Outputs of which one quantity decides which others matter: exact ratios, and the share that is learned of them."""

from __future__ import annotations

import numpy as np
import pytest

from .adaptive import ADAPTIVE, share


@pytest.mark.parametrize("name", ADAPTIVE)
def test_ratios_are_those_of_the_samplers(name: str) -> None:
    """The mean of e^ratio is 1 on the data set 0, and that of e^-ratio is 1 on 1: within six standard errors (false
    alarms 1e-8); a shift that is wrong by a tenth is caught in each."""
    found, rng = ADAPTIVE[name], np.random.default_rng(0)
    for d, sign in ((0, 1.0), (1, -1.0)):
        weights = np.exp(sign * found.ratio(found.sampler(d, 400_000, rng)))
        assert abs(weights.mean() - 1.0) < 6.0 * weights.std() / np.sqrt(len(weights))
    wrong = np.exp(found.ratio(found.sampler(0, 400_000, rng) * 1.1))
    assert abs(wrong.mean() - 1.0) > 6.0 * wrong.std() / np.sqrt(len(wrong))


@pytest.mark.slow
@pytest.mark.parametrize("name", ADAPTIVE)
def test_what_is_learned_of_the_exact_ratio(name: str) -> None:
    """At 20,000 runs a side, means of five fixed seeds."""
    assert share(name, 20_000, 5) > 0.75
