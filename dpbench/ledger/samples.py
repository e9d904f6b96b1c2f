"""Rows of an inequality, floor or stability entry whose sides are means of samples: bounds at the entry's level.

A row gives ``left_samples`` for ``left``, or ``right_samples`` for ``right``, or both: independent draws whose mean is
that side. With ``left_range=(low, high)``, which every draw lies in, the bound is the empirical Bernstein inequality of
Maurer and Pontil (2009, Theorem 4), valid at any size; without, it is the end of Student's t interval, nominal. The
level is shared out evenly among all sampled sides of all rows, and what is compared is the lower bound of the left side
with the upper bound of the right side.
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


def sampled_sides(rows: Sequence[Row]) -> int:
    """How many sides of the rows are means of samples."""
    return sum(f"{side}_samples" in row for row in rows for side in SIDES)


def bounded(rows: Sequence[Row], level: float) -> tuple[list[Row], str, int]:
    """The rows with a bound for every sampled side, what was done in words, and the number of draws.

    Parameters
    ----------
    rows : sequence of dict
    level : float
        Error probability of all bounds together.

    Raises
    ------
    InvalidInput
        For samples that are not two numbers or more in one dimension, or lie outside their range.
    """
    share = level / sampled_sides(rows)
    made, known, drawn = [], 0, 0
    for row in rows:
        kept = {name: part for name, part in row.items() if not _of_samples(name)}
        for side in SIDES:
            given = row.get(f"{side}_samples")
            if given is None:
                if f"{side}_range" in row:
                    raise validation.invalid(f"{side}_range", f"beside {side}_samples", row[f"{side}_range"])
                continue
            if side in row:
                raise validation.invalid(side, f"left out beside {side}_samples, whose mean it is", row[side])
            values = validation.array(f"{side}_samples", given, ndim=1)
            if values.size < 2:
                raise validation.invalid(f"{side}_samples", "at least two independent draws", values.tolist())
            ends = row.get(f"{side}_range")
            reach = _student(values, share) if ends is None else _bernstein(side, values, ends, share)
            known, drawn = known + (ends is not None), drawn + values.size
            mean = float(values.mean())
            kept |= {side: mean - reach if side == "left" else mean + reach}
            kept |= {f"{side} mean": mean, f"{side} runs": values.size}
        made.append(kept)
    sampled = [side for side in SIDES if any(f"{side} runs" in row for row in made)]
    empty = {f"{side} {name}": value for side in sampled for name, value in (("mean", math.nan), ("runs", 0))}
    made = [row | {name: value for name, value in empty.items() if name not in row} for row in made]  # exact there
    nominal = sampled_sides(rows) - known
    ways = [f"{known} by the empirical Bernstein inequality"] if known else []
    ways += [f"{nominal} by Student's t, which is nominal: no range is given"] if nominal else []
    note = f"bounds on {known + nominal} sampled means at {level:g} together: " + ", ".join(ways)
    return made, note, drawn


def _of_samples(name: str) -> bool:
    return name in {f"{side}_{part}" for side in SIDES for part in ("samples", "range")}


def _student(values: np.ndarray, level: float) -> float:
    """Half of the two-sided interval whose one side errs with this probability."""
    return float(-stdtrit(values.size - 1, level) * values.std(ddof=1) / math.sqrt(values.size))


def _bernstein(side: str, values: np.ndarray, ends: Any, level: float) -> float:
    """√(2V log(2/α)/n) + 7 (high − low) log(2/α)/(3 (n − 1)), V the sample's variance."""
    limits = validation.array(f"{side}_range", ends, ndim=1)
    if limits.size != 2 or not limits[0] < limits[1]:
        raise validation.invalid(f"{side}_range", "(low, high) with low < high", ends)
    if values.min() < limits[0] or values.max() > limits[1]:
        outside = float(values.min() if values.min() < limits[0] else values.max())
        raise validation.invalid(f"{side}_samples", f"within {side}_range = {tuple(limits.tolist())}", outside)
    log = math.log(2.0 / level)
    spread = math.sqrt(2.0 * float(values.var(ddof=1)) * log / values.size)
    return spread + 7.0 * float(limits[1] - limits[0]) * log / (3.0 * (values.size - 1))
