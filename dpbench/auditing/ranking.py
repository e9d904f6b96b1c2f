"""Which of several scores to take: by what their events promise, and among those that promise about as much by what
they tell.

The best of ten promises is a lucky one. Which of two scores is nearer the log-ratio is seen far more clearly in the
likelihood of all outputs than in the counts of two events, and by Neyman and Pearson the log-ratio has the best events
of all. So the score of the highest likelihood is taken among those whose promise is within the errors of the highest.
Nothing here affects validity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbench.auditing.chains import Chain
from dpbench.auditing.events import Event, best_events
from dpbench.auditing.goals import Goal
from dpbench.auditing.scores import Plain, Score, Trees
from dpbench.auditing.shapes import Unimodal

MARGIN = 0.02  # a learned score replaces a plain one if this much better, relative
DOUBTFUL = 0.1  # and one that only orders a number anew, or overfits, if this much
TIE = 1.0  # times the sum of the standard errors of two promises: within it they are taken for equal
LUCKY = 2.0  # standard errors by which a score tells more on other outputs than on these, by chance
CLEAR = 20.0  # of log-likelihood, from which one score is taken to tell more than another


@dataclass(frozen=True)
class Contender:
    """A score with its best event.

    Attributes
    ----------
    score : Score
    nested : Chain
    promise : float
        What the event's certificate is expected to be.
    event : Event
    """

    score: Score
    nested: Chain
    promise: float
    event: Event

    def error(self, goal: Goal, rows: int) -> float:
        """Standard error of what so many outputs a side say of the event."""
        place = int(np.searchsorted(self.nested.thresholds, self.event.threshold))
        tops = self.nested.smooth[:, place]
        p, q = (tops if self.event.above else 1.0 - tops)[:: 1 if self.event.forward else -1]
        first, second = (float(np.ravel(x)[0]) for x in goal.errors(np.array([p]), np.array([q])))
        return math.hypot(first, second) / math.sqrt(rows)


def contender(score: Score, nested: Chain, goal: Goal, rows: int, z: float, looks: int) -> Contender:
    """The best event of a score.

    Parameters
    ----------
    looks : int
        Scores among which the most is made of events seen a few times.
    """
    ways = [best_events(nested, goal, rows, z, way, looks)[0] for way in (True, False)]
    return Contender(score, nested, *max(ways, key=lambda pair: pair[0]))


def ranked(contenders: Sequence[Contender], goal: Goal, scalar: bool) -> list[Contender]:
    """The one to be taken first, the others by what they promise, less their margins."""
    order = sorted(contenders, key=lambda one: -less_margin(one, scalar))
    taken = front = order[0]
    if isinstance(front.score, Plain):
        return order
    for one in order[1:]:
        lag = less_margin(front, scalar) - less_margin(one, scalar)
        near = lag <= TIE * sum(each.error(goal, each.nested.rows) for each in (front, one))
        clear = _clear(one.nested, taken.nested)
        if margin(one.score, scalar) < margin(taken.score, scalar):
            clear = -clear  # one in doubt must tell more to stay
        # Of a plain score the likelihood is that of a function of it, which its events are not of.
        if near and not isinstance(one.score, Plain) and one.nested.told > taken.nested.told + clear:
            taken = one
    return [taken, *(one for one in order if one is not taken)]


def _clear(one: Chain, other: Chain) -> float:
    """By how much one must tell more than another, which may rest on fewer of the same outputs or on more."""
    apart = abs(1.0 / one.rows - 1.0 / other.rows) / 2.0
    # The log-ratios of an output have variance 8·told on average where they are small, its log-likelihood a quarter.
    return CLEAR / (2.0 * one.rows) + LUCKY * math.sqrt(2.0 * max(one.told, other.told, 0.0) * apart)


def less_margin(one: Contender, scalar: bool) -> float:
    """What a score promises, less its margin."""
    value = one.promise
    return value - margin(one.score, scalar) * abs(value) if np.isfinite(value) else value


def margin(score: Score, scalar: bool) -> float:
    """By how much a score must be better than a plain one, relative."""
    if isinstance(score, Plain):
        return 0.0
    if isinstance(score, Unimodal):
        return MARGIN
    return DOUBTFUL if scalar or isinstance(score, Trees) else MARGIN
