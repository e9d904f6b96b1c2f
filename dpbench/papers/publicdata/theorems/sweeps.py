"""What the rate entries of the public-data paper share: sweeps with m and settings that follow n, beside plain ERM."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, column
from dpbench.papers.publicdata.algorithms.oracles import joint
from dpbench.papers.publicdata.populations import FinitePopulation
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.rates.nuisances import Logarithm
from dpbench.rates.slopes import slope, theory_slope
from dpbench.rates.sweeps import Point, sweep

EPSILON, DELTA, BETA = 1.0, 1e-5, 0.05
WIDE = 8.0
"""Standard errors of a mean of 16 data sets or more that a level of 1e-6 takes, Student's t with 15 degrees."""

NEAREST = (
    'How far this law is from the bound is the column "over ceiling"; the family known to lie nearest as n grows is '
    "that of {0}."
)
BELOW = "The resolution is half of 1/14: 0.1 could not tell 1/14 from 0. "
HALF = 1.0 / 28.0
"""Of 1/14: the resolution of its rows."""
WORST = (
    "The worst law changes with n, as a supremum over laws does. It loses a constant share of eta, and eta is of the "
    "order of alpha, so no smaller excess can be had with the settings of the theorem: the exponent is attained, at "
    'the share of alpha in the column "over ceiling". '
)
RECORDS_129 = (
    r"\widetilde{\Omega}\left(\frac{\lambda^{12}d^{5}\log^{6}\left(\frac{1}{\beta}\right)}{\sigma^{12}\varepsilon^{3}"
    r"\alpha^{14}}"
)
"""Equation 129."""


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
            features,
            np.repeat(p.labels.ravel(), counts),
            p.points[seen],
            hypotheses=p.hypotheses,
            loss=p.loss,
            smoothness=p.smoothness,
        )

    def excess_risk(self, outputs: Any) -> np.ndarray:
        return self.population.excess_risk(outputs)


@dataclass(frozen=True)
class EmpiricalRiskMinimizer:
    """The oracle's answer to the private records alone: not private."""

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        oracle = joint(problem)
        minimisers = oracle.erm_many(oracle.objective(problem.loss, 1.0 / problem.n), np.zeros((1, problem.m)))
        return np.repeat(minimisers, trials, axis=0)


def setting(axis: str, x: float, alpha: float, n: int, m: float, population: FinitePopulation, mechanism: Any) -> Row:
    """A row of `judged`: the mechanism on n records and ⌈m⌉ public points, α its proven accuracy."""
    count = math.ceil(m)
    return {axis: float(x), "records": float(n), "public points": float(count), "theory": float(alpha),
            "point": Point(Drawn(population, count), n, mechanism)}  # fmt: skip


def along_n(
    sizes: Sequence[int], power: float, points: Callable[[float], float],
    population: Callable[[float], FinitePopulation], mechanism: Callable[[float], Any],
) -> list[Row]:  # fmt: skip
    """Settings at α = n^{−1/power}, which public points, population and mechanism follow."""
    accuracies = [(n, n ** (-1.0 / power)) for n in sizes]
    return [setting("n", n, a, n, points(a), population(a), mechanism(a)) for n, a in accuracies]


def judged(context: Context, rows: Sequence[Row], trials: int | Sequence[int], repeats: int, *notes: str) -> Evidence:
    """Slope of the mean excess risk along the first column of `setting`s against that of the proven accuracy.

    `trials`: data sets at each row. The column "over ceiling" is the mean excess over that accuracy.
    """
    table, counts = column(rows), [trials] * len(rows) if isinstance(trials, int) else list(trials)
    axis, points, alphas = next(iter(table)), table.pop("point"), table["theory"]
    samples = sweep(points, counts, repeats=repeats, seed=context.seed, map_blocks=context.map)
    plain = [replace(point, mechanism=EmpiricalRiskMinimizer()) for point in points]
    few = sweep(plain, [max(4, count // 8) for count in counts], seed=context.seed, map_blocks=context.map)
    fitted, expected = slope(table[axis], samples, level=LEVEL), theory_slope(table[axis], alphas)
    away = "slower" if fitted.value > expected else "faster"
    return Evidence(
        value=fitted.value,
        interval=fitted.interval,
        level=LEVEL,
        trials=fitted.trials * repeats,
        reference=expected,
        tables={"rows": table | {
            "measured": fitted.means.tolist(),
            "standard error": fitted.errors.tolist(),
            "erm": [float(part.mean()) for part in few],
            "erm standard error": [float(part.std(ddof=1)) / math.sqrt(part.size) for part in few],
            "over ceiling": [float(mean / a) for mean, a in zip(fitted.means, alphas, strict=True)],
        }},
        notes=(
            f"value: log-log slope of the mean excess risk over {axis}; the proven accuracy has {expected:.3f} on this "
            f"grid: measured {abs(fitted.value - expected):.3f} {away}",
            f"interval at level {LEVEL:g}; {', '.join(map(str, counts))} data sets, {repeats} outputs each",
            *((fitted.warning,) if fitted.warning else ()),
            *notes,
        ),
    )  # fmt: skip


def records_log(power: float) -> Logarithm:
    """What "n = O~(α^−power) records" leaves open: one power of log n among the records, 1/power of it in α."""
    return Logarithm(0.0, 1.0 / power, "O~ hides a power of log n in the number of records: one is allowed")


def excess_shares(context: Context, row: Row, sets: int) -> Row:
    """Columns of a `setting`, from `sets` data sets: the mean excess, and as shares of α `WIDE` errors below and above.

    Above α is what lies above it from below: a margin is 1 less the lower share.
    """
    (samples,) = sweep([row["point"]], [sets], repeats=8, seed=context.seed, map_blocks=context.map)
    mean, reach = float(samples.mean()), WIDE * float(samples.std(ddof=1)) / math.sqrt(samples.size)
    return {"excess": mean, "least": (mean - reach) / row["theory"], "share": (mean + reach) / row["theory"]}
