"""Of the second zoo: selections, sequences with an early stop, histograms and graphs, rare leaks, with their laws."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from studies.oracle import Law, law, product, shifted_laplace

Rng = np.random.Generator
STOPPED = -99  # after the last answer of a sequence


def of_cells(one: Callable[[np.ndarray], np.ndarray], other: Callable[[np.ndarray], np.ndarray], edges: Any) -> Law:
    """The law of a scalar from its two distribution functions, on cells between edges."""
    ends = np.concatenate([[-np.inf], np.asarray(edges, dtype=float), [np.inf]])
    return law(np.diff(one(ends)), np.diff(other(ends)))


# Selections


def exponential(scores: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    return (0.5 * np.asarray(scores) + rng.gumbel(size=(trials, len(scores)))).argmax(axis=1)


def softmax(scores: Any) -> np.ndarray:
    weights = np.exp(0.5 * np.asarray(scores, dtype=float))
    return weights / weights.sum()


def permute_and_flip(scores: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    """In random order each candidate is taken with probability exp((score − best)/2)."""
    order = rng.random((trials, len(scores))).argsort(axis=1)
    chance = np.exp(0.5 * (np.asarray(scores) - max(scores)))
    taken = rng.random((trials, len(scores))) < chance[order]
    return order[np.arange(trials), taken.argmax(axis=1)]


def flip_table(scores: tuple[float, ...]) -> np.ndarray:
    chance = np.exp(0.5 * (np.asarray(scores) - max(scores)))
    table, orders = np.zeros(len(scores)), list(permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for i in order:
            table[i] += left * chance[i] / len(orders)
            left *= 1.0 - chance[i]
    return table


def top_two(scores: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    noisy = 0.5 * np.asarray(scores) + rng.gumbel(size=(trials, len(scores)))
    return noisy.argsort(axis=1)[:, :-3:-1]


def top_two_table(scores: tuple[float, ...]) -> np.ndarray:
    p = softmax(scores)
    return np.array([p[i] * p[j] / (1.0 - p[i]) for i, j in permutations(range(len(scores)), 2)])


def one_of_eight(value: int, trials: int, rng: Rng) -> np.ndarray:
    """The value with probability e²/(e² + 7), else one of the others."""
    lies = rng.random(trials) < 7.0 / (math.exp(2.0) + 7.0)
    return np.where(lies, (value + rng.integers(1, 8, trials)) % 8, value)


def eight_table(value: int) -> np.ndarray:
    table = np.ones(8)
    table[value] = math.exp(2.0)
    return table / table.sum()


# Sequences with an early stop


def until_one(chance: float, trials: int, rng: Rng) -> np.ndarray:
    """Six bits at most, and none after the first 1."""
    bits = (rng.random((trials, 6)) < chance).astype(np.int64)
    return np.where(np.cumsum(bits, axis=1) - bits > 0, STOPPED, bits)


def until_one_table(chance: float) -> np.ndarray:
    k = np.arange(7)
    return np.where(k < 6, (1.0 - chance) ** k * chance, (1.0 - chance) ** 6)


RATE, STEPS, LEAST = 0.5, 5, 3


def noisy_until(shift: int, trials: int, rng: Rng) -> np.ndarray:
    """Counts with two-sided geometric noise, until one is at least `LEAST`."""
    chance = -math.expm1(-RATE)
    x = shift + rng.geometric(chance, (trials, STEPS)) - rng.geometric(chance, (trials, STEPS))
    past = np.cumsum(x >= LEAST, axis=1) - (x >= LEAST) > 0
    return np.where(past, STOPPED, x)


def law_of_noisy_until() -> Law:
    k = np.arange(-80, 82)
    p, q = (np.exp(-RATE * np.abs(k - c)) * math.tanh(RATE / 2.0) for c in (0, 1))
    ratio = np.where(k <= 0, 1, -1)  # in units of the rate
    alive: dict[int, tuple[float, float]] = {0: (1.0, 1.0)}
    done: dict[int, tuple[float, float]] = {}
    for step in range(STEPS):
        grown: dict[int, tuple[float, float]] = {}
        for r, (a, b) in alive.items():
            for move in (1, -1):
                for stops in (True, False):
                    chosen = (ratio == move) & ((k >= LEAST) == stops)
                    into = done if stops or step == STEPS - 1 else grown
                    before = into.get(r + move, (0.0, 0.0))
                    into[r + move] = (before[0] + a * p[chosen].sum(), before[1] + b * q[chosen].sum())
        alive = grown
    masses = np.array(list(done.values()))
    return law(masses[:, 0], masses[:, 1])


# Histograms and graphs


def moved_cells(counts: tuple[int, ...], trials: int, rng: Rng) -> np.ndarray:
    chance = -math.expm1(-0.4)
    shape = (trials, len(counts))
    return np.asarray(counts) + rng.geometric(chance, shape) - rng.geometric(chance, shape)


def law_of_moved_cells() -> Law:
    k = np.arange(-120, 121)
    p, q = np.exp(-0.4 * np.abs(k)), np.exp(-0.4 * np.abs(k - 1))
    cell = law(p / p.sum(), q / q.sum())
    return product([cell, cell], 0.4)


def degrees(edges: tuple[tuple[int, int], ...], trials: int, rng: Rng) -> np.ndarray:
    """Degrees of five nodes with Laplace noise of scale 2, rounded."""
    sizes = np.bincount(np.asarray(edges).ravel(), minlength=5)
    return np.round(sizes + rng.laplace(scale=2.0, size=(trials, 5))).astype(np.int64)


def laplace_below(x: np.ndarray, scale: float = 1.0) -> np.ndarray:
    return np.where(x < 0.0, 0.5 * np.exp(np.minimum(x, 0.0) / scale), 1.0 - 0.5 * np.exp(-np.maximum(x, 0.0) / scale))


def law_of_degrees() -> Law:
    edges = np.arange(-60, 62) - 0.5
    one = of_cells(lambda x: laplace_below(x, 2.0), lambda x: laplace_below(x - 1.0, 2.0), edges)
    return product([one, one], 0.0005)


GAMMA = 1.0 / (1.0 + math.exp(0.5))


def staircase(count: float, trials: int, rng: Rng) -> np.ndarray:
    """The staircase mechanism at ε = 1 for sensitivity 1 (Geng & Viswanath)."""
    sign = np.where(rng.random(trials) < 0.5, 1.0, -1.0)
    stair = rng.geometric(1.0 - math.exp(-1.0), trials) - 1
    near = rng.random(trials) < GAMMA / (GAMMA + (1.0 - GAMMA) * math.exp(-1.0))
    u = rng.random(trials)
    return count + sign * (stair + np.where(near, GAMMA * u, GAMMA + (1.0 - GAMMA) * u))


def law_of_staircase() -> Law:
    """Density a·e^{−k} on k ≤ |x| < k + γ and a·e^{−k−1} on k + γ ≤ |x| < k + 1."""
    corners = np.arange(-40, 42)
    edges = np.unique(np.concatenate([corners, corners + GAMMA, corners - GAMMA]))
    middle, width = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)

    def density(x: np.ndarray) -> np.ndarray:
        floor = np.floor(np.abs(x))
        return np.exp(-floor - (np.abs(x) - floor >= GAMMA))

    p, q = density(middle) * width, density(middle - 1.0) * width
    return law(p / p.sum(), q / q.sum())


# Rare leaks


def noise_or_flag(d: int, trials: int, rng: Rng) -> np.ndarray:
    """A weak Laplace mechanism that in one run of a thousand (a hundred thousand) tells a number of its own."""
    return np.where(rng.random(trials) < (1e-3 if d else 1e-5), 1000.0, d + rng.laplace(scale=10.0, size=trials))


def law_of_flag() -> Law:
    usual = shifted_laplace(1.0, 10.0)
    q, p = usual.first * (1.0 - 1e-5), usual.second * (1.0 - 1e-3)
    return law([*p, 1e-3], [*q, 1e-5])


def rare_value(d: int, trials: int, rng: Rng) -> np.ndarray:
    return np.where(rng.random(trials) < (2e-4 if d else 2e-6), 9, rng.integers(0, 9, trials))


def memorised(d: int, trials: int, rng: Rng) -> np.ndarray:
    """Words, one of them memorised: 1% against 0.1%."""
    words = np.array(["ant", "bee", "cat", "dog", "eel", "fox", "secret"])
    return words[np.where(rng.random(trials) < (0.01 if d else 0.001), 6, rng.integers(0, 6, trials))]
