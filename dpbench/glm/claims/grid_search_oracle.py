"""Theorems 7 and 8 of the GLM paper, utility: grid search beside the oracle that knows ‖w*‖."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from dpbench.auditing.intervals import lower
from dpbench.core.sampling import stream
from dpbench.glm import theory_selection as theory
from dpbench.glm.boosting import Boosting
from dpbench.glm.claims import paper
from dpbench.glm.grid_search import PrivateGridSearch
from dpbench.glm.losses import squared
from dpbench.glm.noisy_gd import NoisyGD
from dpbench.glm.output_perturbation import OutputPerturbation
from dpbench.glm.populations import ScaledBasis
from dpbench.glm.scoring import loss_range
from dpbench.ledger.core import LEVEL, Context, Evidence
from dpbench.ledger.harness import margins

Y, DIMENSION, EPSILON, BETA = 64.0, 4, 1.0, 0.05
BASE = NoisyGD(EPSILON, 1e-5, steps=400, step_size=0.125)
BOOSTED = Boosting(OutputPerturbation(EPSILON, 1e-5), EPSILON, 1e-5, beta=BETA)
_WIDTH = 64


@paper.inequality(
    "thm7", variant="oracle", source="Theorem 7, Algorithm 4 corrected", expected="not refuted", level=LEVEL,
    statement="With probability at least 1 - beta the excess risk of grid search is at most twice that of the oracle "
    "that knows |w*| plus the selection terms of the exact calibration.",
    because="For the candidate at the right radius the penalised score exceeds its risk by at most the penalty and "
    "the deviation of one score, and GenExpMech loses at most 4 gamma log(N/beta)/epsilon against it; no penalised "
    "score is below the risk of its candidate, up to Y^2. With X = Y = 1 the terms exceed Y^2 for every feasible n, "
    "so Y = 64.",
)
def theorem7(context: Context) -> Evidence:
    """Over noisy gradient descent, from sufficient statistics; ‖w*‖ from 1 to ‖Y‖."""
    norms = context.pick(quick=(1.0, 64.0), full=(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0))
    return oracle(context, BASE, context.pick(quick=250_000, full=500_000), norms, context.pick(quick=4, full=10))


@paper.inequality(
    "thm8", variant="oracle", source="Theorem 8, Algorithm 4 corrected", expected="not refuted", level=LEVEL,
    full_only=True,
    statement="With probability at least 1 - beta the excess risk of grid search over boosted output perturbation is "
    "at most twice that of the oracle that knows |w*| plus the selection terms of the exact calibration.",
    because="As for Theorem 7. The models leave the ball by their noise; their losses are clipped to its range, which "
    "only lowers a score.",
)
def theorem8(context: Context) -> Evidence:
    """Over boosted output perturbation, whose models leave the ball, so that every different record is met."""
    return oracle(context, BOOSTED, 1_000_000, (1.0, 8.0, 64.0), 4)


def oracle(context: Context, base: Any, n: int, norms: tuple[float, ...], sets: int) -> Evidence:
    """Excess risks over data sets: each with both mechanisms on it."""
    rows, failed = [], 0
    for norm in norms:
        found = context.map(
            {"what": "grid search beside its oracle", "n": n, "norm": norm, "base": base, "epsilon": EPSILON},
            partial(one_data_set, base, context.seed, n, norm, _WIDTH),
            range(sets),
        )
        excess, known = (np.array([part[k] for part in found]) for k in ("grid", "oracle"))
        terms = selection_terms(n, norm)
        bound = 2.0 * float(known.mean()) + sum(terms.values())
        hits = int((excess[:, 0] > bound).sum())  # of the first run on each data set
        failed += hits
        rows.append({"norm": norm, "grid search": float(excess.mean()), "grid search error": error_of_sets(excess),
                     "oracle": float(known.mean()), "oracle error": error_of_sets(known), "bound": bound,
                     "zero predictor": norm**2 / DIMENSION, "runs above the bound": int((excess > bound).sum()),
                     "candidates": found[0]["candidates"], "runs": sets, "hits": hits, "allowed": BETA, **terms})
    draws = sets * len(norms)
    least = float(lower(failed, draws, LEVEL))
    ratio = max(row["grid search"] / row["bound"] for row in rows)
    return margins(
        rows,
        "value: the largest ratio of the mean excess risk to 2 x oracle + the selection terms of the exact "
        "calibration (score penalty, deviation of one score, 4(2U/n)log(4(K+1)/beta)/epsilon)",
        f"squared loss on {DIMENSION} even coordinates, Y = {Y:g}, X = 1, n = {n}, (epsilon, delta) = "
        f"({EPSILON:g}, 1e-5), beta = {BETA}; the oracle is the base at the same budget and half of the data, "
        "with the least radius 2^j >= |w*|",
        f"the first run on each of {draws} data sets is above the bound {failed} times: the failure probability is "
        f"at least {least:.3g}; the test needs {failures_needed(draws)} failures to refute",
        value=ratio, margin=1.0 - least / BETA, trials=sets * _WIDTH * len(norms),
    )


def error_of_sets(excess: np.ndarray) -> float:
    """Standard error of the mean of `excess`, shape (data sets, runs): the data sets are what is independent."""
    return float(excess.mean(axis=1).std(ddof=1)) / math.sqrt(len(excess))


def failures_needed(draws: int) -> int:
    """The fewest failures among `draws` at which a failure probability of β is excluded at `LEVEL`."""
    return next((k for k in range(draws + 1) if float(lower(k, draws, LEVEL)) > BETA), draws + 1)


def one_data_set(base: Any, seed: int, n: int, norm: float, runs: int, block: int) -> dict[str, Any]:
    """Excess risks of `runs` runs of grid search and of its oracle on one data set."""
    population = ScaledBasis.even("squared", DIMENSION, DIMENSION, 1.0, radius=norm, y_bound=Y)
    rng = stream(seed, "glm.thm7.oracle", n, norm, block)
    problem = population.draw(n, rng)
    search = PrivateGridSearch(base, EPSILON, 1e-5, beta=BETA)
    half = problem.records(0, n // 2).with_radius(right_radius(norm))
    return {
        "grid": population.excess_risk(search(problem, runs, rng)),
        "oracle": population.excess_risk(search.mechanism(problem)(half, runs, rng)),
        "candidates": len(search.radii(problem)),
    }


def right_radius(norm: float) -> float:
    """The least 2^j ≥ ‖w*‖, j ≥ 1."""
    return 2.0 ** max(1, math.ceil(math.log2(norm)))


def selection_terms(n: int, norm: float) -> dict[str, float]:
    """The three terms of `theory.grid_search_rate_corrected` at the right radius, the candidate's risk at most φ₀."""
    count = theory.smooth_grid_size_corrected(2.0, 1.0, Y, n, EPSILON)
    large, records = loss_range(squared(), Y, right_radius(norm))[1], n // 2
    return {
        "penalty": theory.score_penalty_corrected(large, Y**2, records, count, BETA),
        "deviation": theory.score_excess_corrected(large, Y**2, records, count, BETA),
        "GenExpMech": theory.selection_loss(large / records, count + 1, EPSILON, 0.25 * BETA),
    }
