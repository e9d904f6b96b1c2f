"""Candidate events {score ≥ t} and {score < t}: which of them to certify, from scores of the choosing part.

Picking the threshold with the largest estimated bound picks lucky counts (the winner's curse: half the true ε
is lost on Gaussian noise). So probabilities are estimated smoothly (`chains`); every candidate is charged
for the posterior error of that estimate, and may promise no more than its raw counts say with some more on the
rare side, or than those counts charged in full.

The charges keep lucky counts from being chosen among many candidates, and leave nothing of an event that
was seen three times on one side and never on the other; often there is nothing else to certify. There the two
probabilities are drawn from their posterior (Jeffreys' prior, on the square-root scale), the frequencies of the
certifying part around them, and the certificates averaged, none below 0. How far that is believed is a matter of the
counts too: the Bayes factor of "the event is informative by itself" (its share of the data set uniform on [0, 1])
against the share that the smooth fit has. Along nested tails that factor is a martingale if the fit is right, so that
it exceeds c anywhere in a tail with probability at most 1/c (Ville). Nothing here affects validity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, expit, logit

from dpbench.auditing.chains import Chain
from dpbench.auditing.goals import Goal, curve_goal, epsilon_goal, moved
from dpbench.bounds import best_angle

# The charges were set by trials on both zoos, on seeds from 1000 on, ADDED on pairs of Poisson counts, and the
# constants of events seen a few times on mechanisms of neither zoo (logistic, Gumbel, Poisson, memorised). They have no
# derivation.
SMOOTH_CHARGE = 2.0  # posterior deviations charged to a smoothed estimate,
ATOMS_CHARGE = 4.0  # or to one of few values: no neighbour lends it strength
LEAST_CHARGE = 1.2  # standard errors of the choosing part charged to it besides,
LEARNED_CHARGE = 1.0  # or, to a trusted learned log-ratio, this many of its error, where counts do not tell better
RAW_CHARGE = 4.0  # standard errors charged to a raw estimate
LIGHT = 0.25  # of these charges are charged to a light promise,
TRUST = 0.15  # which has this weight beside the fully charged one, neither counted below 0
UNSEEN = 4.0  # counts that the rare side is given more than seen
ADDED = 3.0  # and that it is given for its standard error at the limit, where the weights matter (`best_angle`)
CURVE_POINTS = 12  # values of ε at which the curve's events are chosen

FEW = 100  # counts of both sides together, up to which an event is looked at here
PRIOR = 0.2  # probability that an event of a chain is informative by itself, shared by its thresholds,
LEAST_PRIOR = 0.01  # and of one event, at least
NEXT = 1.0  # counts added on the rare side: what a normal approximation leaves out of Clopper and Pearson's limit

_NODES = 3.0**0.5 * np.array([-1.0, 0.0, 1.0])  # of the Gauss–Hermite quadrature
_WEIGHTS = np.array([1.0, 4.0, 1.0]) / 6.0


@dataclass(frozen=True)
class Event:
    """{score ≥ threshold} (`above`) or its complement; `forward`: more likely on the data set. `arm`: which score."""

    threshold: float
    above: bool
    forward: bool
    angle: int
    arm: int = 0


def best_event(chain: Chain, goal: Goal, rows: int, z: float) -> tuple[float, Event]:
    """The event whose certificate of the goal from `rows` outputs a side is expected to be largest.

    Parameters
    ----------
    z : float
        Normal quantile of the certificate's error probability.

    Returns
    -------
    (float, Event)
        The expected bound, charged for the choosing part's own error, and the event.
    """
    ways = (best_events(chain, goal, rows, z, way)[0] for way in (True, False))
    return max(ways, key=lambda pair: pair[0])


def best_events(
    chain: Chain, goal: Goal, rows: int, z: float, forward: bool, looks: int = 1
) -> list[tuple[float, Event]]:
    """`best_event` among those of one direction, for each row of the goal's values.

    Parameters
    ----------
    looks : int
        Chains among which the most is made of events seen a few times; 0: their promise is not looked at.
    """
    promised = _promised(chain, goal, rows, z, forward, looks)
    values = np.stack([np.atleast_2d(one.values) for one in promised], axis=1)
    best = []
    for row, flat in enumerate(values.reshape(len(values), -1)):
        kind, k = divmod(int(np.argmax(flat)), values.shape[2])
        one = promised[kind]
        first, second = goal.errors(one.p[k], np.minimum(one.q[k] + ADDED / rows, 1.0))
        angle = best_angle(float(np.ravel(first)[0]), float(np.ravel(second)[row if np.size(second) > 1 else 0]))
        event = Event(float(chain.thresholds[k]), one.above, forward, angle)
        best.append((float(flat[kind * values.shape[2] + k]), event))
    return best


@dataclass(frozen=True)
class _Promised:
    """What the events of one kind of estimate promise, and their probabilities."""

    values: np.ndarray
    p: np.ndarray
    q: np.ndarray
    above: bool


def _promised(chain: Chain, goal: Goal, rows: int, z: float, forward: bool, looks: int) -> list[_Promised]:
    found = []
    unit, cost = 1.0 / np.sqrt(chain.rows), z / np.sqrt(rows)
    order = [0, 1] if forward else [1, 0]
    doubts = ATOMS_CHARGE if chain.atoms else SMOOTH_CHARGE
    for above in (True, False):
        (p, q), (p_raw, q_raw) = ((x if above else 1.0 - x)[order] for x in (chain.smooth, chain.raw))
        # A change of the smooth log-ratio moves p up and q down by one spread.
        side = 0 if above else 1
        spread = chain.spread[side]
        scale = np.sqrt((1.0 - p) / p + (1.0 - q) / q)
        doubt = spread * (1.0 / p + 1.0 / q) / scale
        least = LEAST_CHARGE * unit if chain.error is None else _left_open(chain.error[side], unit, scale)
        charge = np.hypot(doubts * doubt, least)
        # What the smoothing promises may not exceed what the counts say.
        seen = goal.after(p_raw, np.minimum(q_raw + UNSEEN / chain.rows, 1.0), cost)
        light = np.minimum(goal.after(p, q, cost + LIGHT * charge), goal.after(p_raw, q_raw, cost))
        full = np.minimum(goal.after(p, q, cost + charge), seen)
        found.append(_Promised(_mixed(full, light), p, q, above))
        light = goal.after(p_raw, q_raw, cost + LIGHT * RAW_CHARGE * unit)
        full = goal.after(p_raw, q_raw, cost + RAW_CHARGE * unit)
        found.append(_Promised(_mixed(full, light), p_raw, q_raw, above))
        if looks:
            few = _of_few_counts(chain, goal, rows, z, p / (p + q), (p_raw, q_raw), full, looks)
            found.append(_Promised(*few, above))
    return found


def _mixed(full: np.ndarray, light: np.ndarray) -> np.ndarray:
    """Weighted mean of the two promises, neither below 0; where both are, the fully charged one keeps the order."""
    value = (1.0 - TRUST) * np.maximum(full, 0.0) + TRUST * np.maximum(light, 0.0)
    return np.where(value > 0.0, value, np.minimum(full, 0.0))


def _of_few_counts(
    chain: Chain,
    goal: Goal,
    rows: int,
    z: float,
    share: np.ndarray,
    raw: tuple[np.ndarray, np.ndarray],
    full: np.ndarray,
    looks: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The promise of the events that were seen a few times (−∞ of the others), and their probabilities."""
    first, second = (np.maximum(x * (chain.rows + 2.0) - 1.0, 0.0) for x in raw)
    few = np.flatnonzero(first + second <= FEW)
    first, second = first[few], second[few]
    believed = weight(first, second, share[few], len(share), looks)
    mean, *at = mean_certificate(goal, first, second, chain.rows, rows, z)
    value, p, q = np.full(len(share), -np.inf), raw[0].copy(), raw[1].copy()
    promised = believed * mean + (1.0 - believed) * np.maximum(full[few], 0.0)
    value[few] = np.where(first + second < 0.5, -np.inf, promised)  # an event of no mass shows nothing
    p[few], q[few] = at
    return value, p, q


def _left_open(error: np.ndarray, unit: float, scale: np.ndarray) -> np.ndarray:
    """The charge for a learned log-ratio: its error, as far as the counts are not more precise."""
    return LEARNED_CHARGE * unit * error / np.hypot(error, unit * scale)


def weight(first: np.ndarray, second: np.ndarray, share: np.ndarray, thresholds: int, looks: int = 1) -> np.ndarray:
    """Posterior probability that each event of a chain is informative by itself.

    Parameters
    ----------
    first, second : float64[m]
        Its counts on the side where it is supposed likelier, and on the other.
    share : float64[m]
        Of the first side in its counts, by the smooth fit.
    thresholds : int
        Of the chain.
    looks : int
        Chains of which the most is made, which share the prior probability.
    """
    prior = max(PRIOR / (thresholds + 1.0), LEAST_PRIOR) / looks
    share = np.clip(share, 1e-6, 1.0 - 1e-6)
    log_factor = betaln(first + 1.0, second + 1.0) - first * np.log(share) - second * np.log1p(-share)
    return np.asarray(expit(logit(prior) + log_factor))


def mean_certificate(
    goal: Goal, first: np.ndarray, second: np.ndarray, chosen: int, rows: int, z: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of the certified value, none below 0, and the two probabilities that it is expected at.

    Parameters
    ----------
    goal : Goal
    first, second : float64[m]
        Counts in the choosing part.
    chosen, rows : int
        Outputs a side in the choosing part, and in the certifying one.
    z : float
        Normal quantile of the certificate's error probability.
    """
    p, q = ((x + 0.5) / (chosen + 1.0) for x in (first, second))
    spread, cost = np.sqrt(1.0 / chosen + 1.0 / rows), z / np.sqrt(rows)
    up, down = (spread * x[:, None] for x in (np.repeat(_NODES, 3), np.tile(_NODES, 3)))
    values = goal.after(moved(p, up), np.minimum(moved(q, down) + NEXT / rows, 1.0), cost)
    return np.asarray(np.outer(_WEIGHTS, _WEIGHTS).ravel() @ np.maximum(values, 0.0)), p, q


def best_for_curve(chain: Chain, rows: int, z: float) -> tuple[Event, ...]:
    """Events for δ(ε) in both directions over the range of ε that the data support, without repeats."""
    top, main = best_event(chain, epsilon_goal(0.0), rows, z)
    ratios = np.exp(np.minimum(np.linspace(0.0, 1.2 * max(top, 0.0), CURVE_POINTS), 500.0))
    found: dict[tuple[float, bool, bool], Event] = {}
    goal = curve_goal(ratios[:, None])
    ways = [best_events(chain, goal, rows, z, forward, looks=0) for forward in (True, False)]
    for pair in zip(*ways, strict=True):
        for value, event in pair:
            if value > 0.0:
                found.setdefault((event.threshold, event.above, event.forward), event)
    return tuple(found.values()) or (main,)
