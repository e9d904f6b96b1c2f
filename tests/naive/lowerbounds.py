"""Slow twins of the hard families: written from the paper, in loops, importing nothing of the project."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, linprog


def largest_gap(epsilon: float, delta: float, distance: int) -> float:
    """max p_Δ − p_0 over answer probabilities p_0, …, p_Δ on a chain of neighbours: a linear programme."""
    return largest_gap_of_levels([(epsilon, delta)], distance)


def largest_gap_of_levels(levels: list[tuple[float, float]], distance: int) -> float:
    """`largest_gap` where every (ε, δ) of a list holds between neighbours."""
    size = distance + 1
    rows, bounds = [], []
    for i in range(distance):
        for a, b in ((i, i + 1), (i + 1, i)):
            for epsilon, delta in levels:
                growth = math.exp(epsilon)
                row = np.zeros(size)  # p_a − e^ε p_b ≤ δ
                row[a], row[b] = 1.0, -growth
                rows.append(row)
                bounds.append(delta)
                row = np.zeros(size)  # (1 − p_a) − e^ε(1 − p_b) ≤ δ
                row[a], row[b] = -1.0, growth
                rows.append(row)
                bounds.append(delta + growth - 1.0)
    cost = np.zeros(size)
    cost[0], cost[-1] = 1.0, -1.0
    solved = linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=[(0.0, 1.0)] * size, method="highs")
    return float(-solved.fun)


def composed_delta(epsilon: float, delta: float, distance: int, level: float) -> float:
    """max g∘…∘g(p) − e^level·p of (ε, δ), in 80 digits: over all p whose orbit meets a corner of g."""
    with localcontext(prec=80):
        e, d, one = Decimal(epsilon).exp(), Decimal(delta), Decimal(1)

        def g(p: Decimal) -> Decimal:
            return min(e * p + d, 1 - (1 - d - p) / e, one)

        starts = [Decimal(0), (1 - d) / (1 + e), 1 - d]
        for start in starts[1:]:
            p = start
            for _ in range(distance):
                p = max((p - d) / e, 1 - d - e * (1 - p))  # the inverse of g
                if p > 0:
                    starts.append(p)

        def composed(p: Decimal) -> Decimal:
            for _ in range(distance):
                p = g(p)
            return p

        return float(max(composed(p) - Decimal(level).exp() * p for p in starts if p <= 1))


def composed_masses(epsilon: float, distance: int) -> list[tuple[float, float]]:
    """(p, q) of the composed curve of pure ε, from p = 0 on: q/p = e^((k − 2j)ε), j = 0, …, k."""
    with localcontext(prec=80):
        corner = 1 / (1 + Decimal(epsilon).exp())
        ends = [corner * (Decimal(epsilon) * (j + 1 - distance)).exp() for j in range(distance)] + [Decimal(1)]
        sizes = [b - a for a, b in zip([Decimal(0), *ends], ends, strict=False)]
        return [(float(p), float(p * (Decimal(epsilon) * (distance - 2 * j)).exp())) for j, p in enumerate(sizes)]


def packing_records(
    n: int, d: int, active: int, block: int, distance: int, sigma: list[int], x: float, y: float
) -> list[tuple[tuple[float, ...], float]]:
    """The records of S_σ, one at a time."""
    records = []
    for j in range(active):
        point = tuple(x if k == j else 0.0 for k in range(d))
        records += [(point, sigma[j] * y)] * ((block + distance) // 2)
        records += [(point, -sigma[j] * y)] * ((block - distance) // 2)
    return records + [(tuple([0.0] * d), 0.0)] * (n - len(records))


def squared_risk(records: list[tuple[tuple[float, ...], float]], w: np.ndarray) -> float:
    total = 0.0
    for point, label in records:
        total += (sum(a * b for a, b in zip(point, w, strict=True)) - label) ** 2
    return total / len(records)


def absolute_risk(means: np.ndarray, mass: float, size: float, scale: float, w: np.ndarray) -> float:
    """E|y − ⟨w, x⟩| on the fingerprinting distribution, record by record of its support."""
    risk = 0.0
    for mean, weight in zip(means, w, strict=True):
        for bit, chance in ((1.0, mean), (0.0, 1.0 - mean)):
            risk += mass / len(means) * chance * abs(scale * size * bit - size * weight)
    return risk


def beta_mean(beta: float, function) -> float:
    """E f(μ), μ ~ Beta(β, β), by quadrature in the variable that removes the ends' poles."""
    norm = math.gamma(2.0 * beta) / math.gamma(beta) ** 2

    def integrand(t: float) -> float:  # μ = t^{1/β} below 1/2; the upper half by symmetry
        mu = t ** (1.0 / beta)
        return (function(mu) + function(1.0 - mu)) * (1.0 - mu) ** (beta - 1.0) / beta

    return norm * quad(integrand, 0.0, 0.5**beta, epsabs=1e-12, epsrel=1e-10, limit=200)[0]


def two_piece(r: float) -> float:
    return r * r if abs(r) <= 0.5 else abs(r) - 0.25


def rare_bayes(n: int, q: float, gamma: float, x: float, radius: float) -> float:
    """Bayes risk of the rare-record pair, by a fine search over the answer given to a sample without it."""

    def excess(rare: float, w: np.ndarray) -> np.ndarray:
        def risk(v):
            return 0.5 * (1.0 - rare) * (gamma * v - gamma * radius) ** 2 + 0.5 * rare * (x * v) ** 2

        grid = np.linspace(0.0, radius, 200_001)
        return risk(w) - risk(grid).min()

    w = np.linspace(0.0, radius, 200_001)
    return float((0.5 * excess(0.0, w) + 0.5 * (1.0 - q) ** n * excess(q, w)).min())


def membership_score(output: list[float], column: int, bit: float, mean: float, scale: float) -> float:
    """v_j(z − μ_j) of one output, v = w/scale cut to [0, 1]: the proof of Theorem 11."""
    guess = output[column] / scale
    return (0.0 if guess < 0.0 else 1.0 if guess > 1.0 else guess) * (bit - mean)


def gaussian_delta(epsilon: float, mu: float) -> float:
    """δ(ε) of two unit Gaussians μ apart (Balle & Wang 2018)."""

    def cdf(z: float) -> float:
        return 0.5 * math.erfc(-z / math.sqrt(2.0))

    return max(0.0, cdf(-epsilon / mu + mu / 2.0) - math.exp(epsilon) * cdf(-epsilon / mu - mu / 2.0))


def one_bit_excess(beta: float, epsilon: float, delta: float) -> float:
    """The least mean excess risk over the minimiser of a private answer to one bit z ~ Bernoulli(μ), μ ~ Beta(β, β).

    The risk of v in [0, 1] is μ + v(1 − 2μ); an answer is (p_0, p_1), the mean of v for either bit: a linear programme.
    """
    costs = [
        beta_mean(beta, lambda mu: (1.0 - mu) * (1.0 - 2.0 * mu)),
        beta_mean(beta, lambda mu: mu * (1.0 - 2.0 * mu)),
    ]
    growth = math.exp(epsilon)
    rows = [[1.0, -growth], [-growth, 1.0], [-1.0, growth], [growth, -1.0]]
    bounds = [delta, delta, delta + growth - 1.0, delta + growth - 1.0]
    solved = linprog(costs, A_ub=rows, b_ub=bounds, bounds=[(0.0, 1.0)] * 2, method="highs")
    return float(solved.fun) + beta_mean(beta, lambda mu: mu - min(mu, 1.0 - mu))


def coin_divergence(order: float, p: float, q: float) -> float:
    """Rényi divergence of two coins."""
    logs = []
    for a, b in ((p, q), (1.0 - p, 1.0 - q)):
        if a > 0.0:
            if b <= 0.0:
                return math.inf
            logs.append(math.log(a) + (order - 1.0) * math.log(a / b))
    top = max(logs)
    return (top + math.log(sum(math.exp(x - top) for x in logs))) / (order - 1.0)


def largest_coin(p: float, bounds: list[tuple[float, float]]) -> float:
    """The largest q with divergences of at most tau between coins p and q, in both orders, at every (order, tau)."""

    def excess(q: float) -> float:
        return max(max(coin_divergence(a, q, p), coin_divergence(a, p, q)) - tau for a, tau in bounds)

    return float(brentq(excess, p, 1.0 - 1e-13, xtol=1e-15)) if excess(1.0 - 1e-13) > 0.0 else 1.0
