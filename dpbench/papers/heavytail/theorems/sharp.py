"""Sharp designs: every record on an axis, no noise, so that the output's law is exact.

There Σ_i ψ(ι|r_i(w)|) = Σ_j S_j(|w_j − w*_j|), a sum over the axes: the law is a product, and the mean excess risk a
sum of d means over the lattice of one axis. Nothing is sampled but the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import Context
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.algorithms.truncation import sums_at
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import FAILURE
from dpbench.rates.nuisances import Correction

EPSILON = 1.0
_FROZEN = math.log(1e4)  # stands for log n in ι
_BLOCK = 8
_NODES = np.geomspace(1e-3, 2e3, 50)  # in units of the mean distance
_OUTSIDE = 1e-5
_REACH = 40.0  # c·S beyond which the mass is dropped: e^{−40} of the largest weight a lattice point


def axis_laws(
    population: HeavyTailedPopulation, problem: HeavyTailedProblem, mechanism: ExponentialMechanism
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each axis the distances |w_j − w*_j| over its lattice, and their probabilities under the product law.

    S_j is computed at 50 distances and interpolated between them in logarithms; the lattice of the net is summed
    point by point as far as the weights are above e^{−40}.
    """
    from scipy.interpolate import CubicSpline

    spacing, iota = mechanism.net(problem).spacing, mechanism.iota(problem)
    weight, radius = mechanism.weight(problem), population.radius
    for j, centre in enumerate(population.minimiser):
        sizes = np.abs(problem.X[:, j])
        sizes = np.ascontiguousarray(sizes[sizes > 0.0])
        nodes = _NODES / (weight * iota * sizes.sum())
        scores = sums_at(sizes[None, :], np.zeros(sizes.size), nodes[:, None], iota, problem.theta)
        reach = nodes[min(int(np.searchsorted(weight * scores, _REACH)), nodes.size - 1)]
        first, last = max(-radius, centre - reach), min(radius, centre + reach)
        k = np.arange(math.ceil(first / spacing), math.floor(last / spacing) + 1)
        distance = np.abs(k * spacing - centre)
        low = np.maximum(distance, nodes[0])  # below the first node S is linear
        law = np.exp(CubicSpline(np.log(nodes), np.log(scores))(np.log(low))) * (distance / low)
        mass = np.exp(-weight * law)
        yield distance, mass / mass.sum()


def mean_excess(
    population: HeavyTailedPopulation, problem: HeavyTailedProblem, mechanism: ExponentialMechanism
) -> float:
    """The mechanism's exact mean excess risk on a data set whose records lie on the axes, with y = ⟨x, w*⟩.

    In a ball the law is the product conditional on the ball: the mass of the product outside, at most `_OUTSIDE`, is
    left as it is.

    Raises
    ------
    ArithmeticError
        Where more of the mass would lie outside the ball.
    """
    slope_of_risk = population.scale * population.tail.moment(1.0) / population.d
    ball = population.domain == "ball"
    inside = population.radius - float(np.linalg.norm(population.minimiser))
    room = inside / math.sqrt(population.d) if ball else math.inf
    total, outside = 0.0, 0.0
    for distance, mass in axis_laws(population, problem, mechanism):
        total += slope_of_risk * float(mass @ distance)
        outside += float(mass[distance > room].sum())
    if outside > _OUTSIDE:
        raise ArithmeticError(f"a share {outside:.1e} of the product law may lie outside the ball")
    return total


def quantile_excess(
    population: HeavyTailedPopulation, problem: HeavyTailedProblem, mechanism: ExponentialMechanism
) -> float:
    """The (1 − η)-quantile over the mechanism of the excess risk, d = 1; η is the mechanism's failure probability."""
    ((distance, mass),) = axis_laws(population, problem, mechanism)
    order = np.argsort(-distance)
    at = int(np.searchsorted(np.cumsum(mass[order]), mechanism.failure_probability))
    return population.scale * population.tail.moment(1.0) * float(distance[order][at])


def exact_sweep(
    context: Context, population: HeavyTailedPopulation, n: int, mechanism: ExponentialMechanism, trials: int,
    measure: Any = mean_excess,
) -> np.ndarray:  # fmt: skip
    """`measure` of `trials` independent data sets of n records."""
    parts = sampled(context, _block, measure, population, n, mechanism, blocks=-(-trials // _BLOCK))
    return np.concatenate(parts)[:trials]


def _block(
    measure: Any, population: HeavyTailedPopulation, n: int, mechanism: ExponentialMechanism, seed: int, block: int
) -> np.ndarray:
    rows = []
    for trial in range(block * _BLOCK, (block + 1) * _BLOCK):
        rng = stream(seed, "heavytail.sharp", mechanism, population, n, trial)
        rows.append(measure(population, population.draw(n, rng), mechanism))
    return np.array(rows)


def axes_population(theta: float, d: int, moment: str = "norm") -> HeavyTailedPopulation:
    return HeavyTailedPopulation.unit(
        Tail("student", 3.0), np.full(d, 0.5 / d), theta=theta, moment=moment, directions="axes"
    )


def next_term(population: HeavyTailedPopulation, n: int, epsilon: float) -> float:
    """Relative to d·2·log θ/(nιε), the next term of the mean excess."""
    first, moment = (population.scale**p * population.tail.moment(p) / population.d for p in (1.0, population.theta))
    return theory.sharp_correction(n, epsilon, population.theta, first, moment)


def after_next(theta: float, n: int, epsilon: float) -> Correction:
    """What follows `next_term` at d = 2 from (n, ε) on: up to twice the term in b², θ(Γ(2θ + 1) − Γ(θ + 1)²)b²."""
    following = next_term(axes_population(theta, 2), n, epsilon)
    second = (math.gamma(2.0 * theta + 1.0) / math.gamma(theta + 1.0) ** 2 - 1.0) / theta * following**2
    return Correction(2.0 * (theta - 1.0), 0.0, 2.0 * second / (1.0 + following))


def sharp_sweep(theta: float, context: Context) -> Iterator[tuple[int, np.ndarray, float, float]]:
    """n, the means of some data sets at d = 2, the value d·2·log θ/(nιε), and its relative next term."""
    population = axes_population(theta, 2)
    quick = ((8000 if theta == 2.0 else 10_000, 24), (50_000, 12))
    for n, count in context.pick(quick=quick, full=[(n, 16) for n in (10_000, 31_623, 100_000, 316_228)]):
        ratio = 2.0 * _FROZEN * math.log(1.0 / FAILURE) / (n * EPSILON)
        iota = ratio ** (1.0 / theta) / (2.0 * population.radius)
        sample = exact_sweep(context, population, n, ExponentialMechanism(EPSILON, truncation=iota), count)
        yield n, sample, theory.sharp_excess(iota, n, 2, EPSILON, theta), next_term(population, n, EPSILON)
