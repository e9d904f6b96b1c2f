"""Mechanisms that the auditor's choice of events was not tuned on, each with the exact law of its log-ratio.

Selections, sequences with an early stop, histograms and graphs, rare leaks, tails, copulas, parities, sums of clipped
vectors, mixtures. They were written before that choice was changed, and are measured by ``python -m
studies.second_power``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import binom, cauchy, t

from studies import second_zoo_discrete as discrete
from studies.oracle import Law, flipped_bits, law, product, shifted_laplace, shifted_normal
from studies.second_zoo_discrete import laplace_below, of_cells

Rng = np.random.Generator


@dataclass(frozen=True)
class Entry:
    """A mechanism on two neighbours, and the law of its log-ratio."""

    sampler: Callable[[Any, int, Rng], np.ndarray]
    one: Any
    other: Any
    law: Callable[[], Law]
    delta: float = 0.0


def epsilon(known: Law, delta: float) -> float:
    """The exact ε at δ, of both directions, by bisection."""

    def excess(e: float) -> float:
        ways = ((known.first, known.second), (known.second, known.first))
        return max(float(np.maximum(p - math.exp(e) * q, 0.0).sum()) for p, q in ways) - delta

    if delta == 0.0:
        return known.epsilon
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return high


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
    p, q = (r * np.exp(-np.sqrt((x - c) ** 2 + r * r)) for c in (0.0, 1.0))
    level = np.round((np.log(p) - np.log(q)) / 0.002).astype(int).ravel()
    masses = [np.bincount(level - level.min(), side.ravel()) for side in (p, q)]
    return law(*(m / m.sum() for m in masses))


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


def _in_tails() -> np.ndarray:
    return np.sinh(np.linspace(-12.0, 12.0, 8001))


def _mixed(parts: tuple[Callable[[np.ndarray], np.ndarray], ...], weights: tuple[float, ...]) -> Callable[..., Any]:
    return lambda x: np.sum([w * part(x) for w, part in zip(weights, parts, strict=True)], axis=0)


ENTRIES: dict[str, Entry] = {
    "exponential mechanism": Entry(
        discrete.exponential,
        (0, 0, 0, 0, 0),
        (1, -1, -1, -1, -1),
        lambda: law(discrete.softmax([0] * 5), discrete.softmax([1, -1, -1, -1, -1])),
    ),
    "permute and flip": Entry(
        discrete.permute_and_flip,
        (0, 0, 1, 0),
        (1, 1, 0, 1),
        lambda: law(discrete.flip_table((0, 0, 1, 0)), discrete.flip_table((1, 1, 0, 1))),
    ),
    "top two": Entry(
        discrete.top_two,
        (1, 0, 0, 0, 0),
        (0, 1, 1, 1, 1),
        lambda: law(discrete.top_two_table((1, 0, 0, 0, 0)), discrete.top_two_table((0, 1, 1, 1, 1))),
    ),
    "one of eight": Entry(discrete.one_of_eight, 2, 5, lambda: law(discrete.eight_table(2), discrete.eight_table(5))),
    "bits until a one": Entry(
        discrete.until_one, 0.3, 0.4, lambda: law(discrete.until_one_table(0.3), discrete.until_one_table(0.4))
    ),
    "counts until a large one": Entry(discrete.noisy_until, 0, 1, discrete.law_of_noisy_until),
    "histogram of geometric noise": Entry(
        discrete.moved_cells, (4, 3, 0, 7, 1, 1), (3, 3, 0, 7, 2, 1), discrete.law_of_moved_cells
    ),
    "degrees of a graph": Entry(
        discrete.degrees,
        ((0, 1), (1, 2), (2, 3), (3, 4)),
        ((0, 1), (1, 2), (2, 3), (3, 4), (0, 3)),
        discrete.law_of_degrees,
    ),
    "staircase": Entry(discrete.staircase, 7.0, 8.0, discrete.law_of_staircase),
    "rare flag beside noise": Entry(discrete.noise_or_flag, 1, 0, discrete.law_of_flag),
    "rare value": Entry(discrete.rare_value, 1, 0, lambda: law([2e-4, 1 - 2e-4], [2e-6, 1 - 2e-6])),
    "memorised word": Entry(discrete.memorised, 1, 0, lambda: law([0.01, 0.99], [0.001, 0.999])),
    "cauchy": Entry(cauchy_noise, 0.0, 1.0, lambda: of_cells(cauchy.cdf, lambda x: cauchy.cdf(x - 1.0), _in_tails())),
    "student": Entry(student, 0.0, 1.0, lambda: of_cells(t(3).cdf, lambda x: t(3).cdf(x - 1.0), _in_tails())),
    "scale told": Entry(
        wider,
        1.0,
        1.3,
        lambda: of_cells(laplace_below, lambda x: laplace_below(x, 1.3), np.linspace(-30.0, 30.0, 8001)),
        1e-3,
    ),
    "copula of six": Entry(equicorrelated, 0.0, 0.3, law_of_equicorrelated, 1e-2),
    "correlated pair of twenty": Entry(pair_of_twenty, 0.5, -0.5, law_of_pair, 1e-2),
    "parity of three of twelve": Entry(lambda d, n, rng: parity(d, n, rng, 3, 12), 0, 1, response),
    "parity of five of thirty": Entry(lambda d, n, rng: parity(d, n, rng, 5, 30), 0, 1, response),
    "gaussian sum": Entry(
        gaussian_sum, (0.0,) * 5, (0.6, -0.2, 0.4, 0.2, -0.6), lambda: shifted_normal(math.sqrt(0.96) / 1.5), 1e-3
    ),
    "laplace sum": Entry(
        laplace_sum,
        (0.0, 0.0, 0.0),
        (0.5, -0.3, 0.2),
        lambda: product([shifted_laplace(s, 1.0) for s in (0.5, 0.3, 0.2)], 2.5e-4),
    ),
    "spherical noise": Entry(spherical, (0.0, 0.0, 0.0), (0.6, 0.0, 0.8), law_of_spherical),
    "subsampled gaussian": Entry(
        subsampled,
        0.0,
        1.0,
        lambda: of_cells(ndtr, _mixed((ndtr, lambda x: ndtr(x - 2.0)), (0.9, 0.1)), np.linspace(-9.0, 11.0, 8001)),
        1e-3,
    ),
    "two scales": Entry(
        two_scales,
        0.0,
        1.0,
        lambda: of_cells(
            _mixed((laplace_below, lambda x: laplace_below(x, 5.0)), (0.5, 0.5)),
            _mixed((lambda x: laplace_below(x - 1.0), lambda x: laplace_below(x - 1.0, 5.0)), (0.5, 0.5)),
            np.linspace(-60.0, 61.0, 12001),
        ),
    ),
    "shuffled": Entry(shuffled, 10, 11, lambda: law(shuffled_table(10), shuffled_table(11)), 1e-3),
}
