"""Stability, noise and settings of the public-data paper, as printed and as proved.

Symbols: n private records, m public points, η = ``eta`` (weight of the regulariser or of the Gaussian process),
γ = ``gamma`` (scale of Perturb's noise ζ), J = ``calls``, ρ = ``rho`` (a bound on ‖f̄ − f̄'‖_m for neighbours),
G = ``complexity`` (E sup_f ω_m(f)), σ = ``smoothness``, λ = ``lipschitz``, d = ``dimension``. The loss is a mean
over the records; where it is their sum (equations 6 and 8), η stands for what is there η/n. "As proved" formulas hold
for every class and every pair of neighbours (replace-one).
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

from dpbench.privacy import gaussian
from dpbench.privacy.inversion import crossing

DIAMETER = 2.0
"""‖f − f'‖_m is at most 2, for values lie in [−1, 1]: stability without any argument."""

_mu = lru_cache(maxsize=4096)(gaussian.mu)  # asked for in every block of trials
_UP = 1.0 + 1e-12  # so that a guarantee computed back from the noise does not come out above its target


def regularized_stability_printed(n: int, eta: float) -> float:
    """Lemma 2, equation 13: 2/√(ηn)."""
    return 2.0 / math.sqrt(eta * n)


def regularized_stability(n: int, eta: float, gap: float = 0.0) -> float:
    """Algorithm 3 on a convex class with a convex loss into [0, 1], as proved: min(2, 1/√(ηn) + 2√(gap/η)).

    With F(f) = L_D(f) + η‖f‖²_m, convexity gives F(f) ≥ F(f̄) + η‖f − f̄‖²_m on the class, and the same about f̄'.
    Added: 2η‖f̄ − f̄'‖²_m ≤ (F − F')(f̄') − (F − F')(f̄), which is (1/n) times a difference of two losses of each of
    the two records: at most 2/n. Lemma 2 has half of the strong convexity and none of the second inequality.
    A function whose value misses the minimum by at most `gap` lies within √(gap/η) of f̄.
    """
    return min(DIAMETER, 1.0 / math.sqrt(eta * n) + 2.0 * math.sqrt(gap / eta))


def lemma10_stability_printed(n: int, eta: float, complexity: float, calls: int, delta: float) -> float:
    """What stands for ρ in (102): 4(nη)^{-1/3}·G + √(log(2/δ)/J), without Lemma 1's exponent 1/3 of G and κ."""
    return 4.0 * complexity / (n * eta) ** (1.0 / 3.0) + math.sqrt(math.log(2.0 / delta) / calls)


def one_call_stability(n: int, eta: float, complexity: float) -> float:
    """E‖f̄_j − f̄'_j‖²_m of one oracle call of Algorithm 2, as proved: at most 2S/(nη), and at most 4.

    S = E sup_f ω_m(f), `complexity` a bound on it; no lower bound on ‖f‖_m is needed. Let Φ(ξ) = min_f L_D(f) +
    η⟨ξ, f⟩/√m, Φ' for the neighbour, h = Φ − Φ'. Both are concave, |h| ≤ 1/n, and ∇Φ = ηf̄/√m almost everywhere, so
    ‖∇h‖² = η²‖f̄ − f̄'‖²_m. Gaussian integration by parts and concavity:

        E‖∇h‖² = −E h·(Δh − ⟨ξ, ∇h⟩) ≤ (1/n)·(−E ΔΦ − E ΔΦ' + E|⟨ξ, ∇h⟩|),  −E ΔΦ = −E⟨ξ, ∇Φ⟩ = ηa, a = −E ω(f̄).

    And |ω(f̄) − ω(f̄')| ≤ (ω(f̄) − inf ω) + (ω(f̄') − inf ω), of mean 2S − a − a': the bracket is at most 2ηS.
    F = {f, −f} attains it as nη grows.
    """
    return min(DIAMETER**2, 2.0 * complexity / (n * eta))


def averaged_stability(n: int, eta: float, complexity: float, calls: int, failure: float) -> float:
    """ρ with P(‖f̄ − f̄'‖_m > ρ) ≤ `failure` for Algorithm 2 under common ξ, as proved; at most 2.

    ‖f̄ − f̄'‖²_m/4 is at most the mean of J independent variables in [0, 1] of mean at most b =
    `one_call_stability`/4, which exceeds x ≥ b with probability at most exp(−J·kl(x, b)) (Chernoff).
    """
    return mean_stability(one_call_stability(n, eta, complexity), calls, failure)


def mean_stability(mean_square: float, calls: int, failure: float) -> float:
    """ρ of `averaged_stability` where one call has E‖f̄_j − f̄'_j‖²_m ≤ `mean_square`."""
    mean = min(1.0, mean_square / DIAMETER**2)
    needed = math.log(1.0 / failure) / calls
    if mean == 0.0:
        return 0.0
    if mean >= 1.0 or -math.log(mean) <= needed:
        return DIAMETER
    low, high = mean, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _kl(middle, mean) >= needed else (middle, high)
    return DIAMETER * math.sqrt(high)


def _kl(x: float, b: float) -> float:
    """Relative entropy of Bernoulli x from Bernoulli b, b ≤ x < 1."""
    return x * math.log(x / b) + (1.0 - x) * (math.log1p(-x) - math.log1p(-b)) if x < 1.0 else -math.log(b)


def perturb_epsilon_printed(m: int, rho: float, gamma: float, delta: float, noise: str) -> float:
    """Left sides of (14), m/(2γ²)·(1 + γ√log(1/δ))·ρ, and of (15), m^{3/2}ρ/γ: Lemmas 3 and 9."""
    if noise == "gaussian":
        return 0.5 * m / gamma**2 * (1.0 + gamma * math.sqrt(math.log(1.0 / delta))) * rho
    return m**1.5 * rho / gamma


def perturb_scale_printed(m: int, rho: float, epsilon: float, delta: float, noise: str) -> float:
    """γ at which (14) or (15) holds with equality; (102) and (104) are (14) with δ/2 for δ."""
    if noise == "laplace":
        return m**1.5 * rho / epsilon
    half = 0.25 * m * rho * math.sqrt(math.log(1.0 / delta))
    return (half + math.sqrt(half * half + 0.5 * m * rho * epsilon)) / epsilon


def perturb_scale(m: int, rho: float, epsilon: float, delta: float, noise: str) -> float:
    """The least γ whose exact shift is within (ε, δ): √m·ρ/μ(ε, δ) for Gaussian noise, mρ/ε for Laplace noise.

    The output is a function of f̄(Z) + γζ, whose centre moves by at most √m·ρ in ℓ2 and mρ in ℓ1.
    """
    if noise == "laplace":
        return _UP * m * rho / epsilon
    return _UP * math.sqrt(m) * rho / _mu(epsilon, delta)


def regularization(n: int, width: int, lipschitz: float, smoothness: float, epsilon: float, delta: float) -> float:
    """η for Algorithm 3 where none is given: argmin of η + A/√η, at most 1.

    A/√η is λσ^{-1/2} times the displacement γ√(width/m) that projected noise of exact scale causes in a class of
    `width` parameters; m cancels for Gaussian noise and is left out for Laplace noise (δ = 0).
    """
    scale = 1.0 / _mu(epsilon, delta) if delta > 0.0 else math.sqrt(2.0) / epsilon
    return min(1.0, (0.5 * lipschitz * scale * math.sqrt(width / (smoothness * n))) ** (2.0 / 3.0))


def perturbation(n: int, complexity: float, lipschitz: float, smoothness: float, epsilon: float, delta: float) -> float:
    """η for Algorithm 2 where none is given: argmin of 2ηG + A/√η, at most 1.

    A/√η is λσ^{-1/2} times 2√(2G/(nη))/μ(ε, δ): the displacement 2γ at the stability of infinitely many calls, for
    one public point.
    """
    if complexity == 0.0:
        return 1.0
    reach = 2.0 * lipschitz * math.sqrt(2.0 * complexity / (smoothness * n)) / _mu(epsilon, delta)
    return min(1.0, (0.25 * reach / complexity) ** (2.0 / 3.0))


def rrspm_laplace_scale(m: int, epsilon: float) -> float:
    """Algorithms 4 and 5: Laplace weights of scale 2m/ε; printed, and exact."""
    return 2.0 * m / epsilon


def rrspm_gaussian_scale_printed(m: int, epsilon: float, delta: float, constant: float | None = None) -> float:
    """Theorem 4: standard deviation C√(m·log(1/δ))/ε of Gaussian weights.

    C is left open there; without one, 2√m·√(2·log(1.25/δ))/ε, what the Gaussian mechanism takes for Lemma 18's
    shift of ℓ2 norm 2√m.
    """
    if constant is None:
        return 2.0 * math.sqrt(2.0 * m * math.log(1.25 / delta)) / epsilon
    return constant * math.sqrt(m * math.log(1.0 / delta)) / epsilon


@lru_cache(maxsize=1024)
def rrspm_gaussian_scale(m: int, epsilon: float, delta: float, log_patterns: float = math.inf) -> float:
    """The least standard deviation s for which the bound of `rrspm_log_delta` satisfies (ε, δ).

    About 1.6m/ε where the labellings of Z are not counted or are very many, 2√m/μ(ε, δ/N) where there are N of them.
    """
    target = math.log(delta) - 2.0 * gaussian.ROUNDING
    return _UP * crossing(lambda s: s > 0.0 and rrspm_log_delta(epsilon, m, s, log_patterns) <= target)[1]


def rrspm_exponent(epsilon: float, m: int, scale: float, a: float) -> float:
    """log of (a/(1 + a))^a/(1 + a)·E e^{a(ℓ − ε)}, of the bound on all labellings at once in `rrspm_log_delta`."""
    moment = math.log1p(math.erf(math.sqrt(2.0) * a / scale)) + 2.0 * (a * a + a) / scale**2
    return a * math.log(a) - (1.0 + a) * math.log1p(a) + m * moment - a * epsilon


def rrspm_log_delta(epsilon: float, m: int, scale: float, log_patterns: float = math.inf) -> float:
    """log of a bound on δ(ε) of Algorithm 4 with N(0, s²) weights, for every class and every pair; at most 0.

    The smaller of two, where e^{`log_patterns`} bounds the number N of labellings of Z that F has.

    One labelling at a time: v is chosen iff Σ_{S_u} x_i > −a_u for all u, S_u the points where u and v differ, x_i
    the weights with the signs of v, N(0, s²) again. A record replaced moves each a_u by at most 2, and adding 2 to
    every x_i makes up for it: the event moves by a vector of length 2√m at most, so that P(v) − e^ε P'(v) is at most
    δ(ε) of a Gaussian pair 2√m/s apart. Summed over the v's of a set: N times that.

    All labellings at once: if f on Z is chosen under weights ξ and D, it is chosen under D' after the shift of Lemma
    18, c ∈ {−2, 2}^m, whose signs depend on f. The log-density falls by (2⟨c, ξ⟩ + ‖c‖²)/(2s²) ≤ ℓ(ξ) = 2(‖ξ‖₁ +
    m)/s² whatever the signs, so summed over any set of f the two probabilities obey P − e^ε P' ≤ E(1 − e^{ε −
    ℓ(ξ)})₊. And (1 − e^{−x})₊ ≤ (a/(1 + a))^a/(1 + a)·e^{ax} for every a > 0, with E e^{aℓ} =
    (2Φ(2a/s)·e^{2a²/s²})^m·e^{2am/s²}.
    The least value over a is taken; any a gives a bound.
    """

    exponent = partial(rrspm_exponent, epsilon, m, scale)
    low, high = -30.0, 30.0  # log a; the exponent is convex in a, so it falls and then rises
    for _ in range(60):  # to 2e-9 in log a, beside a minimum that is flat
        first, second = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, second) if exponent(math.exp(first)) <= exponent(math.exp(second)) else (first, high)
    together = exponent(math.exp(0.5 * (low + high)))
    return min(0.0, together, log_patterns + gaussian.log_delta(epsilon, 2.0 * math.sqrt(m) / scale))
