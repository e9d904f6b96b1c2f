"""Noise that is added once: its profile beside exact laws of centres that rounding moves apart, and its scale."""

import functools
import math

import numpy as np
import pytest

from dpbench import InvalidInput
from dpbench.privacy import gaussian
from dpbench.privacy.one_shot import StepNoise, scale_for, step_noise

BESIDE = 2.0**-20
"""Of a step: so far to either side of the middle of two grid points, centres round to different ones."""


def exact_delta(noise, size, m, epsilon):
    """δ(ε) of m integer variables and the same shifted by 1 each, from their law on the integers."""
    reach = int(14 * size if noise == "gaussian" else 60 * size)
    k = np.arange(-reach, reach + 1)
    law = np.exp(-0.5 * (k / size) ** 2 if noise == "gaussian" else -np.abs(k) / size)
    law /= law.sum()
    if noise == "gaussian":  # the log ratio of p(k) and p(k - 1) is linear in k: a function of the sum
        total = functools.reduce(np.convolve, [law] * m)
        ratio = (m - 2.0 * np.arange(-m * reach, m * reach + 1)) / (2.0 * size**2)
    else:
        ratios, which = np.unique(np.where(k < 1, 1, -1), return_inverse=True)  # times 1/t
        total = functools.reduce(np.convolve, [np.bincount(which, law)] * m)
        ratio = np.linspace(m * ratios[0], m * ratios[-1], m + 1) / size
    return float((total * np.clip(1.0 - np.exp(epsilon - ratio), 0.0, None)).sum())


@pytest.mark.parametrize(("noise", "size"), [("gaussian", 48.0), ("laplace", 20.0)])
@pytest.mark.parametrize("m", [1, 3, 9])
def test_centres_that_rounding_moves_apart_are_within_the_profile(noise, size, m):
    """Nearly equal centres, a step apart on the grid in each coordinate. Planted: the profile of half as
    many coordinates, of one the centres alone, is exceeded."""
    steps = StepNoise(noise, 1.0, size)
    centre = np.full(m, 0.5)
    rounded = [np.round(steps.around(centre + side * BESIDE, 1.0, np.random.default_rng(0), 1)) for side in (-1.0, 1.0)]
    assert np.array_equal(rounded[1] - rounded[0], np.ones((1, m)))
    moved = 2.0 * BESIDE * (math.sqrt(m) if noise == "gaussian" else m)
    profile, planted = (steps.profile(moved, count, "") for count in (m, m // 2))
    exact = {epsilon: exact_delta(noise, size, m, epsilon) for epsilon in (0.0, 0.5 / size, 0.9 * m / size)}
    assert all(0.0 < delta <= profile.delta(epsilon) for epsilon, delta in exact.items())
    assert any(delta > planted.delta(epsilon) for epsilon, delta in exact.items())


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("m", [1, 50, 4000])
def test_the_scale_meets_the_claim_and_is_hardly_more_than_real_noise(noise, m):
    epsilon, delta, moved = 0.7, 1e-6 if noise == "gaussian" else 0.0, 3.0
    scale = scale_for(noise, moved, m, epsilon, delta)
    assert step_noise(noise, scale).profile(moved, m, "").delta(epsilon) <= delta
    real = moved / (gaussian.mu(epsilon, delta) if noise == "gaussian" else epsilon)
    steps = math.sqrt(m) * scale / moved * 2.0**-27 if noise == "gaussian" else m / epsilon * 2.0**-17
    assert real < scale <= real * (1.0 + steps + 1e-9)


@pytest.mark.parametrize("m", [1, 10, 1000, 100_000])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-4, 1e-2, 0.1, 1.0])
@pytest.mark.parametrize(("noise", "delta"), [("gaussian", 1e-6), ("laplace", 0.0)])
def test_a_scale_meets_its_claim_or_is_refused_whatever_rounding_costs(noise, delta, m, epsilon):
    try:
        scale = scale_for(noise, 1.0, m, epsilon, delta)
    except InvalidInput as refusal:
        assert "epsilon must be " in str(refusal) and m * 2.0**-19 > 0.99 * epsilon
    else:
        assert step_noise(noise, scale).profile(1.0, m, "").delta(epsilon) <= delta


def test_a_centre_is_cut_to_its_bound_and_steps_are_as_fine_as_asked():
    outputs = StepNoise("laplace", 2.0**-10, 4.0).around(np.array([5.0, -7.0]), 1.0, np.random.default_rng(0), 200)
    assert outputs.shape == (200, 2) and np.abs(outputs - [1.0, -1.0]).max() < 0.1
    assert step_noise("laplace", 2.0**30).spacing > 1.0 >= step_noise("laplace", 2.0**30, 1.0).spacing
