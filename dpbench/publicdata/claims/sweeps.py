"""What the rate entries of the public-data paper share: sweeps with m and settings that follow n, beside plain ERM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.ledger.core import LEVEL, Context, Evidence, rate_verdict
from dpbench.ledger.harness import margins
from dpbench.publicdata._oracles import joint
from dpbench.publicdata.populations import FinitePopulation
from dpbench.publicdata.problem import PublicDataProblem
from dpbench.rates.slopes import slope, theory_slope
from dpbench.rates.sweeps import Point, sweep

EPSILON, DELTA, BETA = 1.0, 1e-5, 0.05
WIDE = 8.0
"""Standard errors of a mean of 16 data sets or more that a level of 1e-6 takes, Student's t with 15 degrees."""


@dataclass(frozen=True)
class Drawn:
    """A population whose data sets have m public points.

    Records are drawn as counts of the population's atoms, in the atoms' order: no mechanism looks at their order,
    and large data sets cost little.
    """

    population: FinitePopulation
    m: int

    def draw(self, n: int, rng: np.random.Generator) -> PublicDataProblem:
        p = self.population
        chances = p.private[:, None] * p.law
        counts = rng.multinomial(n, chances.ravel() / chances.sum())
        features = np.repeat(np.repeat(p.points, p.law.shape[1], axis=0), counts, axis=0)
        seen = rng.choice(len(p.public), size=self.m, p=p.public)
        return PublicDataProblem(
            features, np.repeat(p.labels.ravel(), counts), p.points[seen], hypotheses=p.hypotheses, loss=p.loss,
            smoothness=p.smoothness,
        )

    def excess_risk(self, outputs: Any) -> np.ndarray:
        return self.population.excess_risk(outputs)


@dataclass(frozen=True)
class EmpiricalRiskMinimizer:
    """The oracle's answer to the private records alone: not private."""

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        oracle = joint(problem)
        found = oracle.erm_many(oracle.objective(problem.loss, 1.0 / problem.n), np.zeros((1, problem.m)))
        return np.repeat(found, trials, axis=0)


@dataclass(frozen=True)
class Setting:
    """One point of a grid: x, n, m, the population and the mechanism."""

    x: float
    n: int
    m: int
    population: FinitePopulation
    mechanism: Any

    def point(self, mechanism: Any) -> Point:
        return Point(Drawn(self.population, self.m), self.n, mechanism)


def tolerance(expected: float) -> float:
    """How much slower a slope may be: 0.1, or half of an exponent below 0.2, which 0.1 could not tell from 0."""
    return min(0.1, 0.5 * abs(expected))


def judged(
    context: Context, axis: str, grid: Sequence[Setting], alphas: Sequence[float], trials: Sequence[int], repeats: int,
    notes: tuple[str, ...] = (), side: str = "upper",
) -> tuple[str, Evidence]:  # fmt: skip
    """Slope of the mean excess risk over `axis` against that of the proven accuracy on the same grid.

    `trials`: data sets at each point of the grid. The column "over ceiling" is the mean excess over that accuracy.
    """
    samples = sweep(
        [s.point(s.mechanism) for s in grid], list(trials), repeats=repeats, seed=context.seed, map_blocks=context.map
    )
    few = [max(4, count // 8) for count in trials]
    plain = sweep([s.point(EmpiricalRiskMinimizer()) for s in grid], few, seed=context.seed, map_blocks=context.map)
    found = slope([s.x for s in grid], samples, level=LEVEL)
    expected = theory_slope([s.x for s in grid], alphas)
    errors = [float(part.std(ddof=1)) / math.sqrt(part.size) for part in plain]
    counts = ", ".join(map(str, trials))
    away = "slower" if found.value > expected else "faster"
    return rate_verdict(found.interval, expected, side, tolerance(expected)), Evidence(
        value=found.value,
        interval=found.interval,
        level=LEVEL,
        trials=found.trials * repeats,
        seed=context.seed,
        series={
            axis: [s.x for s in grid],
            "records": [float(s.n) for s in grid],
            "public points": [float(s.m) for s in grid],
            "measured": found.means.tolist(),
            "standard error": found.errors.tolist(),
            "erm": [float(part.mean()) for part in plain],
            "erm standard error": errors,
            "theory": list(map(float, alphas)),
            "over ceiling": [float(mean / a) for mean, a in zip(found.means, alphas, strict=True)],
        },
        notes=(
            f"value: log-log slope of the mean excess risk over {axis}; the proven accuracy has {expected:.3f} on this "
            f"grid: measured {abs(found.value - expected):.3f} {away}",
            f"interval at level {LEVEL:g}; {counts} data sets, {repeats} outputs each",
            *notes,
        ),
    )


def beneath(found: Evidence, alphas: Sequence[float], *notes: str) -> Evidence:
    """Values for a slope: the mean excess of `judged` with `WIDE` standard errors, as a share of the accuracy α."""
    measured, errors = found.series["measured"], found.series["standard error"]
    shares = [(mean + WIDE * error) / a for mean, error, a in zip(measured, errors, alphas, strict=True)]
    note = f"value: largest mean excess over alpha, with {WIDE:g} standard errors added"
    return margins(
        found.series | {"share": shares}, note, *notes, f"log-log slope: {found.value:.3f}", value=max(shares),
        margin=1.0 - max(shares), trials=found.trials,
    )  # fmt: skip
