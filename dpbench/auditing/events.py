"""Candidate events {score ≥ t} and {score < t}: which of them to certify, from scores of the choosing part.

Picking the threshold with the largest estimated bound picks lucky counts (the winner's curse: half the true ε
is lost on Gaussian noise). So probabilities are estimated through `smooth_log_ratios`; every candidate is charged
for the posterior error of that estimate, and may promise no more than its raw counts say with some more on the
rare side, or than those counts charged in full. Nothing here affects validity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtri

from dpbench.auditing.intervals import best_angle
from dpbench.auditing.log_ratio import SATURATED, smooth_log_ratios

PER_TAIL = 300  # thresholds from each end of the pooled sample, geometric in rank
LEAST = 8  # pooled outputs beyond the outermost threshold
SMOOTH_CHARGE = 4.0  # posterior deviations charged to a smoothed estimate; set by trials on the zoo, not shown optimal
LEAST_CHARGE = 0.5  # standard errors of the choosing part charged to it besides
RAW_CHARGE = 4.0  # standard errors charged to a raw estimate
UNSEEN = 4.0  # counts that the rare side is given more than seen
UNSEEN_LEARNED = 32.0  # the same where the score was learned: the last of many candidates, and steep in its tails
TINY = 1e-12
CURVE_POINTS = 12  # values of ε at which the curve's events are chosen


@dataclass(frozen=True)
class Event:
    """{score ≥ threshold} (`above`) or its complement; `forward`: more likely on the data set."""

    threshold: float
    above: bool
    forward: bool
    angle: int


@dataclass(frozen=True)
class Chain:
    """The nested sets {score ≥ t} with estimates of their two probabilities.

    Attributes
    ----------
    thresholds : float64[m]
    smooth, raw : float64[2, m]
        P and Q of {score ≥ t}: through the smooth log-ratio, and plain frequencies.
    spread : float64[2, m]
        Posterior standard deviation of the smooth P of {score ≥ t} and of {score < t}, Q moving oppositely.
    rows : int
        Outputs a side that the estimates rest on.
    unseen : float
        Counts that the rare side is given more than seen, before the raw frequencies are believed.
    """

    thresholds: np.ndarray
    smooth: np.ndarray
    spread: np.ndarray
    raw: np.ndarray
    rows: int
    unseen: float


def chain(first: np.ndarray, second: np.ndarray, learned: bool = False) -> Chain:
    """The chain of a score (learned on other outputs, or plain), from its values on the two sides (equally many,
    no NaN)."""
    rows = len(first)
    first, second = np.sort(first), np.sort(second)
    pool = np.sort(np.concatenate([first, second]))
    thresholds = cut_points(pool, min(PER_TAIL, max(30, rows // 20)))
    tops = np.stack([rows - np.searchsorted(s, thresholds, side="left") for s in (first, second)])
    whole = np.concatenate([np.full((2, 1), rows), tops, np.zeros((2, 1), dtype=np.int64)], axis=1)
    cells = -np.diff(whole, axis=1).astype(np.float64)
    (fit,) = smooth_log_ratios([(cells[0], cells[1])])
    chance = expit(fit.log_ratio)
    mass = cells.sum(axis=0)
    smooth = np.stack([_tops(mass * c) / rows for c in (chance, 1.0 - chance)])
    turn = (mass * chance * (1.0 - chance))[:, None] * fit.pieces
    above = _tops(turn)
    spread = np.stack([_deviations(g, fit.covariance) / rows for g in (above, turn.sum(axis=0) - above)])
    unseen = UNSEEN_LEARNED if learned else UNSEEN
    return Chain(
        thresholds, np.clip(smooth, TINY, 1.0 - TINY), spread, (tops + 1.0) / (rows + 2.0), rows, unseen
    )  # fmt: skip


def _deviations(gradients: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    return np.sqrt(((gradients @ covariance) * gradients).sum(axis=1))


def _tops(cells: np.ndarray) -> np.ndarray:
    """Sums over the cells from each threshold on."""
    return np.cumsum(cells[::-1], axis=0)[::-1][1:]


def cut_points(pool: np.ndarray, per_tail: int) -> np.ndarray:
    """Increasing values of a sorted sample at which to cut it: all when few, else dense in both tails.

    A value that occurs more than once is followed by its successor, so that an atom is a cell of its own.
    """
    size = len(pool)
    some = pool[:: max(1, size // 200)]
    if len(np.unique(some)) <= SATURATED:
        every = np.unique(pool)
        if len(every) <= SATURATED:
            return every[1:] if len(every) > 1 else every
    ranks = np.unique(np.geomspace(min(LEAST, size), max(size / 2, 1), per_tail).astype(np.int64))
    ranks = np.unique(np.clip(np.concatenate([ranks, size - ranks]), 0, size - 1))
    values = np.unique(pool[ranks])
    next_place = np.searchsorted(pool, values, side="right")
    tied = (next_place - np.searchsorted(pool, values, side="left") > 1) & (next_place < size)
    return np.unique(np.concatenate([values, pool[next_place[tied]]]))


Errors = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Value = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Goal:
    """A function of p and q that grows with p and falls with q, and its sensitivities in standard errors.

    Attributes
    ----------
    value : callable
    errors : callable
        Standard errors of the value due to p and to q, times √rows.
    """

    value: Value
    errors: Errors

    def after(self, p: np.ndarray, q: np.ndarray, charge: float) -> np.ndarray:
        """The value after `charge` (in units of 1/√rows) standard errors against it, on the square-root
        scale."""
        first, second = self.errors(p, q)
        whole = np.hypot(first, second)
        return self.value(_moved(p, -charge * first / whole), _moved(q, charge * second / whole))


def _moved(p: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Frequencies moved by `step` standard errors; √p (or √(1 − p) above 1/2) is what has an even spread."""
    rare = np.maximum(np.sqrt(p) + 0.5 * step * np.sqrt(1.0 - p), 0.0) ** 2
    common = 1.0 - np.maximum(np.sqrt(1.0 - p) - 0.5 * step * np.sqrt(p), 0.0) ** 2
    return np.clip(np.where(p < 0.5, rare, common), TINY, 1.0)


def epsilon_goal(delta: float) -> Goal:
    """log((p − δ)/q)."""

    def value(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.where(p > delta, np.log(np.maximum(p - delta, TINY) / q), -np.inf)

    def errors(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _deviation(p) / np.maximum(p - delta, TINY), _deviation(q) / q

    return Goal(value, errors)


def curve_goal(ratio: float) -> Goal:
    """p − e^ε q, with ratio e^ε."""
    return Goal(lambda p, q: p - ratio * q, lambda p, q: (_deviation(p), ratio * _deviation(q)))


def mu_goal() -> Goal:
    """Φ⁻¹(p) − Φ⁻¹(q)."""

    def error(p: np.ndarray) -> np.ndarray:
        x = ndtri(np.clip(p, TINY, 1.0 - 1e-12))
        return _deviation(p) * np.sqrt(2.0 * np.pi) * np.exp(0.5 * x * x)

    def value(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return ndtri(np.clip(p, TINY, 1.0 - 1e-12)) - ndtri(np.clip(q, TINY, 1.0 - 1e-12))

    return Goal(value, lambda p, q: (error(p), error(q)))


def _deviation(p: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(p * (1.0 - p), 1e-18))


def best_event(chain: Chain, goal: Goal, rows: int, z: float, forward: bool | None = None) -> tuple[float, Event]:
    """The event whose certificate of the goal from `rows` outputs a side is expected to be largest.

    Parameters
    ----------
    z : float
        Normal quantile of the certificate's error probability.
    forward : bool, optional
        Only events of this direction.

    Returns
    -------
    (float, Event)
        The expected bound, charged for the choosing part's own error, and the event.
    """
    best = (-np.inf, Event(float(chain.thresholds[0]), True, forward is not False, 16))
    unit, cost = 1.0 / np.sqrt(chain.rows), z / np.sqrt(rows)
    for above in (True, False):
        smooth, raw = (x if above else 1.0 - x for x in (chain.smooth, chain.raw))
        spread = chain.spread[0 if above else 1]
        for way in (True, False) if forward is None else (forward,):
            order = [0, 1] if way else [1, 0]
            (p, q), (p_raw, q_raw) = smooth[order], raw[order]
            # A change of the smooth log-ratio moves p up and q down by one spread.
            doubt = spread * (1.0 / p + 1.0 / q) / np.sqrt((1.0 - p) / p + (1.0 - q) / q)
            charge = cost + np.hypot(SMOOTH_CHARGE * doubt, LEAST_CHARGE * unit)
            # What the smoothing promises may not exceed what the counts say.
            seen = goal.after(p_raw, np.minimum(q_raw + chain.unseen / chain.rows, 1.0), cost)
            guided = np.minimum(goal.after(p, q, charge), seen)
            careful = goal.after(p_raw, q_raw, cost + RAW_CHARGE * unit)
            for values, estimate in ((guided, (p, q)), (careful, (p_raw, q_raw))):
                k = int(np.argmax(values))
                if values[k] > best[0]:
                    first, second = goal.errors(estimate[0][k], np.maximum(estimate[1][k], TINY))
                    angle = best_angle(float(first), float(second))
                    best = (float(values[k]), Event(float(chain.thresholds[k]), above, way, angle))
    return best


def best_for_curve(chain: Chain, rows: int, z: float) -> tuple[Event, ...]:
    """Events for δ(ε) in both directions over the range of ε that the data speak of, without repeats."""
    top, main = best_event(chain, epsilon_goal(0.0), rows, z)
    found: dict[tuple[float, bool, bool], Event] = {}
    for epsilon in np.linspace(0.0, 1.2 * max(top, 0.0), CURVE_POINTS):
        goal = curve_goal(float(np.exp(min(epsilon, 500.0))))
        for forward in (True, False):
            value, event = best_event(chain, goal, rows, z, forward)
            if value > 0.0:
                found.setdefault((event.threshold, event.above, event.forward), event)
    return tuple(found.values()) or (main,)
