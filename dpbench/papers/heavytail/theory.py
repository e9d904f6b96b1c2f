"""Parameter formulas and ceilings of the heavy-tailed paper, as printed and corrected.

Symbols: n records in d dimensions, Δ = ``diameter``, ζ = ``net_radius``, η = ``failure``, N = ``net_size``
(its logarithm, bounded by `covering_bound`), θ, τ and ``moment`` as in `HeavyTailedProblem`; Algorithm 1
and Theorem 1 are θ = 2. Constants that the paper leaves in O(·) are 1.
"""

from __future__ import annotations

import math


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


def utility_bound(
    iota: float,
    n: int,
    epsilon: float,
    net_radius: float,
    log_net: float,
    failure: float,
    *,
    theta: float,
    tau: float,
    spread: float,
    sampling: bool,
) -> float:
    """Right sides of equations 14 (θ = 2) and 26, which hold with probability 1 − 4η and 1 − 5η.

    `tau` is a bound on (E‖x‖₂^θ)^{1/θ}, `spread` on sup_w E|y − ⟨x, w⟩|^θ, `log_net` on log N. `sampling` keeps
    the term 3/(nι)·log(N/η), which (26) drops (by ε ≤ 2 log θ, `theorems.theorem_h`) and Theorem 1 after (14).
    """
    entropy = (log_net + math.log(1.0 / failure)) / (n * iota)
    if theta == 2.0:
        smooth = 3.0 * net_radius * tau + iota * (net_radius * tau) ** 2 + 2.5 * iota * spread
    else:
        growth = 2.0 * (2.0 * iota) ** (theta - 1.0) / theta
        smooth = 3.0 * net_radius * tau + growth * (spread + (net_radius * tau) ** theta)
    statistical = 3.0 * entropy if sampling else 0.0
    private = (4.0 if theta == 2.0 or sampling else 8.0) * math.log(theta) / epsilon * entropy
    return smooth + statistical + private


def shorter_bound(
    iota: float,
    n: int,
    epsilon: float,
    net_radius: float,
    log_net: float,
    failure: float,
    *,
    theta: float,
    tau: float,
    spread: float,
) -> float:
    """Bound on the excess risk with probability 1 − 3η for the exact weights and every ε: `theorems.theorem_h`.

    ζτ + (2ι^{θ−1}/θ) sup E|y − ⟨x, w⟩|^θ + (log(N/η) + log(1/η))/(nι) + 2 log θ·log(N/η)/(nιε); symbols of
    `utility_bound`, and ``tau`` need only bound E‖x‖.
    """
    level = math.log(1.0 / failure)
    sampling = (log_net + 2.0 * level) / (n * iota)
    private = 2.0 * math.log(theta) * (log_net + level) / (n * iota * epsilon)
    return net_radius * tau + 2.0 * iota ** (theta - 1.0) / theta * spread + sampling + private


def increment_bound(
    iota: float,
    n: int,
    epsilon: float,
    net_radius: float,
    log_net: float,
    failure: float,
    *,
    tau: float,
    diameter: float,
    beta: float,
) -> float:
    """Bound on the excess risk with probability 1 − 2η, θ = 2, that needs no moment of y beyond E‖x‖|y|.

    `beta` = sup_w E‖x‖·min(1, ι|y − ⟨x, w⟩|) bounds by how much truncation changes the slope of the risk. The
    uniform deviation of the increments ψ(ι|r_w|) − ψ(ι|r_{w*}|), 1-Lipschitz in ⟨x, w⟩ once divided by ι: 2Δτ/√n in
    the mean (symmetrisation, contraction), and Bousquet's inequality with range 2·log 2/ι; in both directions. The
    mechanism with the exact weight: Lemma 1.
    """
    level = math.log(2.0 / failure)
    deviation = 4.0 * diameter * tau / math.sqrt(n) + diameter * tau * math.sqrt(2.0 * level / n)
    deviation += 3.0 * math.log(2.0) * level / (n * iota)
    private = 2.0 * math.log(2.0) * (log_net + math.log(1.0 / failure)) / (n * iota * epsilon)
    return diameter * beta + 2.0 * deviation + private + net_radius * tau


def balance(iota: float, n: int, dimension: int, epsilon: float, failure: float, *, theta: float, tau: float) -> float:
    """The terms of equation 27 that depend on ι: ι^{θ−1}τ^θ + d·log(n/η)/(nιε), `tau` as in `utility_bound`."""
    return iota ** (theta - 1.0) * tau**theta + dimension * math.log(n / failure) / (n * iota * epsilon)


def sharp_excess(iota: float, n: int, dimension: int, epsilon: float, theta: float, share: float = 0.5) -> float:
    """d·log θ/(share·nιε): mean of nL̂'s excess under exp(−share·nιε·L̂/log θ) for a norm-shaped risk.

    A risk κ‖w − w*‖ makes ‖w − w*‖ a Gamma(d) variable in units of log θ/(share·nιεκ), whatever the norm.
    """
    return dimension * math.log(theta) / (share * n * iota * epsilon)


def sharp_correction(n: int, epsilon: float, theta: float, first: float, moment: float, share: float = 0.5) -> float:
    """The next term of `sharp_excess`, relative to it, where the records lie on axes.

    With `first` = E|x_j| and `moment` = E|x_j|^θ over all records, and u = log θ/(share·nε·E|x_j|), the law of
    t = ι|w_j − w*_j|/u is ∝ exp(−t + b·t^θ + …), b = u^{θ−1}·E|x_j|^θ/(θE|x_j|), and E t = 1 + bθΓ(θ + 1) + ….
    """
    unit = math.log(theta) / (share * n * epsilon * first)
    return math.gamma(theta + 1.0) * unit ** (theta - 1.0) * moment / first
