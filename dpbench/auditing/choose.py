"""The choosing part's work: from outputs of both sides to the events that the other part certifies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.events import Event, best_event, best_for_curve, chain, epsilon_goal, mu_goal
from dpbench.auditing.scores import Additive, Plain, Score, Trees, Values, candidates
from dpbench.auditing.views import Summaries

LEARN_SHARE = 0.5  # of the choosing part learns scores, the rest compares them and sets thresholds
TREES_SEE = 50_000  # rows a side that trees are compared on, at most: they are slow to evaluate
MARGIN = 0.02  # a learned score replaces a plain one if this much better, relative
DOUBTFUL = 0.1  # and one that counts the same evidence more than once, or only orders a number anew, if this much


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
        value, _ = best_event(chain(score(first[start:stop]), score(second[start:stop]), score.error), goal, rows, z)
        tried.append((value - _margin(score, first.ndim == 1) * abs(value) if np.isfinite(value) else value, score))
    chosen = max(tried, key=lambda pair: pair[0])[1]
    # A plain score has learned nothing: its threshold may rest on all the rows. Of values, the order alone is learned,
    # and twice the counts tell more than it spoils.
    start = 0 if isinstance(chosen, (Plain, Values)) else cut
    nested = chain(chosen(first[start:]), chosen(second[start:]), chosen.error)
    promise, main = best_event(nested, goal, rows, z)
    mu = best_event(nested, mu_goal(), rows, z)[1] if with_mu else None
    curve = best_for_curve(nested, rows, float(-ndtri(alpha / 12.0)))
    return Plan(chosen, promise, main, mu, curve)


def _margin(score: Score, scalar: bool) -> float:
    if isinstance(score, Plain):
        return 0.0
    return DOUBTFUL if scalar or (isinstance(score, Additive) and isinstance(score.view, Summaries)) else MARGIN
