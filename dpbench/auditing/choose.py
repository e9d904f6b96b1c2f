"""The choosing part's work: from outputs of both sides to the events that the other part certifies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.chains import Chain, chain
from dpbench.auditing.claimed import Claim, excess_goal
from dpbench.auditing.events import Event, Goal, best_event, best_events, best_for_curve, epsilon_goal, mu_goal
from dpbench.auditing.interactions import Quadratic
from dpbench.auditing.own_score import Own
from dpbench.auditing.scores import OFTEN, Additive, Plain, Score, Trees, Values, Viewed, candidates
from dpbench.auditing.second import Arm, second_event
from dpbench.auditing.shapes import Unimodal, both_shapes
from dpbench.auditing.views import Summaries

LEARN_SHARE = 0.5  # of the choosing part learns scores, the rest compares them
TREES_SEE = 20_000  # rows a side that trees are compared on, at most: they are slow to evaluate
HEDGES = (0.0, 1.0)  # weights of the light promise by which further events are chosen
GAIN = 5.0  # of log-likelihood over a monotone fit, from which a score of one mode is tried
MARGIN = 0.02  # a learned score replaces a plain one if this much better, relative
DOUBTFUL = 0.1  # and one that counts evidence more than once, only orders a number anew, or overfits, if this much


@dataclass(frozen=True)
class Second:
    """The second event, the score that it is of, and its share of the level."""

    score: Score
    event: Event
    share: float


@dataclass(frozen=True)
class Plan:
    """A score and the events on it: for ε (with the bound it promises), hedges against a wrong choice of that one, for
    μ (if asked), and for the curve; and a second event for ε, where one is worth its share of the level."""

    score: Score
    promise: float
    main: Event
    second: Second | None
    hedges: tuple[Event, ...]
    mu: Event | None
    curve: tuple[Event, ...]

    @property
    def scores(self) -> tuple[Score, ...]:
        """By the number of an event's `arm`."""
        return (self.score,) if self.second is None or self.second.event.arm == 0 else (self.score, self.second.score)

    @property
    def seconds(self) -> tuple[Event, ...]:
        """The second event, if any."""
        return () if self.second is None else (self.second.event,)

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them."""
        return (self.main, *self.seconds, *self.hedges, *(() if self.mu is None else (self.mu,)), *self.curve)

    def thresholds(self) -> tuple[np.ndarray, ...]:
        """The increasing thresholds of each score."""
        return tuple(
            np.unique([e.threshold for e in self.events if e.arm == arm]) for arm in range(len(self.scores))
        )


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
    goal = epsilon_goal(delta) if held is None else excess_goal(held)
    cut = int(len(first) * LEARN_SHARE)
    scores = [*([] if own is None else [own]), *candidates(first[:cut], second[:cut])]

    def ranked(pairs: list[tuple[Score, Chain]]) -> list[tuple[Arm, Arm]]:
        """The two directions of each score, the better one first; the best score first."""
        made = [_arms(score, nested, goal, rows, z) for score, nested in pairs]
        return sorted(made, key=lambda both: -_less_margin(both[0], first.ndim))

    tried: list[tuple[Score, Chain]] = []
    later = Viewed(first[cut:]), Viewed(second[cut:])
    for score in scores:
        if isinstance(score, Additive):
            tried.append((score, _chain_of(score, *(side.columns(score.view) for side in later))))
            continue
        stop = cut + TREES_SEE if isinstance(score, Trees) else len(first)
        start = 0 if _few_values(score, len(first)) else cut
        tried.append((score, _chain(score, first[start:stop], second[start:stop])))
    del later
    order = ranked(tried)
    chosen = order[0][0].score
    # Learned again it may turn out to be worth less than what needs no learning, or than another shape.
    plain = [score for score in scores if isinstance(score, Plain) and score is not chosen]
    again: list[Score] = [*plain] if _on_all_rows(chosen) else []
    if first.ndim > 1:
        runner = second_event(_listed(order), (first[cut:], second[cut:]), goal, rows, alpha)
        if runner is not None and all(runner[0].score is not score for score in (chosen, *again)):
            again.append(runner[0].score)
    finals = [_final(score, first, second, cut) for score in (chosen, *again)]
    parts: list[list[np.ndarray]] = []
    if first.ndim == 1 and _on_all_rows(chosen):
        parts = [[np.sort(_numbers(x)) for x in (side[:cut], side[cut:])] for side in (first, second)]
        finals += _shapes(parts)
    arms = _listed(ranked(finals))
    best = _on_the_whole(arms[0], parts)
    taken, beside = [best.event], second_event(arms, (first, second), goal, rows, alpha)
    other = None
    if beside is not None:
        arm = int(beside[0].score is not arms[0].score)
        moved = _on_the_whole(beside[0], parts)
        other = Second(moved.score if arm else best.score, replace(moved.event, arm=arm), beside[1])
        taken += [] if arm else [moved.event]
    hedged = [best_event(best.nested, goal, rows, z, trust)[1] for trust in HEDGES]
    hedges = {_place(e): e for e in hedged if _place(e) not in map(_place, taken)}
    mu = best_event(best.nested, mu_goal(), rows, z)[1] if with_mu else None
    curve = best_for_curve(best.nested, rows, float(-ndtri(alpha / 12.0)))
    return Plan(best.score, best.promise, best.event, other, tuple(hedges.values()), mu, curve)


def _arms(score: Score, nested: Chain, goal: Goal, rows: int, z: float) -> tuple[Arm, Arm]:
    """The best event of each direction, the better one first."""
    ways = [Arm(score, nested, *best_events(nested, goal, rows, z, forward)[0]) for forward in (True, False)]
    return (ways[0], ways[1]) if ways[0].promise >= ways[1].promise else (ways[1], ways[0])


def _listed(pairs: list[tuple[Arm, Arm]]) -> list[Arm]:
    return [arm for both in pairs for arm in both]


def _few_values(score: Score, rows: int) -> bool:
    return isinstance(score, Values) and OFTEN * len(score.keys) <= rows


def _place(event: Event) -> tuple[float, bool, bool]:
    return event.threshold, event.above, event.forward


def _chain(score: Score, first: np.ndarray, second: np.ndarray) -> Chain:
    if isinstance(score, Additive):
        return _chain_of(score, score.columns(first), score.columns(second))
    return chain(score(first), score(second))


def _chain_of(score: Additive, first: np.ndarray, second: np.ndarray) -> Chain:
    """From the columns that the score's log-ratios are of."""
    return chain(score.of(first), score.of(second), (score.errors(first), score.errors(second)))


def _on_all_rows(score: Score) -> bool:
    return isinstance(score, Plain | Additive)


def _final(score: Score, first: np.ndarray, second: np.ndarray, cut: int) -> tuple[Score, Chain]:
    """The score as it will be used, and the chain of its events from all rows that may estimate their probabilities."""
    if isinstance(score, Additive):
        return _relearned(score, first, second, cut)
    if isinstance(score, Quadratic):
        other, whole = (score.relearned(first[start:], second[start:]) for start in (cut, 0))
        old = [np.concatenate([other(x[:cut]), score(x[cut:])]) for x in (first, second)]
        nested = chain(old[0], old[1])
        new = np.concatenate([whole(x) for x in (first, second)])
        return whole, replace(nested, thresholds=same_ranks(nested.thresholds, np.concatenate(old), new))
    # A plain score has learned nothing: its threshold may rest on all the rows. Of few values, the order alone is
    # learned, and twice the counts tell more than it spoils.
    start = 0 if isinstance(score, Plain) or _few_values(score, len(first)) else cut
    return score, _chain(score, first[start:], second[start:])


def _shapes(parts: list[list[np.ndarray]]) -> list[tuple[Score, Chain]]:
    """Scores of one mode, learned from the first parts, and their chains: each part is scored by the other's fit.

    None where half-lines are as informative.

    Parameters
    ----------
    parts : [[float64[n], float64[m]], [float64[n], float64[m]]]
        Of each side the increasing values of two parts.
    """
    found: list[tuple[Score, Chain]] = []
    early = both_shapes(parts[0][0], parts[1][0])
    if all(one.gain < GAIN for one in early):
        return found
    for one, other in zip(early, both_shapes(parts[0][1], parts[1][1]), strict=True):
        if one.gain < GAIN:
            continue
        first, second = (np.concatenate([other.of_sorted(side[0]), one.of_sorted(side[1])]) for side in parts)
        found.append((one, chain(first, second)))
    return found


def _on_the_whole(arm: Arm, parts: list[list[np.ndarray]]) -> Arm:
    """The arm, its shape (if it is one) learned from all the rows; thresholds of its chain go over to it by rank."""
    score, nested = arm.score, arm.nested
    if not isinstance(score, Unimodal):
        return arm
    late = both_shapes(parts[0][1], parts[1][1])[not score.peak]
    old = [x for side in parts for x in (late.of_sorted(side[0]), score.of_sorted(side[1]))]
    sides = [np.sort(np.concatenate(side)) for side in parts]
    whole = both_shapes(sides[0], sides[1])[not score.peak]
    new = np.concatenate([whole.of_sorted(side) for side in sides])
    thresholds = same_ranks(nested.thresholds, np.concatenate(old), new)
    place = int(np.searchsorted(nested.thresholds, arm.event.threshold))
    event = replace(arm.event, threshold=float(thresholds[place]))
    return replace(arm, score=whole, nested=replace(nested, thresholds=thresholds), event=event)


def _numbers(outputs: np.ndarray) -> np.ndarray:
    return np.asarray(outputs, dtype=np.float64)


def _relearned(score: Additive, first: np.ndarray, second: np.ndarray, cut: int) -> tuple[Additive, Chain]:
    """The score learned from all the rows, and its chain.

    Its value is estimated by two scores, each learned from one part and evaluated on the other; thresholds are
    transferred to it by rank.
    """
    sides = [score.columns(first), score.columns(second)]
    other = score.relearned(sides[0][cut:], sides[1][cut:])
    old = [np.concatenate([other.of(x[:cut]), score.of(x[cut:])]) for x in sides]
    off = [np.concatenate([other.errors(x[:cut]), score.errors(x[cut:])]) for x in sides]
    nested = chain(old[0], old[1], (off[0], off[1]))
    whole = score.relearned(sides[0], sides[1]).without_errors()
    new = np.concatenate([whole.of(x) for x in sides])
    return whole, replace(nested, thresholds=same_ranks(nested.thresholds, np.concatenate(old), new))


def _less_margin(best: Arm, dimensions: int) -> float:
    """What a score promises, less its margin."""
    value = best.promise
    return value - _margin(best.score, dimensions == 1) * abs(value) if np.isfinite(value) else value


def _margin(score: Score, scalar: bool) -> float:
    if isinstance(score, Plain):
        return 0.0
    repeats = isinstance(score, Additive) and isinstance(score.view, Summaries)
    if isinstance(score, Unimodal):
        return MARGIN
    return DOUBTFUL if scalar or repeats or isinstance(score, Trees) else MARGIN


def same_ranks(thresholds: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Values of a sample `new` that about as many of it reach as reach the thresholds in `old`, an equally large one.

    Where a value of `new` holds many ranks, it or the next one: the one whose odds of being reached are nearer. The
    lowest value is not taken for a threshold that some of `old` are below.
    """
    rows = len(old)
    below = np.searchsorted(np.sort(old), thresholds, side="left")
    new = np.sort(new)
    here = new[np.minimum(below, rows - 1)]
    under, through = (np.searchsorted(new, here, side=side) for side in ("left", "right"))
    start, end, goal = (np.log((x + 0.5) / (rows - x + 0.5)) for x in (under, through, below))
    up = (end - goal < goal - start) | ((under == 0) & (below > 0))
    return np.where(up & (through < rows), new[np.minimum(through, rows - 1)], here)
