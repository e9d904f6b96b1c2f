"""`Samples`: a side of an inequality, floor or stability entry that is a mean of draws; bounds at the entry's level.

The level is shared out evenly among all sampled sides of all rows, and what is compared is the lower bound of a left
side with the upper bound of a right side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dpbench.core import validation

Row = dict[str, Any]
SIDES = ("left", "right")


class Samples:
    """Independent draws whose mean is a side: ``dict(left=Samples(draws, (0, 1)), right=0.05)``.

    Parameters
    ----------
    values : array-like, float[n]
        Two draws or more.
    within : (low, high), optional
        What every draw lies in. The bound is then the empirical Bernstein inequality of Maurer and Pontil (2009,
        Theorem 4), valid at any size; without, the end of Student's t interval, nominal, which draws that are all equal
        do not have.

    Raises
    ------
    InvalidInput
        For other than two numbers or more in one dimension, such as lie outside their range, or such as are all equal
        and have none.
    """

    def __init__(self, values: Any, within: Any = None) -> None:
        self.values = validation.array("Samples", values, ndim=1)
        self.within = None if within is None else validation.array("within", within, ndim=1)
        if self.values.size < 2:
            raise validation.invalid("Samples", "at least two independent draws", self.values.tolist())
        if self.within is None:
            if np.ptp(self.values) == 0.0:
                raise validation.invalid("Samples", "of different numbers", self.values.tolist())
            return
        if self.within.size != 2 or not self.within[0] < self.within[1]:
            raise validation.invalid("within", "(low, high) with low < high", within)
        outside = self.values[(self.values < self.within[0]) | (self.values > self.within[1])]
        if outside.size:
            raise validation.invalid("Samples", f"within {tuple(self.within.tolist())}", float(outside[0]))

    @property
    def mean(self) -> float:
        """Of the draws."""
        return float(self.values.mean())

    def reach(self, level: float) -> float:
        """How far the expectation may lie on one side of the mean, but for an error of this probability."""
        n = self.values.size
        if self.within is None:
            return float(-stdtrit(n - 1, level) * self.values.std(ddof=1) / math.sqrt(n))
        log = math.log(2.0 / level)
        spread = math.sqrt(2.0 * float(self.values.var(ddof=1)) * log / n)
        return spread + 7.0 * float(self.within[1] - self.within[0]) * log / (3.0 * (n - 1))


def sampled(rows: Sequence[Row]) -> list[Samples]:
    """The sides of the rows that are means of samples."""
    return [row[side] for row in rows for side in SIDES if isinstance(row.get(side), Samples)]


def bounded(rows: Sequence[Row], level: float) -> tuple[list[Row], str, int]:
    """The rows with a bound for every sampled side, what was done in words, and the number of draws.

    Parameters
    ----------
    rows : sequence of dict
    level : float
        Error probability of all bounds together.
    """
    sample = sampled(rows)
    of = [side for side in SIDES if any(isinstance(row.get(side), Samples) for row in rows)]
    bounds = []
    for row in rows:
        summary = dict(row)
        for side in of:
            mean, runs = math.nan, 0  # of a side that is exact in this row
            if isinstance(given := row[side], Samples):
                mean, runs, reach = given.mean, given.values.size, given.reach(level / len(sample))
                summary[side] = mean - reach if side == "left" else mean + reach
            summary |= {f"{side} mean": mean, f"{side} runs": runs}
        bounds.append(summary)
    known = sum(one.within is not None for one in sample)
    ways = [f"{known} by the empirical Bernstein inequality"] if known else []
    ways += (
        [f"{len(sample) - known} by Student's t, which is nominal: no range is given"] if known < len(sample) else []
    )
    note = f"bounds on {len(sample)} sampled means at {level:g} together: " + ", ".join(ways)
    return bounds, note, sum(one.values.size for one in sample)
