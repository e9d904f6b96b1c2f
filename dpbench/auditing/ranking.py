"""Which of several scores to take: by what their events promise, and among those that promise about as much by what
they tell.

The best of ten promises is a lucky one. Which of two scores is nearer the log-ratio is seen far more clearly in the
likelihood of all outputs than in the counts of two events, and by Neyman and Pearson the log-ratio has the best events
of all. So the score of the highest likelihood is taken among those whose promise is within the errors of the highest.
Promises of events that were seen a few times (`rare`) are kept apart: one that is higher than what the taken score
promises without them is certified beside it. Nothing here affects validity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.chains import Chain
from dpbench.auditing.events import sure_and_rare
from dpbench.auditing.folded import Folded
from dpbench.auditing.goals import Goal
from dpbench.auditing.rare import FEW
from dpbench.auditing.scores import Additive, Plain, Score, Trees
from dpbench.auditing.second import SHARES, Arm
from dpbench.auditing.shapes import Unimodal
from dpbench.auditing.views import Summaries

MARGIN = 0.02  # a learned score replaces a plain one if this much better, relative
DOUBTFUL = 0.1  # and one that counts evidence more than once, only orders a number anew, or overfits, if this much
TIE = 1.0  # times the sum of the standard errors of two promises: within it they are taken for equal
LUCK = 2.0 / 3.0  # of the events seen a few times whose promise is the highest, as many are taken for luck
LUCKY = 2.0  # standard errors by which a score tells more on other outputs than on these, by chance
CLEAR = 20.0  # of log-likelihood, from which one score is taken to tell more than another


@dataclass(frozen=True)
class Contender:
    """A score with the best event of each direction.

    Attributes
    ----------
    arms : (Arm, Arm)
        The better one first, without the promises of `rare`.
    bold : Arm or None
        The best event with them, where it is another one.
    """

    arms: tuple[Arm, Arm]
    bold: Arm | None

    @property
    def best(self) -> Arm:
        """Of the two directions."""
        return self.arms[0]


def contender(score: Score, nested: Chain, goal: Goal, rows: int, z: float, looks: int) -> Contender:
    """The best events of a score.

    Parameters
    ----------
    looks : int
        Scores among which the most is made of events seen a few times.
    """
    pairs = [sure_and_rare(nested, goal, rows, z, way, looks) for way in (True, False)]
    sure, rare = ([Arm(score, nested, *pair[kind]) for pair in pairs] for kind in (0, 1))
    # The same event is taken as the one seen a few times that it is, with the weights of its region.
    one, two = (a if a.event.place != b.event.place else b for a, b in zip(sure, rare, strict=True))
    arms = (one, two) if one.promise >= two.promise else (two, one)
    bold = max(rare, key=lambda arm: arm.promise)
    return Contender(arms, bold if bold.promise > arms[0].promise else None)


def ranked(contenders: Sequence[Contender], goal: Goal, scalar: bool) -> list[Contender]:
    """The one to be taken first, the others by what they promise, less their margins."""
    order = sorted(contenders, key=lambda one: -less_margin(one.best, scalar))
    taken = front = order[0]
    if isinstance(front.best.score, Plain):
        return order
    for one in order[1:]:
        lag = less_margin(front.best, scalar) - less_margin(one.best, scalar)
        near = lag <= TIE * sum(_error(arm, goal, arm.nested.rows) for arm in (front.best, one.best))
        clear = _clear(one.best.nested, taken.best.nested)
        if margin(one.best.score, scalar) < margin(taken.best.score, scalar):
            clear = -clear  # one in doubt must tell more to stay
        # Of a plain score the likelihood is that of a function of it, which its events are not of.
        if near and not isinstance(one.best.score, Plain) and one.best.nested.told > taken.best.nested.told + clear:
            taken = one
    return [taken, *(one for one in order if one is not taken)]


def _clear(one: Chain, other: Chain) -> float:
    """By how much one must tell more than another, which may rest on fewer of the same outputs or on more."""
    apart = abs(1.0 / one.rows - 1.0 / other.rows) / 2.0
    # The log-ratios of an output have variance 8·told on average where they are small, its log-likelihood a quarter.
    return CLEAR / (2.0 * one.rows) + LUCKY * math.sqrt(2.0 * max(one.told, other.told, 0.0) * apart)


def boldest(order: Sequence[Contender], scalar: bool) -> Arm | None:
    """The highest promise of an event seen a few times, where it is higher than the first one's without such."""
    bold = [one.bold for one in order if one.bold is not None]
    found = max(bold, key=lambda arm: less_margin(arm, scalar), default=None)
    least = less_margin(order[0].best, scalar)
    return found if found is not None and less_margin(found, scalar) > least else None


def insured(bold: Arm, best: Arm, goal: Goal, rows: int, alpha: float) -> float:
    """The share of the level for the best event beside one seen a few times, as if that one were luck in `LUCK`.

    0 where that event promises nothing at its share, or was seen no more often.
    """
    if best.counts() <= FEW:
        return 0.0
    shares = np.concatenate([[0.0], SHARES])
    one, two = (
        np.maximum(arm.promise + (ndtri(alpha * part) - ndtri(alpha)) * _error(arm, goal, rows), 0.0)
        for arm, part in ((bold, 1.0 - shares), (best, shares))
    )
    return float(shares[int(np.argmax((1.0 - LUCK) * one + LUCK * two))])


def less_margin(best: Arm, scalar: bool) -> float:
    """What a score promises, less its margin."""
    value = best.promise
    return value - margin(best.score, scalar) * abs(value) if np.isfinite(value) else value


def margin(score: Score, scalar: bool) -> float:
    """By how much a score must be better than a plain one, relative."""
    if isinstance(score, Plain):
        return MARGIN if isinstance(score, Folded) and score.chosen else 0.0
    repeats = isinstance(score, Additive) and isinstance(score.view, Summaries)
    if isinstance(score, Unimodal):
        return MARGIN
    return DOUBTFUL if scalar or repeats or isinstance(score, Trees) else MARGIN


def _error(arm: Arm, goal: Goal, rows: int) -> float:
    """Standard error of what so many outputs a side say of an event."""
    return math.hypot(*arm.errors(goal)) / math.sqrt(rows)
