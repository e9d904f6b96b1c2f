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
`tests/rates/test_rates_coverage.py`, five points: with trials of skewness 0.5, 16 a point, Student's interval alone
misses at most 1.1 times as often as its level says, down to 1e-5 (nothing was counted at 1e-6), with 8 a point, the
least of any entry, at most 1.5 times at 1e-3. With lognormal trials of skewness 33 the whole method misses more than
1.5 times and less than 5 times as often at 1e-2, and Student alone is the worse the smaller the level.

Where skewness or spread change along the grid the intervals miss far more often: a point whose rare large trials were
never seen looks precise. No method knows what was not seen, so there are two ways out. With `largest`, a bound on every
trial, the interval holds in finite samples whatever the laws: the mean of a point lies within limits that Hoeffding's
inequality (in its exact form, by relative entropy) and that of Maurer & Pontil give, each at its share of the level,
and the slope within what these limits allow. Without it `Slope.warning` says when the
skewness of all trials together is too large for the fewest trials of a point: large trials were seen somewhere, and a
point may have missed its own; or that a point's trials are all equal, so that nothing was seen of their error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import rel_entr, stdtrit

from dpbench.core import validation
from dpbench.core.sampling import stream

RESAMPLES = 10_000
_CHUNK = 2_000_000  # indices drawn at once

SKEWED = 0.25
"""Largest pooled skewness over √(fewest trials) without warning."""


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
    method : {"student", "range"}
        Of the interval: Student's with a bootstrap, or from the largest possible trial, exact in finite samples.
    warning : str
        Why the level is not to be relied on, with the trials that would do; empty where nothing speaks against it.
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
    method: str = "student"
    warning: str = ""

    @property
    def half_width(self) -> float:
        """The longer side of the interval."""
        return max(self.interval[1] - self.value, self.value - self.interval[0])


def theory_slope(x: Sequence[float], values: Sequence[float]) -> float:
    """Least-squares slope of log(values) over log(x): of a formula on the grid that the sweep uses."""
    weights = grid_weights(x)
    return _line(weights, np.log(validation.array("values", values, ndim=1, width=len(x))))


def slope(
    x: Sequence[float],
    samples: Sequence[np.ndarray],
    *,
    level: float = 1e-6,
    resamples: int = RESAMPLES,
    largest: float | Sequence[float] | None = None,
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
    largest : float or sequence of float, optional
        No trial can exceed it (one number, or one for each point): the interval is then exact in finite samples for
        independent trials of any law; infinitely long where a mean may be 0.

    Raises
    ------
    InvalidInput
    """
    level = validation.fraction("level", level)
    resamples = validation.integer("resamples", resamples, at_least=0)
    weights = grid_weights(x)
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
    skewness = np.array([_skewness(part) for part in draws])
    if largest is not None:
        tops = [
            float(top) for top in np.broadcast_to(largest, len(draws) if np.ndim(largest) == 0 else np.shape(largest))
        ]
        if len(tops) != len(draws):
            raise validation.invalid("largest", f"one number, or one for each of the {len(draws)} points", largest)
        interval, method, warning = _from_ranges(weights, draws, tops, level), "range", ""
    else:
        reach = -float(stdtrit(freedom, 0.5 * level)) * error if error > 0.0 else 0.0
        interval, method, warning = (value - reach * low, value + reach * high), "student", _warning(draws)
    return Slope(
        value, interval, level, means, np.sqrt(squares), int(counts.sum()), freedom, (low, high), skewness, method,
        warning,
    )  # fmt: skip


def grid_weights(x: Sequence[float]) -> np.ndarray:
    """c with slope = Σ c_g·log(y_g), the least-squares line over log x."""
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


def _warning(draws: list[np.ndarray]) -> str:
    """Whether a point may have missed large trials, or shows nothing of its error."""
    still = sum(bool((part == part[0]).all()) for part in draws)
    if still:
        return f"no error is seen at {still} of {len(draws)} points, whose trials are equal"
    pooled = np.concatenate([part / part.mean() - 1.0 for part in draws])
    square, fewest = float((pooled**2).mean()), min(part.size for part in draws)
    skew = abs(float((pooled**3).mean())) / square**1.5
    if skew <= SKEWED * math.sqrt(fewest):
        return ""
    return (
        f"the level is not to be relied on: skewness {skew:.1f} of all trials together, with {fewest} at a point "
        f"({math.ceil((skew / SKEWED) ** 2)} would do); give `largest` where the excess is bounded"
    )


def mean_limits(part: np.ndarray, largest: float, tail: float) -> tuple[float, float]:
    """Lower and upper limits of the mean of independent variables in [0, largest], each missed with at most `tail`.

    The better of two, each at half the tail: the mean m with n·kl(x̄ ‖ m) = log(2/tail) (Hoeffding 1963, Theorem 1), and
    x̄ ± √(2v log(4/tail)/n) + 7 log(4/tail)/(3(n − 1)), v the sample variance (Maurer & Pontil 2009, Theorem 4).
    """
    largest = validation.real("largest", largest, above=0.0)
    n, mean = part.size, min(1.0, float(part.mean()) / largest)
    if part.min() < 0.0 or part.max() > largest * (1.0 + 1e-12):
        raise validation.invalid("samples", f"arrays of numbers in [0, {largest:g}]", float(part.max()))
    wanted = math.log(2.0 / tail) / n

    def beyond(m: float) -> bool:
        return float(rel_entr(mean, m) + rel_entr(1.0 - mean, 1.0 - m)) > wanted

    limits = []
    for end in (0.0, 1.0):
        inside, outside = mean, end
        for _ in range(60):
            middle = 0.5 * (inside + outside)
            inside, outside = (inside, middle) if beyond(middle) else (middle, outside)
        limits.append(outside)
    wanted = math.log(4.0 / tail)
    reach = math.sqrt(2.0 * float(part.var(ddof=1)) / largest**2 * wanted / n) + 7.0 * wanted / (3.0 * (n - 1))
    return largest * max(limits[0], mean - reach), largest * min(limits[1], mean + reach)


def _from_ranges(weights: np.ndarray, draws: list[np.ndarray], tops: list[float], level: float) -> tuple[float, float]:
    """All slopes that the limits of the means allow; every limit has an equal share of the level."""
    limits = np.array([mean_limits(part, top, 0.5 * level / len(draws)) for part, top in zip(draws, tops, strict=True)])
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(weights[:, None] == 0.0, 0.0, weights[:, None] * np.log(limits))
    return float(ends.min(axis=1).sum()), float(ends.max(axis=1).sum())


def _widening(weights: np.ndarray, draws: list[np.ndarray], freedom: float, resamples: int) -> tuple[float, float]:
    """How much further out than Student's the quantiles of the studentised slope are, for the two sides."""
    rng = stream("rates.slope", [part.size for part in draws])  # not by the numbers: their last bits would decide
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
