"""What an audit would have refuted: the least loss of its own event that it detects, and the runs that a loss needs.

Also upper limits for the events that were tried, by which a sequential audit gives up; no bound depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.certified import Certified
from dpbench.auditing.claimed import Approximate, Claim, exceeded
from dpbench.bounds import ANGLES, Region, best_angle, joint_region, lower, upper
from dpbench.core import validation

FOUND = {True: "refuting the claim", False: "a bound above 0"}

CHOOSE_SHARE = 0.2  # of the runs choose the event

CURVE_SHARE = 0.05
"""Of the error probability goes to the events of the curve, where there is one; the rest is for the main event."""


def smallest_detectable(claim: Claim, event: Certified) -> float | None:
    """The smallest loss, in the unit of the claim, at which this event would have refuted it with probability one half.

    The event keeps its frequency q on the side where it is rarer (half a count, if it never came up there); on the
    other side its probability is p = e^ε' q + δ for an (ε, δ) claim, and for others what has the loss on the two-point
    laws. The number of runs in the event then is at least its median with probability one half, and that median is the
    least number from which the same bound refutes.

    Returns
    -------
    float or None
        None: no frequency of the event could have refuted the claim with so many runs.
    """
    hits, (rows, others) = event.hits[1], event.both

    def enough(count: int) -> bool:
        return exceeded(claim, joint_region((count, hits), (rows, others), event.alpha, event.angle, 32))

    least = least_enough(enough, rows)
    if least is None:
        return None
    p, q = least / rows, max(hits, 0.5) / others
    return claim.read(Region(np.array([p]), np.array([q])))[0]


def sentence(least: float | None, claim: Claim, claimed: bool) -> str:
    """`smallest_detectable` as a sentence."""
    what = "refuted this claim" if claimed else "given a bound above 0"
    if least is None:
        return f"no event as frequent as these could have {what} with so many runs"
    unit = claim.read(Region(np.array([0.5]), np.array([0.5])))[1]
    return f"an event as frequent as these would have {what} with probability one half from {unit} {least:.4g} on"


def runs_needed(
    epsilon: float,
    times: float = 2.0,
    *,
    delta: float = 0.0,
    rarer: float | None = None,
    probability: float = 0.5,
    confidence: float = 0.999,
) -> int | None:
    """Plan an audit: runs a side from which a mechanism of `times` the claimed ε is refuted with a probability.

    Parameters
    ----------
    epsilon, delta : float
        The claim.
    times : float
        Above 1: the mechanism's true ε' is this many times the claimed one.
    rarer : float, optional
        Probability of the event where it is rarer, such as `AuditResult.certified.frequencies[1]` of an audit made
        already. Default: (1 − δ)/(1 + e^ε'), that of the best event of randomised response.
    probability : float
        Of refuting, about: counts are taken to be normal.
    confidence : float
        Of the audit.

    Returns
    -------
    int or None
        With the fifth of them that choose the event; None: more than 10¹² (no such event has this loss, say).

    Examples
    --------
    >>> from dpbench import runs_needed
    >>> 100 <= runs_needed(1.0, 2.0) < runs_needed(1.0, 1.1)
    True
    """
    claimed = validation.real("epsilon", epsilon, above=0.0)
    true = validation.real("times", times, above=1.0) * claimed
    delta = validation.delta(delta)
    alpha = 1.0 - validation.fraction("confidence", confidence)
    q = (1.0 - delta) / (1.0 + math.exp(min(true, 700.0)))
    if rarer is not None:
        q = validation.fraction("rarer", rarer)
    short = float(ndtri(validation.fraction("probability", probability)))
    p = math.exp(min(true, 700.0)) * q + delta
    if p > 1.0:
        return None
    claim = Approximate(claimed, delta)
    angle = best_angle(math.sqrt(p * (1.0 - p)) / max(p - delta, 1e-300), math.sqrt((1.0 - q) / q))
    turn = 0.5 * math.pi * angle / ANGLES

    def enough(rows: int) -> bool:  # counts as far from their means as the bound is moved by
        few = math.floor(p * rows - short * math.sin(turn) * math.sqrt(rows * p * (1.0 - p)))
        many = math.ceil(q * rows + short * math.cos(turn) * math.sqrt(rows * q * (1.0 - q)))
        hits = min(max(few, 0), rows), min(max(many, 0), rows)
        return exceeded(claim, joint_region(hits, (rows, rows), (1.0 - CURVE_SHARE) * alpha, angle, 64))

    most = 10**12
    if not enough(most):
        return None
    low, high = 1.0, float(most)
    while high > 1.001 * low:  # in proportion
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(math.ceil(middle)) else (middle, high)
    return max(100, math.ceil(high / (1.0 - CHOOSE_SHARE)))


def least_enough(enough: Callable[[int], bool], most: int) -> int | None:
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
    least = least_enough(ruled_out, canaries)
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
