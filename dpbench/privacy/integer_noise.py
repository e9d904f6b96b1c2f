"""Noise from integers: the discrete Laplace law, and the Gaussian law rounded to a grid, from random words.

*Discrete Laplace*: exactly that law (`integer_laplace`). A shift by k of the scale t costs k/t, as for the continuous
one (Canonne, Kamath & Steinke 2020).

*Rounded Gaussian*: an integer centre plus round(N(0, σ²)), σ in units of the grid, is the rounded output of the
Gaussian mechanism: post-processing, so that the Gaussian profile holds for every shift and in every dimension. What is
drawn is the discrete Gaussian, p_k ∝ exp(−k²/(2σ²)), which is that close to it: with φ the normal density of variance
σ², the midpoint rule gives |∫_{k−½}^{k+½} φ − φ(k)| ≤ sup|φ″|/24 over the cell; these suprema add up to at most
∫|φ″| + ∫|φ‴| ≤ 0.968/σ² + 1.52/σ³; and Σφ(k) − 1 is below 3·exp(−2π²σ²) by Poisson summation. So the total
variation distance is at most (0.968/σ² + 1.52/σ³)/48 + 3·exp(−2π²σ²), which is at most 1/(48σ²) for σ ≥ 48: 2.9e-19 at
the σ ≥ 2²⁸ in use. d draws at a distance η each change δ(ε) by at most (1 + e^ε)·d·η (`blurred`): P' ≤ P + dη on every
event, for both data sets.

The draws are exact up to the tail beyond 2³³ ≥ 16σ, of mass below 1e-56: floating point proposes a decision only where
it is far from the threshold, and rational arithmetic takes the others (`_decide`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.privacy import _integer_kernels as kernels
from dpbench.privacy import gaussian as gaussian_law
from dpbench.privacy.exact_coins import Envelope, accepts, drawn, envelope
from dpbench.privacy.profile import Profile

SIGMA_BITS = 28
"""A Gaussian's σ is 2²⁸ to 2²⁹ steps of its grid."""

BLOCK_BITS = 21

_TAIL = 1e-50


def gaussian(source: Source, sigma: float, count: int) -> np.ndarray:
    """`count` draws of the discrete Gaussian with parameter σ > 0 in steps of the grid, int64."""
    table = gaussian_table(float(sigma))
    return drawn(
        kernels.discrete_gaussian, (table.parameter, BLOCK_BITS), table, source, count,
        words=lambda left: 2 * left + left // 16 + 16, decide=_decide,
    )  # fmt: skip


@lru_cache(maxsize=64)
def gaussian_table(sigma: float) -> Envelope:
    """The envelope of exp(−z²/(2σ²)); refused where 4,096 blocks do not reach 16σ."""
    columns, width = 1 << kernels.COLUMNS, 1 << BLOCK_BITS
    sigma = validation.real("sigma", sigma, above=0.0)
    if not 16.0 * sigma <= columns * width:
        raise validation.invalid("sigma", f"at most {columns * width / 16.0:g}", sigma)
    left = np.arange(columns) * (float(width) / sigma)
    last = (np.arange(columns) * float(width) + (width - 1.0)) / sigma
    above = np.exp(-0.5 * left * left) * (1.0 + 1e-9)
    return envelope(sigma, BLOCK_BITS, above, np.exp(-0.5 * last * last))


def _decide(table: Envelope, z: int, block: int, coin: int, source: Source) -> int | None:
    """z where a coin with these leading bits, and as many more words as it takes, is below the chance of acceptance."""
    exponent = Fraction(z * z) / (2 * Fraction(table.parameter) ** 2)
    return z if accepts(Fraction(table.unit, table.weights[block]), exponent, coin, source) else None


def distance_from_rounded(sigma: float) -> float:
    """Total variation distance of one draw from round(N(0, σ²)), as proved for σ ≥ 48 (module docstring)."""
    if not sigma >= 48.0:
        raise validation.invalid("sigma", "at least 48 steps of the grid", sigma)
    return 1.0 / (48.0 * sigma * sigma) + _TAIL


@dataclass(frozen=True)
class Grid:
    """Multiples of `spacing`, a power of two, and σ in steps of it; `sigma`·`spacing` is the standard deviation."""

    spacing: float
    sigma: float


def gaussian_grid(deviation: float) -> Grid:
    """The grid of a Gaussian with this standard deviation > 0: exact, for the spacing is a power of two."""
    mantissa, exponent = math.frexp(validation.real("deviation", deviation, above=0.0))
    return Grid(math.ldexp(1.0, exponent - SIGMA_BITS - 1), math.ldexp(mantissa, SIGMA_BITS + 1))


def gaussian_deviation(sensitivity: float, slack: float, draws: int, epsilon: float, delta: float) -> float:
    """A σ whose rounded noise is (ε, δ)-DP for integer centres that a record moves by `sensitivity` + `slack` steps.

    `draws` is the number of variables drawn, whose distance from the rounded Gaussian comes off δ. A step is at most
    2⁻²⁸σ, so σ ≥ s/(μ − slack·2⁻²⁸) is enough, μ that of (ε, δ less the distance).
    """
    room = delta - (1.0 + math.exp(min(epsilon, 700.0))) * draws * distance_from_rounded(2.0**SIGMA_BITS)
    if not room > 0.0:
        raise validation.invalid("delta", "larger, or epsilon smaller, where arithmetic is 'exact'", delta)
    shift = gaussian_mu(epsilon, room * (1.0 - 1e-9)) - slack * 2.0**-SIGMA_BITS
    if not shift > 0.0:
        raise validation.invalid("epsilon", "larger where arithmetic is 'exact'", epsilon)
    return sensitivity / shift * (1.0 + 1e-12)


gaussian_mu = lru_cache(maxsize=4096)(gaussian_law.mu)
"""μ(ε, δ), remembered: it is asked for once a block."""


def to_grid(values: np.ndarray, spacing: float, bound: float) -> np.ndarray:
    """Each value rounded to a multiple of `spacing`, as its int64 number; clamped to ±bound; NaN is 0.

    The clamp is in integers, ⌈bound/spacing⌉, and does not trust what came before it.
    """
    limit = math.ceil(bound / spacing)
    if limit >= 2**62:
        raise validation.invalid("bound", f"below {2.0**62:.3g} steps of the grid", bound)
    steps = np.nan_to_num(np.asarray(values, dtype=np.float64) / spacing, nan=0.0)
    integers = np.clip(np.rint(steps), -(2.0**62), 2.0**62).astype(np.int64)
    return np.clip(integers, -limit, limit)


def blurred(profile: Profile, distance: float) -> Profile:
    """The profile where each output law is within total variation `distance` of that of `profile`: δ + (1 + e^ε)·η."""
    distance = validation.real("distance", distance, at_least=0.0)
    because = f"{profile.why}; each law drawn is within {distance:.1e} of it in total variation"
    delta_of = partial(_blurred_delta, profile=profile, distance=distance)
    return Profile("upper", because, delta_of, None, profile.neighbours, law=("blurred", profile.law, distance))


def _blurred_delta(epsilon: float, profile: Profile, distance: float) -> float:
    room = distance * (1.0 + math.exp(min(epsilon, 700.0)))
    return min(1.0, profile.delta(epsilon) + room * (1.0 + 1e-12))
