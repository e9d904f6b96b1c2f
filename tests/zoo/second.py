"""Selections, sequences with an early stop, histograms and graphs, rare leaks, tails, copulas, parities, sums of
clipped vectors and mixtures, with the exact laws of their log-ratios. The auditor's choice of events was not tuned on
them when they were written.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import binom

from .laws import (
    Law,
    flipped_bits,
    laplace_below,
    law,
    of_cells,
    on_a_grid,
    product,
    shifted_geometric,
    shifted_laplace,
)

Rng = np.random.Generator
STOPPED = -99  # after the last answer of a sequence

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
    return product([shifted_geometric(0.4)] * 2, 0.4)


def degrees(edges: tuple[tuple[int, int], ...], trials: int, rng: Rng) -> np.ndarray:
    """Degrees of five nodes with Laplace noise of scale 2, rounded."""
    sizes = np.bincount(np.asarray(edges).ravel(), minlength=5)
    return np.round(sizes + rng.laplace(scale=2.0, size=(trials, 5))).astype(np.int64)


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


# Tails


def cauchy_noise(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.standard_cauchy(trials)


def student(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.standard_t(3, trials)


def wider(scale: float, trials: int, rng: Rng) -> np.ndarray:
    return rng.laplace(scale=scale, size=trials)


# Copulas


def equicorrelated(r: float, trials: int, rng: Rng) -> np.ndarray:
    """Six uniform columns under a Gaussian copula of one correlation."""
    common = rng.standard_normal((trials, 1))
    return ndtr(math.sqrt(r) * common + math.sqrt(1.0 - r) * rng.standard_normal((trials, 6)))


def normal_scales(one: float, other: float) -> Law:
    """Normals around 0 of two standard deviations, in cells of |x|."""
    reach = 8.0 * max(one, other)
    edges = np.concatenate([np.linspace(0.0, reach, 4001), [np.inf]])
    return law(*(-2.0 * np.diff(ndtr(-edges / s)) for s in (one, other)))


def law_of_equicorrelated() -> Law:
    common, rest = (normal_scales(1.0, math.sqrt(1.0 + c * 0.3)) for c in (5.0, -1.0))
    return product([common, *[rest] * 5], 0.002)


def pair_of_twenty(r: float, trials: int, rng: Rng) -> np.ndarray:
    """Twenty normal columns, of which the fourth and the eighteenth are correlated, one way or the other."""
    x = rng.standard_normal((trials, 20))
    x[:, 17] = r * x[:, 3] + math.sqrt(1.0 - r * r) * x[:, 17]
    return x


def law_of_pair() -> Law:
    wide, narrow = math.sqrt(1.5), math.sqrt(0.5)
    return product([normal_scales(wide, narrow), normal_scales(narrow, wide)], 0.005)


# Parities


def parity(d: int, trials: int, rng: Rng, bits: int, among: int) -> np.ndarray:
    """Random bits of which some have a parity that is the data's bit, told truly with probability e/(1 + e)."""
    x = rng.random((trials, among)) < 0.5
    places = np.linspace(1, among - 2, bits).astype(int)
    told = (rng.random(trials) < expit(1.0)) == bool(d)
    x[:, places[0]] = told ^ (x[:, places[1:]].sum(axis=1) % 2 == 1)
    return x


def response() -> Law:
    return flipped_bits((0.0,), (1.0,), float(expit(-1.0)))


# Sums of clipped vectors


def gaussian_sum(total: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    return np.asarray(total) + 1.5 * rng.standard_normal((trials, len(total)))


def laplace_sum(total: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    return np.asarray(total) + rng.laplace(size=(trials, len(total)))


def spherical(total: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    """Noise of density e^{−‖x‖} in three dimensions."""
    way = rng.standard_normal((trials, 3))
    return np.asarray(total) + way / np.linalg.norm(way, axis=1)[:, None] * rng.gamma(3.0, size=(trials, 1))


def law_of_spherical() -> Law:
    """In cylindrical coordinates around the shift, which has length 1."""
    x, r = np.meshgrid(np.linspace(-25.0, 26.0, 2041) + 0.0125, np.linspace(0.0, 25.0, 1001)[:-1] + 0.0125)
    return on_a_grid(*(r * np.exp(-np.sqrt((x - c) ** 2 + r * r)) for c in (0.0, 1.0)))


# Mixtures


def subsampled(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.where(rng.random(trials) < 0.1, 2.0 * d, 0.0) + rng.standard_normal(trials)


def two_scales(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + np.where(rng.random(trials) < 0.5, 1.0, 5.0) * rng.laplace(size=trials)


def shuffled(ones: int, trials: int, rng: Rng) -> np.ndarray:
    """How many of thirty users say yes, each under randomised response at rate 1."""
    lies = float(expit(-1.0))
    return rng.binomial(ones, 1.0 - lies, trials) + rng.binomial(30 - ones, lies, trials)


def shuffled_table(ones: int) -> np.ndarray:
    lies = float(expit(-1.0))
    return np.convolve(
        binom.pmf(np.arange(ones + 1), ones, 1.0 - lies), binom.pmf(np.arange(31 - ones), 30 - ones, lies)
    )
