"""What an audit that refutes nothing excludes: how likely an event on one side alone must be to have been found.

Also upper limits for the events that were tried, by which a sequential audit gives up; no bound depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from dpbench.auditing.claimed import Claim
from dpbench.auditing.intervals import ANGLES, Region, joint_region, lower, upper
from dpbench.auditing.results import Certified

MISSED = 0.001
"""Probability that such an event comes up too rarely, in each of the two parts."""

NOTHING = "no event could have refuted this claim with so many runs"
FOUND = {True: "refuting the claim", False: "a bound above 0"}

SEEN = 16
"""Times that a value or a tail must come up in the choosing part to be chosen: found by simulation, as the next."""

SEEN_IN_COLUMNS = 30
"""Times for a value or a tail of one column, whose score is learned from a part of that part."""


def least_probability(
    columns: int, choosing: int, certifying: int, level: float, refutes: Callable[[Region], bool]
) -> float | None:
    """The probability from which an event that is absent on the other side is found, and refutes.

    Parameters
    ----------
    columns : int
        Of an output.
    choosing, certifying : int
        Runs a side.
    level : float
        Error probability at which the event would be certified; half of it is reckoned with, for the event that is
        chosen may not be this one alone.
    refutes : callable
        Whether a region for the event's two probabilities refutes the claim.

    Returns
    -------
    float or None
        None: no event could have refuted the claim with so many runs.
    """

    def enough(hits: int) -> bool:
        return refutes(joint_region((hits, 0), (certifying, certifying), 0.5 * level, ANGLES // 2, 64))

    high = _least(enough, certifying)
    if high is None:
        return None
    chosen = float(upper(min(SEEN if columns == 1 else SEEN_IN_COLUMNS, choosing) - 1, choosing, MISSED))
    return max(chosen, float(upper(high - 1, certifying, MISSED)))


def _least(enough: Callable[[int], bool], most: int) -> int | None:
    """The least whole number from 1 to `most` that is enough, where all larger ones are; None: there is none."""
    if not enough(most):
        return None
    low, high = 0, 1
    while high < most and not enough(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def sentence(probability: float | None, columns: int, claimed: bool) -> str:
    """`least_probability` as a sentence; without a claim, of a bound above 0."""
    if probability is None:
        return NOTHING if claimed else "no event could have given a bound above 0 with so many runs"
    which = "a value or a tail" if columns == 1 else "a value or a tail of one column"
    return (
        f"an event of probability at least {probability:.2g} on one side and absent on the other would have been "
        f"found, {FOUND[claimed]}, where it is {which}"
    )


def one_run_sentence(canaries: int, ruled_out: Callable[[int], bool], claimed: bool) -> str:
    """What one run would have shown.

    Parameters
    ----------
    canaries : int
    ruled_out : callable
        Whether so many guesses, the highest scores' as included, all of them right, refute the claim.
    claimed : bool
        There is a claim; else it is a bound above 0 that is spoken of.
    """
    least = _least(ruled_out, canaries)
    if least is None:
        what = "refuted this claim" if claimed else "given a bound above 0"
        return f"no scores of so few canaries could have {what}"
    share = 2.0 * least / canaries  # half of those that are memorised are included
    memorised = f", as where a share of {share:.2g} of the canaries is memorised" if share <= 1.0 else ""
    return f"{least} included canaries that score above all others would have been enough, {FOUND[claimed]}{memorised}"



def open_excess(tried: Iterable[Certified], claim: Claim) -> float:
    """The largest excess over a claim that the counts of these events leave open, each probability at 1%."""
    limits = [[float(upper(c.hits[0], c.both[0], 0.01)), float(lower(c.hits[1], c.both[1], 0.01))] for c in tried]
    return float(claim.excess(*np.array(limits).T).max()) if limits else -math.inf
