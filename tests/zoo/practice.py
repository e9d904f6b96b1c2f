"""What practitioners audit and no other set has: Poisson-sampled steps, several quantities of which one decides which
others matter, interactions, shuffled reports; with exact laws.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import t

from .laws import Law, law, of_cells, product, shifted_laplace

Rng = np.random.Generator

# Steps of training


def steps(record: float, trials: int, rng: Rng, *, count: int, rate: float = 0.05, sigma: float = 0.6) -> np.ndarray:
    """The noisy sums of so many Poisson-sampled steps: in each a record takes part at `rate` and adds 1."""
    part = rng.random((trials, count)) < rate
    return record * part + rng.normal(0.0, sigma, (trials, count))


def law_of_steps(count: int, rate: float = 0.05, sigma: float = 0.6) -> Law:
    def without(x: np.ndarray) -> np.ndarray:
        return ndtr(x / sigma)

    def with_it(x: np.ndarray) -> np.ndarray:
        return (1.0 - rate) * ndtr(x / sigma) + rate * ndtr((x - 1.0) / sigma)

    one = of_cells(with_it, without, np.linspace(-6.0 * sigma, 1.0 + 6.0 * sigma, 4001))
    return product([one] * count, 0.002 if count < 10 else 0.02)


# Quantities of which one decides which others matter


def choice_and_number(scores: tuple[float, ...], trials: int, rng: Rng) -> np.ndarray:
    """The candidate that the exponential mechanism chooses, and its score with Laplace noise."""
    values = np.asarray(scores)
    chosen = (0.5 * values + rng.gumbel(size=(trials, len(scores)))).argmax(axis=1)
    return np.stack([chosen, values[chosen] + rng.laplace(scale=2.0, size=trials)], axis=1)


def law_of_choice_and_number(one: tuple[float, ...], other: tuple[float, ...]) -> Law:
    weights = [np.exp(0.5 * np.asarray(s)) / np.exp(0.5 * np.asarray(s)).sum() for s in (one, other)]
    masses: tuple[list[float], list[float]] = ([], [])
    for a, b, p, q in zip(one, other, *weights, strict=True):
        moved = shifted_laplace(b - a, 2.0)
        masses[0].extend(p * moved.first)
        masses[1].extend(q * moved.second)
    return law(*masses)


def signs(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Ten normal coordinates; the product of two signs is the data's, told truly with probability e/(1 + e)."""
    x = rng.standard_normal((trials, 10))
    told = np.where(rng.random(trials) < expit(1.0), 1.0, -1.0) * (1.0 if d else -1.0)
    x[:, 6] = np.abs(x[:, 6]) * np.sign(x[:, 2]) * told
    return x


# One dimension


def student(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Two degrees of freedom: no half-line is its best event."""
    return d + rng.standard_t(2, trials)


def law_of_student() -> Law:
    return of_cells(t(2).cdf, lambda x: t(2).cdf(x - 1.0), np.sinh(np.linspace(-12.0, 12.0, 8001)))


def scaled(sigma: float, trials: int, rng: Rng) -> np.ndarray:
    return sigma * rng.standard_normal(trials)


def flag(rates: tuple[float, float]) -> Callable[[int, int, Rng], np.ndarray]:
    """A rare bit, at one rate or the other."""
    return partial(_flag, rates=rates)


def _flag(d: int, trials: int, rng: Rng, *, rates: tuple[float, float]) -> np.ndarray:
    return rng.random(trials) < rates[d]


# Reports of several users

LETTERS = "abcd"
RATE = 2.0
USERS = "aaaabbbbbccccccddddd"


def told(letters: str, rng: Rng) -> list[str]:
    """Each user's letter with probability e^rate/(e^rate + 3), else another."""
    lies = rng.random(len(letters)) < 3.0 / (math.exp(RATE) + 3.0)
    moves = rng.integers(1, 4, len(letters))
    places = [LETTERS.index(x) for x in letters]
    return [LETTERS[(k + m * lie) % 4] for k, m, lie in zip(places, moves, lies, strict=True)]


def shuffled_report(first: str, rng: Rng) -> list[str]:
    """The reports of twenty users in random order; the first user's letter is the data."""
    made = told(first + USERS[1:], rng)
    return [made[k] for k in rng.permutation(len(made))]


def law_of_shuffled_report(one: str, other: str) -> Law:
    """Of the four counts, which is all that a random order leaves; a user at a time."""
    true = math.exp(RATE) / (math.exp(RATE) + 3.0)

    def counts(letters: str) -> dict[tuple[int, ...], float]:
        table: dict[tuple[int, ...], float] = {(0,) * 4: 1.0}
        for letter in letters:
            grown: dict[tuple[int, ...], float] = defaultdict(float)
            for seen, mass in table.items():
                for k in range(4):
                    chance = true if LETTERS[k] == letter else (1.0 - true) / 3.0
                    grown[(*seen[:k], seen[k] + 1, *seen[k + 1 :])] += mass * chance
            table = grown
        return table

    p, q = (counts(first + USERS[1:]) for first in (one, other))
    return law(list(p.values()), [q[seen] for seen in p])
