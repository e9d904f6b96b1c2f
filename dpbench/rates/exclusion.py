"""What a measured slope excludes: compatible exponents, the smallest error seen, the data sets that see a given one.

A slope is that of the logarithm of the whole law, m(x) = C·x^a·(log x)^b·(1 + r·(x/x₀)^{−s}): the exponent a is the
slope less the slopes that the logarithm and the second term have on the same grid. Where these are known only to lie
in a range they are nuisances, and every exponent is compatible that some value of them allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from dpbench.core import validation
from dpbench.rates.slopes import grid_weights, theory_slope

Interval = tuple[float, float]


def compatible(
    interval: Interval,
    x: Sequence[float],
    *,
    logarithm: float | Interval = 0.0,
    second: tuple[float, float] | None = None,
) -> Interval:
    """The exponents a of C·x^a·(log x)^b·(1 + r·(x/x₀)^{−s}) that an interval of the log-log slope allows.

    Parameters
    ----------
    interval : (float, float)
        Of the slope, as in `Slope.interval`.
    x : sequence of float
        The grid; above 1 where there is a logarithm.
    logarithm : float or (float, float)
        b, or the range of it.
    second : (float, float), optional
        (s, most): a second term that falls faster by x^{−s}, s > 0, at most so many times the first at x₀, the least x.

    Returns
    -------
    (float, float)

    Notes
    -----
    The slope of log(1 + r(x/x₀)^{−s}) falls with r: its derivative in r is the covariance of log x with a falling
    function (Chebyshev). So the ends of the ranges give the ends of the interval.
    """
    low, high = (validation.real("interval", end) for end in interval)
    if low > high:
        raise validation.invalid("interval", "two numbers in order", interval)
    points = validation.array("x", x, ndim=1, min_length=2)
    powers = logarithm if isinstance(logarithm, tuple) else (logarithm, logarithm)
    shifts = [0.0, 0.0]
    if any(powers):
        if points.min() <= 1.0:
            raise validation.invalid("x", "above 1, where there is a logarithm", points)
        slope = theory_slope(points.tolist(), np.log(points).tolist())
        shifts = sorted(validation.real("logarithm", power) * slope for power in powers)
    if second is not None:
        gap, most = validation.real("second", second[0], above=0.0), validation.real("second", second[1], at_least=0.0)
        shifts[0] += theory_slope(points.tolist(), (1.0 + most * (points / points.min()) ** -gap).tolist())
    return low - shifts[1], high - shifts[0]


def would_see(interval: Interval, expected: float, *, side: str = "upper", tolerance: float = 0.1) -> float:
    """The smallest error of the exponent that this measurement calls inconsistent.

    Parameters
    ----------
    interval : (float, float)
        Of the measured slope.
    expected : float
        The slope that the theory has on the same grid.
    side : {"upper", "tight"}
    tolerance : float
        As in the verdict.

    Returns
    -------
    float
        A law slower by more, with the same data otherwise, or a claim faster by more, is inconsistent; 0 where the
        claim is so already. "tight": the larger of this and of the same for a law that is faster.
    """
    validation.choice("side", side, ("upper", "tight"))
    low, high = interval
    slower = expected + tolerance - low
    faster = high - expected + tolerance if side == "tight" else slower
    if slower < 0.0 or faster < 0.0:
        return 0.0
    return max(slower, faster)


def worthless(expected: float, tolerance: float = 0.1) -> float:
    """The slope of a law so wrong that a measurement which cannot reject it tests nothing.

    0, a law that does not fall, where the expected one falls; half a power more where it does not.
    """
    return 0.0 if expected < -tolerance else expected + 0.5


def slowest(interval: Interval, expected: float, tolerance: float = 0.1) -> float:
    """The slope above which a law is inconsistent, where its interval is as wide as this one on either side."""
    return expected + tolerance + 0.5 * (interval[1] - interval[0])


def wording(interval: Interval, expected: float, *, side: str = "upper", tolerance: float = 0.1) -> str:
    """What the measurement says of the claim: the smallest error that it would see, the slowest law it would reject."""
    seen = would_see(interval, expected, side=side, tolerance=tolerance)
    if seen == 0.0:
        return "contradicted: the whole interval lies beyond the tolerance"
    error = "slower" if side == "upper" else "slower or faster"
    least = slowest(interval, expected, tolerance)
    said = (
        f"not contradicted (would see {seen:.2f}): a law {error} by more than {seen:.2f} would be inconsistent; an "
        f"interval as wide as this one rejects slopes above {least:+.2f}"
    )
    if least < worthless(expected, tolerance):
        return said
    return f"{said}: an illustration and no test, for a law of slope {worthless(expected, tolerance):+.2f} would pass"


def data_sets_needed(
    x: Sequence[float], spreads: Sequence[float], error: float, *, level: float = 1e-6, tolerance: float = 0.1
) -> int:
    """Data sets at each grid point with which an error of the exponent is seen with probability one half.

    Parameters
    ----------
    x : sequence of float
    spreads : sequence of float
        Standard deviation over mean of the excess at each point.
    error : float
        Of the exponent, above the tolerance.
    level : float
    tolerance : float

    Returns
    -------
    int
        At least 8. The slope of a law slower by `error` lies half the time above its mean; the lower end of its
        interval must clear the tolerance.
    """
    level, tolerance = validation.fraction("level", level), validation.real("tolerance", tolerance, at_least=0.0)
    error = validation.real("error", error)
    if error <= tolerance:
        raise validation.invalid("error", f"above the tolerance {tolerance:g}", error)
    weights = grid_weights(x)
    relative = validation.array("spreads", spreads, ndim=1)
    if len(relative) != len(weights):
        raise validation.invalid("spreads", f"one for each of the {len(weights)} grid points", len(relative))
    variances = (weights * relative) ** 2
    if not variances.any():
        return 8
    points = float(variances.sum() ** 2 / (variances**2).sum())
    count = 8
    while True:
        reach = -float(stdtrit(points * (count - 1), 0.5 * level)) * math.sqrt(variances.sum() / count)
        if reach <= error - tolerance:
            return count
        count = max(count + 1, math.ceil(count * min(2.0, (reach / (error - tolerance)) ** 2)))
