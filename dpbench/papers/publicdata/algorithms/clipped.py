"""Two Gaussians of one standard deviation, cut to [−1, 1]: Perturb on the class of constants."""

from __future__ import annotations

import math
from functools import partial

from scipy.special import log_ndtr

from dpbench.privacy import gaussian
from dpbench.privacy.profile import Profile


def clipped_gaussians(first: float, second: float, scale: float) -> Profile:
    """Exact profile of clip(N(`first`, `scale`²)) and clip(N(`second`, `scale`²)), clip to [−1, 1], `scale` > 0.

    The likelihood ratio is monotone in the output, so the best events are {output ≥ t}: those of the uncut pair,
    with its t moved into [−1, 1]. The atoms at the ends keep δ below that of the uncut pair.
    """
    why = "two Gaussians of one standard deviation cut to [-1, 1]: the best events are half-lines"
    low, high = min(first, second), max(first, second)
    law = ("clipped gaussian", low, high, scale)
    return Profile("exact", why, partial(_delta, low=low, high=high, scale=scale), law=law)


def _delta(epsilon: float, low: float, high: float, scale: float) -> float:
    if low == high:
        return 0.0
    return max(_one_way(epsilon, low, high, scale), _one_way(epsilon, -high, -low, scale))


def _one_way(epsilon: float, low: float, high: float, scale: float) -> float:
    """max over t of P(high ≥ t) − e^ε·P(low ≥ t)."""
    best = 0.5 * (low + high) + epsilon * scale * scale / (high - low)
    if -1.0 <= best <= 1.0:
        return gaussian.delta(epsilon, (high - low) / scale)
    at = min(max(best, -1.0), 1.0)
    upper, lower = (float(log_ndtr((centre - at) / scale)) for centre in (high, low))
    return math.exp(upper) * max(0.0, -math.expm1(min(0.0, epsilon + lower - upper)))
