"""The choosing part's work: from outputs of both sides to the events that the other part certifies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.chains import Chain, chain
from dpbench.auditing.events import Event, best_event, best_for_curve, epsilon_goal, mu_goal
from dpbench.auditing.scores import Additive, Plain, Score, Trees, Values, candidates
from dpbench.auditing.views import Summaries

LEARN_SHARE = 0.5  # of the choosing part learns scores, the rest compares them and sets thresholds
TREES_SEE = 20_000  # rows a side that trees are compared on, at most: they are slow to evaluate
MARGIN = 0.02  # a learned score replaces a plain one if this much better, relative
DOUBTFUL = 0.1  # and one that counts evidence more than once, only orders a number anew, or overfits, if this much


@dataclass(frozen=True)
class Plan:
    """A score and the events on it: for ε (with the bound it promises), for μ (if asked), and for the
    curve."""

    score: Score
    promise: float
    main: Event
    mu: Event | None
    curve: tuple[Event, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """All of them."""
        return (self.main, *(() if self.mu is None else (self.mu,)), *self.curve)


def choose(first: np.ndarray, second: np.ndarray, rows: int, delta: float, alpha: float, with_mu: bool) -> Plan:
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
    """
    z = float(-ndtri(alpha))
    goal = epsilon_goal(delta)
    cut = int(len(first) * LEARN_SHARE)
    tried = []
    for score in candidates(first[:cut], second[:cut]):
        stop = cut + TREES_SEE if isinstance(score, Trees) else len(first)
        start = 0 if isinstance(score, Values) else cut
        value, _ = best_event(_chain(score, first[start:stop], second[start:stop]), goal, rows, z)
        tried.append((value - _margin(score, first.ndim == 1) * abs(value) if np.isfinite(value) else value, score))
    chosen = max(tried, key=lambda pair: pair[0])[1]
    if isinstance(chosen, Additive):
        chosen, nested = _relearned(chosen, first, second, cut)
    else:
        # A plain score has learned nothing: its threshold may rest on all the rows. Of values, the order alone is
        # learned, and twice the counts tell more than it spoils.
        start = 0 if isinstance(chosen, (Plain, Values)) else cut
        nested = _chain(chosen, first[start:], second[start:])
    promise, main = best_event(nested, goal, rows, z)
    mu = best_event(nested, mu_goal(), rows, z)[1] if with_mu else None
    curve = best_for_curve(nested, rows, float(-ndtri(alpha / 12.0)))
    return Plan(chosen, promise, main, mu, curve)


def _chain(score: Score, first: np.ndarray, second: np.ndarray) -> Chain:
    if isinstance(score, Additive):
        made = [score.with_errors(side) for side in (first, second)]
        return chain(made[0][0], made[1][0], (made[0][1], made[1][1]))
    return chain(score(first), score(second))


def _relearned(score: Additive, first: np.ndarray, second: np.ndarray, cut: int) -> tuple[Additive, Chain]:
    """The score learned from all the rows, and its chain.

    What it is worth is told by two scores learned from a part each, on the other part; thresholds go over to it by
    rank.
    """
    other = score.relearned(first[cut:], second[cut:])
    pairs = [(other.with_errors(x[:cut]), score.with_errors(x[cut:])) for x in (first, second)]
    (one, off_one), (two, off_two) = ([np.concatenate(x) for x in zip(*pair, strict=True)] for pair in pairs)
    nested = chain(one, two, (off_one, off_two))
    whole = score.relearned(first, second)
    new = np.concatenate([whole(first), whole(second)])
    return whole, replace(nested, thresholds=same_ranks(nested.thresholds, np.concatenate([one, two]), new))


def _margin(score: Score, scalar: bool) -> float:
    if isinstance(score, Plain):
        return 0.0
    repeats = isinstance(score, Additive) and isinstance(score.view, Summaries)
    return DOUBTFUL if scalar or repeats or isinstance(score, Trees) else MARGIN


def same_ranks(thresholds: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Values of a sample `new` that about as many of it reach as reach the thresholds in `old`, an equally large one.

    Where a value of `new` holds many ranks, it or the next one: the one whose odds of being reached are nearer.
    """
    rows = len(old)
    below = np.searchsorted(np.sort(old), thresholds, side="left")
    new = np.sort(new)
    here = new[np.minimum(below, rows - 1)]
    under, through = (np.searchsorted(new, here, side=side) for side in ("left", "right"))
    start, end, goal = (np.log((x + 0.5) / (rows - x + 0.5)) for x in (under, through, below))
    return np.where((through < rows) & (end - goal < goal - start), new[np.minimum(through, rows - 1)], here)
