"""Coverage of the slope's interval: how far its nominal level holds, and a law for which it does not.

Sweeps of five points with 16 trials each, or 8, the least of any entry. Far out in the tail only Student's interval
can be counted, since a bootstrap costs milliseconds; it only lengthens it.
"""

import numpy as np
import pytest
from scipy.stats import binom, norm
from scipy.stats import t as student

from dpbench.core.sampling import stream
from dpbench.rates import slope

GRID = [100.0, 200.0, 400.0, 800.0, 1600.0]
TRIALS = 16
_CHUNK = 50_000


def gamma(shape):
    """Gamma law with mean 1 and skewness 2/√shape."""
    return lambda rng, size: rng.gamma(shape, 1.0 / shape, size)


def lognormal(rng, size):
    """Skewness 33."""
    return rng.lognormal(0.0, 1.5, size)


def studentised(sweeps):
    """Slope over its standard error, and degrees of freedom, of sweeps of shape (count, points, trials)."""
    x = np.log2(GRID) - np.mean(np.log2(GRID))
    averages = np.mean(sweeps, axis=-1)
    log_errors = np.std(sweeps, axis=-1, ddof=1) / averages / np.sqrt(sweeps.shape[-1])
    spread = np.sqrt(np.sum((x * log_errors) ** 2, axis=-1))
    share = (x * log_errors) ** 2 / spread[:, None] ** 2
    return np.log(averages) @ x / spread, (sweeps.shape[-1] - 1) / np.sum(share**2, axis=-1)


def student_misses(law, name, count, level, shrink=1.0, trials=TRIALS):
    """How many of `count` Student intervals, shrunk by a factor, miss the true slope, 0."""
    missed = 0
    for start in range(0, count, _CHUNK):
        value, freedom = studentised(law(stream("coverage", name, start), (_CHUNK, len(GRID), trials)))
        far = np.abs(value) > shrink * norm.isf(0.5 * level)  # Student's quantiles lie beyond: most need none
        missed += int((np.abs(value[far]) > shrink * student.isf(0.5 * level, freedom[far])).sum())
    return missed


def test_twin_of_students_interval():
    sweeps = lognormal(stream("twin"), (20, len(GRID), TRIALS))
    values, freedoms = studentised(sweeps)
    for sweep, value, freedom in zip(sweeps, values, freedoms, strict=True):
        found = slope(GRID, sweep, level=1e-3, resamples=0)
        assert found.freedom == pytest.approx(freedom, rel=1e-10)
        assert found.value / found.half_width * student.isf(5e-4, freedom) == pytest.approx(value, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "level"), [(400_000, 1e-4), pytest.param(4_000_000, 1e-5, marks=pytest.mark.evidence)]
)
def test_level_holds_for_trials_as_skewed_as_those_of_the_entries(count, level):
    """Null: intervals miss with at most 1.1 times their level, skewness 0.5. Above `most`: probability below 1e-6.

    Smallest error caught: intervals 0.9 times as long.
    """
    most = binom.isf(1e-6, count, 1.1 * level)
    assert student_misses(gamma(16.0), "gamma 16", count, level) <= most
    assert student_misses(gamma(16.0), "gamma 16", count, level, shrink=0.9) > most


def test_level_of_the_fewest_trials_of_an_entry():
    """The same for 8 trials: with at most 1.5 times the level 1e-3. Smallest error caught: 0.85 times as long."""
    most = binom.isf(1e-6, 50_000, 1.5e-3)
    assert student_misses(gamma(16.0), "gamma 16", 50_000, 1e-3, trials=8) <= most
    assert student_misses(gamma(16.0), "gamma 16", 50_000, 1e-3, shrink=0.85, trials=8) > most
