"""How often all models of boosting are bad, on one population: for the rate of Theorem 13 in β."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.scoring import clipped_risk
from dpbench.papers.glm.populations import ScaledBasis

EPSILON, DELTA = 1.0, 1e-5
_CHUNK, _RUNS = 20_000, 4_096


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
