"""Ceilings and parameter formulas of the GLM paper, to the letter; floors are in `lowerbounds`.

Symbols: n records, ``x_bound`` = ‖X‖, ``y`` = ‖Y‖ (φ_y(0) ≤ ‖Y‖² in the smooth section, ≤ ‖Y‖ in the
Lipschitz one), ``radius`` = B, ``smoothness`` = H, H̃ = H‖X‖², L = log(1/δ). Constants that the paper
leaves in O(·) are arguments with documented defaults.
"""

from __future__ import annotations

import math


def smooth_gradient_bound(smoothness: float, x_bound: float, y: float, radius: float) -> float:
    """G = 2‖Y‖√H‖X‖ + 2HB‖X‖² (Lemma 2)."""
    return 2.0 * y * math.sqrt(smoothness) * x_bound + 2.0 * smoothness * radius * x_bound**2


def noisy_gd_noise(gradient_bound: float, steps: int, n: int, epsilon: float, delta: float) -> float:
    """σ = √(8G²T log(1/δ))/(nε) (Theorem 1)."""
    return math.sqrt(8.0 * gradient_bound**2 * steps * math.log(1.0 / delta)) / (n * epsilon)


def noisy_gd_step_size(
    radius: float, steps: int, smoothness: float, x_bound: float, y: float, noise: float, dimension: float
) -> float:
    """η = min(B/(√T·max(√H̃‖Y‖, σ√d)), 1/(4H̃)) (Theorem 1)."""
    curvature = smoothness * x_bound**2
    scale = max(math.sqrt(curvature) * y, noise * math.sqrt(dimension))
    first = radius / (math.sqrt(steps) * scale) if scale > 0.0 else math.inf
    return min(first, 1.0 / (4.0 * curvature) if curvature > 0.0 else math.inf)


def noisy_gd_terms(
    radius: float, steps: int, smoothness: float, x_bound: float, y: float, noise: float, dimension: int
) -> dict[str, float]:
    """Bσ√d/√T, √H̃B‖Y‖/√T and H̃B²/T: `noisy_gd_regret` has the larger of the first two."""
    curvature = smoothness * x_bound**2
    return {
        "private term": radius * (noise * math.sqrt(dimension)) / math.sqrt(steps),
        "statistical term": radius * (math.sqrt(curvature) * y) / math.sqrt(steps),
        "curvature term": curvature * radius**2 / steps,
    }


def noisy_gd_regret(
    radius: float, steps: int, smoothness: float, x_bound: float, y: float, noise: float, dimension: int
) -> float:
    """B·max(√H̃‖Y‖, σ√d)/√T + H̃B²/T: the last display of Lemma 6's proof, its constants set to 1.

    Bounds, up to a universal constant, the mean of L̂(w_t) − L̂(w*) over t; `noise` = σ may be 0.
    """
    private, statistical, curvature = noisy_gd_terms(radius, steps, smoothness, x_bound, y, noise, dimension).values()
    return max(private, statistical) + curvature


def noisy_gd_rate(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, dimension: int, epsilon: float, delta: float
) -> float:
    """Ceiling of Theorem 1 on the excess risk: `noisy_gd_regret` at T = n with the printed σ."""
    bound = smooth_gradient_bound(smoothness, x_bound, y, radius)
    noise = noisy_gd_noise(bound, n, n, epsilon, delta)
    return noisy_gd_regret(radius, n, smoothness, x_bound, y, noise, dimension)


def transition_dimension(smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float) -> float:
    """d* = min(1, √H·B‖X‖/‖Y‖)^{2/3}(nε)^{2/3} (section 3.1): where the low dimension ends and the high one begins."""
    return (min(1.0, math.sqrt(smoothness) * radius * x_bound / y) * n * epsilon) ** (2.0 / 3.0)


def noisy_gd_glm_rate(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, dimension: int, epsilon: float, delta: float
) -> float:
    """√HB‖X‖‖Y‖/√n + (√H‖X‖‖Y‖ + H‖X‖²B)B√(dL)/(nε), with the G of Theorem 1; Corollary 2 prints B² for its last B."""
    h = math.sqrt(smoothness) * x_bound
    private = (h * y + h**2 * radius) * radius * math.sqrt(dimension * math.log(1.0 / delta)) / (n * epsilon)
    return h * radius * y / math.sqrt(n) + private


def gradient_descent_rate(smoothness: float, x_bound: float, y: float, radius: float, n: int) -> float:
    """Ceiling of Corollary 1 (no noise) on the excess risk, constants 1: √H̃B‖Y‖/√n + H̃B²/n."""
    return noisy_gd_regret(radius, n, smoothness, x_bound, y, 0.0, 1)


def smooth_erm_regularization(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, delta: float
) -> float:
    """λ = ((‖Y‖ + HB‖X‖²)√H‖X‖/(Bnε))^{2/3} L^{1/3} (Theorem 3)."""
    scale = (y + smoothness * radius * x_bound**2) * math.sqrt(smoothness) * x_bound
    return (scale / (radius * n * epsilon)) ** (2.0 / 3.0) * math.log(1.0 / delta) ** (1.0 / 3.0)


def smooth_erm_noise(
    smoothness: float,
    x_bound: float,
    y: float,
    radius: float,
    n: int,
    epsilon: float,
    delta: float,
    regularization: float,
    *,
    constant: float = 4.0,
) -> float:
    """σ = √(C(‖Y‖² + H²B²‖X‖⁴)L)/(λnε) (Theorem 3); C is its O(·), by default the 4 that Theorem 5 prints.

    To the letter: A.6 has ‖Y‖²H‖X‖² where the theorem has ‖Y‖².
    """
    square = constant * (y**2 + (smoothness * radius * x_bound**2) ** 2) * math.log(1.0 / delta)
    return math.sqrt(square) / (regularization * n * epsilon)


def smooth_erm_rate(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, delta: float
) -> float:
    """Ceiling of Theorem 3 on the excess risk, constants 1, with the logarithms of A.5 and A.6.

    With h = √H·B‖X‖: (h‖Y‖·max(1, log n)^{3/2} + ‖Y‖²)/√n and `smooth_erm_private_rate`.
    """
    h = math.sqrt(smoothness) * radius * x_bound
    statistical = (h * y * max(1.0, math.log(n)) ** 1.5 + y**2) / math.sqrt(n)
    return statistical + smooth_erm_private_rate(smoothness, x_bound, y, radius, n, epsilon, delta)


def smooth_erm_private_rate(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, delta: float
) -> float:
    """(h^{4/3}‖Y‖^{2/3} + h²)L^{1/3}/(nε)^{2/3}, h = √H·B‖X‖: the private term of Theorem 3."""
    h = math.sqrt(smoothness) * radius * x_bound
    private = (h ** (4.0 / 3.0) * y ** (2.0 / 3.0) + h**2) * math.log(1.0 / delta) ** (1.0 / 3.0)
    return private / (n * epsilon) ** (2.0 / 3.0)


def erm_gap_rate(smoothness: float, x_bound: float, y: float, radius: float, n: int) -> float:
    """(√H‖Y‖B‖X‖ + ‖Y‖²)/√n (Corollary 3, in expectation), its logarithms dropped."""
    return (math.sqrt(smoothness) * y * radius * x_bound + y**2) / math.sqrt(n)


def lipschitz_erm_regularization(
    lipschitz: float, x_bound: float, radius: float, n: int, epsilon: float, delta: float
) -> float:
    """λ = G‖X‖L^{1/4}/(B√(nε)) (Theorem 5)."""
    return lipschitz * x_bound * math.log(1.0 / delta) ** 0.25 / (radius * math.sqrt(n * epsilon))


def lipschitz_erm_noise(
    lipschitz: float, x_bound: float, n: int, epsilon: float, delta: float, regularization: float
) -> float:
    """σ = √(4G²‖X‖²L)/(λnε) (Theorem 5)."""
    return 2.0 * lipschitz * x_bound * math.sqrt(math.log(1.0 / delta)) / (regularization * n * epsilon)


def lipschitz_erm_rate(lipschitz: float, x_bound: float, radius: float, n: int, epsilon: float, delta: float) -> float:
    """Ceiling of Theorem 5 (B.1) on the excess risk, constants 1: GB‖X‖(1/√n + L^{1/4}/√(nε))."""
    private = math.log(1.0 / delta) ** 0.25 / math.sqrt(n * epsilon)
    return lipschitz * radius * x_bound * (1.0 / math.sqrt(n) + private)


def smooth_jl_dimension(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, delta: float,
    constant: float = 1.0,
) -> float:  # fmt: skip
    """k = C·(B√H‖X‖ log(2n/δ)nε/(‖Y‖‖X‖ + √H·B‖X‖²))^{2/3} (Theorem 2), not rounded; C is its O(·).

    To the letter: the k that balances the terms of A.4 has a factor ‖X‖ more (`smooth_jl_balance`), inside the 2/3
    power. `y` is ‖Y‖.
    """
    h = math.sqrt(smoothness) * radius * x_bound
    scale = h * math.log(2.0 * n / delta) * n * epsilon / (y * x_bound + h * x_bound)
    return constant * scale ** (2.0 / 3.0)


def smooth_jl_balance(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, constant: float = 1.0
) -> float:
    """k = C·(HB‖X‖²nε/G)^{2/3}, G of Lemma 2, not rounded: balances GB√k/(nε) and HB²‖X‖²/k of A.4.

    No logarithm: E(⟨Φx, Φw⟩ − ⟨x, w⟩)² ≤ 2‖x‖²‖w‖²/k for the maps used here.
    """
    bound = smooth_gradient_bound(smoothness, x_bound, y, radius)
    return constant * (smoothness * radius * x_bound**2 * n * epsilon / bound) ** (2.0 / 3.0)


def smooth_jl_rate(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, delta: float
) -> float:
    """Ceiling of Theorem 2 on the excess risk, constants 1: √H·B‖X‖‖Y‖/√n and `smooth_jl_private_rate`."""
    statistical = math.sqrt(smoothness) * radius * x_bound * y / math.sqrt(n)
    return statistical + smooth_jl_private_rate(smoothness, x_bound, y, radius, n, epsilon, delta)


def smooth_jl_private_rate(
    smoothness: float, x_bound: float, y: float, radius: float, n: int, epsilon: float, delta: float
) -> float:
    """The private part of the sum before "Setting k" in A.4, constants 1, at the printed k.

    (√H‖X‖‖Y‖ + HB‖X‖²)B√(kL)/(nε) + HB²‖X‖² log(2n/δ)/k.
    """
    h = math.sqrt(smoothness) * radius * x_bound
    k = max(1.0, smooth_jl_dimension(smoothness, x_bound, y, radius, n, epsilon, delta))
    private = (h * y + h**2) * math.sqrt(k * math.log(1.0 / delta)) / (n * epsilon)
    return private + h**2 * math.log(2.0 * n / delta) / k


def lipschitz_jl_dimension(n: int, epsilon: float, delta: float, constant: float = 1.0) -> float:
    """k = C·log(2n/δ)nε (Theorem 10), not rounded; C is its O(·)."""
    return constant * math.log(2.0 * n / delta) * n * epsilon


def lipschitz_jl_noise(lipschitz: float, x_bound: float, steps: int, n: int, epsilon: float, delta: float) -> float:
    """σ = √(8TG²‖X‖² log(2/δ))/(nε) (Theorem 10), to the letter: its proof has gradients up to 2G‖X‖."""
    return noisy_gd_noise(lipschitz * x_bound, steps, n, epsilon, 0.5 * delta)


def lipschitz_jl_step_size(
    lipschitz: float, x_bound: float, radius: float, steps: int, n: int, k: int, epsilon: float, delta: float
) -> float:
    """η = B/(G‖X‖(1 + √(k log(2/δ))/(nε))T^{3/4}) (Theorem 10)."""
    private = math.sqrt(k * math.log(2.0 / delta)) / (n * epsilon)
    return radius / (lipschitz * x_bound * (1.0 + private) * steps**0.75)


def lipschitz_jl_rate(lipschitz: float, x_bound: float, radius: float, n: int, epsilon: float, delta: float) -> float:
    """Ceiling of Theorem 10 on the excess risk, constants 1: (14) and the JL error of B.2, at the printed k.

    GB‖X‖(1/√n + √(kL)/(nε) + √(log(2n/δ)/k)).
    """
    k = max(1.0, lipschitz_jl_dimension(n, epsilon, delta))
    private = math.sqrt(k * math.log(1.0 / delta)) / (n * epsilon)
    return lipschitz * radius * x_bound * (1.0 / math.sqrt(n) + private + math.sqrt(math.log(2.0 * n / delta) / k))


def lipschitz_low_rank_rate(
    lipschitz: float, x_bound: float, radius: float, n: int, rank: int, epsilon: float, delta: float
) -> float:
    """GB‖X‖√(rank·L)/(nε): the private term of [SSTT20] for rank ≤ nε (Table 1, where δ is left out)."""
    return lipschitz * radius * x_bound * math.sqrt(rank * math.log(1.0 / delta)) / (n * epsilon)


def nonprivate_lipschitz_rate(lipschitz: float, x_bound: float, radius: float, n: int) -> float:
    """GB‖X‖/√n ([NY83], Table 1)."""
    return lipschitz * radius * x_bound / math.sqrt(n)
