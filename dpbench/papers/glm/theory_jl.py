"""Theorem 10 and Lemma 8 of the GLM paper with the step size that T = n² needs, and what the printed one costs.

Lengths are in units of B, losses in units of GB‖X‖: G = ‖X‖ = B = 1 throughout. Λ = log(2/δ), and σ² = 8TΛ/(nε)² with
T = n², so that kσ² = 8kn²Λ/(nε)²: what the step size has to balance is √(kΛ)/(√n·ε), and the printed bracket has
√(kΛ)/(nε).
"""

from __future__ import annotations

import math


def descent_floor(n: float, k: float, eta: float, noise: float, active: int = 1, *, sharpened: bool = False) -> float:
    """Lower bound on the excess risk of Algorithm 2, T = n², for |y − ⟨w, x⟩|, x uniform on e_1..e_j, y = 1/√j.

    Parameters
    ----------
    n, k, eta, noise
        Records, dimension, step size, and σ.
    active : int
        j, the coordinates; at most min(n, k/16).
    sharpened : bool
        Use the mean of R² − ‖w_t‖² over time in place of R².

    Notes
    -----
    With R = 2, s = σ² and v = Φ(e_1 + ... + e_j)/j, the function F(w) = ⟨w, v/‖v‖⟩(3R² − ‖w‖²) has
    E F(b − ηξ) = F(b) − η²s(k + 2)⟨b, v/‖v‖⟩ exactly, its gradient is at most 3R² near the ball, and a projection
    changes it by at most (3/(4R))(N² − R²)²; its sum over the steps bounds the mean of ⟨w_t, v⟩. No sampling is in it.
    """
    if active > min(n, k / 16.0) or eta > 0.1:
        return 0.0
    s, steps = noise**2, n * n
    drift = eta**2 * s * (k + 2.0)
    reach = 1.0
    if active > 1:
        reach = math.sqrt(((1.0 + math.sqrt(active / k)) ** 2 + 1.0 / k) * (1.0 / active + 1.0 / n))
    spread = 2.0 * k * eta**4 * s**2 + 16.0 * eta**2 * s * (1.0 + eta) ** 2
    largest = eta**2 * k * s + 8.0 * eta + 4.0 * eta**2
    slope, least = 12.0, eta**2 * k * s - 8.0 * eta
    if sharpened and least > 0.0:
        slope = min(slope, 8.0 + 8.0 * eta + (16.0 / steps + largest**2 + spread) / (2.0 * least))
    lost = (
        math.exp(-0.25 * k)
        + (slope * eta / drift + eta) * reach
        + 3.0 / (8.0 * drift) * (largest**2 + spread)
        + 16.0 / (steps * drift)
    )
    return max(0.0, 1.0 - lost) / math.sqrt(active)
