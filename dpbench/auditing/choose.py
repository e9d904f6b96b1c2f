"""The choosing part's work: from outputs of both sides to the events that the other part certifies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.chains import Chain, chain, increasing
from dpbench.auditing.claimed import Claim, excess_goal
from dpbench.auditing.events import Event, best_event, best_for_curve
from dpbench.auditing.folded import folded
from dpbench.auditing.goals import Goal, epsilon_goal, mu_goal
from dpbench.auditing.interactions import Quadratic
from dpbench.auditing.own_score import Own
from dpbench.auditing.planar import Planar
from dpbench.auditing.ranking import Contender, boldest, contender, insured, less_margin, ranked
from dpbench.auditing.scores import OFTEN, Additive, Plain, Score, Trees, Values, Viewed, candidates
from dpbench.auditing.second import Arm, second_event
from dpbench.auditing.shapes import Unimodal, both_shapes

LEARN_SHARE = 0.5  # of the choosing part learns scores, the rest compares them
TREES_SEE = 20_000  # rows a side that trees are compared on, at most: they are slow to evaluate
HEDGES = (0.0, 1.0)  # weights of the light promise by which further events are chosen
AGAIN = 0.8  # of the best promise, from which a score of cells that has learned from half of the rows may still be it
GAIN = 5.0  # of log-likelihood over a monotone fit, from which a score of one mode is tried


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
        return tuple(np.unique([e.threshold for e in self.events if e.arm == arm]) for arm in range(len(self.scores)))


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

    scalar, looks = first.ndim == 1, 1 if first.ndim == 1 else len(scores)

    def compared(pairs: list[tuple[Score, Chain]]) -> list[Contender]:
        return ranked([contender(score, nested, goal, rows, z, looks) for score, nested in pairs], goal, scalar)

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
    order = compared(tried)
    finalists = _finalists(order, (first[cut:], second[cut:]), goal, rows, alpha)
    finals = [_final(score, first, second, cut) for score in finalists]
    if not scalar:  # what two scores tell is compared on the same outputs
        told = {id(score): nested.told for score, nested in tried}
        finals = [(s, replace(n, told=told[id(old)])) for (s, n), old in zip(finals, finalists, strict=True)]
    parts: list[list[np.ndarray]] = []
    if scalar and _on_all_rows(order[0].best.score):
        parts = [[np.sort(_numbers(x)) for x in (side[:cut], side[cut:])] for side in (first, second)]
        shapes = _shapes(parts)
        finals += [*shapes, *_folds(shapes, (first, second), goal, rows, z)]
    order = compared(finals)
    arms, bold = _listed(order), boldest(order, scalar)
    kept = 1.0 if bold is None else insured(bold, arms[0], goal, rows, alpha)
    if bold is not None and kept == 0.0:
        arms, bold = [bold, *arms], None
    best = _on_the_whole(arms[0], parts)
    taken, other = [best.event], None
    beside = (bold, 1.0 - kept) if bold is not None else second_event(arms, (first, second), goal, rows, alpha)
    if beside is not None:
        arm = int(beside[0].score is not arms[0].score)
        moved = _on_the_whole(beside[0], parts)
        other = Second(moved.score if arm else best.score, replace(moved.event, arm=arm), beside[1])
        taken += [] if arm else [moved.event]
    hedged = [best_event(best.nested, goal, rows, z, trust)[1] for trust in HEDGES]
    hedges = {e.place: e for e in hedged if all(e.place != other.place for other in taken)}
    mu = best_event(best.nested, mu_goal(), rows, z)[1] if with_mu else None
    curve = best_for_curve(best.nested, rows, float(-ndtri(alpha / 12.0)))
    return Plan(best.score, best.promise, best.event, other, tuple(hedges.values()), mu, curve)


def _finalists(
    order: list[Contender], sides: tuple[np.ndarray, np.ndarray], goal: Goal, rows: int, alpha: float
) -> list[Score]:
    """The scores that are compared once more, as they will be used: learned again, one may turn out to be worth less
    than what needs no learning, or than another."""
    scalar = sides[0].ndim == 1
    chosen = order[0].best
    found, ways = [chosen.score], [one.best.score for one in order]
    bold = boldest(order, scalar)
    runner = None if scalar else second_event(_listed(order), sides, goal, rows, alpha)
    highest = max(_listed(order), key=lambda arm: less_margin(arm, scalar))
    further = [highest, bold, None if runner is None else runner[0]]
    whole = not scalar or _on_all_rows(chosen.score)  # the values of a number are not named by a threshold
    plain = [score for score in ways if isinstance(score, Plain) and whole]
    # An additive one has learned from half of the rows so far.
    keep = scalar and isinstance(chosen.score, Plain)
    near = [one.best for one in order if not keep and one.best.promise > AGAIN * chosen.promise]
    again = [arm.score for arm in near if isinstance(arm.score, Additive)]
    for score in (*plain, *again[:1], *(arm.score for arm in further if arm is not None)):
        if all(score is not other for other in found):
            found.append(score)
    return found


def _listed(order: list[Contender]) -> list[Arm]:
    return [arm for one in order for arm in one.arms]


def _few_values(score: Score, rows: int) -> bool:
    return isinstance(score, Values) and OFTEN * len(score.keys) <= rows


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
    if isinstance(score, Quadratic | Planar):
        other, whole = (score.relearned(first[start:], second[start:]) for start in (cut, 0))
        old = [np.concatenate([other(x[:cut]), score(x[cut:])]) for x in (first, second)]
        nested = chain(old[0], old[1])
        new = np.concatenate([whole(x) for x in (first, second)])
        return whole, replace(nested, thresholds=same_ranks(nested.thresholds, np.concatenate(old), new))
    # A plain score has learned nothing: its threshold may rest on all the rows. Of few values, the order alone is
    # learned, and twice the counts tell more than it spoils.
    start = 0 if isinstance(score, Plain) or _few_values(score, len(first)) else cut
    return score, _chain(score, first[start:], second[start:])


def _shapes(parts: list[list[np.ndarray]]) -> list[tuple[Unimodal, Chain]]:
    """Scores of one mode, learned from the first parts, and their chains: each part is scored by the other's fit.

    None where half-lines are as informative.

    Parameters
    ----------
    parts : [[float64[n], float64[m]], [float64[n], float64[m]]]
        Of each side the increasing values of two parts.
    """
    found: list[tuple[Unimodal, Chain]] = []
    early = both_shapes(parts[0][0], parts[1][0])
    if all(one.gain < GAIN for one in early):
        return found
    for one, other in zip(early, both_shapes(parts[0][1], parts[1][1]), strict=True):
        if one.gain < GAIN:
            continue
        first, second = (np.concatenate([other.of_sorted(side[0]), one.of_sorted(side[1])]) for side in parts)
        found.append((one, chain(first, second)))
    return found


def _folds(
    shapes: list[tuple[Unimodal, Chain]], sides: tuple[np.ndarray, np.ndarray], goal: Goal, rows: int, z: float
) -> list[tuple[Score, Chain]]:
    """The distance from the median, and where one is likelier, those from the middles of the shapes' best intervals."""
    if not shapes:
        return []
    middles = [score.middle(best_event(nested, goal, rows, z)[1].threshold) for score, nested in shapes]
    made = [(score, _chain(score, *sides)) for score in folded(*sides, middles)]
    likeliest = int(np.argmax([nested.told for _, nested in made])) if made else 0
    return [*(made if likeliest else made[:1])]


def _on_the_whole(arm: Arm, parts: list[list[np.ndarray]]) -> Arm:
    """The arm, its shape (if it is one) learned from all the rows; thresholds of its chain go over to it by rank."""
    score, nested = arm.score, arm.nested
    if not isinstance(score, Unimodal):
        return arm
    late = both_shapes(parts[0][1], parts[1][1])[not score.peak]
    old = [x for side in parts for x in (late.of_sorted(side[0]), score.of_sorted(side[1]))]
    sides = [increasing(np.concatenate(side)) for side in parts]
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
