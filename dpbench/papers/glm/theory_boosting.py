"""Lemma 11 and Theorem 13 of the GLM paper, corrected, with their constants: see the note for the proofs.

Symbols: ``y`` = ‖Y‖ with ℓ(0) ≤ ‖Y‖², g = γ‖X‖, τ = g√log(8n/β), l = log(4/β), M = (‖Y‖ + √(H/2)τ)². A loss that is
H-smooth and non-negative has |φ'|² ≤ 2Hφ: its root is √(H/2)-Lipschitz, which is all that the bounds use of it.
"""

from __future__ import annotations

import math


def reach(sub_gaussian: float, x_bound: float, n: int, beta: float) -> float:
    """τ = γ‖X‖√log(8n/β): all n predictions ⟨w, x⟩ stay below it, but for a chance of β/4, where w is independent."""
    return sub_gaussian * x_bound * math.sqrt(math.log(8.0 * n / beta))


def radius(sub_gaussian: float, d: int, beta: float) -> float:
    """W = γ√(d log(8/β)) ≥ ‖w‖ but for a chance of β/4, for a γ²-sub-Gaussian w in R^d."""
    return sub_gaussian * math.sqrt(d * math.log(8.0 / beta))


def spread(smoothness: float, y: float, tau: float, n: int, beta: float) -> float:
    """T = τ√(Hl)/(‖Y‖√n); in R^d `tau` is W√(H̃/H)."""
    return tau * math.sqrt(smoothness * math.log(4.0 / beta) / n) / y


def upper(smoothness: float, y: float, tau: float, n: int, beta: float) -> float:
    """U = τ‖Y‖√(Hl/n) + √2‖Y‖²√(l/n) + Ml/(3n): mean loss ≤ (1 + T)L + U."""
    log = math.log(4.0 / beta) / n
    largest = (y + math.sqrt(0.5 * smoothness) * tau) ** 2
    return tau * y * math.sqrt(smoothness * log) + y**2 * math.sqrt(2.0 * log) + largest * log / 3.0


def lower(smoothness: float, y: float, tau: float, n: int, beta: float, outside: float = 0.0) -> float:
    """V = τ‖Y‖√(Hl/n) + 2√2‖Y‖²√(l/n) + 5Hτ²l/n + `outside`: L ≤ (1 + T)·mean loss + V."""
    log = math.log(4.0 / beta) / n
    first = tau * y * math.sqrt(smoothness * log) + 2.0 * y**2 * math.sqrt(2.0 * log)
    return first + 5.0 * smoothness * tau**2 * log + outside


def outside(smoothness: float, y: float, tau: float, g: float, n: int) -> float:
    """(2‖Y‖² + H(τ² + g²))/n: what the rare predictions beyond τ add to the risk of a generalized linear model."""
    return (2.0 * y**2 + smoothness * (tau**2 + g**2)) / n
