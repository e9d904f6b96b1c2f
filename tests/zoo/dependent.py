"""Samplers whose runs depend, each with what the message says of it, and samplers whose runs do not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .validity import laplace

Rng = np.random.Generator


def own_generator(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + np.random.default_rng(0).laplace(size=trials)


def one_call(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.full(trials, d + rng.laplace())


def repeated(rows: int) -> Callable[..., np.ndarray]:
    """One draw for so many rows."""
    return lambda d, n, rng: np.repeat(d + rng.laplace(size=-(-n // rows)), rows)[:n]


def cached(seed: int) -> Callable[..., np.ndarray]:
    """Noise that is drawn once for each size of a call."""
    noise = functools.lru_cache(lambda n: np.random.default_rng([seed, n]).laplace(size=n))
    return lambda d, n, rng: d + noise(n)


def tiled(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + np.resize(rng.laplace(size=max(trials // 3, 1)), trials)


def chained(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Every row keeps 0.6 of the one before it."""
    noise = rng.normal(size=trials)
    for i in range(1, trials):
        noise[i] += 0.6 * noise[i - 1]
    return d + noise


def antithetic(d: float, trials: int, rng: Rng) -> np.ndarray:
    half = rng.laplace(size=-(-trials // 2))
    return d + np.stack([half, -half], axis=1).ravel()[:trials]


def shared_offset(d: float, trials: int, rng: Rng) -> np.ndarray:
    """A hundred rows share an offset; each has noise of its own."""
    return d + np.repeat(rng.normal(size=-(-trials // 100)), 100)[:trials] + rng.laplace(size=trials)


def words(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.repeat(np.array(["a", "bb", "ccc"])[rng.integers(0, 2 + int(d), -(-trials // 3))], 3)[:trials]


def rows_of_five(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.repeat(rng.laplace(size=(-(-trials // 2), 5)) + d, 2, axis=0)[:trials]


def one_column_a_call(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Fresh Laplace noise beside a number that is drawn once a call."""
    return np.stack([d + rng.laplace(size=trials), np.full(trials, rng.normal()), rng.normal(size=trials)], axis=1)


def coin(d: float, trials: int, rng: Rng) -> np.ndarray:
    """One coin a call."""
    return np.full(trials, rng.integers(2))


def coin_beside_noise(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.stack([np.full(trials, rng.integers(2)), rng.integers(0, 5, trials)], axis=1)


def from_twenty_seeds(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + np.random.default_rng(int(rng.integers(20))).laplace(size=trials)


def offset_a_call(deviation: float) -> Callable[..., np.ndarray]:
    """A number that is drawn once a call moves all its runs."""
    return lambda d, n, rng: d + deviation * rng.normal() + rng.laplace(size=n)


PLANTED: dict[str, tuple[Callable[[int], Callable[..., np.ndarray]], str]] = {
    "a seed of its own": (lambda seed: own_generator, "own|cached"),
    "one call repeated": (lambda seed: one_call, "draw"),
    "one draw for 2 rows": (lambda seed: repeated(2), "one draw that is repeated"),
    "one draw for 10 rows": (lambda seed: repeated(10), "one draw that is repeated"),
    "one draw for 100 rows": (lambda seed: repeated(100), "one draw that is repeated"),
    "noise cached between calls": (cached, "cache"),
    "tiled": (lambda seed: tiled, "one draw that is repeated|a draw that several trials share"),
    "a chain": (lambda seed: chained, "a chain that carries on"),
    "antithetic": (lambda seed: antithetic, "stratified"),
    "an offset shared": (lambda seed: shared_offset, "several trials share"),
    "words": (lambda seed: words, "repeated"),
    "vectors": (lambda seed: rows_of_five, "repeated"),
    "a column drawn once a call": (lambda seed: one_column_a_call, "draw that several trials share"),
    "a coin a call": (lambda seed: coin, "several trials"),
    "a coin a call beside noise": (lambda seed: coin_beside_noise, "several trials"),
    "one of twenty seeds a call": (lambda seed: from_twenty_seeds, "own|cached"),
    "a large offset a call": (lambda seed: offset_a_call(2.0), "several trials share"),
}
"""By seed of the audit; what the likely cause may be called."""

CORRECT: dict[str, Any] = {
    "Laplace noise": laplace,
    "rare bits": lambda d, n, rng: rng.random(n) < 1e-3 * (1.0 + d),
    "two words": lambda d, n, rng: np.array(["no", "yes"])[(rng.random(n) < 0.4 + 0.2 * d).astype(int)],
    "vectors of four sums": lambda d, n, rng: d + np.cumsum(rng.laplace(size=(n, 4)), axis=1),
    "atoms": lambda d, n, rng: np.clip(d + rng.laplace(size=n), 0.0, 1.0),
    "constant": lambda d, n, rng: np.full(n, d),
    "equal coordinates": lambda d, n, rng: np.repeat(d + rng.laplace(size=(n, 1)), 3, axis=1),
    "nan": lambda d, n, rng: np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n)),
    "nan of two signs in a column": lambda d, n, rng: np.stack(
        [d + rng.laplace(size=n), np.where(rng.random(n) < 0.5, np.nan, -np.nan)], axis=1
    ),
    "zeros of two signs in a column": lambda d, n, rng: np.stack(
        [d + rng.laplace(size=n), np.where(rng.random(n) < 0.5, 0.0, -0.0)], axis=1
    ),
}
"""Independent runs: refused with probability at most 1e-9."""
