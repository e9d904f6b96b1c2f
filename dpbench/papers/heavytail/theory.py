"""Parameter formulas and ceilings of the heavy-tailed paper, as printed and corrected.

Symbols: n records in d dimensions, Δ = ``diameter``, ζ = ``net_radius``, η = ``failure``, N = ``net_size``
(its logarithm, bounded by `covering_bound`), θ, τ and ``moment`` as in `HeavyTailedProblem`; Algorithm 1
and Theorem 1 are θ = 2. Constants that the paper leaves in O(·) are 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple


def covering_bound(dimension: int, diameter: float, net_radius: float) -> float:
    """log((3Δ/ζ)^d): Lemma 2's bound on log N, which needs ζ ≤ Δ."""
    return dimension * math.log(3.0 * diameter / net_radius)


def log_records(n: int) -> float:
    """log n; 1 for n < 3, where log n would make ι vanish or nearly so."""
    return max(1.0, math.log(n))


def truncation(
    n: int,
    dimension: int,
    epsilon: float,
    failure: float,
    *,
    theta: float,
    tau: float,
    moment: str,
    diameter: float,
    printed: bool = False,
) -> float:
    """ι of Theorems 1 and 2 at ζ = 1/n.

    Corrected: (1/(τΔ))·(s·log n·log(1/η)/(nε))^{1/θ} with s = d under a moment of the norm and 1 under moments
    of the coordinates: the balance of equation 27, with its units. Printed: without Δ; under Assumption 3
    log(1/ζ) stands for log n·log(1/η) (ζ being the failure probability there), and under Assumption 4 the
    exponent is (θ − 1)/θ.
    """
    share = dimension if moment == "norm" else 1
    ratio = share * log_records(n) * math.log(1.0 / failure) / (n * epsilon)
    if not printed:
        return ratio ** (1.0 / theta) / (tau * diameter)
    if theta == 2.0:
        return math.sqrt(ratio) / tau
    if moment == "norm":
        return (dimension * math.log(1.0 / failure) / (n * epsilon)) ** (1.0 / theta) / tau
    return ratio ** ((theta - 1.0) / theta) / tau


def rate(
    n: int, dimension: int, epsilon: float, failure: float, *, theta: float, tau: float, moment: str, diameter: float
) -> float:
    """Ceiling on the excess risk, with Δ restored: τΔ·(d·log n·log(1/η)/(nε))^{(θ−1)/θ} (equations 7 and 18).

    Under moments of the coordinates τΔd·(log n·log(1/η)/(nε))^{(θ−1)/θ} (equations 8 and 19).
    """
    ratio = log_records(n) * math.log(1.0 / failure) / (n * epsilon)
    power = (theta - 1.0) / theta
    if moment == "norm":
        return tau * diameter * (dimension * ratio) ** power
    return tau * diameter * dimension * ratio**power


class Sizes(NamedTuple):
    """What the bounds for any ι depend on, at τ = 1 and Δ = 2.

    Attributes
    ----------
    iota : float
    n : int
    epsilon, net_radius : float
    log_net : float
        log N.
    failure : float
    """

    iota: float
    n: int
    epsilon: float
    net_radius: float
    log_net: float
    failure: float


def utility_bound(at: Sizes, *, theta: float, spread: float, sampling: bool) -> float:
    """Right sides of equations 14 (θ = 2) and 26, which hold with probability 1 − 4η and 1 − 5η.

    `spread` is a bound on sup_w E|y − ⟨x, w⟩|^θ. `sampling` keeps the term 3/(nι)·log(N/η), which (26) drops (by
    ε ≤ 2 log θ, Theorem H of `theorems.theorems1_2`) and Theorem 1 after (14).
    """
    entropy = (at.log_net + math.log(1.0 / at.failure)) / (at.n * at.iota)
    if theta == 2.0:
        smooth = 3.0 * at.net_radius + at.iota * at.net_radius**2 + 2.5 * at.iota * spread
    else:
        growth = 2.0 * (2.0 * at.iota) ** (theta - 1.0) / theta
        smooth = 3.0 * at.net_radius + growth * (spread + at.net_radius**theta)
    statistical = 3.0 * entropy if sampling else 0.0
    private = (4.0 if theta == 2.0 or sampling else 8.0) * math.log(theta) / at.epsilon * entropy
    return smooth + statistical + private


def shorter_bound(at: Sizes, *, theta: float, spread: float) -> float:
    """Bound on the excess risk with probability 1 − 3η for the exact weights and every ε: Theorem H.

    ζ + (2ι^{θ−1}/θ) sup E|y − ⟨x, w⟩|^θ + (log(N/η) + log(1/η))/(nι) + 2 log θ·log(N/η)/(nιε), where E‖x‖ ≤ 1.
    """
    level = math.log(1.0 / at.failure)
    sampling = (at.log_net + 2.0 * level) / (at.n * at.iota)
    private = 2.0 * math.log(theta) * (at.log_net + level) / (at.n * at.iota * at.epsilon)
    return at.net_radius + 2.0 * at.iota ** (theta - 1.0) / theta * spread + sampling + private


def increment_bound(at: Sizes, beta: float) -> float:
    """Bound on the excess risk with probability 1 − 2η, θ = 2, that needs no moment of y beyond E‖x‖|y|.

    `beta` = sup_w E‖x‖·min(1, ι|y − ⟨x, w⟩|) bounds by how much truncation changes the slope of the risk. The
    uniform deviation of the increments ψ(ι|r_w|) − ψ(ι|r_{w*}|), 1-Lipschitz in ⟨x, w⟩ once divided by ι: 2Δτ/√n in
    the mean (symmetrisation, contraction), and Bousquet's inequality with range 2·log 2/ι; in both directions. The
    mechanism with the exact weight: Lemma 1.
    """
    level = math.log(2.0 / at.failure)
    deviation = (8.0 + 2.0 * math.sqrt(2.0 * level)) / math.sqrt(at.n) + 3.0 * math.log(2.0) * level / (at.n * at.iota)
    private = 2.0 * math.log(2.0) * (at.log_net + math.log(1.0 / at.failure)) / (at.n * at.iota * at.epsilon)
    return 2.0 * beta + 2.0 * deviation + private + at.net_radius


def sharp_excess(iota: float, n: int, dimension: int, epsilon: float, theta: float) -> float:
    """2d·log θ/(nιε): mean of nL̂'s excess under exp(−nιε·L̂/(2 log θ)) for a norm-shaped risk.

    A risk κ‖w − w*‖ makes ‖w − w*‖ a Gamma(d) variable in units of 2 log θ/(nιεκ), whatever the norm.
    """
    return 2.0 * dimension * math.log(theta) / (n * iota * epsilon)


def sharp_correction(n: int, epsilon: float, theta: float, first: float, moment: float) -> float:
    """The next term of `sharp_excess`, relative to it, where the records lie on axes.

    With `first` = E|x_j| and `moment` = E|x_j|^θ over all records, and u = 2 log θ/(nε·E|x_j|), the law of
    t = ι|w_j − w*_j|/u is ∝ exp(−t + b·t^θ + …), b = u^{θ−1}·E|x_j|^θ/(θE|x_j|), and E t = 1 + bθΓ(θ + 1) + ….
    """
    unit = 2.0 * math.log(theta) / (n * epsilon * first)
    return math.gamma(theta + 1.0) * unit ** (theta - 1.0) * moment / first
