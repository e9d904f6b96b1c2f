"""δ of a product of shifted Laplace and Gaussian coordinates, by integrals over the privacy losses, one in another."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from scipy.integrate import quad
from scipy.special import ndtr


def delta(epsilon: float, shifts: Sequence[float], mu: float) -> float:
    """E[(1 − e^{ε − L})₊] of the loss L = Σ L_j + G, with a relative error of about 1e-10.

    L_j is s with probability 1/2, −s with probability e^{−s}/2 and has the density e^{−(s−t)/2}/4 between them; G is
    normal with mean μ²/2 and variance μ².
    """
    if not shifts:
        if mu == 0.0:
            return -math.expm1(min(epsilon, 0.0))
        return float(ndtr(mu / 2.0 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2.0 - epsilon / mu))
    s, *rest = shifts
    # As a function of t the integrand has kinks where all other losses are at an end.
    ends = [math.fsum(one) for one in itertools.product(*((-r, r) for r in rest))] if mu == 0.0 else []
    cuts = sorted({-s, s, *(epsilon - end for end in ends if -s < epsilon - end < s)})

    def weighed(t: float) -> float:
        return math.exp((t - s) / 2.0) / 4.0 * delta(epsilon - t, rest, mu)

    inner = sum(quad(weighed, *piece, epsabs=0.0, epsrel=1e-11)[0] for piece in itertools.pairwise(cuts))
    atoms = delta(epsilon - s, rest, mu) / 2.0 + math.exp(-s) / 2.0 * delta(epsilon + s, rest, mu)
    return atoms + inner
