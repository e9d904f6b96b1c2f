"""A second event beside the best one, and how the level is divided between the two.

Events of different directions, or of different scores, cannot be merged. Where two of them promise about as much, as
under noise that is symmetric or where two scores are nearly as good, the larger of two bounds at half the level each is
better on average than one bound at the whole level; where one promises clearly more, it should have nearly all of it.
The share with the largest mean of the larger bound is taken, both bounds taken for jointly normal (Clark 1961), with
the correlation that the choosing part shows. Nothing here affects validity: the two levels sum to what there is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dpbench.auditing.chains import Chain
from dpbench.auditing.events import Event
from dpbench.auditing.goals import Goal
from dpbench.auditing.scores import Score

SHARES = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
"""Of the level, for the second event."""

LEAST = 0.5
"""Of the best promise, below which an event gets nothing: small promises are mixtures, not means of normal bounds."""

ROWS = 20_000  # a side on which two events are compared, at most,
NUMBERS = 10**6  # and numbers


@dataclass(frozen=True)
class Arm:
    """An event of a score, with what it promises at the whole level.

    Attributes
    ----------
    score : Score
    nested : Chain
    promise : float
    event : Event
    """

    score: Score
    nested: Chain
    promise: float
    event: Event

    def inside(self, scores: np.ndarray) -> np.ndarray:
        """bool[rows]: which outputs of these scores are in the event."""
        return np.asarray((scores >= self.event.threshold) == self.event.above)

    def errors(self, goal: Goal) -> tuple[float, float]:
        """√rows times the standard errors due to the frequencies on data set and neighbour, signed as the bound
        grows."""
        p, q = self._of(self.nested.smooth)[:: 1 if self.event.forward else -1]
        first, second = (float(np.ravel(x)[0]) for x in goal.errors(np.array([p]), np.array([q])))
        return (first, -second) if self.event.forward else (-second, first)

    def counts(self) -> float:
        """How often the choosing part has seen the event."""
        return float((self._of(self.nested.raw) * (self.nested.rows + 2.0) - 1.0).sum())

    def _of(self, tops: np.ndarray) -> np.ndarray:
        place = int(np.searchsorted(self.nested.thresholds, self.event.threshold))
        return tops[:, place] if self.event.above else 1.0 - tops[:, place]


def second_event(
    arms: Sequence[Arm], sides: tuple[np.ndarray, np.ndarray], goal: Goal, rows: int, alpha: float
) -> tuple[Arm, float] | None:
    """Which event is worth a share of the level beside the first of them, and that share; None where none is.

    Parameters
    ----------
    arms : sequence of Arm
    sides : (array, array)
        Outputs of the data set and of the neighbour.
    goal : Goal
    rows : int
        Certifying outputs a side.
    alpha : float
        The level to be divided.
    """
    best = arms[0]
    mean, found = best.promise, None
    some = [side[: min(ROWS, NUMBERS // max(side[:1].size, 1))] for side in sides]
    known: dict[int, list[np.ndarray]] = {}  # both directions of a score are among the arms

    def inside(arm: Arm) -> list[np.ndarray]:
        if id(arm.score) not in known:
            known[id(arm.score)] = [arm.score(side) for side in some]
        return [arm.inside(scores) for scores in known[id(arm.score)]]

    for arm in arms[1:]:
        gain, _ = _divided(best, arm, (0.0, 0.0), goal, rows, alpha)
        if gain <= mean:  # bounds that rise together gain less
            continue
        pairs = list(zip(inside(best), inside(arm), strict=True))
        if all(np.array_equal(a, b) for a, b in pairs):  # one event, by two scores
            continue
        along = tuple(_correlation(a, b) for a, b in pairs)
        gain, share = _divided(best, arm, along, goal, rows, alpha)
        if gain > mean:
            mean = gain
            found = arm, share
    return found


def _divided(
    best: Arm, arm: Arm, correlation: tuple[float, ...], goal: Goal, rows: int, alpha: float
) -> tuple[float, float]:
    """The largest mean of the larger bound, and the share of the second event there."""
    if not arm.promise > LEAST * max(best.promise, 0.0):
        return -math.inf, 0.0
    first, second = np.array(best.errors(goal)), np.array(arm.errors(goal))
    deep = np.hypot(*first) / math.sqrt(rows), np.hypot(*second) / math.sqrt(rows)
    # An event of few counts has a large error, but not as large a chance to say more than the other.
    alike = float((first * second * correlation).sum()) / (float(np.hypot(*first)) * float(np.hypot(*second)))
    # Bounds differ by the certifying part's luck and by what the choosing part's counts leave open.
    luck = 1.0 + rows / min(best.nested.rows, arm.nested.rows)
    spread = min(deep) * math.sqrt(max(2.0 * luck * (1.0 - alike), 1e-12))
    z = -ndtri(alpha)
    one = best.promise + (z + ndtri(alpha * (1.0 - SHARES))) * deep[0]
    two = arm.promise + (z + ndtri(alpha * SHARES)) * deep[1]
    apart = (one - two) / spread
    mean = two + (one - two) * ndtr(apart) + spread * np.exp(-0.5 * apart * apart) / math.sqrt(2.0 * math.pi)
    place = int(np.argmax(mean))
    return float(mean[place]), float(SHARES[place])


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    p, q = float(np.mean(one)), float(np.mean(other))
    scale = math.sqrt(p * (1.0 - p) * q * (1.0 - q))
    return (float(np.mean(one & other)) - p * q) / scale if scale > 0.0 else 0.0
