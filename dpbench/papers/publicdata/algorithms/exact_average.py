"""Algorithm 2 in exact arithmetic: its stability where ω and the oracle are what a computer makes of them.

`theory.one_call_stability` is for a continuous ω and exact minimisers; a minimiser of a non-convex class may be far
from one that is nearly as good. Let Φ(ξ) = min_f L(f) + a⟨ξ, f(Z)⟩, a = η/√m, concave, and let f_γ be within γ of the
minimum at ξ, p = a·f_γ(Z). For every r > 0, p_j and ∂_jΦ(ξ) both lie between (Φ(ξ + re_j) − Φ(ξ) − γ)/r and
(Φ(ξ) − Φ(ξ − re_j) + γ)/r, so they differ by at most 2γ/r + (2Φ(ξ) − Φ(ξ + re_j) − Φ(ξ − re_j))/r. For ξ_j ~ N(0, 1)
the second derivative of s ↦ EΦ(ξ + se_j) is E ∂_jΦ(ξ + se_j)ξ_j, at most a√(2/π) in absolute value, so that
E|p_j − ∂_jΦ| ≤ 2γ/r + ra√(2/π), least 2√(2γa√(2/π)). Divided by a, and as values differ by at most 2,

    E‖f_γ − f̄‖²_m ≤ 4√(2√(2/π)·γ√m/η) = B,

and by Minkowski's inequality E‖f_γ − f'_γ‖²_m ≤ (√A + 2√B)², A that of `one_call_stability`, for the data set and its
neighbour each. J calls are averaged as in `theory.averaged_stability`.

Neither ω nor the grid of the noise depends on n, and objectives over n and n + 1 records differ by 1/n at most: the
same holds for a record added or removed, B being the larger of the two sides'.

γ counts, twice each, what ξ is rounded by, a sum of n losses and m products in floating point, and an iterative
oracle's gap. ξ is the sum of a discrete Gaussian on a grid of 2⁻²⁸ and a rounded one of standard deviation 8·2⁻²⁸ on a
grid of 2⁻⁵³. By Poisson summation a discrete Gaussian plus N(0, s²) is normal up to a factor of 1 ± 3·exp(−2π²s²/g²·
(1 − s²)), g its grid: with s = 8g that is below 1e-500. So ξ is within 2⁻⁵⁰ of a normal vector, up to the distance of
the rounded Gaussian in each coordinate, which δ pays for.
"""

from __future__ import annotations

import math

import numpy as np

from dpbench.core.bits import Source
from dpbench.papers.publicdata import theory
from dpbench.privacy import integer_noise

_EPS = float(np.finfo(float).eps)
_COARSE = 2.0**-28
_FINE = 8.0 * _COARSE
_LARGEST = 40.0
"""No coordinate of ξ is larger: the sampler's tables end at 16 standard deviations."""


def normals(source: Source, shape: tuple[int, ...]) -> np.ndarray:
    """ξ: independent N(0, 1), within 2⁻⁵⁰ each and 2·`distance` in total variation."""
    size = math.prod(shape)
    coarse = integer_noise.gaussian(source, math.sqrt(1.0 - _FINE * _FINE) / _COARSE, size)
    grid = integer_noise.gaussian_grid(_FINE)
    fine = integer_noise.gaussian(source, grid.sigma, size)
    return np.asarray(coarse * _COARSE + fine * grid.spacing).reshape(shape)


def distance(m: int, calls: int) -> float:
    """Total variation distance of all ξ of a run from normal variables that are rounded."""
    return calls * m * 2.0 * integer_noise.distance_from_rounded(2.0**integer_noise.SIGMA_BITS)


def oracle_gap(n: int, m: int, eta: float, iteration: float) -> float:
    """γ: by how much what an oracle returns may miss the minimum at a normal ξ; `iteration` is its own gap."""
    rounded = eta * math.sqrt(m) * 2.0**-50
    sums = (n + m + 16.0) * _EPS * (2.0 + eta * math.sqrt(m) * _LARGEST)
    return 2.0 * (rounded + sums) + iteration


def computed_stability(n: int, m: int, eta: float, complexity: float, calls: int, failure: float, gap: float) -> float:
    """ρ with P(‖f̄ − f̄'‖_m > ρ) ≤ `failure` for what is computed (module docstring); at most 2."""
    lost = 4.0 * math.sqrt(2.0 * math.sqrt(2.0 / math.pi) * gap * math.sqrt(m) / eta)
    mean = (math.sqrt(theory.one_call_stability(n, eta, complexity)) + 2.0 * math.sqrt(lost)) ** 2
    averaging = 2.0 * _EPS * calls
    return min(theory.DIAMETER, theory.mean_stability(mean, calls, failure) + averaging)


def perturbed(centres: np.ndarray, gamma: float, source: Source, width: int) -> np.ndarray:
    """Values on Z of `width` runs, the first rows of which have `centres`: multiples of the grid."""
    grid = integer_noise.gaussian_grid(gamma)
    rows, m = centres.shape
    draws = integer_noise.gaussian(source, grid.sigma, width * m).reshape(width, m)[:rows]
    return np.asarray((integer_noise.to_grid(centres, grid.spacing, 1.0) + draws) * grid.spacing)
