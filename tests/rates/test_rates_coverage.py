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


def studentised(sweeps):
    """Slope over its standard error, and degrees of freedom, of sweeps of shape (count, points, trials)."""
    x = np.log2(GRID) - np.mean(np.log2(GRID))
    averages = np.mean(sweeps, axis=-1)
    log_errors = np.std(sweeps, axis=-1, ddof=1) / averages / np.sqrt(sweeps.shape[-1])
    spread = np.sqrt(np.sum((x * log_errors) ** 2, axis=-1))
    share = (x * log_errors) ** 2 / spread[:, None] ** 2
    return np.log(averages) @ x / spread, (sweeps.shape[-1] - 1) / np.sum(share**2, axis=-1)


def student_misses(count, level, shrink=1.0, trials=TRIALS):
    """How many of `count` Student intervals, shrunk by a factor, miss the true slope, 0, of a law of skewness 0.5."""
    missed = 0
    for start in range(0, count, _CHUNK):
        draws = stream("coverage", "gamma 16", start).gamma(16.0, 1.0 / 16.0, (_CHUNK, len(GRID), trials))
        value, freedom = studentised(draws)
        far = np.abs(value) > shrink * norm.isf(0.5 * level)  # Student's quantiles lie beyond: most need none
        missed += int((np.abs(value[far]) > shrink * student.isf(0.5 * level, freedom[far])).sum())
    return missed


def test_twin_of_students_interval():
    sweeps = stream("twin").lognormal(0.0, 1.5, (20, len(GRID), TRIALS))
    values, freedoms = studentised(sweeps)
    for sweep, value, freedom in zip(sweeps, values, freedoms, strict=True):
        found = slope(GRID, sweep, level=1e-3, resamples=0)
        assert found.freedom == pytest.approx(freedom, rel=1e-10)
        assert found.value / found.half_width * student.isf(5e-4, freedom) == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize(
    ("trials", "count", "level", "excess", "shrink"),
    [
        (8, 50_000, 1e-3, 1.5, 0.85),
        pytest.param(TRIALS, 400_000, 1e-4, 1.1, 0.9, marks=pytest.mark.slow),
        pytest.param(TRIALS, 4_000_000, 1e-5, 1.1, 0.9, marks=pytest.mark.evidence),
    ],
)
def test_level_holds_for_trials_as_skewed_as_those_of_the_entries(trials, count, level, excess, shrink):
    """Null: intervals miss with at most `excess` times their level, skewness 0.5. Above `most`: probability below 1e-6.

    8 trials are the fewest of an entry. Smallest error caught: intervals `shrink` times as long.
    """
    most = binom.isf(1e-6, count, excess * level)
    assert student_misses(count, level, trials=trials) <= most < student_misses(count, level, shrink, trials)
