"""Boosting on a benign population: what the rates of Theorems 13, 14 and 15 share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.glm import theory_selection
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.scoring import clipped_risk
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.rates.nuisances import Logarithm, SecondTerm

EPSILON, DELTA, BETA = 1.0, 1e-5, 0.05
_CHUNK, _RUNS = 20_000, 4_096


_OPEN = (
    SecondTerm("terms without epsilon", "terms with epsilon"),
    Logarithm(0.0, 1.0, "O~ hides logarithms, which the ceiling leaves out"),
)
_BOOSTED = (
    "With probability at least 1 - beta Algorithm 5 has excess risk O~(sqrt(H)B|X||Y|/sqrt(n) + ((sqrt(H)B|X|)^(4/3)"
    "|Y|^(2/3) + H B^2|X|^2)/(n epsilon)^(2/3) + (|Y|^2 + H B^2|X|^2)/(n epsilon) + (|Y| + sqrt(H)B|X|)/sqrt(n)), over "
)


_ONE_SIDED = (
    "an upper bound on one benign population, whose excess is below the zero predictor's and Y^2: no instance at hand "
    "could break the rate, for none is known where boosting must lose what its base does not"
)


def beta_of(m: int) -> float:
    """The β whose m of the exact calibration is m, below 1."""
    return 4.0 * 4.0**-m * (1.0 - 1e-9)


def _boosting(m: int, seed: int) -> tuple[Boosting, Any]:
    base = NoisyGD(EPSILON, DELTA, steps=3, step_size=0.2, noise_scale=2.0)
    population = ScaledBasis.even("squared", 2, 2, 1.0)
    problem = population.draw((m + 1) * _CHUNK, stream(seed, "glm.thm13.rate", "data", m))
    return Boosting(base, EPSILON, DELTA, beta=beta_of(m), models=m), problem


def quarter_level(m: int, seed: int, block: int) -> float:
    """The largest 75% quantile of the validation loss over the chunks, plus the selection term."""
    boosting, problem = _boosting(m, seed)
    last, reach = problem.records(m * _CHUNK, (m + 1) * _CHUNK), boosting.prediction_bound(problem)
    levels = []
    for i in range(m):
        rng = stream(seed, "glm.thm13.rate", "level", m, i, block)
        runs = boosting.mechanism()(problem.records(i * _CHUNK, (i + 1) * _CHUNK), 10 * _RUNS, rng)
        levels.append(float(np.quantile(clipped_risk(last, runs, reach), 0.75)))
    return max(levels) + 2.0 * boosting.scale(problem) * math.log(4.0 * m / boosting.beta)


def all_bad(m: int, level: float, seed: int, block: int) -> float:
    """The fraction of `_RUNS` runs of boosting with m models whose choice has a loss above `level`."""
    boosting, problem = _boosting(m, seed)
    last, reach = problem.records(m * _CHUNK, (m + 1) * _CHUNK), boosting.prediction_bound(problem)
    chosen, models = boosting.choose(problem, _RUNS, stream(seed, "glm.thm13.rate", boosting, block))
    return float((clipped_risk(last, models[chosen, np.arange(_RUNS)], reach) > level).mean())


def _boosted(context: Context, base: Any, sizes: tuple[int, ...], dimension: int, sets: int, note: str) -> Rows:
    population = ScaledBasis.even("squared", dimension, min(4, dimension), 1.0)
    boosting = Boosting(base, EPSILON, DELTA, beta=BETA)
    zero = float(population.excess_risk(np.zeros((1, dimension)))[0])
    for n in sizes:
        public = theory_selection.boosted_smooth_erm_rate(2.0, 1.0, 1.0, 1.0, n, math.inf)
        yield {
            "n": n, "samples": np.array(sampled(context, upper_quantile, population, boosting, n, blocks=sets)),
            "ceiling": theory_selection.boosted_smooth_erm_rate(2.0, 1.0, 1.0, 1.0, n, EPSILON), "zero predictor": zero,
            "terms without epsilon": public, "terms with epsilon": theory_selection.boosted_smooth_erm_rate(
                2.0, 1.0, 1.0, 1.0, n, EPSILON) - public,
        }  # fmt: skip
    return (
        f"squared loss, 4 even coordinates of {dimension}, B = X = Y = 1, (epsilon, delta) = ({EPSILON:g}, {DELTA:g}), "
        f"m = {boosting.number_of_models()}, exact calibration; a trial is the {1.0 - BETA:g} quantile of the excess "
        "risk over 64 runs on a data set", _ONE_SIDED, note,
    )  # fmt: skip


def upper_quantile(population: ScaledBasis, boosting: Boosting, n: int, seed: int, block: int) -> float:
    """The (1 − β) quantile of the excess risk of 64 runs on one data set."""
    rng = stream(seed, "rates of boosting", population, boosting, n, block)
    excess = population.excess_risk(boosting(population.draw(n, rng), 64, rng))
    return float(np.quantile(excess, 1.0 - boosting.beta))
