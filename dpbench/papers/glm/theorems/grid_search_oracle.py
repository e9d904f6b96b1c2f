"""Theorems 7 and 8 of the GLM paper: grid search beside an oracle that knows ‖w*‖, and at its hardest norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.auditing.intervals import lower
from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.boosting import Boosting
from dpbench.papers.glm.grid_search import PrivateGridSearch
from dpbench.papers.glm.losses import squared
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.scoring import loss_range
from dpbench.papers.glm.theorems import paper
from dpbench.rates.nuisances import Logarithm, SecondTerm

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
        found = sampled(context, one_data_set, base, n, norm, _WIDTH, blocks=sets)
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


def one_data_set(base: Any, n: int, norm: float, runs: int, seed: int, block: int) -> dict[str, Any]:
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


RADIUS = 32.0
"""B_j, which the hard norm exceeds by little; the right radius is 2B_j."""
SHARE = 0.5
"""Of the difference of the penalties of 2B_j and B_j: what the hard norm makes the projection on B_j's ball cost."""
_H, _X = 2.0, 1.0


@paper.rate(
    "thm7", variant="n", source="Theorem 7, dependence on n, Algorithm 4 corrected over Algorithm 1",
    expected="consistent", side="upper", exponent=-0.5, nuisances=(
        SecondTerm("selection by samples", "other terms", 1.0, "ERR and Delta/(n epsilon) beside Y^2/sqrt(n)"),
    ),
    statement="Grid search has excess risk ERR(2 max(|w*|, 1)) + O~(Y^2/sqrt(n) + Delta/(n epsilon)), Y^2 for the "
    "printed Y.",
    because="The score of a radius carries a penalty of order Y(Y + BX)/sqrt(n), so the next smaller radius is chosen "
    "as long as it costs less than the difference of the two penalties: sup over |w*| the excess risk is of order Y^2 "
    "sqrt(log(K/beta)/n) whatever the base, as in the bound. On a benign |w*| it falls with the base.",
)
def theorem7_rate(context: Context) -> Rows:
    """Over noisy gradient descent: ERR is measured, the selection terms are the theorem's with our constants."""
    powers = context.pick(quick=(14, 15, 16), full=(14, 15, 16, 17, 18))
    return _rate(
        context, BASE, powers, 12, 64, _reduction,
        "ceiling: the measured excess risk of the oracle, which stands for ERR, plus the penalty, the deviation of a "
        "score and the loss of GenExpMech at the right radius (exact calibration)",
    )  # fmt: skip


@paper.rate(
    "thm8", variant="n", source="Theorem 8, dependence on n, Algorithm 4 corrected", expected="consistent",
    side="upper", full_only=True, exponent=-0.5, nuisances=(
        SecondTerm("terms without epsilon", "other terms"),
        Logarithm(0.0, 1.0, "O~ hides logarithms, which the ceiling leaves out"),
    ),
    statement="Grid search over boosted output perturbation has excess risk O~(((sqrt(H)B*|X|)^(4/3)|Y|^(2/3) + H "
    "B*^2|X|^2)/(n epsilon)^(2/3) + (sqrt(H)B*|X| max(|Y|, 1) + |Y|^2)/sqrt(n) + (|Y|^2 + H B*^2|X|^2)/(n epsilon)), "
    "B* = 2 max(|w*|, 1).",
    because="The score of a radius carries a penalty of order Y(Y + BX)/sqrt(n), so the next smaller radius is chosen "
    "as long as it costs less than the difference of the two penalties: sup over |w*| the excess risk is of order Y^2 "
    "sqrt(log(K/beta)/n) whatever the base, as in the bound. On a benign |w*| it falls with the base.",
)
def theorem8_rate(context: Context) -> Rows:
    """Over boosted output perturbation: the whole ceiling is the theorem's."""
    return _rate(
        context, BOOSTED, (15, 16, 17, 18, 19, 20), 8, 256, _whole,
        "ceiling: Theorem 8 without logarithms and constants at |w*| = 64, the largest norm of the octave in which the "
        "hard norms lie; at these n the noise of the base, at its share of the budget on m + 1 chunks of half of the "
        "data, is most of the excess, and the penalty the rest",
    )  # fmt: skip


def _rate(
    context: Context, base: Any, powers: tuple[int, ...], sets: int, runs: int, ceiling: Any, note: str
) -> Rows:
    for n in (2**k for k in powers):
        norm = hard_norm(n)
        found = sampled(context, one_data_set, base, n, norm, runs, blocks=sets)
        known = float(np.mean([part["oracle"].mean() for part in found]))
        yield {
            "n": n, "samples": np.array([float(np.quantile(part["grid"], 1.0 - BETA)) for part in found]),
            **ceiling(n, known), "norm of w*": norm, "oracle": known,
            "cost of the smaller radius": SHARE * step(n), "zero predictor": norm**2 / DIMENSION,
        }  # fmt: skip
    return (
        f"squared loss on {DIMENSION} even coordinates, Y = {Y:g}, X = 1, (epsilon, delta) = ({EPSILON:g}, 1e-5), beta "
        f"= {BETA}, exact calibration; a trial is the {1.0 - BETA:g} quantile of the excess risk over {runs} runs on a "
        "data set of its own, as the theorem speaks of probability 1 - beta: GenExpMech may choose a far radius now "
        "and then, and one such run would carry a mean",
        f"hard norm: the projection of w* on the ball of radius {RADIUS:g} costs {SHARE:g} of what the penalty of "
        f"{2.0 * RADIUS:g} is above that of {RADIUS:g}, so that the smaller radius has the lower score and is chosen, "
        "though a base at the right one has nearly no error: what is lost is the penalty, of order Y^2/sqrt(n)", note,
    )  # fmt: skip


def step(n: int) -> float:
    """The penalty of the candidate at 2·`RADIUS` less that of the one at `RADIUS`."""
    count = theory.smooth_grid_size_corrected(_H, _X, Y, n, EPSILON)
    small, large = (
        theory.score_penalty_corrected(loss_range(squared(), Y, radius)[1], Y**2, n // 2, count, BETA)
        for radius in (RADIUS, 2.0 * RADIUS)
    )
    return large - small


def hard_norm(n: int) -> float:
    """‖w*‖ = B_j + √(`SHARE`·d·step): (‖w*‖ − B_j)²/d is the excess risk of the best point of B_j's ball."""
    return RADIUS + math.sqrt(SHARE * DIMENSION * step(n))


def _reduction(n: int, known: float) -> dict[str, float]:
    """Theorem 7 with ERR = `known`, and what of it is the penalty and the deviation of a score."""
    count = theory.smooth_grid_size_corrected(_H, _X, Y, n, EPSILON)
    large = loss_range(squared(), Y, 2.0 * RADIUS)[1]
    whole = theory.grid_search_rate_corrected(known, large, Y**2, Y**2, n, count, EPSILON, BETA)
    other = known + theory.selection_loss(large / (n // 2), count + 1, EPSILON, 0.25 * BETA)
    return {"ceiling": whole, "selection by samples": whole - other, "other terms": other}


def _whole(n: int, _: float) -> dict[str, float]:
    """Theorem 8 at the largest norm of the octave, and what of it does not depend on ε."""
    whole, public = (theory.adaptive_smooth_erm_rate(_H, _X, Y, 2.0 * RADIUS, n, e) for e in (EPSILON, math.inf))
    return {"ceiling": whole, "terms without epsilon": public, "other terms": whole - public}
