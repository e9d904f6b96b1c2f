"""Ceilings and parameter formulas of the GLM paper, to the letter; floors live in `lowerbounds`.

Symbols: n records, ``x_bound`` = ‖X‖, ``y`` = ‖Y‖ (φ_y(0) ≤ ‖Y‖² in the smooth section, ≤ ‖Y‖ in the Lipschitz
one), ``radius`` = B, ``smoothness`` = H, H̃ = H‖X‖², L = log(1/δ). Constants that the paper leaves in O(·) are
arguments with documented defaults.
"""

from __future__ import annotations

import math


def smooth_gradient_bound(smoothness: float, x_bound: float, y: float, radius: float) -> float:
    """G = 2‖Y‖√H‖X‖ + 2HB‖X‖² (Lemma 2)."""
    return 2.0 * y * math.sqrt(smoothness) * x_bound + 2.0 * smoothness * radius * x_bound**2


def smooth_loss_bound(smoothness: float, x_bound: float, y: float, radius: float) -> float:
    """3(‖Y‖² + HB²‖X‖²), a bound on the loss over the ball (Lemma 3)."""
    return 3.0 * (y**2 + smoothness * radius**2 * x_bound**2)


def noisy_gd_noise(gradient_bound: float, steps: int, n: int, epsilon: float, delta: float) -> float:
    """σ = √(8G²T log(1/δ))/(nε) (Theorem 1)."""
    return math.sqrt(8.0 * gradient_bound**2 * steps * math.log(1.0 / delta)) / (n * epsilon)


def noisy_gd_step_size(
    radius: float, steps: int, smoothness: float, x_bound: float, y: float, noise: float, dimension: int
) -> float:
    """η = min(B/(√T·max(√H̃‖Y‖, σ√d)), 1/(4H̃)) (Theorem 1)."""
    curvature = smoothness * x_bound**2
    scale = max(math.sqrt(curvature) * y, noise * math.sqrt(dimension))
    first = radius / (math.sqrt(steps) * scale) if scale > 0.0 else math.inf
    return min(first, 1.0 / (4.0 * curvature) if curvature > 0.0 else math.inf)
