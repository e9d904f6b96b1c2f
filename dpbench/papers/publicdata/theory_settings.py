"""Settings that the theorems of the public-data paper prescribe, as printed; every Θ, O, Ω and their logarithms are 1.

ε, δ: privacy. α, β: excess risk and failure probability. d: G²_m(F) or the VC dimension. σ: smoothness. λ: Lipschitz
constant of the loss.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Sizes(NamedTuple):
    """m and n: all that Algorithm 4 asks for. Real numbers here and below: round up to use them."""

    m: float
    n: float


class Perturbed(NamedTuple):
    """γ, η, m and n of Algorithm 3."""

    gamma: float
    eta: float
    m: float
    n: float


class Averaged(NamedTuple):
    """γ, η, m, J and n of Algorithm 2."""

    gamma: float
    eta: float
    m: float
    calls: float
    n: float


def _public_points(alpha: float, beta: float, d: float, sigma: float, lam: float) -> float:
    """m of (127), (130) and (132)."""
    return max(d, math.log(1.0 / beta)) * lam**2 / (sigma * alpha) ** 2


def theorem6(epsilon: float, delta: float, alpha: float, beta: float, d: float, sigma: float, lam: float) -> Averaged:
    """Algorithm 2, (127) to (129); the detailed form of Theorem 2."""
    b, c = math.log(1.0 / beta), math.log(1.0 / delta)
    calls = max(
        d * b / alpha**2,
        lam**8 * d**2 * b**4 * c / (sigma**8 * alpha**8 * epsilon**2),
        d**2 * lam**6 * b**3 * c**2 / (sigma**6 * alpha**6 * epsilon**2),
    )
    n = max(
        lam**12 * d**5 * b**6 / (sigma**12 * epsilon**3 * alpha**14),
        d**5 * lam**9 * b**4.5 * c**1.5 / (sigma**9 * epsilon**3 * alpha**10),
    )
    gamma = sigma * alpha / (lam * math.sqrt(b))
    return Averaged(gamma, alpha / math.sqrt(d), _public_points(alpha, beta, d, sigma, lam), calls, n)


def theorem7(epsilon: float, delta: float, alpha: float, beta: float, d: float, sigma: float, lam: float) -> Perturbed:
    """Algorithm 3: (130) and (131), or for δ = 0 with Laplace noise (132) and (133); the detailed form of Theorem 3."""
    b = math.log(1.0 / beta)
    m = _public_points(alpha, beta, d, sigma, lam)
    if delta == 0.0:
        gamma = alpha**2 * sigma / (lam**2 * min(d * math.sqrt(b), b))
        n = lam**6 / (sigma**5 * epsilon * alpha**6) * max(d**2 * math.sqrt(b), b**2.5)
        return Perturbed(gamma, alpha, m, n)
    c = math.log(1.0 / delta)
    n = max(
        lam**5 * d * b**2 / (epsilon * sigma**4 * alpha**5),
        lam**4 * d * b**1.5 * math.sqrt(c) / (epsilon * sigma**3 * alpha**4),
    )
    return Perturbed(sigma * alpha / (lam * math.sqrt(b)), alpha, m, n)


def theorem10(epsilon: float, alpha: float, beta: float, d: float, sigma: float) -> Sizes:
    """Algorithm 4 with Laplace weights on agnostic data: m, and n = d²·log(1/β)/(α⁵σ⁴ε)."""
    b = math.log(1.0 / beta)
    n = d**2 * b / (alpha**5 * sigma**4 * epsilon)
    return Sizes((d + b) / (alpha * sigma) ** 2, n)


def theorem4_records(
    epsilon: float, delta: float, alpha: float, beta: float, d: float, *, realizable: bool = False
) -> float:
    """n of Algorithm 4 at σ = 1: (20) for δ = 0, (21) else; with `realizable`, of Remark 1."""
    power = {(False, False): 4.0, (False, True): 5.0, (True, False): 2.5, (True, True): 3.0}[realizable, delta == 0.0]
    tail = 1.0 if delta == 0.0 else math.sqrt(math.log(1.0 / delta))
    return d**2 * tail * math.log(1.0 / beta) / (epsilon * alpha**power)
