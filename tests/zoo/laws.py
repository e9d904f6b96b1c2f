"""Exact laws of log-ratios, the ε that they have, and what an auditor that knows the mechanism can certify.

A `Law` lists the masses of the two sides on the level sets of the log-ratio. Sets of one level and above (or below) are
the best events there are, by Neyman and Pearson; `oracle` takes the one whose certificate, from the same joint regions,
is largest on average. Nothing is sampled. Continuous laws are cut into cells, which costs the oracle less than one
cell's width of log-ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

CELLS = 4000  # of a continuous law
CANDIDATES = 12  # events whose mean certificate is computed, the best by a normal approximation
NODES = 9  # of the quadrature over each of the two counts


@dataclass(frozen=True)
class Law:
    """Masses of data set and neighbour on cells of equal log-ratio, decreasing in it."""

    first: np.ndarray
    second: np.ndarray

    @property
    def epsilon(self) -> float:
        """The largest |log-ratio|: ε at δ = 0."""
        seen = np.minimum(self.first, self.second) > 1e-12
        return float(np.abs(np.log(self.first[seen] / self.second[seen])).max())


def law(first: Any, second: Any) -> Law:
    """The law of a table of masses, sorted; cells without mass are left out."""
    p, q = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    kept = (p > 0.0) | (q > 0.0)
    p, q = p[kept], q[kept]
    with np.errstate(divide="ignore"):
        ratio = np.log(p) - np.log(q)
    levels, place = np.unique(-np.round(ratio, 9), return_inverse=True)
    return Law(np.bincount(place, p, len(levels)), np.bincount(place, q, len(levels)))


def product(laws: list[Law], step: float) -> Law:
    """The law of independent coordinates: masses convolved on a lattice of the log-ratio with this step."""

    def lattice(one: Law) -> tuple[int, np.ndarray, np.ndarray]:
        place = np.round((np.log(one.first) - np.log(one.second)) / step).astype(int)
        low = int(place.min())
        return low, np.bincount(place - low, one.first), np.bincount(place - low, one.second)

    def join(
        one: tuple[int, np.ndarray, np.ndarray], two: tuple[int, np.ndarray, np.ndarray]
    ) -> tuple[int, np.ndarray, np.ndarray]:
        return one[0] + two[0], np.convolve(one[1], two[1]), np.convolve(one[2], two[2])

    _, p, q = reduce(join, map(lattice, laws))
    return Law(p[::-1], q[::-1])


def of_cells(one: Callable[[np.ndarray], np.ndarray], other: Callable[[np.ndarray], np.ndarray], edges: Any) -> Law:
    """The law of a scalar from its two distribution functions, on cells between edges."""
    ends = np.concatenate([[-np.inf], np.asarray(edges, dtype=float), [np.inf]])
    return law(np.diff(one(ends)), np.diff(other(ends)))


STEP = 0.002
"""Width of the cells of log-ratio where a law of two dimensions is summed over a grid."""


def on_a_grid(p: np.ndarray, q: np.ndarray) -> Law:
    """The law of densities of both sides at the middles of equal cells, those of almost equal log-ratio joined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(p) - np.log(q)
    seen = np.isfinite(ratio)
    level = np.round(ratio[seen] / STEP).astype(int)
    masses = [np.bincount(level - level.min(), side[seen]) for side in (p, q)]
    return law(*(m / m.sum() for m in masses))


def laplace_below(x: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """P(noise < x) of Laplace noise; scale 0 is the constant 0."""
    if scale == 0.0:
        return (x > 0.0).astype(float)
    return np.where(x < 0.0, 0.5 * np.exp(np.minimum(x, 0.0) / scale), 1.0 - 0.5 * np.exp(-np.maximum(x, 0.0) / scale))


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


def concentrated(p: float, q: float) -> float:
    """The smallest ρ of zero-concentrated privacy of two bits: the largest D_α/α, both ways."""
    orders = 1.0 + np.geomspace(1e-3, 1e3, 4_000)
    divergences = [
        np.logaddexp(orders * math.log(a) + (1 - orders) * math.log(b),
                     orders * math.log(1 - a) + (1 - orders) * math.log(1 - b)) / (orders - 1.0)
        for a, b in ((p, q), (q, p))
    ]  # fmt: skip
    return float((np.maximum(*divergences) / orders).max())


def shifted_laplace(shift: float, scale: float) -> Law:
    """Laplace noise around 0 against around `shift`."""
    edges = np.linspace(0.0, abs(shift), CELLS + 1)
    return of_cells(lambda x: laplace_below(x, scale), lambda x: laplace_below(x - abs(shift), scale), edges)


def shifted_geometric(rate: float) -> Law:
    """Two-sided geometric noise around 0 against around 1."""
    k = np.arange(-120, 121)
    p, q = np.exp(-rate * np.abs(k)), np.exp(-rate * np.abs(k - 1))
    return law(p / p.sum(), q / q.sum())


def shifted_normal(shift: float) -> Law:
    """A standard normal against one around `shift`."""
    edges = np.concatenate([[-np.inf], np.linspace(-9.0, 9.0 + shift, CELLS + 1), [np.inf]])

    def masses(x: np.ndarray) -> np.ndarray:
        return np.where(x[1:] < 0.0, np.diff(ndtr(x)), -np.diff(ndtr(-x)))

    return law(masses(edges), masses(edges - shift))


def flipped_bits(one: tuple[float, ...], other: tuple[float, ...], flip: float) -> Law:
    """Bits flipped independently; those that differ between the sides are all that tell."""
    differ = sum(a != b for a, b in zip(one, other, strict=True))
    wrong = np.arange(differ + 1)
    return law(binom.pmf(wrong, differ, flip), binom.pmf(wrong, differ, 1.0 - flip))


def _grid(centres: tuple[float, ...], scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss–Legendre nodes and weights on pieces between the kinks of Laplace laws around `centres`."""
    reach = 40.0 * scale
    cuts = np.unique([*centres, *(c + s * reach * 2.0**-k for c in centres for s in (-1, 1) for k in range(8))])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    half = 0.5 * np.diff(cuts)[:, None]
    return (cuts[:-1, None] + half * (nodes + 1.0)).ravel(), (half * weights).ravel()


def _density(x: np.ndarray, scale: float) -> np.ndarray:
    return np.exp(-np.abs(x) / scale) / (2.0 * scale)


def noisy_max_table(answers: tuple[float, ...], scale: float) -> np.ndarray:
    """P(index i has the largest noisy answer)."""
    x, weights = _grid(answers, scale)
    table = []
    for i, centre in enumerate(answers):
        others = [laplace_below(x - a, scale) for j, a in enumerate(answers) if j != i]
        table.append(weights @ (_density(x - centre, scale) * np.prod(others, axis=0)))
    return np.array(table)


def sparse_vector_table(
    answers: tuple[float, ...], bar_scale: float, answer_scale: float, allowed: int | None
) -> dict[tuple[int, ...], float]:
    """P(each output) of the sparse-vector variants."""
    z, weights = _grid((0.0, *answers), max(bar_scale, answer_scale))
    states = {(): weights * _density(z, bar_scale)}
    for a in answers:
        below = laplace_below(z - a, answer_scale)
        grown: dict[tuple[int, ...], np.ndarray] = {}
        for seen, mass in states.items():
            if allowed is not None and seen.count(1) >= allowed:
                grown[(*seen, -1)] = mass
            else:
                grown[(*seen, 1)] = mass * (1.0 - below)
                grown[(*seen, 0)] = mass * below
        states = grown
    return {seen: float(mass.sum()) for seen, mass in states.items()}


@dataclass(frozen=True)
class Oracle:
    """The best event and its mean certificate.

    Attributes
    ----------
    first, second : float
        The event's probabilities on the side where it is likelier and on the other.
    mean : float
        Of the certified ε.
    count : float
        The smaller expected count.
    """

    first: float
    second: float
    mean: float
    count: float


def oracle(known: Law, rows: int, delta: float, alpha: float) -> Oracle:
    """The best event of a law for a certificate of ε at `delta` from `rows` runs a side, error `alpha`."""
    nested = []
    for p, q in ((known.first, known.second), (known.second[::-1], known.first[::-1])):
        nested.append(np.stack([np.cumsum(p), np.cumsum(q)])[:, :-1])
    p, q = np.clip(np.concatenate(nested, axis=1), 1e-300, 1.0 - 1e-12)
    cost = float(-ndtri(alpha)) / math.sqrt(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        likely = np.where(p > delta, np.log((p - delta) / q) - cost * np.hypot(*_errors(p, q, rows, delta)), -np.inf)
    best = Oracle(0.0, 0.0, -math.inf, 0.0)
    for k in _spread(likely, p):
        found = mean_certificate(float(p[k]), float(q[k]), rows, delta, alpha)
        if found > best.mean:
            best = Oracle(float(p[k]), float(q[k]), found, rows * float(min(p[k], q[k])))
    return best


def _errors(p: Any, q: Any, rows: int, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """√rows times the standard errors of log((p − δ)/q) due to p and to q, with three counts more of q."""
    q = np.minimum(q + 3.0 / rows, 1.0 - 1e-12)
    return np.sqrt(p * (1.0 - p)) / np.maximum(p - delta, 1e-12), np.sqrt((1.0 - q) / q)


def _spread(values: np.ndarray, p: np.ndarray) -> list[int]:
    """The places of the largest values, no two of almost the same event."""
    kept: list[int] = []
    for k in np.argsort(-values)[: 50 * CANDIDATES]:
        if all(abs(math.log(p[k] / p[j])) > 0.05 for j in kept):
            kept.append(int(k))
        if len(kept) == CANDIDATES:
            break
    return kept


def mean_certificate(p: float, q: float, rows: int, delta: float, alpha: float) -> float:
    """The mean certified ε of an event of these probabilities, by quadrature over its two counts."""
    from dpbench.bounds import best_angle, joint_region

    angle = best_angle(*(float(x) for x in _errors(p, q, rows, delta)))
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    hits = [binom.ppf(ndtr(nodes), rows, chance).astype(int) for chance in (p, q)]
    total = 0.0
    for x, first in zip(hits[0], weights, strict=True):
        for y, second in zip(hits[1], weights, strict=True):
            region = joint_region((int(x), int(y)), (rows, rows), alpha, angle)
            total += float(first * second) * region.epsilon(delta)
    return total
