"""Correct mechanisms at claims that hold exactly: how often an audit says otherwise, condition by condition.

At confidence 0.9 an audit of a condition is wrong (it refutes, or bounds ε above the exact one) with probability at
most 0.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom

import dpbench
from dpbench.privacy import gaussian
from dpbench.privacy.profile import gaussian_profile

Rng = np.random.Generator
CONFIDENCE = 0.9
MU = gaussian.mu(1.0, 0.01)
TELLS = math.e / (1.0 + math.e)


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(size=trials)


def normal(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.standard_normal(trials)


def response(d: int, trials: int, rng: Rng) -> np.ndarray:
    return (rng.random(trials) < TELLS) == bool(d)


def words(d: int, trials: int, rng: Rng) -> np.ndarray:
    return np.array(["no", "yes"])[response(d, trials, rng).astype(int)]


def clipped(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Atoms at 0 and 1 of e-fold ratio, and a continuous part."""
    return np.clip(d + rng.laplace(size=trials), 0.0, 1.0)


def pair(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(scale=2.0, size=(trials, 2))


def forty(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Forty columns of which the loss is shared."""
    return d + rng.laplace(scale=40.0, size=(trials, 40))


def same(d: float, trials: int, rng: Rng) -> np.ndarray:
    return rng.laplace(size=trials)


def many_values(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Thirty equally likely values, whatever the data: luck alone tells the sides apart."""
    return rng.integers(0, 30, size=trials)


def rare_atoms(d: int, trials: int, rng: Rng) -> np.ndarray:
    """Sixty atoms of 0.4% each on one side and 0.4%/e on the other, half of them either way."""
    low, high = 0.004 / math.e, 0.004
    table = np.append(np.where((np.arange(60) % 2 == 0) == bool(d), high, low), 1.0 - 30.0 * (low + high))
    return rng.choice(61, size=trials, p=table)


def given_away(d: int, trials: int, rng: Rng) -> np.ndarray:
    """Randomised response that with probability 0.05 tells the data outright."""
    return np.where(rng.random(trials) < 0.05, 2 + d, response(d, trials, rng).astype(int))


def pair_of(sampler: Callable[..., Any], one: Any, other: Any, exact: float, trials: int, **asked: Any) -> Any:
    """A condition of `dpbench.audit`: wrong where it refutes, or where its bound is above the exact ε."""

    def wrong(seed: int) -> bool:
        found = dpbench.audit(sampler, one, other, trials=trials, confidence=CONFIDENCE, seed=seed, **asked)
        return found.verdict == "refuted" or found.epsilon_lower > exact + 1e-12

    return wrong


def arrays(sampler: Callable[..., Any], one: Any, other: Any, rows: tuple[int, int], **asked: Any) -> Any:
    def wrong(seed: int) -> bool:
        rng = np.random.default_rng([seed, 1])
        sides = (sampler(d, n, rng) for d, n in zip((one, other), rows, strict=True))
        found = dpbench.audit_samples(*sides, confidence=CONFIDENCE, seed=seed, **asked)
        return bool(found.verdict == "refuted")

    return wrong


def one_run(answers: Callable[[np.ndarray, Rng], np.ndarray], canaries: int, **asked: Any) -> Any:
    def wrong(seed: int) -> bool:
        rng = np.random.default_rng([seed, 2])
        included = rng.random(canaries) < 0.5
        found = dpbench.audit_one_run_scores(
            included, answers(included, rng), confidence=CONFIDENCE, seed=seed, **asked
        )
        return bool(found.verdict == "refuted")

    return wrong


def curve(seed: int) -> bool:
    """Any point above the exact δ(ε) = 1 − e^{(ε−1)/2} is wrong."""
    grid = np.linspace(0.0, 1.5, 16)
    found = dpbench.audit(laplace, 0.0, 1.0, trials=1_000, confidence=CONFIDENCE, seed=seed)
    return bool((found.curve(grid) > np.maximum(1.0 - np.exp((grid - 1.0) / 2.0), 0.0) + 1e-12).any())


def tradeoff(seed: int) -> bool:
    """Any point below the exact trade-off curve of 1-GDP is wrong."""
    from scipy.stats import norm

    rates = np.geomspace(1e-4, 0.9, 60)
    found = dpbench.audit(normal, 0.0, 1.0, trials=2_000, confidence=CONFIDENCE, seed=seed)
    return bool((found.tradeoff(rates) < norm.cdf(norm.ppf(1.0 - rates) - 1.0) - 1e-9).any())


def answered(epsilon: float, *, total: float = 0.0) -> Callable[[np.ndarray, Rng], np.ndarray]:
    """Randomised response of each coin, ties broken at random; with probability `total` all coins are told."""

    def answers(included: np.ndarray, rng: Rng) -> np.ndarray:
        flipped = included ^ (rng.random(len(included)) < 1.0 / (1.0 + math.exp(epsilon)))
        return (included if rng.random() < total else flipped) + 0.5 * rng.random(len(included))

    return answers


def tied(included: np.ndarray, rng: Rng) -> np.ndarray:
    return (included ^ (rng.random(len(included)) < 1.0 / (1.0 + math.e))).astype(float)


def summed(mu: float) -> Callable[[np.ndarray, Rng], np.ndarray]:
    return lambda included, rng: mu * included + rng.standard_normal(len(included))


def shared_size(included: np.ndarray, rng: Rng) -> np.ndarray:
    """1-GDP, with one public size for all answers: its canaries are not independent."""
    size = abs(0.5 + rng.standard_normal())
    right = rng.random(len(included)) < 1.0 / (1.0 + math.exp(-size))
    return np.where(right == included, 1.0, -1.0) * size


AUTO = {"trials": "auto", "gap": 1e-9, "budget": 12_000}
RHO, RDP = {"rho": 0.5}, {"rdp": {2: 1.0, 8: 4.0}}
CONDITIONS: dict[str, Callable[[int], bool]] = {
    "laplace": pair_of(laplace, 0.0, 1.0, 1.0, 2_000, epsilon=1.0),
    "laplace, few runs": pair_of(laplace, 0.0, 1.0, 1.0, 300, epsilon=1.0),
    "response, a hundred runs": pair_of(response, 0, 1, 1.0, 100, epsilon=1.0),
    "response": pair_of(response, 0, 1, 1.0, 2_000, epsilon=1.0),
    "words": pair_of(words, 0, 1, 1.0, 2_000, epsilon=1.0),
    "atoms": pair_of(clipped, 0.0, 1.0, 1.0, 2_000, epsilon=1.0),
    "rare atoms": pair_of(rare_atoms, 0, 1, 1.0, 4_000, epsilon=1.0),
    "given away": pair_of(given_away, 0, 1, math.inf, 3_000, epsilon=1.0, delta=0.05),
    "laplace, delta": pair_of(laplace, 0.0, 1.0, 1.0 + 2.0 * math.log(0.9), 2_000, delta=0.1),
    "gaussian, delta": pair_of(normal, 0.0, MU, 1.0, 2_000, epsilon=1.0, delta=0.01),
    "two columns": pair_of(pair, 0.0, 1.0, 1.0, 2_000, epsilon=1.0),
    "forty columns": pair_of(forty, 0.0, 1.0, 1.0, 2_000, epsilon=1.0),
    "identical": pair_of(same, 0.0, 1.0, 0.0, 2_000),
    "identical, thirty values": pair_of(many_values, 0.0, 1.0, 0.0, 2_000),
    "own score": pair_of(laplace, 0.0, 1.0, 1.0, 2_000, epsilon=1.0, score=lambda outputs: -outputs),
    "auto": pair_of(laplace, 0.0, 1.0, 1.0, epsilon=1.0, **AUTO),
    "auto, mu": pair_of(normal, 0.0, 1.0, math.inf, claim={"mu": 1.0}, **AUTO),
    "mu": pair_of(normal, 0.0, 1.0, math.inf, 2_000, claim={"mu": 1.0}),
    "rho": pair_of(normal, 0.0, 1.0, math.inf, 2_000, claim=RHO),
    "rho, approximate": pair_of(normal, 0.0, 1.0, math.inf, 2_000, claim={**RHO, "delta": 1e-6}),
    "renyi": pair_of(normal, 0.0, 1.0, math.inf, 2_000, claim=RDP),
    "profile": pair_of(
        normal, 0.0, 1.0, math.inf, 2_000, claim=dpbench.Profile(
            "exact", "", gaussian_profile(1.0, kind="exact", why="").delta_of
        ),
    ),
    "curve": curve,
    "trade-off curve": tradeoff,
    "each": pair_of(dpbench.each(lambda d, rng: {"n": d + rng.laplace(), "b": 1}), 0.0, 1.0, 1.0, 500, epsilon=1.0),
    "an ignored leaf": pair_of(
        dpbench.each(lambda d, rng: {"n": d + rng.laplace(), "id": rng.bytes(8).hex()}), 0.0, 1.0, 1.0, 500,
        epsilon=1.0, ignore=["id"],
    ),
    "arrays": arrays(laplace, 0.0, 1.0, (2_000, 2_000), epsilon=1.0),
    "arrays of two sizes": arrays(response, 0, 1, (400, 1_600), epsilon=1.0),
    "one run": one_run(answered(1.0), 256, epsilon=1.0),
    "one run, tied": one_run(tied, 256, epsilon=1.0),
    "one run, all told at times": one_run(answered(1.0, total=0.02), 200, epsilon=1.0, delta=1e-4),
    "one run, fixed guesses": one_run(answered(1.0), 256, epsilon=1.0, guesses=[256, 64]),
    "one run, mu": one_run(summed(1.5), 300, claim={"mu": 1.5}),
    "one run, shared size": one_run(shared_size, 200, claim={"mu": 1.0}),
    "one run, independent": one_run(summed(1.5), 300, claim={"mu": 1.5}, independent=True),
}  # fmt: skip


def wrong(name: str, audits: int, first: int = 0) -> int:
    """How many audits of a condition say what is false."""
    return sum(CONDITIONS[name](seed) for seed in range(first, first + audits))


def chance(found: int, audits: int) -> float:
    """Probability of so many wrong audits or more at the nominal rate."""
    return float(binom.sf(found - 1, audits, 1.0 - CONFIDENCE))
