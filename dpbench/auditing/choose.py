"""The choosing part's work: from outputs of both sides to the events that the other part certifies.

Scores are learned, and compared by what their events promise. The best of ten promises is a lucky one. Which of two
scores is nearer the log-ratio is seen far more clearly in the likelihood of all outputs than in the counts of two
events, and by Neyman and Pearson the log-ratio has the best events of all. So the score of the highest likelihood is
taken among those whose promise is within the errors of the highest. Nothing here affects validity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.chains import Chain, chain, increasing
from dpbench.auditing.claimed import Claim, loss_goal
from dpbench.auditing.events import Event, best_event, best_events, best_for_curve
from dpbench.auditing.goals import Goal, epsilon_goal, mu_goal
from dpbench.auditing.scores import OFTEN, Additive, Own, Plain, Score, Trees, Values, candidates
from dpbench.auditing.second import correlation, divided
from dpbench.auditing.shapes import Unimodal, both_shapes

LEARN_SHARE = 0.5  # of the choosing part learns scores, the rest compares them
TREES_SEE = 20_000  # rows a side that trees are compared on, at most: they are slow to evaluate
GAIN = 5.0  # of log-likelihood over a monotone fit, from which a score of one mode is tried
MARGIN = 0.02  # a learned score replaces a plain one if this much better, relative
DOUBTFUL = 0.1  # and one that only orders a number anew, or overfits, if this much
TIE = 1.0  # times the sum of the standard errors of two promises: within it they are taken for equal
SAMPLING_ERRORS = 2.0  # by which the gains of two scores, seen on different outputs, may differ by chance
CLEAR = 20.0  # of log-likelihood, from which the gain of one score is taken to be larger
LEAST = 0.5  # of the best promise, below which no event is a second one: small promises are no means of normal bounds
BESIDE_ROWS = 20_000  # a side on which two events are compared, at most


@dataclass(frozen=True)
class Second:
    """The second event, the score that it is of, and its share of the level."""

    score: Score
    event: Event
    share: float


@dataclass(frozen=True)
class Plan:
    """A score and the events on it: for ε (with the bound it promises), for μ (if asked), and for the curve; and a
    second event for ε, where one is worth its share of the level."""

    score: Score
    promise: float
    main: Event
    second: Second | None
    mu: Event | None
    curve: tuple[Event, ...]

    @property
    def scores(self) -> tuple[Score, ...]:
        """By the number of an event's `arm`."""
        return (self.score,) if self.second is None or self.second.event.arm == 0 else (self.score, self.second.score)

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them."""
        second = () if self.second is None else (self.second.event,)
        return (self.main, *second, *(() if self.mu is None else (self.mu,)), *self.curve)

    @property
    def thresholds(self) -> tuple[np.ndarray, ...]:
        """Theirs, increasing, of each score."""
        return tuple(np.unique([e.threshold for e in self.events if e.arm == arm]) for arm in range(len(self.scores)))

    def column(self, event: Event) -> int:
        """Where the counts of an event's threshold are among those of all."""
        before = sum(map(len, self.thresholds[: event.arm]))
        return before + int(np.searchsorted(self.thresholds[event.arm], event.threshold))


def choose(
    first: np.ndarray,
    second: np.ndarray,
    rows: int,
    delta: float,
    alpha: float,
    with_mu: bool,
    held: Claim | None = None,
    own: Own | None = None,
) -> Plan:
    """Pick the score and events whose certificates from `rows` further outputs a side promise most.

    Parameters
    ----------
    first, second : array
        The choosing part's outputs on the data set and on the neighbour, equally many.
    rows : int
        Certifying outputs a side.
    delta, alpha : float
        The δ of the bound and its error probability.
    with_mu : bool
        Also pick an event for μ.
    held : Claim, optional
        What is to be refuted, where that is not an ε at `delta`.
    own : Own, optional
        A score of the user's, tried beside the others.
    """
    alpha = min(alpha, 0.5)  # bounds of less confidence are chosen as at one half
    z = float(-ndtri(alpha))
    goal = epsilon_goal(delta) if held is None else loss_goal(held)
    scalar = first.ndim == 1
    tried = _tried(first, second, own)
    looks = 1 if scalar else len(tried)
    order = ranked([contender(score, nested, goal, rows, z, looks) for score, nested in tried], goal, scalar)
    halves: Halves = []
    if scalar and isinstance(order[0].score, Plain | Additive):
        halves = _halves(first, second)
        shapes = [contender(score, nested, goal, rows, z, looks) for score, nested in _shapes(halves)]
        order = ranked([*order, *shapes], goal, scalar)
    best, other = _on_the_whole(order[0], halves), None
    beside = second_event(order, (first, second), goal, rows, alpha)
    if beside is not None:
        arm, found = int(beside[0].score is not order[0].score), _on_the_whole(beside[0], halves)
        other = Second(found.score if arm else best.score, replace(found.event, arm=arm), beside[1])
    mu = best_event(best.nested, mu_goal(), rows, z)[1] if with_mu else None
    curve = best_for_curve(best.nested, rows, float(-ndtri(alpha / 12.0)))
    return Plan(best.score, best.promise, best.event, other, mu, curve)


def _tried(first: np.ndarray, second: np.ndarray, own: Own | None) -> list[tuple[Score, Chain]]:
    """The scores, and the chains of their events.

    A score is learned from one half of the rows and its events are compared on the other. A plain score has learned
    nothing: its threshold may rest on all the rows. Of few values, the order alone is learned, and twice the counts
    tell more than it spoils.
    """
    cut = int(len(first) * LEARN_SHARE)
    found: list[tuple[Score, Chain]] = []
    for score in [*([] if own is None else [own]), *candidates(first[:cut], second[:cut])]:
        if isinstance(score, Additive):
            a, b = (score.columns(side[cut:]) for side in (first, second))
            found.append((score.without_errors(), chain(score.of(a), score.of(b), (score.errors(a), score.errors(b)))))
            continue
        few = isinstance(score, Values) and OFTEN * len(score.keys) <= len(first)
        start = 0 if few or isinstance(score, Plain) else cut
        stop = cut + TREES_SEE if isinstance(score, Trees) else len(first)
        found.append((score, chain(score(first[start:stop]), score(second[start:stop]))))
    return found


# Which score is taken


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
    opposite : (float, Event)
        Promise and best event of the other direction.
    """

    score: Score
    nested: Chain
    promise: float
    event: Event
    opposite: tuple[float, Event]

    def turned(self) -> Contender:
        """The same score with its event of the other direction."""
        return Contender(self.score, self.nested, *self.opposite, (self.promise, self.event))

    def inside(self, outputs: np.ndarray) -> np.ndarray:
        """bool[rows]: which outputs are in the event."""
        return np.asarray((self.score(outputs) >= self.event.threshold) == self.event.above)

    def errors(self, goal: Goal) -> tuple[float, float]:
        """√rows times the standard errors due to the frequencies on data set and neighbour, signed as the bound
        grows."""
        place = int(np.searchsorted(self.nested.thresholds, self.event.threshold))
        tops = self.nested.smooth[:, place]
        p, q = (tops if self.event.above else 1.0 - tops)[:: 1 if self.event.forward else -1]
        first, second = (float(np.ravel(x)[0]) for x in goal.errors(np.array([p]), np.array([q])))
        return (first, -second) if self.event.forward else (-second, first)

    def error(self, goal: Goal, rows: int) -> float:
        """Standard error of what so many outputs a side say of the event."""
        return math.hypot(*self.errors(goal)) / math.sqrt(rows)


def contender(score: Score, nested: Chain, goal: Goal, rows: int, z: float, looks: int) -> Contender:
    """The best event of a score.

    Parameters
    ----------
    looks : int
        Scores among which the most is made of events seen a few times.
    """
    ways = [best_events(nested, goal, rows, z, way, looks)[0] for way in (True, False)]
    best, other = ways if ways[0][0] >= ways[1][0] else ways[::-1]
    return Contender(score, nested, *best, other)


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
            clear = -clear  # one in doubt must gain more to stay
        # Of a plain score the likelihood is that of a function of it, which its events are not of.
        gained = one.nested.log_likelihood_gain - taken.nested.log_likelihood_gain
        if near and not isinstance(one.score, Plain) and gained > clear:
            taken = one
    return [taken, *(one for one in order if one is not taken)]


def _clear(one: Chain, other: Chain) -> float:
    """By how much one gain must be above another, which may rest on fewer of the same outputs or on more."""
    apart = abs(1.0 / one.rows - 1.0 / other.rows) / 2.0
    # The log-ratios of an output have variance 8·gain on average where they are small, its log-likelihood a quarter.
    gain = max(one.log_likelihood_gain, other.log_likelihood_gain, 0.0)
    return CLEAR / (2.0 * one.rows) + SAMPLING_ERRORS * math.sqrt(2.0 * gain * apart)


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


# Which event is certified beside it


def second_event(
    order: Sequence[Contender], sides: tuple[np.ndarray, np.ndarray], goal: Goal, rows: int, alpha: float
) -> tuple[Contender, float] | None:
    """Which event is worth a share of the level beside the first contender's, and that share; None where none is.

    Parameters
    ----------
    order : sequence of Contender
    sides : (array, array)
        Outputs of the data set and of the neighbour.
    goal : Goal
    rows : int
        Certifying outputs a side.
    alpha : float
        The level to be divided.
    """
    best = order[0]
    some = [side[:BESIDE_ROWS] for side in sides]
    scalar, first = sides[0].ndim == 1, np.array(best.errors(goal))
    mean, found = best.promise, None
    for one in (best.turned(), *(way for other in order[1:] for way in (other, other.turned()))):
        promises = best.promise, less_margin(one, scalar)
        if not promises[1] > LEAST * max(promises[0], 0.0):
            continue
        second = np.array(one.errors(goal))
        errors = best.error(goal, rows), one.error(goal, rows)
        inflation = 1.0 + rows / min(best.nested.rows, one.nested.rows)
        if divided(promises, errors, 0.0, inflation, alpha)[0] <= mean:  # bounds that rise together gain less
            continue
        pairs = [(best.inside(side), one.inside(side)) for side in some]
        if all(np.array_equal(*pair) for pair in pairs):  # one event, by two scores
            continue
        along = [correlation(*pair) for pair in pairs]
        correlated = float((first * second * along).sum()) / (math.hypot(*first) * math.hypot(*second))
        gain, share = divided(promises, errors, correlated, inflation, alpha)
        if gain > mean:
            mean, found = gain, (one, share)
    return found


# Scores of one mode

Halves = list[list[np.ndarray]]
"""Of each side the increasing values of both halves."""


def _halves(first: np.ndarray, second: np.ndarray) -> Halves:
    cut = int(len(first) * LEARN_SHARE)
    return [[np.sort(np.asarray(x, dtype=np.float64)) for x in (side[:cut], side[cut:])] for side in (first, second)]


def _shapes(halves: Halves) -> list[tuple[Unimodal, Chain]]:
    """Scores of one mode, learned from the first halves, and their chains: each half is scored by the other's fit.

    None where half-lines are as informative.
    """
    early, late = (both_shapes(halves[0][k], halves[1][k]) for k in (0, 1))
    found = []
    for one, other in zip(early, late, strict=True):
        if one.gain >= GAIN:
            first, second = (np.concatenate([other(side[0]), one(side[1])]) for side in halves)
            found.append((one, chain(first, second)))
    return found


def _on_the_whole(one: Contender, halves: Halves) -> Contender:
    """The contender, its shape (if it is one) learned from all the rows; thresholds of its chain go over to it by
    rank."""
    score, nested = one.score, one.nested
    if not isinstance(score, Unimodal):
        return one
    late = both_shapes(halves[0][1], halves[1][1])[not score.peak]
    old = [x for side in halves for x in (late(side[0]), score(side[1]))]
    sides = [increasing(np.concatenate(side)) for side in halves]
    whole = both_shapes(sides[0], sides[1])[not score.peak]
    new = np.concatenate([whole(side) for side in sides])
    thresholds = same_ranks(nested.thresholds, np.concatenate(old), new)
    place = int(np.searchsorted(nested.thresholds, one.event.threshold))
    event = replace(one.event, threshold=float(thresholds[place]))
    return replace(one, score=whole, nested=replace(nested, thresholds=thresholds), event=event)


def same_ranks(thresholds: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Values of a sample `new` that about as many of it reach as reach the thresholds in `old`, an equally large one.

    Where a value of `new` holds many ranks, it or the next one: the one whose odds of being reached are nearer. The
    lowest value is not taken for a threshold that some of `old` are below.
    """
    rows = len(old)
    below = np.searchsorted(increasing(old), thresholds, side="left")
    new = increasing(new)
    here = new[np.minimum(below, rows - 1)]
    under, through = (np.searchsorted(new, here, side=side) for side in ("left", "right"))
    start, end, goal = (np.log((x + 0.5) / (rows - x + 0.5)) for x in (under, through, below))
    up = (end - goal < goal - start) | ((under == 0) & (below > 0))
    return np.where(up & (through < rows), new[np.minimum(through, rows - 1)], here)
