"""Slopes with planted truths, and sweeps whose trials each have a data set of their own."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from scipy.stats import skew

from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.rates import Point, slope, sweep, theory_slope
from dpbench.rates.sweeps import excess_of_block

GRID = [100.0, 200.0, 400.0, 800.0, 1600.0]


def planted(rng, true, shape, trials):
    """Gamma-distributed excess risks (skewness 2/√shape) around x^true."""
    return [x**true * rng.gamma(shape, 1.0 / shape, trials) for x in GRID]


def test_slope_of_a_constant_is_zero_without_a_sign():
    rng = stream("constants")
    for _ in range(200):
        grid, constant = np.sort(rng.uniform(1.0, 1e6, 6)), rng.uniform(0.1, 10.0)
        samples = [np.full(8, constant)] * 6
        for value in (theory_slope(grid, [constant] * 6), slope(grid, samples).value):
            assert value == 0.0 and math.copysign(1.0, value) == 1.0


def test_skewed_trials_widen_the_interval_and_a_smaller_level_too():
    samples = planted(stream("skewed"), -1.0, 0.25, 40)
    plain = slope(GRID, samples, resamples=0)
    widened = slope(GRID, samples)
    assert plain.widening == (1.0, 1.0)
    assert max(widened.widening) > 1.05
    lower, upper = widened.value - widened.interval[0], widened.interval[1] - widened.value
    assert lower / upper == pytest.approx(widened.widening[0] / widened.widening[1]) != pytest.approx(1.0, abs=0.01)
    assert widened.half_width == max(lower, upper) > plain.half_width
    assert slope(GRID, samples, level=1e-9).half_width > widened.half_width
    assert widened.interval == slope(GRID, samples).interval  # its bootstrap is seeded by the samples
    assert widened.trials == 200 and widened.level == 1e-6


def test_slope_is_least_squares_in_the_logarithms():
    samples = planted(stream("numpy"), -0.5, 2.0, 30)
    expected = np.polyfit(np.log(GRID), np.log([part.mean() for part in samples]), 1)[0]
    assert slope(GRID, samples).value == pytest.approx(expected, rel=1e-12)
    assert theory_slope(GRID, [7.0 * x**-1.25 for x in GRID]) == pytest.approx(-1.25, rel=1e-13)


def test_deterministic_trials_give_a_point():
    found = slope(GRID, [np.full(8, 3.0 / x) for x in GRID])
    assert found.interval == pytest.approx((-1.0, -1.0), abs=1e-12)
    assert found.skewness.tolist() == [0.0] * len(GRID)


def test_skewness_is_that_of_each_point():
    samples = planted(stream("skewness"), -1.0, 1.0, 50)
    np.testing.assert_allclose(slope(GRID, samples).skewness, [skew(part) for part in samples], rtol=1e-12)


@dataclass(frozen=True)
class Mean:
    """The mean of y·x: a mechanism of the test, which records what it saw."""

    scale: float = 1.0

    def __call__(self, problem, trials, rng):
        return np.tile(self.scale * problem.X.T @ problem.y / problem.n, (trials, 1)) + 1e-9 * rng.normal()


def population(d=3):
    return ScaledBasis.even("squared", d, d, 1.0)


def test_every_trial_draws_its_own_data_and_more_trials_extend_the_sample():
    points = [Point(population(), n, Mean()) for n in (40, 80)]
    few, many = sweep(points, 10, seed=3), sweep(points, 70, seed=3)
    assert [part.shape for part in many] == [(70,), (70,)]
    for short, long in zip(few, many, strict=True):
        np.testing.assert_array_equal(short, long[:10])
        assert np.unique(long).size == 70
    assert not np.array_equal(sweep(points, 10, seed=4)[0], few[0])
    other = sweep([Point(population(), 40, Mean(1.0 + 1e-15))], 10, seed=3)[0]
    assert not np.array_equal(other, few[0])  # a mechanism with other parameters has other seeds


def test_sweep_runs_through_the_given_map_and_measures_the_population():
    asked = []

    def record(unit, function, blocks):
        asked.append((unit["n"], list(blocks), function))
        return [function(block) for block in blocks]

    point = Point(population(2), 200, Mean())
    found = sweep([point], 64, seed=1, map_blocks=record)[0]
    ((n, blocks, function),) = asked
    assert (n, blocks) == (200, [0, 1, 2, 3])
    assert isinstance(function, partial) and function.func is excess_of_block
    # E‖mean − w*/2‖²: the mean of y·x has mean w*/2 on two coordinates and variance (1/2 − 1/8)/n on each.
    centre = 0.5 * 2 * ((0.5 * math.sqrt(0.5)) ** 2 + 0.375 / 200)
    assert found.mean() == pytest.approx(centre, abs=6.0 * found.std() / 8.0)


def test_repeats_average_the_mechanism_on_one_data_set_and_trials_may_differ_by_point():
    @dataclass(frozen=True)
    class Noise:
        def __call__(self, problem, trials, rng):
            return rng.normal(size=(trials, problem.d))

    points = [Point(population(), n, Noise()) for n in (30, 60)]
    single = sweep(points, (400, 16), repeats=1)
    mean = sweep(points, (400, 16), repeats=64)
    assert [part.size for part in single] == [400, 16]
    # Pure noise: the variance falls by 64; the ratio of the two has standard deviation about 15%.
    assert 64 / 2.5 < single[0].var() / mean[0].var() < 64 * 2.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: slope([1.0, 1.0], [np.ones(8)] * 2), "x must be positive numbers, not all equal"),
        (lambda: slope([-1e-9, 1.0], [np.ones(8)] * 2), "x must be positive numbers, not all equal"),
        (lambda: slope([1.0, 2.0], [np.ones(8)]), "samples must be one array for each of the 2 grid points"),
        (lambda: slope([1.0, 2.0], [np.ones(7)] * 2), "samples must be a vector with at least 8 rows"),
        (lambda: slope([1.0, 2.0], [np.zeros(8)] * 2), "samples must be arrays with a positive mean"),
        (lambda: slope([1.0, 2.0], [np.ones(8)] * 2, level=0.0), "level must be"),
        (lambda: sweep([Point(population(), 5, Mean())], 1), "trials must be an integer >= 2"),
        (lambda: sweep([Point(population(), 5, Mean())], [4, 4]), "trials must be one number, or one for each"),
        (lambda: sweep([Point(population(), 5, Mean())], 4, repeats=0), "repeats must be an integer >= 1"),
        (lambda: Point(population(), 0, Mean()), "n must be an integer >= 1"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
