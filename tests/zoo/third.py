"""Noise of other shapes (planar, censored, Gumbel, with edges, integer, of another scale), records of several kinds of
columns, selections on a grid, local responses (subsets, unary codes, hashes) and chains of responses, with exact laws.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import binom, poisson

from .laws import Law, laplace_below, law, of_cells, on_a_grid, product, shifted_laplace

Rng = np.random.Generator

# Noise

PLANAR_RATE = 0.7


def planar(place: tuple[float, float], trials: int, rng: Rng) -> np.ndarray:
    """Geo-indistinguishability: a place in the plane with noise of density e^{−rate·‖x‖} (Andrés et al.)."""
    angle = 2.0 * math.pi * rng.random(trials)
    radius = rng.gamma(2.0, 1.0 / PLANAR_RATE, trials)
    return np.asarray(place) + radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def law_of_planar() -> Law:
    """Along the move, of length 2, and across it, by symmetry on one side."""
    x, y = np.meshgrid(np.arange(-30.0, 32.0, 0.05) + 0.025, np.arange(0.0, 30.0, 0.05) + 0.025)
    p, q = (np.exp(-PLANAR_RATE * np.hypot(x - c, y)) for c in (0.0, 2.0))
    return on_a_grid(p, q)


LEAST, MOST = 0.3, 2.0


def censored(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Laplace noise, and then cut to a range, with an atom at either end."""
    return np.clip(d + rng.laplace(size=trials), LEAST, MOST)


def law_of_censored() -> Law:
    return of_cells(laplace_below, lambda x: laplace_below(x - 1.0), np.linspace(LEAST, MOST, 4001))


def gumbel(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.gumbel(size=trials)


def law_of_gumbel() -> Law:
    def below(x: np.ndarray) -> np.ndarray:
        return np.exp(-np.exp(-np.maximum(x, -700.0)))

    return of_cells(below, lambda x: below(x - 0.7), np.linspace(-4.0, 9.0, 8001))


def with_edges(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Uniform noise on [−1, 1], in one run of five Laplace noise instead."""
    flat = rng.random(trials) < 0.8
    return d + np.where(flat, rng.uniform(-1.0, 1.0, trials), rng.laplace(size=trials))


def law_of_edges() -> Law:
    def below(x: np.ndarray) -> np.ndarray:
        return 0.8 * np.clip(0.5 * (x + 1.0), 0.0, 1.0) + 0.2 * laplace_below(x)

    return of_cells(below, lambda x: below(x - 0.5), np.unique(np.round(np.arange(-30.0, 31.0, 0.005), 6)))


def scale_and_place(d: int, trials: int, rng: Rng) -> np.ndarray:
    """Normal noise whose deviation depends on the data as well as its middle."""
    return (0.5 + 1.3 * rng.standard_normal(trials)) if d else rng.standard_normal(trials)


def law_of_scale_and_place() -> Law:
    return of_cells(ndtr, lambda x: ndtr((x - 0.5) / 1.3), np.linspace(-8.0, 8.0, 8001))


INTEGERS, DEVIATION = np.arange(-40, 41), 2.0


def discrete_normal_table(shift: int) -> np.ndarray:
    weights = np.exp(-0.5 * ((INTEGERS - shift) / DEVIATION) ** 2)
    return weights / weights.sum()


def discrete_normal(count: int, trials: int, rng: Rng) -> np.ndarray:
    """A count with discrete Gaussian noise (Canonne, Kamath & Steinke), by its table."""
    below = np.cumsum(discrete_normal_table(0))
    return count + INTEGERS[np.searchsorted(below, rng.random(trials) * below[-1])]


def poisson_count(mean: float, trials: int, rng: Rng) -> np.ndarray:
    return rng.poisson(mean, trials)


def law_of_poisson() -> Law:
    k = np.arange(80)
    return law(poisson.pmf(k, 10.0), poisson.pmf(k, 12.0))


# Records and order statistics

CHOICES, CATEGORIES = 1.0, 4


def told(value: int, among: int, rate: float, trials: int, rng: Rng) -> np.ndarray:
    """Randomised response among so many values: the true one with probability e^rate/(e^rate + among − 1)."""
    lies = rng.random(trials) >= expit(rate - math.log(among - 1.0))
    return np.where(lies, (value + rng.integers(1, among, trials)) % among, value)


def told_table(value: int, among: int, rate: float) -> np.ndarray:
    table = np.ones(among)
    table[value] = math.exp(rate)
    return table / table.sum()


def category_and_number(record: tuple[int, float], trials: int, rng: Rng) -> np.ndarray:
    """A category by randomised response, and a number with Laplace noise whose sign the answered category turns."""
    category = told(record[0], CATEGORIES, CHOICES, trials, rng)
    number = np.where(category % 2 == 0, 1.0, -1.0) * record[1] + rng.laplace(size=trials)
    return np.stack([category, number], axis=1)


def law_of_category_and_number() -> Law:
    """A product: given the category, the number moves by 0.8 one way or the other."""
    categories = law(*(told_table(v, CATEGORIES, CHOICES) for v in (0, 3)))
    return product([categories, shifted_laplace(0.8, 1.0)], 2.0e-4)


def extremes(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Of five answers with logistic noise the least and the largest."""
    noisy = d + rng.logistic(size=(trials, 5))
    return np.stack([noisy.min(axis=1), noisy.max(axis=1)], axis=1)


def law_of_extremes() -> Law:
    """The density of the two is 20·f(x)·f(y)·(F(y) − F(x))³ at x < y."""
    x, y = np.meshgrid(np.arange(-18.0, 10.0, 0.04) + 0.02, np.arange(-10.0, 18.0, 0.04) + 0.02)

    def density(c: float) -> np.ndarray:
        low, high = expit(x - c), expit(y - c)
        return low * (1.0 - low) * high * expit(c - y) * np.maximum(high - low, 0.0) ** 3

    return on_a_grid(density(0.0), density(0.4))


# Selections on a grid

GRID = np.arange(21)
AGES = (2, 3, 5, 5, 7, 9, 11, 12, 15, 17, 18)


def median_table(values: tuple[int, ...]) -> np.ndarray:
    """The exponential mechanism at rate 1 with the distance of the rank from the middle as its loss."""
    rank = np.searchsorted(np.sort(values), GRID, side="right")
    weights = np.exp(-np.abs(rank - 0.5 * len(values)))
    return weights / weights.sum()


def median(values: tuple[int, ...], trials: int, rng: Rng) -> np.ndarray:
    below = np.cumsum(median_table(values))
    return GRID[np.searchsorted(below, rng.random(trials) * below[-1])]


# Local responses

ITEMS, CHOSEN, SUBSET_RATE = 12, 4, 1.5


def subset(value: int, trials: int, rng: Rng) -> np.ndarray:
    """Subset selection (Ye & Barg): four of twelve items, the true one among them more often than by chance."""
    order = rng.random((trials, ITEMS))
    inside = rng.random(trials) < _inside()
    order[:, value] = np.where(inside, -1.0, 2.0)
    return order.argsort(axis=1).argsort(axis=1) < CHOSEN


def _inside() -> float:
    with_it = CHOSEN * math.exp(SUBSET_RATE)
    return with_it / (with_it + ITEMS - CHOSEN)


def law_of_subset() -> Law:
    """By whether the values of either side are among the chosen: both, the first alone, the second alone, none."""
    yes, no = (CHOSEN - 1) / (ITEMS - 1), CHOSEN / (ITEMS - 1)
    p = _inside()
    table = np.array([p * yes, p * (1.0 - yes), (1.0 - p) * no, (1.0 - p) * (1.0 - no)])
    return law(table, table[[0, 2, 1, 3]])


COLUMNS, UNARY_RATE = 100, 1.5


def unary(value: int, trials: int, rng: Rng) -> np.ndarray:
    """Optimised unary encoding (Wang et al.): the bit of the value is 1 by a fair coin, others rarely."""
    bits = rng.random((trials, COLUMNS)) < expit(-UNARY_RATE)
    bits[:, value] = rng.random(trials) < 0.5
    return bits


def law_of_unary() -> Law:
    q = float(expit(-UNARY_RATE))
    table = np.outer([0.5, 0.5], [q, 1.0 - q])
    return law(table.ravel(), table.T.ravel())


SEEDS, BUCKETS, HASH_RATE = 40, 3, 1.2
BUCKET = (np.arange(SEEDS)[:, None] * np.array([7, 12]) + np.array([1, 2])) // 5 % BUCKETS
"""Of both values under each seed of the hash; they collide under some seeds, where an answer tells nothing."""


def hashed(value: int, trials: int, rng: Rng) -> np.ndarray:
    """Local hashing: a seed, drawn and told, and the bucket of the value under it by randomised response."""
    seed = rng.integers(0, SEEDS, trials)
    return np.stack([seed, (BUCKET[seed, value] + told(0, BUCKETS, HASH_RATE, trials, rng)) % BUCKETS], axis=1)


def law_of_hashed() -> Law:
    """Seeds tell only by whether the two buckets differ."""
    tables = [np.concatenate([told_table(b, BUCKETS, HASH_RATE) for b in BUCKET[:, v]]) / SEEDS for v in (0, 1)]
    return law(*tables)


LENGTH = 8


def chain(stays: float, trials: int, rng: Rng) -> np.ndarray:
    """A chain of bits, the first a fair coin, each the one before it with a probability that is the data's."""
    turns = rng.random((trials, LENGTH)) >= stays
    turns[:, 0] = rng.random(trials) < 0.5
    return np.cumsum(turns, axis=1) % 2 == 1


def law_of_chain() -> Law:
    k = np.arange(LENGTH)
    return law(binom.pmf(k, LENGTH - 1, 0.6), binom.pmf(k, LENGTH - 1, 0.75))
