"""Bounds on the epsilon of several shifts: closed forms, the slow twin, and hostile sizes."""

from __future__ import annotations

import math
from fractions import Fraction

import naive_shifts as naive
import numpy as np
import pytest
from mpmath import mp, mpf
from threadpoolctl import threadpool_info, threadpool_limits

from dpbench.core.validation import InvalidInput
from dpbench.privacy import gaussian, laplace
from dpbench_libraries import shifts
from dpbench_libraries.shifts import epsilon_between


@pytest.mark.parametrize(
    "delta, moved, mu",
    [
        (0.1, [1.0, 0.5], 0.0),
        (0.4, [3.0, 0.2], 0.0),
        (1e-4, [1.0, 0.7], 0.0),
        (1e-5, [0.5], 1.0),
        (1e-9, [1.0], 2.0),
        (0.2, [2.0], 0.3),
        (1e-3, [1.0, 0.3], 0.4),
        (0.05, [1.0, 0.6, 0.3], 0.0),
    ],
)
def test_the_slow_twin_is_between_the_bounds(delta: float, moved: list[float], mu: float) -> None:
    """Planted: bounds that change places by twice their distance are on the wrong side."""
    low, high = epsilon_between(delta, moved, mu)
    at = {place: naive.delta(place, moved, mu) for place in (low, high, 2.0 * high - low, 2.0 * low - high)}
    assert at[low] >= delta * (1.0 - 1e-9) and at[high] <= delta * (1.0 + 1e-9)
    assert at[2.0 * high - low] < delta < at[2.0 * low - high]
    assert high - low <= 1e-3 * high


def test_the_slow_twin_has_the_closed_forms() -> None:
    assert naive.delta(0.3, [1.0], 0.0) == pytest.approx(laplace.delta(0.3, 1.0), rel=1e-12)
    assert naive.delta(0.3, [], 0.8) == pytest.approx(gaussian.delta(0.3, 0.8), rel=1e-10)
    assert naive.delta(0.3, [1e-9], 0.8) == pytest.approx(gaussian.delta(0.3, 0.8), rel=1e-7)


def test_a_sampled_product_is_between_the_bounds() -> None:
    """False-alarm rate below 1e-6 (five standard errors); an epsilon that is wrong by a hundredth is seen."""
    rng = np.random.default_rng(1)
    moved, mu = [1.0, 0.5, 0.3], 0.7
    unit = rng.laplace(size=(400_000, 3))
    loss = (np.abs(unit - moved) - np.abs(unit)).sum(axis=1) + 0.5 * mu**2 + mu * rng.standard_normal(len(unit))
    low, high = epsilon_between(0.1, moved, mu)
    for epsilon, sign in ((low, 1.0), (high, -1.0)):
        sampled = np.maximum(0.0, -np.expm1(epsilon - loss))
        room = 5.0 * sampled.std() / math.sqrt(len(unit))
        assert sign * (sampled.mean() - 0.1) > -room
        wrong = np.maximum(0.0, -np.expm1(epsilon + sign * 0.01 - loss))
        assert sign * (wrong.mean() - 0.1) < room


@pytest.mark.parametrize("moved", [[0.1, 0.2], [0.1] * 10, [1.0, 1e-17], [1e16, 1.0, 1.0], [0.1, 0.2, 0.3], [2.0], []])
def test_at_delta_0_the_exact_sum_is_between_neighbouring_doubles(moved: list[float]) -> None:
    low, high = epsilon_between(0.0, moved, 0.0)
    exact = sum(map(Fraction, moved), Fraction(0))
    assert low <= exact <= high and high <= math.nextafter(low, math.inf)
    assert (low == high) == (Fraction(float(exact)) == exact)
    assert epsilon_between(0.0, moved, 1e-300) == (math.inf, math.inf)


@pytest.mark.parametrize("shift", [1e-12, 0.3, 2.0, 50.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-12, 1e-5, 0.25, 0.999])
def test_one_laplace_shift_is_between_its_bounds(delta: float, shift: float) -> None:
    with mp.workdps(40):
        exact = max(mpf(0), mpf(shift) + 2 * mp.log1p(-mpf(delta)))
    low, high = epsilon_between(delta, [0.0, shift], 0.0)
    assert low <= exact <= high and high - low <= 1e-8 * delta / (1.0 - delta) + 1e-15 * shift


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("delta", [1e-280, 1e-12, 1e-5, 0.25, 0.999])
def test_a_gaussian_shift_is_between_its_bounds(delta: float, mu: float) -> None:
    low, high = epsilon_between(delta, [], mu)

    def exact(epsilon: float) -> mpf:
        a, b = epsilon / mpf(mu) - mpf(mu) / 2, epsilon / mpf(mu) + mpf(mu) / 2
        return mp.ncdf(-a) - mp.exp(epsilon) * mp.ncdf(-b)

    with mp.workdps(400):
        assert low == 0.0 or exact(low) > delta
        assert exact(high) <= delta
    assert high - low <= 1e-6 * max(mu, mu * mu)


def test_bounds_stay_bounds_where_the_grid_says_little() -> None:
    """A delta below its rounding, very many coordinates, and sizes far apart: what follows by composition is left."""
    low, high = epsilon_between(1e-12, [1.0], 2.0)
    assert gaussian.epsilon(1e-12, 2.0) * (1.0 - 1e-9) <= low < high <= 1.0 + gaussian.epsilon(1e-12, 2.0) + 1e-9
    low, high = epsilon_between(1e-5, [0.1] * 512, 0.0)
    assert 0.0 < high - low < 1e-2 * high and high < 20.0  # the sum is 51.2
    low, high = epsilon_between(0.1, [1.0, 1e-9], 0.0)
    assert laplace.epsilon(0.1, 1.0) - 1e-8 <= low < high <= laplace.epsilon(0.1, 1.0) + 1e-4
    low, high = epsilon_between(1e-5, [1e-9], 1e6)
    assert low <= gaussian.epsilon(1e-5, 1e6) <= high and high - low < 1e-9 * high
    assert epsilon_between(0.9, [0.1, 0.2], 0.1) == (0.0, 0.0)


@pytest.mark.parametrize("moved, mu", [([0.1] * 6, 0.5), ([1.0, 2.0], 1.0), ([0.05] * 20, 0.0)])
def test_convolutions_have_less_error_than_is_allowed_for(
    moved: list[float], mu: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against sums of products. Planted: a mass that is moved."""
    step = (2.0 * math.fsum(moved) + 18.0 * mu) / 4096
    losses, masses, wrong = shifts._losses(moved, mu, step)
    monkeypatch.setattr(shifts, "fftconvolve", np.convolve)
    again, direct, _ = shifts._losses(moved, mu, step)
    assert np.array_equal(losses, again) and np.abs(masses - direct).sum() < wrong < 1e-10
    assert np.abs(masses - np.roll(direct, 1)).sum() > wrong


@pytest.mark.parametrize(
    "given, message",
    [
        ((1.0, [1.0], 0.0), "delta must be"),
        ((0.1, [-1.0], 0.0), "shifts must be"),
        ((0.1, [1.0], math.nan), "mu must be"),
    ],
)
def test_bad_input_is_one_message(given: tuple, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        epsilon_between(*given)


def test_errors_of_convolutions_have_one_thread_of_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    """The norm of a long array is a sum, whose last bits depend on the number of threads."""
    seen, norm = [], np.linalg.norm

    def watched(x: np.ndarray) -> np.floating:
        seen.append({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
        return norm(x)

    monkeypatch.setattr(np.linalg, "norm", watched)
    with threadpool_limits(3, user_api="blas"):
        shifts.epsilon_between(0.1, [1.0, 0.5], 0.0)
    assert seen and all(threads == {1} for threads in seen)
