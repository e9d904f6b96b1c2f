"""How the level is divided between the best event and a second one.

Events of different directions, or of different scores, cannot be merged. Where two of them promise about as much, as
under noise that is symmetric or where two scores are nearly as good, the larger of two bounds at half the level each is
better on average than one bound at the whole level; where one promises clearly more, it should have nearly all of it.
The share with the largest mean of the larger bound is taken, both bounds taken for jointly normal (Clark 1961), with
the correlation that the choosing part shows. Nothing here affects validity: the two levels sum to what there is.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

SHARES = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
"""Of the level, for the second event."""


def divided(
    promises: tuple[float, float], errors: tuple[float, float], correlated: float, inflation: float, alpha: float
) -> tuple[float, float]:
    """The largest mean of the larger of two bounds, and the share of the second event there.

    Parameters
    ----------
    promises : (float, float)
        The two bounds that are expected, each at the whole level.
    errors : (float, float)
        Standard errors of the two bounds, of the certifying part's counts.
    correlated : float
        Their correlation.
    inflation : float
        Variance of a bound beside its promise, over that of the certifying part: what the choosing part leaves open.
    alpha : float
        The level to be divided.
    """
    # An event of few counts has a large error, but not as large a chance to say more than the other.
    spread = min(errors) * math.sqrt(max(2.0 * inflation * (1.0 - correlated), 1e-12))
    one, two = (
        promise + (ndtri(alpha * part) - ndtri(alpha)) * error
        for promise, part, error in zip(promises, (1.0 - SHARES, SHARES), errors, strict=True)
    )
    apart = (one - two) / spread
    mean = two + (one - two) * ndtr(apart) + spread * np.exp(-0.5 * apart * apart) / math.sqrt(2.0 * math.pi)
    place = int(np.argmax(mean))
    return float(mean[place]), float(SHARES[place])


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Of two events, from the outputs that are in each; 0 where one has none or all of them."""
    p, q = float(np.mean(one)), float(np.mean(other))
    scale = math.sqrt(p * (1.0 - p) * q * (1.0 - q))
    return (float(np.mean(one & other)) - p * q) / scale if scale > 0.0 else 0.0
