"""Theorem 10 and Lemma 8 of the GLM paper with the step size that T = n² needs, and what the printed one costs.

Lengths are in units of B, losses in units of GB‖X‖: G = ‖X‖ = B = 1 throughout. Λ = log(2/δ), and σ² = 8TΛ/(nε)² with
T = n², so that kσ² = 8kn²Λ/(nε)²: what the step size has to balance is √(kΛ)/(√n·ε), and the printed bracket has
√(kΛ)/(nε).
"""

from __future__ import annotations

import math


def corrected_step_size(n: int, k: float, epsilon: float, delta: float) -> float:
    """η = 1/(n^{3/2}√(13 + 8kΛ/(nε²))): the minimiser of `corrected_excess` over η."""
    return 1.0 / (n**1.5 * math.sqrt(13.0 + 8.0 * k * math.log(2.0 / delta) / (n * epsilon**2)))


def map_excess(k: float) -> float:
    """√2·e^{−k/4}/k ≥ √E(‖Φw*‖ − 2B)²₊/B: the projected minimiser may lie outside the ball of radius 2B."""
    return math.sqrt(2.0) * math.exp(-0.25 * k) / k


def corrected_excess(
    n: float, k: float, epsilon: float, delta: float, eta: float, *, steps_in_noise: bool = True
) -> float:
    """Bound on E[L(w̃; ΦD) − L(Φw*; ΦD)] for any η: 1/(2ηn²) + (η/2)(12n + 1 + kσ²) and `map_excess`.

    Stability, then regret: runs on data sets that differ in one record stay within η(2√T + 4T/n) on average. kσ² is
    8kΛ/ε², or 8kΛ/(nε)² with the σ² that Lemma 8 prints, without T.
    """
    noise = 8.0 * k * math.log(2.0 / delta) / epsilon**2 / (1.0 if steps_in_noise else float(n) ** 2)
    return 1.0 / (2.0 * eta * n**2) + 0.5 * eta * (12.0 * n + 1.0 + noise) + map_excess(k)


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
