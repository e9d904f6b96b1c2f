"""Checks that instances used against the GLM paper obey what it assumes: pairs, losses, data sets, algorithms."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from admissible import (
    Check,
    every,
    series,
)
from naive.theorem4 import halved_gains
from scipy.special import logsumexp
from scipy.stats import laplace

from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.lemma5 import LEMMA_5
from dpbench.privacy import discrete, selection
from dpbench.privacy.profile import Profile, discrete_profile
from lowerbounds import packing

SMOOTH = {"glm.thm1.privacy", "glm.thm2.privacy", "glm.thm3.privacy"}
LIPSCHITZ = {"glm.thm5.privacy", "glm.thm10.privacy"}
"""Refuted privacy rows: `test_glm_admissible_pairs` runs them, and looks at each pair that decides."""
GRID = np.linspace(-3.0, 3.0, 601)


def least_squares(problem: GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Exact and not private: the coordinate means of a basis design."""
    counts = np.asarray(problem.X.sum(axis=0)).ravel() / problem.x_bound
    sums = np.asarray(problem.X.T @ problem.y).ravel() / problem.x_bound**2
    return np.tile(np.where(counts > 0, sums / np.maximum(counts, 1.0), 0.0), (trials, 1))


def coin_law(lead: float, models: int, scale: float) -> np.ndarray:
    """log P(+B e_1) and log P(-B e_1) of Algorithm 5 over a fair coin; +B e_1 has the mean loss `lead` more."""
    plus, minus = [], []
    for k in range(models + 1):
        weight = math.log(math.comb(models, k)) - models * math.log(2.0)
        logs = selection.noisy_max(np.where(np.arange(models) < k, lead, 0.0), scale)
        if k > 0:
            plus.append(weight + logsumexp(logs[:k]))
        if k < models:
            minus.append(weight + logsumexp(logs[k:]))
    return np.array([logsumexp(plus), logsumexp(minus)])


def coin_pair(y: float, last: int, models: int, scale: float, favour: int) -> Profile:
    """The exact profile of its output where a record of the last chunk, (e_1, Y), becomes (e_1, -Y), B = Y.

    `favour` other records are (e_1, Y), the rest (0, 0).
    """
    each = 4.0 * y**2 / last
    laws = [coin_law(-favour * each - way * each, models, scale) for way in (1.0, -1.0)]
    return discrete_profile(discrete.pair_from_logs(*laws), why="law of the chosen sign")


def convex_smooth_nonnegative(loss: Loss, y: float = 1.0) -> bool:
    """Value ≥ 0, φ' non-decreasing and H-Lipschitz, on a grid, for labels ±y."""
    good = True
    for label in (y, -y):
        labels = np.full_like(GRID, label)
        value, slope = loss.value(GRID, labels), loss.derivative(GRID, labels)
        rise = np.diff(slope)
        good &= bool(value.min() >= -1e-9 and rise.min() >= -1e-9)
        good &= bool(rise.max() <= loss.smoothness * np.diff(GRID).max() * (1 + 1e-9) + 1e-9)
    return good


def at_zero(loss: Loss, y: float = 1.0) -> float:
    return float(loss.value(np.zeros(1), np.full(1, y))[0])


def range_of_theorem_4(name: str) -> dict[str, Check]:
    return {"epsilon in [1/n, 1]; delta = 0 <= (1 - exp(-epsilon))/16": every(
        name, lambda n, e: 1.0 / n <= e <= 1.0, "n", "epsilon")}  # fmt: skip


def data_sets(
    n: int, radius: float, epsilon: float, rng: np.random.Generator, tries: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Records with |x| ≤ 1, |y| ≤ 1 and |w*| = `radius` exactly: the worst ones, then random ones."""
    k = max(1, round(2.0 / epsilon))
    x, y = np.zeros(n), np.zeros(n)
    x[:k], y[:k] = 1.0 / radius, 1.0
    yield x, y
    for _ in range(tries):
        x, y = rng.uniform(-1.0, 1.0, n), rng.choice((-1.0, 1.0), n) * rng.random(n)
        x *= rng.random(n) < rng.random()
        if not x.any():
            continue
        w = float(x @ y) / float(x @ x)
        x *= abs(w) / radius  # features below 1, as |w| is small beside B: the minimiser becomes ±B
        yield x / max(1.0, float(np.abs(x).max())), y / max(1.0, float(np.abs(x).max()))


def exact_norm() -> bool:
    rng = np.random.default_rng(0)
    for n, radius in ((100, 100.0), (1000, 7.0)):
        for x, y in data_sets(n, radius, 1.0, rng, 20):
            norm = abs(float(x @ y) / float(x @ x))
            if abs(norm / radius - 1.0) > 1e-9 or max(abs(x).max(), abs(y).max()) > 1 + 1e-9:
                return False
    return True


def zero_excess() -> bool:
    """F(0) − F(w*) = mean (w* x)² ≤ B²X², on data sets whose minimiser is ±B exactly."""
    rng, found = np.random.default_rng(2), []
    for radius in (7.0, 100.0):
        for x, y in data_sets(100, radius, 0.5, rng, 20):
            w = float(x @ y) / float(x @ x)
            excess = float(np.mean(y**2) - np.mean((w * x - y) ** 2))
            found.append(abs(excess - np.mean((w * x) ** 2)) < 1e-9 and excess <= radius**2 * (1 + 1e-9))
    return all(found)


def sign_is_private() -> bool:
    """P(±B), from the law of mean u + Laplace(2Y²/(nε)): no replaced record changes either by more than e^ε."""
    rng = np.random.default_rng(1)
    for n, radius, epsilon in ((12, 12.0, 1.0), (30, 200.0, 0.2)):
        scale = 2.0 / (n * epsilon)
        for x, y in data_sets(n, radius, epsilon, rng, 10):
            mean = float(np.mean(halved_gains(x.tolist(), y.tolist(), radius, 1.0)))
            for new in ((1.0, 1.0), (-1.0, 1.0), (1.0 / radius, 1.0), (-1.0 / radius, 1.0), (0.0, 0.0)):
                z, v = x.copy(), y.copy()
                z[0], v[0] = new
                other = float(np.mean(halved_gains(z.tolist(), v.tolist(), radius, 1.0)))
                logs = [(laplace.logsf(-m, scale=scale), laplace.logcdf(-m, scale=scale)) for m in (mean, other)]
                if max(abs(logs[0][k] - logs[1][k]) for k in (0, 1)) > epsilon * (1 + 1e-9):
                    return False
    return True


def lemma_5_by_simulation() -> bool:
    """Algorithm 1 on the entry's law (x = 1, y = ±1 fair, σ = 0, η = 4/H̃ = 2), its ball and its start, step by step."""
    rng, n, steps, smoothness = np.random.default_rng(2), 100, 4, 2.0
    eta, radius = 4.0 / smoothness, 1.0 + 3.0 ** (steps - 1)
    y = rng.choice((-1.0, 1.0), (50_000, n + 1))
    averages = []
    for mean in (y[:, :n].mean(axis=1), (y[:, 1:n].sum(axis=1) + y[:, n]) / n):
        w, iterates = np.zeros(len(y)), []
        for _ in range(steps):
            iterates.append(w)
            w = np.clip(w - eta * 2.0 * (w - mean), -radius, radius)
        averages.append(np.mean(iterates, axis=0))
    measured = float(((averages[0] - averages[1]) ** 2).mean())
    stated = LEMMA_5.number(LEMMA_5.claim.parts["left"], n=n, T=steps, c=4.0, B=1e6 * radius)
    return abs(measured / stated - 1.0) < 0.05


def dummy_reaches_b() -> bool:
    """c' = Y/√(B² − |w^σ|²) is at most X, and puts the minimiser's norm at B."""
    for n, d, epsilon, radius in zip(*(series("glm.thm4.inequality.wlog")[k] for k in ("n", "d", "epsilon", "reach")),
                                     strict=True):  # fmt: skip
        family = packing(n - 1, d - 1, epsilon, radius=math.sqrt(min(d - 1, n * epsilon)))
        inner = math.sqrt(family.parameters["active"]) * family.parameters["target"]
        if 1.0 / math.sqrt(radius**2 - inner**2) > 1.0:
            return False
    return True


def coin_base() -> bool:
    """Condition 2 of Theorem 13 with γ² = B²/log 2: E exp(⟨w, u⟩²/γ²) = exp(B²cos²/γ²) ≤ 2, with equality along e_1."""
    return math.exp(1.0 / (1.0 / math.log(2.0))) <= 2.0 + 1e-12
