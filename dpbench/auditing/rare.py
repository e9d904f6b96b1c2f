"""The value of an event seen a few times: its mean certificate over the probabilities that its counts leave possible.

The charges in `events` keep lucky counts from being chosen among many candidates, and leave nothing of an event that
was seen three times on one side and never on the other; often there is nothing else to certify. Here the two
probabilities are drawn from their posterior (Jeffreys' prior, on the square-root scale), the frequencies of the
certifying part around them, and the certificates averaged, none below 0. How far that is believed is a matter of the
counts too: the Bayes factor of "the event is informative by itself" (its share of the data set uniform on [0, 1])
against the share that the smooth fit has. Along nested tails that factor is a martingale if the fit is right, so that
it exceeds c anywhere in a tail with probability at most 1/c (Ville). Nothing here affects validity.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, expit, logit

from dpbench.auditing.goals import Goal, moved

FEW = 100  # counts of both sides together, up to which an event is looked at here
PRIOR = 0.2  # probability that an event of a chain is informative by itself, shared by its thresholds,
LEAST_PRIOR = 0.01  # and of one event, at least
NEXT = 1.0  # counts added on the rare side: what a normal approximation leaves out of Clopper and Pearson's limit

_NODES = 3.0**0.5 * np.array([-1.0, 0.0, 1.0])  # of the Gauss–Hermite quadrature
_WEIGHTS = np.array([1.0, 4.0, 1.0]) / 6.0


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
