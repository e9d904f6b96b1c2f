"""Formulas of the GLM paper's section 5 and appendices C and D: grid search and boosting, printed and corrected.

Symbols as in `theory`. Functions whose name ends in ``_corrected`` are ours and carry their derivation; the others
are the paper's to the letter, with the constants of its O(·) set to 1 unless an argument names them.
"""

from __future__ import annotations

import math


def smooth_grid_size(smoothness: float, x_bound: float, y: float, n: int, epsilon: float, constant: float = 1.0) -> int:
    """K = Θ(log max{‖Y‖√n/(‖X‖√H), ‖Y‖²(nε)^{2/3}/(√H‖X‖²)}) (Theorem 8), logarithm to base 2, at least 1."""
    root = math.sqrt(smoothness)
    largest = max(y * math.sqrt(n) / (x_bound * root), y**2 * (n * epsilon) ** (2 / 3) / (root * x_bound**2))
    return max(1, math.ceil(constant * math.log2(max(largest, 1.0))))


def smooth_grid_size_corrected(smoothness: float, x_bound: float, y: float, n: int, epsilon: float) -> int:
    """The least K with 2^K ≥ max{‖Y‖√n/(‖X‖√H), ‖Y‖(nε)^{1/3}/(‖X‖√H)}.

    At that radius √H̃B‖Y‖/√n and H̃B²/(nε)^{2/3}, the terms of every ceiling of section 3, reach ‖Y‖², which is
    all that Theorem 7 asks of K. The printed second term is not homogeneous in ‖X‖ and ‖Y‖.
    """
    largest = y / (x_bound * math.sqrt(smoothness)) * max(math.sqrt(n), (n * epsilon) ** (1.0 / 3.0))
    return max(1, math.ceil(math.log2(max(largest, 1.0))))


def lipschitz_grid_size(lipschitz: float, x_bound: float, y: float, n: int) -> int:
    """The least K ≥ 1 at which the ceiling G·2^K‖X‖/√n of a Lipschitz loss reaches ‖Y‖ (Theorem 7's condition)."""
    return max(1, math.ceil(math.log2(max(y * math.sqrt(n) / (lipschitz * x_bound), 1.0))))


def ball_loss_bound(smoothness: float, x_bound: float, y: float, radius: float) -> float:
    """Δ(B) = ‖Y‖² + HB²‖X‖² (Lemma 9). Too small: 3 against 4 at B‖X‖ = ‖Y‖ = 1, H = 2."""
    return y**2 + smoothness * radius**2 * x_bound**2


def score_penalty(loss_bound: float, y: float, n: int, count: int, beta: float) -> float:
    """Δ(B)log(K/β)/n + √(4‖Y‖²log(K/β)/n), added to a score (Algorithm 4, line 6); n is the whole data set."""
    log = math.log(count / beta)
    return loss_bound * log / n + math.sqrt(4.0 * y**2 * log / n)


def score_penalty_corrected(loss_bound: float, at_zero: float, records: int, count: int, beta: float) -> float:
    """τ = √(2·U·φ₀·log(4K/β)/n₂) for losses in [0, U], n₂ validation records and φ₀ = sup φ(0, ·).

    The mean of n₂ independent losses in [0, U] with mean L falls below L − √(2UL·t/n₂) with probability at most
    e^{−t}, as E ℓ² ≤ UL. Hence min(L, φ₀) ≤ L̂ + τ for all K candidates with probability at least 1 − β/4, and
    L̂ + τ > φ₀ wherever L > φ₀ (if φ₀ < Ut/(2n₂) because τ ≥ 2φ₀, else because L − √(2ULt/n₂) grows with L).
    """
    return math.sqrt(2.0 * loss_bound * at_zero * math.log(4.0 * count / beta) / records)


def score_excess_corrected(loss_bound: float, risk: float, records: int, count: int, beta: float) -> float:
    """√(2ULt/n₂) + Ut/(3n₂), t = log(4K/β): Bernstein's bound on L̂ − L for one candidate of risk L, at β/4K."""
    t = math.log(4.0 * count / beta)
    return math.sqrt(2.0 * loss_bound * risk * t / records) + loss_bound * t / (3.0 * records)


def selection_loss(sensitivity: float, candidates: int, epsilon: float, beta: float) -> float:
    """4γ log(N/β)/ε: what GenExpMech loses against a candidate of sensitivity γ (Theorem 12)."""
    return 4.0 * sensitivity * math.log(candidates / beta) / epsilon


def grid_search_rate_corrected(
    error: float, loss_bound: float, at_zero: float, risk: float, n: int, count: int, epsilon: float, beta: float
) -> float:
    """What the exact calibration of Algorithm 4 loses at most, with probability 1 − β: min{φ₀, ERR + …}.

    ERR (excess risk of the candidate at the right radius, whose risk is `risk`) + τ + (L̂ − L) +
    4·(2Δ/n)·log(4(K+1)/β)/ε, with the sensitivity 2Δ/n of a mean over n/2 records.
    """
    records = n // 2
    penalty = score_penalty_corrected(loss_bound, at_zero, records, count, beta)
    above = score_excess_corrected(loss_bound, risk, records, count, beta)
    private = selection_loss(loss_bound / records, count + 1, epsilon, 0.25 * beta)
    return min(at_zero, error + penalty + above + private)


def _private_smooth(h: float, y: float, size: float) -> float:
    """What privacy costs a smooth loss, h = √H·B‖X‖ and size = nε: (h^{4/3}‖Y‖^{2/3} + h²)/size^{2/3}."""
    return (h ** (4.0 / 3.0) * y ** (2.0 / 3.0) + h**2) / size ** (2.0 / 3.0)


def adaptive_smooth_erm_rate(
    smoothness: float, x_bound: float, y: float, minimiser_norm: float, n: int, epsilon: float
) -> float:
    """Theorem 8's bound on the excess risk with B* = 2·max(‖w*‖, 1), logarithms and constants dropped."""
    h = math.sqrt(smoothness) * 2.0 * max(minimiser_norm, 1.0) * x_bound
    private = _private_smooth(h, y, n * epsilon)
    statistical = (h * max(y, 1.0) + y**2) / math.sqrt(n)
    return min(y**2, private + statistical + (y**2 + h**2) / (n * epsilon))


def boosting_models(beta: float) -> int:
    """m = ⌈4 log(4/β)⌉ (proof of Theorem 13)."""
    return math.ceil(4.0 * math.log(4.0 / beta))


def boosting_models_corrected(beta: float) -> int:
    """m = ⌈log₄(4/β)⌉: one of m models is good with probability 1 − 4^{−m} ≥ 1 − β/4, which is all that is used."""
    return math.ceil(math.log(4.0 / beta) / math.log(4.0))


def boosting_scale(smoothness: float, x_bound: float, y: float, sub_gaussian: float, n: int, epsilon: float) -> float:
    """σ̃ = √(4(‖Y‖² + H̃γ²‖X‖²)/(nε)) (Theorem 13), the Laplace scale to the letter; H̃ = H‖X‖² as defined."""
    square = 4.0 * (y**2 + smoothness * x_bound**4 * sub_gaussian**2) / (n * epsilon)
    return math.sqrt(square)


def perturbed_sub_gaussian(radius: float, noise: float) -> float:
    """γ = √(B² + σ²) (proof of Theorem 15). Too small: E exp(⟨w, u⟩²/γ²) is e at σ = 0, infinite at σ ≥ B."""
    return math.hypot(radius, noise)
