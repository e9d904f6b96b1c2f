"""Theorem 5 and Proposition 1 of the public-data paper: Gaussian anti-concentration, for equal and unequal norms."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.special import ndtr

from dpbench.auditing import intervals
from dpbench.core.sampling import stream
from dpbench.ledger.core import LEVEL, Context, Evidence
from dpbench.ledger.harness import Row, Rows, margins, sampled
from dpbench.publicdata.claims import paper

_ROOT_2PI = math.sqrt(2.0 * math.pi)
_DRAWS = 20_000  # sample paths of a block
TAU, RHO2 = 0.01, 0.1
CLOSE = 1e-6
"""1 − correlation of the strictly positive definite example of Theorem 5."""


def theorem5_bound(tau: float, rho2: float, kappa: float, expected_supremum: float) -> float:
    """(26) at η = 1: τ/(ρ²κ²)·E sup ω."""
    return tau / (rho2 * kappa**2) * expected_supremum


def proposition1_bound(tau: float, rho: float, kappa2: float, expected_supremum: float) -> float:
    """(11) at η = 1: 8τ/(ρ⁴κ²)·E sup ω, κ² the least variance."""
    return 8.0 * tau / (rho**4 * kappa2) * expected_supremum


def scaled_pair(a: float, tau: float, rho2: float) -> float:
    """P(E(ρ, τ)) for T = {N, aN}, 0 < a < 1, m = 0, η = 1, exactly.

    For N < 0 the minimiser is N, K(s, t*)/K(t*, t*) = a, and aN ≤ N + τ iff N ≥ −τ/(1 − a). For N > 0 it is aN, with
    the ratio 1/a > 1.
    """
    return float(ndtr(0.0) - ndtr(-tau / (1.0 - a))) if a <= 1.0 - rho2 else 0.0


@paper.inequality(
    "thm5", source="Theorem 5, equation 26", expected="refuted", level=LEVEL,
    holds="publicdata.thm5.inequality.equal-norms",
    statement="P(E(rho, tau)) <= tau/(rho^2 eta kappa^2) E sup omega for any K with kappa <= K(t, t) <= 1.",
    because="The proof takes b(s) = (tau/rho^2)(1 - K(s,t)/K(t,t)) >= 0 from K(s,t) <= sqrt(K(s,s)K(t,t)), which says "
    "K(s,t) <= K(t,t) only where norms are equal. T = {N, a N}: both sides are closed forms.",
)
def unequal(context: Context) -> Evidence:
    """T = {N, aN}: the exact probability against (26), κ read as inf K (the larger bound) and as its root."""
    rows: list[Row] = []
    for a in (0.5, 0.7, 0.8, 0.85, 0.9):
        bound, other = (theorem5_bound(TAU, 1.0 - a, kappa, (1.0 - a) / _ROOT_2PI) for kappa in (a * a, a))
        rows.append({"a": a, "left": scaled_pair(a, TAU, 1.0 - a), "right": bound, "other_reading": other})
    count = context.pick(quick=100_000, full=2_000_000)
    hits = sum(sampled(context, scaled_hits, blocks=count // _DRAWS))
    interval = tuple(float(f(hits, count, LEVEL / 2)) for f in (intervals.lower, intervals.upper))
    last = rows[-1]
    made = margins(
        rows,
        f"value: exact P(E) for T = {{N, 0.9 N}}, eta = 1, tau = {TAU:g}, rho^2 = 0.1, against a bound of at most "
        f"{last['right']:.4f} (kappa = inf K; {last['other_reading']:.4f} with kappa^2 = inf K); interval: by sampling "
        f"{{N, 0.9 N'}} with correlation 1 - {CLOSE:g}, whose K is strictly positive definite",
        value=last["left"], trials=count,
    )
    return replace(made, interval=(interval[0], interval[1]))


def nearly_scaled() -> np.ndarray:
    """The covariance of {N, 0.9N'} with a correlation just below 1: strictly positive definite, as Theorem 5 asks."""
    return np.array([[1.0, 0.9 * (1.0 - CLOSE)], [0.9 * (1.0 - CLOSE), 0.81]])


def scaled_hits(seed: int, block: int) -> int:
    """How often E happens in a block of sample paths of `nearly_scaled`, judged from the definition."""
    normal = stream(seed, "publicdata.thm5", block).standard_normal((_DRAWS, 2))
    covariance = nearly_scaled()
    return int(event(normal @ np.linalg.cholesky(covariance).T, covariance, TAU, RHO2).sum())


def event(paths: np.ndarray, covariance: np.ndarray, tau: float, rho2: float) -> np.ndarray:
    """E(ρ, τ) of (25), path by path: paths Ω, shape (count, |T|)."""
    best = paths.argmin(axis=1)
    ratio = covariance[best] / np.diag(covariance)[best][:, None]
    near = paths <= paths.min(axis=1, keepdims=True) + tau
    return np.asarray(((ratio <= 1.0 - rho2 + 1e-12) & near).any(axis=1))


@paper.inequality(
    "thm5", variant="equal-norms", source="Theorem 5, where K(t, t) = 1 for all t", expected="not refuted", level=LEVEL,
    statement="P(E(rho, tau)) <= tau/(rho^2 eta) E sup omega where all K(t, t) are 1.",
    because="b >= 0 holds then (Cauchy and Schwarz), and the rest of the proof. Two functions with correlation 1 - "
    "rho^2 attain it: P(|N(0, 2 rho^2)| <= tau) against tau/(rho sqrt(pi)).",
)
def equal(context: Context) -> Evidence:
    """Unit norms: two functions exactly, and random finite T with random means by sampling."""
    rows: list[Row] = []
    for rho2, tau in product((0.05, 0.1, 0.5, 1.0, 1.9), (1e-4, 1e-2, 0.3)):
        # Ω(s) − Ω(t) is N(0, 2ρ²), E sup of two is ρ/√π
        chance = 1.0 - 2.0 * float(ndtr(-tau / math.sqrt(2.0 * rho2)))
        bound = theorem5_bound(tau, rho2, 1.0, math.sqrt(rho2 / math.pi))
        rows.append({"size": 2.0, "rho2": rho2, "tau": tau, "left": chance, "right": bound})
    exact = min(1.0 - row["left"] / row["right"] for row in rows)
    cases, draws = context.pick(quick=(12, 2), full=(40, 8))
    for size, rho2, tau, hits, supremum in sampled(context, random_case, draws, blocks=cases):
        bound = theorem5_bound(tau, rho2, 1.0, supremum + reach(draws))
        low = float(intervals.lower(int(hits), draws * _DRAWS, LEVEL / (2 * cases)))
        rows.append({"size": size, "rho2": rho2, "tau": tau, "left": low, "right": bound})
    return margins(
        rows,
        "value: smallest relative margin of two functions, exact: they attain the bound as tau -> 0",
        f"{cases} random T of 2 to 8 functions with random means: none beyond the bound at error {LEVEL:g}",
        value=exact, trials=cases * draws * _DRAWS,
    )


def reach(draws: int) -> float:
    """By how much a sampled E sup may be too small: a mean of 1-Lipschitz functions of normals has Gaussian tails."""
    return 6.5 * math.sqrt(1.0 / (draws * _DRAWS))


def random_case(blocks: int, seed: int, case: int) -> list[float]:
    """|T|, ρ², τ, hits of the event and the mean supremum, for a random T of unit vectors with random means."""
    rng = stream(seed, "publicdata.thm5.random", case)
    size, dimension = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    vectors = rng.standard_normal((size, dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rho2, tau = float(rng.uniform(0.05, 1.5)), float(10.0 ** rng.uniform(-2.5, -0.5))
    mean = rng.uniform(-0.3, 0.3, size)
    hits, total = 0, 0.0
    for _ in range(blocks):
        omega = rng.standard_normal((_DRAWS, dimension)) @ vectors.T
        hits += int(event(omega + mean, vectors @ vectors.T, tau, rho2).sum())
        total += float(omega.max(axis=1).sum())
    return [float(size), rho2, tau, float(hits), total / (blocks * _DRAWS)]


@paper.inequality(
    "prop1", source="Proposition 1, equation 11", expected="not refuted",
    statement="P(|fbar - fbar'| > rho) <= 8 tau/(rho^4 kappa^2 eta) E sup omega for F in the unit ball.",
    because="Its proof rests on Theorem 5, so for unequal norms it is unproven, and not refuted: {f, c f} stays below "
    "it, and {f, -f} attains it.",
)
def proposition(context: Context) -> Rows:
    """Two functions {f, cf}, c in [−1, 1): exact probability that the minimiser moves when m moves by τ each.

    Ω(f) − Ω(cf) = Δm + η(1 − c)N; Δm moves by at most 2τ, best from −τ to τ.
    """
    for c, tau in product((-1.0, -0.9, -0.5, -0.2, 0.2, 0.5, 0.9), (1e-4, 1e-2, 0.3)):
        bound = proposition1_bound(tau, 1.0 - c, c * c, (1.0 - c) / _ROOT_2PI)
        yield {"c": c, "tau": tau, "left": 1.0 - 2.0 * float(ndtr(-tau / (1.0 - c))), "right": min(1.0, bound)}
    return (
        "value: smallest relative margin over F = {f, c f}, |f| = 1, exact; c = -1 attains (11) as tau -> 0, and "
        "unequal norms stay below it"
    )


@paper.inequality(
    "cor1", source="Corollary 1, equation 58", expected="not refuted", level=LEVEL,
    statement="P(d(t*, t*') > rho) <= 8 tau/(rho^4 eta kappa^2) E sup omega for means within tau of each other.",
    because="Unproven and not refuted: Theorem 5 is false for unequal norms, (65) has tau where means differ by 2 "
    "tau, and (63) squares rho^2/2, which Theorem 5 does not. For equal norms it gives 8 tau/(rho^2 eta) E sup omega, "
    "less than (58) for rho < 1 and more above. Two functions: 2 Phi(tau/d) - 1, and d kappa <= 2.",
)
def corollary(context: Context) -> Evidence:
    """Two functions of any norms and angle, exactly; random T of unequal norms and shifted means by sampling.

    κ² is read as inf K(t, t), the smaller bound of the two readings.
    """
    rows: list[Row] = []
    norms = ((1.0, 1.0), (1.0, 0.9), (1.0, 0.5), (0.5, 0.4))
    for (first, second), correlation, tau in product(norms, (-1.0, -0.5, 0.0, 0.5, 0.9), (1e-4, 1e-2, 0.3)):
        apart = math.sqrt(first**2 + second**2 - 2.0 * correlation * first * second)
        # Ω(s) − Ω(t) is N(Δm, d²); Δm goes from −τ to τ, and E sup of two is d/√(2π)
        bound = proposition1_bound(tau, apart, second**2, apart / _ROOT_2PI)
        rows.append({"rho": apart, "kappa": second, "tau": tau, "left": 1.0 - 2.0 * float(ndtr(-tau / apart)),
                     "right": min(1.0, bound)})  # fmt: skip
    exact = min(1.0 - row["left"] / row["right"] for row in rows)
    cases, draws = context.pick(quick=(12, 2), full=(40, 8))
    count, smallest = draws * _DRAWS, math.inf
    for rho, least, tau, hits, supremum in sampled(context, moved_case, draws, blocks=cases):
        bound = min(1.0, proposition1_bound(tau, rho, least**2, supremum + reach(draws)))
        low = float(intervals.lower(int(hits), count, LEVEL / (2 * cases)))
        smallest = float(np.minimum(smallest, 1.0 - low / bound))
        rows.append({"rho": rho, "kappa": least, "tau": tau, "left": low, "right": bound})
    return margins(
        rows,
        "value: smallest relative margin of two functions, exact: opposite ones attain the bound as tau -> 0",
        f"{cases} random T of 2 to 8 functions with norms 0.3 to 1: none beyond the bound at error {LEVEL:g}, "
        f"smallest margin {smallest:.3f}",
        value=exact, trials=cases * count,
    )


def moved_case(blocks: int, seed: int, case: int) -> list[float]:
    """ρ, the least norm, τ, how often d(t*, t*') > ρ, and the mean supremum, for a random T of unequal norms."""
    rng = stream(seed, "publicdata.cor1.random", case)
    size, dimension = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    vectors = rng.standard_normal((size, dimension))
    norms = rng.uniform(0.3, 1.0, size)
    vectors *= (norms / np.linalg.norm(vectors, axis=1))[:, None]
    tau = float(10.0 ** rng.uniform(-2.5, -0.5))
    mean = rng.uniform(-0.3, 0.3, size)
    other = mean + tau * rng.choice((-1.0, 1.0), size)
    apart = np.linalg.norm(vectors[:, None, :] - vectors, axis=2)
    rho = float(rng.uniform(0.3, 1.0) * apart.max())
    hits, total = 0, 0.0
    for _ in range(blocks):
        omega = rng.standard_normal((_DRAWS, dimension)) @ vectors.T
        hits += int((apart[(omega + mean).argmin(axis=1), (omega + other).argmin(axis=1)] > rho).sum())
        total += float(omega.max(axis=1).sum())
    return [rho, float(norms.min()), tau, float(hits), total / (blocks * _DRAWS)]
