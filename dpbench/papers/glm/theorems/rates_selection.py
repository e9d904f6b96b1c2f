"""Rates of Theorems 13, 14 and 15 of the GLM paper: boosting, in β and in n."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.glm import theory_selection
from dpbench.papers.glm.boosting import Boosting
from dpbench.papers.glm.jl import JLMethod
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.scoring import clipped_risk
from dpbench.papers.glm.theorems import paper
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


@paper.rate(
    "thm13", variant="beta", source="Theorem 13, dependence on beta", expected="consistent", side="upper",
    full_only=True, exponent=-1.0,
    statement="The failure probability of boosting falls like beta, with m of order log(4/beta) models.",
    because="The runs are independent: all m = log_4(4/beta) are bad with probability 4^(-m) = beta/4.",
)
def theorem13(context: Context) -> Rows:
    """How often all m = log₄(4/β) models are bad, a bad model having probability 1/4, against 1/β."""
    full = ((1, 2, 3, 4, 5), (32, 32, 64, 128, 256))
    for m, blocks in zip(*context.pick(quick=((1, 2, 3), (8, 12, 24)), full=full), strict=True):
        (level,) = sampled(context, quarter_level, m, blocks=1)
        yield {
            "1/beta": 1.0 / beta_of(m), "samples": np.array(sampled(context, all_bad, m, level, blocks=blocks)),
            "ceiling": 0.25 * beta_of(m), "m": m, "beta": beta_of(m), "of a single run": 0.25, "zero predictor": 1.0,
        }  # fmt: skip
    return (
        "a model is bad if its validation loss is above the 75% quantile of the runs on its chunk; the selected model "
        f"is bad if its loss is above the largest of these quantiles plus the selection term 2b log(4m/beta), small "
        f"with {_CHUNK} records a chunk; a trial is the frequency over {_RUNS} runs",
        "the theorem allows beta; beta/4 is what m models leave, and what is measured; a single run is bad a quarter "
        "of the time at every beta, and the zero predictor always or never",
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


@paper.rate(
    "thm14", variant="n", source="Theorem 14, dependence on n", expected="consistent", side="upper", full_only=True,
    exponent=-0.5, nuisances=_OPEN, statement=_BOOSTED + "Algorithm 2.",
    because="Theorem 2 on n/(m + 1) records, and a selection that costs less.",
)
def theorem14(context: Context) -> Rows:
    """Boosting the JL method: the (1 − β) quantile over runs on one data set, against n."""
    return _boosted(
        context, JLMethod(EPSILON, DELTA), (2_000, 4_000, 8_000), 32, 8,
        "faster or not: k of order (n epsilon)^(2/3) is above the dimension from the start, so that the map loses "
        "little and what falls is the noise",
    )  # fmt: skip


@paper.rate(
    "thm15", variant="n", source="Theorem 15, dependence on n", expected="consistent", side="upper", exponent=-0.5,
    nuisances=_OPEN, statement=_BOOSTED + "Algorithm 3; |Y|^2/sqrt(n) more.",
    because="Theorem 3 on n/(m + 1) records, and a selection that costs less.",
)
def theorem15(context: Context) -> Rows:
    """Boosting output perturbation, against n."""
    sizes = context.pick(quick=(2_000, 4_000, 8_000, 16_000), full=tuple(2_000 * 2**k for k in range(5)))
    return _boosted(
        context, OutputPerturbation(EPSILON, DELTA), sizes, 4, context.pick(quick=12, full=32),
        "faster: the ceiling has terms in 1/sqrt(n) that one population does not meet; the noise of output "
        "perturbation falls like (n epsilon)^(-2/3)",
    )  # fmt: skip


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
