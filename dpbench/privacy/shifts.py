"""Several shifts at once: δ and ε of a product of Laplace and Gaussian pairs, each shifted by known amounts.

For independent noise of known scales whose centres move by known shifts the privacy loss is a sum of independent terms.
A Laplace coordinate moved by s scales has the loss s with probability 1/2, −s with probability e^{−s}/2, and between
them the distribution function P(L ≤ t) = e^{−(s−t)/2}/2; the Gaussian coordinates together have a normal loss of mean
μ²/2 and variance μ². At δ = 0 the ε is Σ s, or infinite where μ > 0. One Laplace coordinate, and μ alone, have a closed
form; any other product is bounded from below: each loss is rounded down to a grid and masses are convolved, which can
only lower δ(ε) = E[(1 − e^{ε − L})₊].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import ndtr

from dpbench.core import validation
from dpbench.privacy import gaussian, laplace
from dpbench.privacy.inversion import crossing

POINTS = 2**14
"""Points of the grid of losses over the whole range."""

ROUNDING = 1e-11
"""Taken off δ for errors of rounding in the convolutions."""

_REACH = 9.0  # standard deviations of the Gaussian loss that are kept


def epsilon_lower(delta: float, shifts: Sequence[float], mu: float) -> float:
    """ε at `delta` of Laplace shifts (each in its scale) and a Gaussian shift of μ: exact, or bounded from below.

    Exact, to rounding, at δ = 0, for one Laplace shift alone, and for μ alone; see the module for the rest.

    Parameters
    ----------
    delta : float
    shifts : sequence of float
        At least 0.
    mu : float
        At least 0.
    """
    delta = validation.delta(delta)
    moved = sorted(validation.real("shifts", s, at_least=0.0) for s in shifts if s != 0.0)
    mu = validation.real("mu", mu, at_least=0.0)
    if delta == 0.0:
        return math.inf if mu > 0.0 else math.fsum(moved)
    if not moved:
        return gaussian.epsilon(delta, mu)
    if len(moved) == 1 and mu == 0.0:
        return laplace.epsilon(delta, moved[0])
    losses, masses = _losses(moved, mu)
    return max(0.0, crossing(lambda e: _delta(losses, masses, e) <= delta)[0])


def _delta(losses: np.ndarray, masses: np.ndarray, epsilon: float) -> float:
    above = losses > epsilon
    return float(-np.sum(masses[above] * np.expm1(epsilon - losses[above]))) - ROUNDING


def _losses(shifts: Sequence[float], mu: float) -> tuple[np.ndarray, np.ndarray]:
    """A grid of losses, and masses of a law that lies below the true one."""
    reach = 2.0 * math.fsum(shifts) + 2.0 * _REACH * mu
    step = reach / POINTS
    first, masses = 0, np.ones(1)
    for s in shifts:
        low = math.floor(-s / step)
        edges = step * np.arange(low, math.floor(s / step) + 1)
        # The distribution function below an edge; the two atoms are added behind.
        below = np.where(edges < -s, 0.0, 0.5 * np.exp(-0.5 * np.maximum(s - edges, 0.0)))
        one = np.diff(below, append=1.0)
        one[0] += below[0]
        first, masses = first + low, fftconvolve(masses, one)
    if mu > 0.0:
        low = math.floor((0.5 * mu * mu - _REACH * mu) / step)
        edges = step * np.arange(low, low + math.ceil(2.0 * _REACH * mu / step) + 1)
        upper = ndtr((edges - 0.5 * mu * mu) / mu)
        first, masses = first + low, fftconvolve(masses, np.diff(upper))
    return step * (first + np.arange(len(masses))), np.maximum(masses, 0.0)
