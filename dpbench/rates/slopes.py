"""Log-log slopes of mean excess risks, with intervals of a nominal level as small as a verdict wants.

The slope is the least-squares line through (log x_g, log m̄_g), m̄_g the mean of the K_g trials of grid
point g. Trials are independent, one data set each, so the variance of log m̄_g is s_g²/(K_g m̄_g²) (delta
method), and that of the slope is their weighted sum V. The studentised slope is referred to Student's t
with Satterthwaite's degrees of freedom. Excess risks are skewed, which t does not know: a bootstrap that
resamples data sets within each grid point gives the true quantiles of the studentised slope at a tail
probability it can resolve (10 of its resamples), and each side of the interval is widened by the factor
(never below 1) by which they exceed t's there.

Assumed beyond independence: finite variances, and that further out in the tail the studentised slope falls
off like t times that factor. The level is therefore nominal: right for Gaussian means whose logarithms are
linear over their errors (up to Satterthwaite's approximation), approximate under skewness. Measured in
`tests/test_rates_coverage.py`, five points of 16 trials: with trials of skewness 0.5 (the entries' have less
where they are few) Student's interval alone misses at most 1.1 times as often as its level says, down to 1e-5
(nothing was counted at 1e-6); with lognormal trials of skewness 33 the whole method misses more than 1.5 times
and less than 5 times as often at 1e-2, and Student alone is the worse the smaller the level. Under heavy skew
take more trials a point, and look at `Slope.skewness` before believing a small level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from dpbench.core import validation
from dpbench.core.sampling import stream

RESAMPLES = 10_000
_CHUNK = 2_000_000  # indices drawn at once


@dataclass(frozen=True, eq=False)
class Slope:
    """A log-log slope.

    Attributes
    ----------
    value : float
    interval : (float, float)
        Two-sided, of nominal level `level`.
    level : float
        Nominal probability of missing the true slope: approximate under skewness, see the module.
    means, errors : ndarray, shape (grid points,)
        Mean of the trials and its standard error.
    trials : int
        Over all grid points.
    freedom : float
        Satterthwaite's degrees of freedom.
    widening : (float, float)
        Factors by which the bootstrap widened the lower and the upper side.
    skewness : ndarray, shape (grid points,)
        Sample skewness of the trials of each point; 0 where they are all equal.
    """

    value: float
    interval: tuple[float, float]
    level: float
    means: np.ndarray
    errors: np.ndarray
    trials: int
    freedom: float
    widening: tuple[float, float]
    skewness: np.ndarray

    @property
    def half_width(self) -> float:
        """The longer side of the interval."""
        return max(self.interval[1] - self.value, self.value - self.interval[0])


def theory_slope(x: Sequence[float], values: Sequence[float]) -> float:
    """Least-squares slope of log(values) over log(x): of a formula on the grid that the sweep uses."""
    weights = _weights(x)
    return _line(weights, np.log(validation.array("values", values, ndim=1, width=len(x))))


def slope(
    x: Sequence[float], samples: Sequence[np.ndarray], *, level: float = 1e-6, resamples: int = RESAMPLES
) -> Slope:
    """The slope of log(mean of samples[g]) over log(x[g]); see the module for the interval.

    Parameters
    ----------
    x : sequence of float
        At least two different positive numbers.
    samples : sequence of array_like, each of shape (trials,)
        Non-negative, with a positive mean; at least 8 trials a point.
    level : float
        Nominal probability that the interval misses: approximate under skewness, see the module.
    resamples : int
        Of the bootstrap; 0 leaves Student's interval as it is.

    Raises
    ------
    InvalidInput
    """
    level = validation.fraction("level", level)
    resamples = validation.integer("resamples", resamples, at_least=0)
    weights = _weights(x)
    if len(samples) != len(x):
        raise validation.invalid("samples", f"one array for each of the {len(x)} grid points", len(samples))
    draws = [validation.array("samples", part, ndim=1, min_length=8) for part in samples]
    means = np.array([part.mean() for part in draws])
    if means.min() <= 0.0:
        raise validation.invalid("samples", "arrays with a positive mean", float(means.min()))
    counts = np.array([part.size for part in draws])
    squares = np.array([part.var(ddof=1) for part in draws]) / counts
    value, parts = _line(weights, np.log(means)), weights**2 * squares / means**2
    error = math.sqrt(parts.sum())
    freedom = float(parts.sum() ** 2 / (parts**2 / (counts - 1)).sum()) if error > 0.0 else math.inf
    low, high = (1.0, 1.0) if resamples == 0 or error == 0.0 else _widening(weights, draws, freedom, resamples)
    reach = -float(stdtrit(freedom, 0.5 * level)) * error if error > 0.0 else 0.0
    interval = (value - reach * low, value + reach * high)
    skewness = np.array([_skewness(part) for part in draws])
    return Slope(value, interval, level, means, np.sqrt(squares), int(counts.sum()), freedom, (low, high), skewness)


def _weights(x: Sequence[float]) -> np.ndarray:
    """c with slope = Σ c_g·log(y_g)."""
    points = validation.array("x", x, ndim=1, min_length=2)
    if points.min() <= 0.0 or points.min() == points.max():
        raise validation.invalid("x", "positive numbers, not all equal", points)
    centred = np.log(points) - np.log(points).mean()
    return centred / (centred @ centred)


def _line(weights: np.ndarray, logarithms: np.ndarray) -> float:
    """The slope of the logarithms; exactly 0.0 where they are all equal, whatever order the sum is taken in."""
    rises = logarithms - logarithms[0]
    return float(weights @ rises) if rises.any() else 0.0


def _skewness(part: np.ndarray) -> float:
    centred = part - part.mean()
    spread = math.sqrt((centred**2).mean())
    return float((centred**3).mean() / spread**3) if spread > 1e-12 * part.mean() else 0.0


def _widening(weights: np.ndarray, draws: list[np.ndarray], freedom: float, resamples: int) -> tuple[float, float]:
    """How much further out than Student's the quantiles of the studentised slope are, for the two sides."""
    rng = stream("rates.slope", draws)
    shifts, variances = np.zeros(resamples), np.zeros(resamples)
    for weight, part in zip(weights, draws, strict=True):
        centre = part.mean()
        for start in range(0, resamples, max(1, _CHUNK // part.size)):
            stop = min(resamples, start + max(1, _CHUNK // part.size))
            taken = part[rng.integers(0, part.size, (stop - start, part.size))]
            mean = np.maximum(taken.mean(axis=1), 1e-300)
            shifts[start:stop] += weight * np.log(mean / centre)
            variances[start:stop] += weight**2 * taken.var(axis=1, ddof=1) / part.size / mean**2
    studentised = np.sort(shifts / np.sqrt(np.maximum(variances, 1e-300)))
    tail = min(10, resamples)
    expected = -float(stdtrit(freedom, tail / resamples)) if tail < resamples / 2 else math.inf
    lower, upper = -studentised[tail - 1] / expected, studentised[-tail] / expected
    return max(1.0, float(upper)), max(1.0, float(lower))
