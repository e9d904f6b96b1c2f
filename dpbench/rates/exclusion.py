"""What a measured slope excludes: compatible exponents, the smallest error seen, the data sets that see a given one.

A slope is that of the logarithm of the whole law. What the theorem leaves open beside the exponent, logarithms and
second terms (`dpbench.rates.nuisances`), adds slopes in a known range on the same grid: the allowance. It is all that a
verdict allows: an interval wholly beyond it is inconsistent, however little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scipy.special import stdtrit

from dpbench.core import validation
from dpbench.rates.nuisances import Interval, Nuisance, allowance_of
from dpbench.rates.resolution import RESOLUTION
from dpbench.rates.slopes import grid_weights

EXACT = (0.0, 0.0)
"""The allowance of a rate without nuisances."""


def rate_verdict(
    interval: Interval, expected: float, side: str, allowance: Interval = EXACT, resolution: float = RESOLUTION
) -> str:
    """Verdict of a log-log slope against the expected one.

    Parameters
    ----------
    interval : (float, float)
        Of the measured slope.
    expected : float
        The slope of the theorem's formula on the same grid.
    side : {"upper", "tight"}
    allowance : (float, float)
        What nuisances add to it at least and at most (`dpbench.rates.nuisances.allowance_of`).
    resolution : float
        How far from the allowed slopes the interval may reach.

    Returns
    -------
    {"consistent", "inconsistent", "undecided"}
        ``upper``: inconsistent if the whole interval is slower (larger) than every allowed slope, consistent if it is
        not and also excludes all that are slower by more than `resolution`. ``tight``: the same on both sides. Else
        undecided: the measurement is too coarse.
    """
    (low, high), (least, most) = interval, (expected + end for end in allowance)
    if low > most or (side == "tight" and high < least):
        return "inconsistent"
    if high <= most + resolution and (side == "upper" or low >= least - resolution):
        return "consistent"
    return "undecided"


def compatible(
    interval: Interval,
    x: Sequence[float],
    nuisances: Sequence[Nuisance] = (),
    columns: Mapping[str, Sequence[Any]] | None = None,
) -> Interval:
    """The exponents a of C·x^a·f₁(x)·f₂(x)·… that an interval of the log-log slope allows.

    Parameters
    ----------
    interval : (float, float)
        Of the slope, as in `Slope.interval`.
    x : sequence of float
        The grid.
    nuisances : sequence of Nuisance
        The factors f, each with a parameter in its range.
    columns : mapping of str to sequence, optional
        What a `SecondTerm` reads.

    Returns
    -------
    (float, float)
    """
    low, high = (validation.real("interval", end) for end in interval)
    if low > high:
        raise validation.invalid("interval", "two numbers in order", interval)
    grid_weights(x)
    least, most = allowance_of(x, nuisances, columns)
    return low - most, high - least


def would_see(interval: Interval, expected: float, *, side: str = "upper", allowance: Interval = EXACT) -> float:
    """The smallest error of the exponent that this measurement calls inconsistent.

    Parameters
    ----------
    interval : (float, float)
        Of the measured slope.
    expected : float
        The slope that the theory has on the same grid.
    side : {"upper", "tight"}
    allowance : (float, float)
        As in the verdict.

    Returns
    -------
    float
        A law slower by more, with the same data otherwise, or a claim faster by more, is inconsistent; 0 where the
        claim is so already. "tight": the larger of this and of the same for a law that is faster.
    """
    validation.choice("side", side, ("upper", "tight"))
    low, high = interval
    slower = expected + allowance[1] - low
    faster = high - expected - allowance[0] if side == "tight" else slower
    if slower < 0.0 or faster < 0.0:
        return 0.0
    return max(slower, faster)


def worthless(expected: float, resolution: float = RESOLUTION) -> float:
    """The slope of a law so wrong that a measurement which cannot reject it tests nothing.

    0, a law that does not fall, where the expected one falls; half a power more where it does not.
    """
    return 0.0 if expected < -resolution else expected + 0.5


def slowest(interval: Interval, expected: float, allowance: Interval = EXACT) -> float:
    """The slope above which a law is inconsistent, where its interval is as wide as this one on either side."""
    return expected + allowance[1] + 0.5 * (interval[1] - interval[0])


def wording(
    interval: Interval,
    expected: float,
    *,
    side: str = "upper",
    allowance: Interval = EXACT,
    resolution: float = RESOLUTION,
) -> str:
    """What the measurement says of the claim: the smallest error that it would see, the slowest law it would reject."""
    seen = would_see(interval, expected, side=side, allowance=allowance)
    if seen == 0.0:
        return "contradicted: the whole interval lies beyond the slopes allowed"
    error = "slower" if side == "upper" else "slower or faster"
    least = slowest(interval, expected, allowance)
    said = (
        f"not contradicted (would see {seen:.2f}): a law {error} by more than {seen:.2f} would be inconsistent; an "
        f"interval as wide as this one rejects slopes above {least:+.2f}"
    )
    if least < worthless(expected, resolution):
        return said
    return f"{said}: an illustration and no test, for a law of slope {worthless(expected, resolution):+.2f} would pass"


def allowed(expected: float, allowance: Interval, nuisances: Sequence[Nuisance]) -> str:
    """The slopes that are allowed, and why."""
    if not nuisances:
        return f"allowed: the slope {expected:+.4f} alone; the claim leaves no logarithm and no second term open"
    reasons = "; ".join(str(nuisance) for nuisance in nuisances)
    least, most = (expected + end for end in allowance)
    return f"allowed: slopes from {least:+.4f} to {most:+.4f}, as what is open beside the exponent has them: {reasons}"


def data_sets_needed(
    x: Sequence[float], spreads: Sequence[float], error: float, *, level: float = 1e-6, slower: float = 0.0
) -> int:
    """Data sets at each grid point with which an error of the exponent is seen with probability one half.

    Parameters
    ----------
    x : sequence of float
    spreads : sequence of float
        Standard deviation over mean of the excess at each point.
    error : float
        Of the exponent, above `slower`.
    level : float
    slower : float
        What nuisances allow a law to be slower: the upper end of the allowance.

    Returns
    -------
    int
        At least 8. The slope of a law slower by `error` lies half the time above its mean; the lower end of its
        interval must clear the allowance.
    """
    level, slower = validation.fraction("level", level), validation.real("slower", slower, at_least=0.0)
    error = validation.real("error", error)
    if error <= slower:
        raise validation.invalid("error", f"above the {slower:g} that nuisances allow", error)
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
        if reach <= error - slower:
            return count
        count = max(count + 1, math.ceil(count * min(2.0, (reach / (error - slower)) ** 2)))
