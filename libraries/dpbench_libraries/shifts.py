"""Several shifts at once: δ and ε of a product of Laplace and Gaussian pairs, each shifted by known amounts.

For independent noise of known scales whose centres move by known shifts the privacy loss is a sum of independent terms.
A Laplace coordinate moved by s scales has the loss s with probability 1/2, −s with probability e^{−s}/2, and between
them the distribution function P(L ≤ t) = e^{−(s−t)/2}/2; the Gaussian coordinates together have a normal loss of mean
μ²/2 and variance μ². At δ = 0 the ε is Σ s, or infinite where μ > 0. One Laplace coordinate, and μ alone, have a closed
form; any other product is enclosed. Each of k losses is rounded down to a grid of step h and the masses are convolved.
Of the rounded sum L' it is known that L' ≤ L ≤ L' + k h, and δ(ε) = E[(1 − e^{ε − L})₊] rises with the loss, so that

    δ'(ε) ≤ δ(ε) ≤ δ'(ε − k h).

Besides, the ε of a product is at least that of each factor, which is a post-processing of it, and at most the ε of the
Gaussian factor plus Σ s, by basic composition.

*Rounding.* A convolution of two laws by three FFTs of N points has an error of Euclidean norm at most about `FFT`
log₂(N) times the larger of the two norms (Higham 2002, Theorem 24.2: about 7 u log₂(N) for each transform), and so a
sum of absolute errors of at most √N times that; a convolution with a further law does not enlarge it. `MASS` covers the
errors of the distribution functions and the Gaussian tails, cut at 9 standard deviations, `GRID` the rounding of the
grid's points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import ndtr

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.privacy import gaussian, laplace
from dpbench.privacy.inversion import crossing

POINTS, MOST = 2**16, 2**20
"""Points of the grid of losses over the whole range: for each coordinate, and at most."""

FFT = 20.0 * 2.0**-53
"""Error of a convolution, relative to the larger norm and to log₂ of the points."""

MASS = 2.0**-48
"""Error of each coordinate's distribution function."""

GRID = 2.0**-40
"""Relative error of losses, as points of the grid."""

_REACH = 9.0  # standard deviations of the Gaussian loss that are kept


def epsilon_between(delta: float, shifts: Sequence[float], mu: float) -> tuple[float, float]:
    """Lower and upper bound on ε at `delta` of Laplace shifts (each in its scale) and a Gaussian shift of μ.

    The exact ε, the least at least 0 with δ(ε) ≤ `delta`, is between the two. They are neighbouring doubles, or one
    number, at δ = 0; for one Laplace shift alone, and for μ alone, their δ differ by a few `gaussian.ROUNDING` of
    itself; see the module for the rest.

    Parameters
    ----------
    delta : float
    shifts : sequence of float
        At least 0.
    mu : float
        At least 0.

    Examples
    --------
    >>> from dpbench_libraries.shifts import epsilon_between
    >>> epsilon_between(0.0, [1.0, 0.5], 0.0)
    (1.5, 1.5)
    >>> [round(e, 3) for e in epsilon_between(0.1, [1.0, 0.5], 0.0)]
    [1.098, 1.098]
    """
    delta = validation.delta(delta)
    moved = sorted(validation.real("shifts", s, at_least=0.0) for s in shifts if s != 0.0)
    mu = validation.real("mu", mu, at_least=0.0)
    if delta == 0.0:
        return (math.inf, math.inf) if mu > 0.0 else _sum(moved)
    if not moved:
        return _of_gaussian(delta, mu)
    largest = _of_laplace(delta, moved[-1])
    if len(moved) == 1 and mu == 0.0:
        return largest
    normal = _of_gaussian(delta, mu)
    low, high = _of_product(delta, moved, mu)
    return max(low, largest[0], normal[0]), min(high, math.nextafter(_sum(moved)[1] + normal[1], math.inf))


def _sum(shifts: Sequence[float]) -> tuple[float, float]:
    exact = sum(map(Fraction, shifts), Fraction(0))
    near = float(exact)
    low = near if near <= exact else math.nextafter(near, 0.0)
    return low, near if near >= exact else math.nextafter(near, math.inf)


def _of_gaussian(delta: float, mu: float) -> tuple[float, float]:
    if mu == 0.0:
        return 0.0, 0.0
    target = math.log(delta) + gaussian.ROUNDING
    return max(0.0, crossing(lambda e: gaussian.log_delta(e, mu) <= target)[0]), gaussian.epsilon(delta, mu)


def _of_laplace(delta: float, shift: float) -> tuple[float, float]:
    target = delta * (1.0 + 2.0 * gaussian.ROUNDING)
    return max(0.0, crossing(lambda e: laplace.delta(e, shift) <= target)[0]), laplace.epsilon(delta, shift)


def _of_product(delta: float, shifts: Sequence[float], mu: float) -> tuple[float, float]:
    """By the grid."""
    count = len(shifts) + (mu > 0.0)
    reach = 2.0 * math.fsum(shifts) + 2.0 * _REACH * mu
    step = reach / min(count * POINTS, MOST)
    losses, masses, wrong = _losses(shifts, mu, step)
    near = GRID * (reach + 0.5 * mu * mu)
    far = count * step + near
    return (
        max(0.0, crossing(lambda e: _delta(losses, masses, e + near) - wrong <= delta)[0]),
        crossing(lambda e: _delta(losses, masses, e - far) + wrong <= delta)[1],
    )


def _delta(losses: np.ndarray, masses: np.ndarray, epsilon: float) -> float:
    above = np.searchsorted(losses, epsilon, side="right")
    return float(-np.sum(masses[above:] * np.expm1(epsilon - losses[above:])))


def _losses(shifts: Sequence[float], mu: float, step: float) -> tuple[np.ndarray, np.ndarray, float]:
    """A grid of losses; masses of a law that lies below the true one, by less than a step for each coordinate; and
    the sum of their errors."""
    first, laws = 0, []
    for s in shifts:
        low = math.floor(-s / step)
        edges = step * np.arange(low, math.floor(s / step) + 1)
        # The distribution function below an edge; the two atoms are added behind.
        below = np.where(edges < -s, 0.0, 0.5 * np.exp(-0.5 * np.maximum(s - edges, 0.0)))
        one = np.diff(below, append=1.0)
        one[0] += below[0]
        first += low
        laws.append(one)
    if mu > 0.0:
        low = math.floor((0.5 * mu * mu - _REACH * mu) / step)
        edges = step * np.arange(low, low + math.ceil(2.0 * _REACH * mu / step) + 1)
        first += low
        laws.append(np.diff(ndtr((edges - 0.5 * mu * mu) / mu)))
    wrong = MASS * len(laws)
    while len(laws) > 1:  # by halves, so that the arrays are short where there are many
        pairs = list(zip(laws[::2], laws[1::2], strict=False))
        wrong += math.fsum(_convolution_error(one, other) for one, other in pairs)
        laws = [fftconvolve(one, other) for one, other in pairs] + laws[len(laws) // 2 * 2 :]
    return step * (first + np.arange(len(laws[0]))), np.maximum(laws[0], 0.0), wrong


def _convolution_error(one: np.ndarray, other: np.ndarray) -> float:
    """The sum of the absolute errors."""
    points = 2.0 * (len(one) + len(other))  # transforms are a little longer than the result
    with one_blas_thread():
        return FFT * math.log2(points) * math.sqrt(points) * max(float(np.linalg.norm(x)) for x in (one, other))
