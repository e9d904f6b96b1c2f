"""Theorem 13 of the GLM paper: its condition 3, how often boosting fails; GenExpMech's term in Theorem 7."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from dpbench.auditing.intervals import lower, upper
from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, profiles, sampled, summary
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.boosting import Boosting
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.scoring import clipped_risk
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.selection_mechanisms import coin_pair
from dpbench.privacy import selection

BETAS = (0.2, 0.05, 0.0125, 0.003)
BASE = NoisyGD(1.0, 1e-5, steps=3, step_size=0.2, noise_scale=2.0)
CHUNK = 5_000
_CALIBRATING = 20_000  # runs of one model, whose 80% quantile has probability above 75% but for a chance of 1e-43
_RUNS = 4_096  # of a block


@paper.inequality(
    "thm13", source="Theorem 13, proof", expected="not refuted", level=LEVEL,
    statement="With m models that are each good with probability 3/4, the selected one is good up to the selection "
    "term, but for a probability of beta/4 (no model is good) + beta/4 (the noise of report noisy max).",
    because="The models' noises are independent, so all m = log_4(4/beta) are bad with probability at most beta/4; "
    "all m Laplace variables are below b log(4m/beta) in size but for beta/4, and then the selected loss is at most "
    "the least one plus 2b log(4m/beta).",
)
def failures(context: Context, models: int | None = None) -> Evidence:
    """Failures on one data set, over the noise alone; `models` replaces m of the exact calibration."""
    blocks = context.pick(quick=1, full=12)
    rows: list[Row] = []
    for beta in BETAS:
        boosting = Boosting(BASE, 1.0, 1e-5, beta=beta, models=models)
        parts = sampled(context, count, boosting, blocks=blocks)
        failed, single = (sum(int(part[k]) for part in parts) for k in ("boosted", "single"))
        runs = blocks * _RUNS
        least = float(lower(failed, runs, LEVEL / len(BETAS)))
        rows.append(
            {"beta": beta, "m": boosting.number_of_models(), "failures": failed / runs,
             **_interval("failures", failed, runs), "of a single run": single / runs,
             **_interval("of a single run", single, runs), "allowed": 0.5 * beta, "at least": least,
             "selection term": parts[0]["term"]}
        )  # fmt: skip
    return margins(
        rows,
        "value: the largest ratio of the frequency of failures to beta/2",
        "a failure: a validation loss above the 80% quantile of a single model plus the selection term "
        f"2b log(4m/beta); squared loss, {CHUNK} records a chunk, epsilon = 1; the base is noisy GD with so much "
        "noise that its runs scatter",
        value=max(row["failures"] / row["allowed"] for row in rows), sides=("at least", "allowed"),
        trials=len(BETAS) * blocks * _RUNS,
    )


def _interval(name: str, failed: int, runs: int) -> dict[str, float]:
    """Two-sided 95% Clopper–Pearson interval of a frequency, for the figure: no verdict rests on it."""
    return {f"{name} low": float(lower(failed, runs, 0.025)), f"{name} high": float(upper(failed, runs, 0.025))}


def count(boosting: Boosting, seed: int, block: int) -> dict[str, Any]:
    """Failures among `_RUNS` runs, and those of the first model alone; the data set is the same in every block."""
    m = boosting.number_of_models()
    population = ScaledBasis.even("squared", 2, 2, 1.0)
    problem = population.draw((m + 1) * CHUNK, stream(seed, "glm.thm13.inequality", "data", m))
    last = problem.records(m * CHUNK, (m + 1) * CHUNK)
    reach = boosting.prediction_bound(problem)
    rng = stream(seed, "glm.thm13.inequality", boosting, block)
    base, level = boosting.mechanism(), -math.inf
    for chunk in range(m):
        part = problem.records(chunk * CHUNK, (chunk + 1) * CHUNK)
        one = clipped_risk(last, base(part, _CALIBRATING, rng), reach)
        level = max(level, float(np.quantile(one, 0.8)))
    term = 2.0 * boosting.scale(problem) * math.log(4.0 * m / boosting.beta)
    chosen, models = boosting.choose(problem, _RUNS, rng)
    picked = clipped_risk(last, models[chosen, np.arange(_RUNS)], reach)
    return {
        "boosted": int((picked > level + term).sum()),
        "single": int((clipped_risk(last, models[0], reach) > level + term).sum()),
        "term": term,
    }


@paper.inequality(
    "thm7", variant="selection.corrected", source="Theorem 7, GenExpMech's term, corrected", expected="not refuted",
    statement="With the sensitivities 2 Delta/n and epsilon/2 the chosen score is within 16 Delta log(4(K+1)/beta)/(n "
    "epsilon) of the least one, but for a chance of beta/4.",
    because="4 gamma log(N/beta')/epsilon' with gamma = 2 Delta/n, the sensitivity of a mean over n/2 records, N = K "
    "+ 1, beta' = beta/4 and epsilon' = epsilon/2 (glm.thm7.inequality.fairest: gamma = Delta/n, with 8).",
)
def term(context: Context) -> Rows:
    """One candidate without loss, all others just beyond what the term allows; Algorithm 4's budget and confidence."""
    bound, n, epsilon = 9.0, 10_000, 1.0
    gamma = 2.0 * bound / n
    for count, beta in product((1, 4, 16), (0.3, 0.05, 1e-3)):
        allowed = theory.selection_loss(gamma, count + 1, 0.5 * epsilon, 0.25 * beta)
        scores = np.full(count + 1, allowed * (1.0 + 1e-9))
        scores[1] = 0.0
        logs = selection.generalized_exponential(scores, [0.0] + [gamma] * count, 0.5 * epsilon, 0.25 * beta)
        yield {"K": count, "beta": beta, "term": allowed, "chance": float(-np.expm1(logs[1])), "allowed": 0.25 * beta}
    return summary(
        "value: the largest probability of a score above the least one by more than the term; beta/4 is allowed",
        f"K candidates of sensitivity 2 Delta/n and w_0 of sensitivity 0, Delta = {bound:g}, n = {n}, epsilon/2 = "
        f"{0.5 * epsilon:g} for the choice: all but one have a loss just beyond the term",
        value="chance", sides=("chance", "allowed"),
    )


@paper.privacy(
    "thm13", variant="typical-records", source="Theorem 13, condition 3", expected="refuted",
    holds="glm.thm13.privacy.exact",
    statement="Algorithm 5 with the Laplace scale 4(m + 1)Delta/(n epsilon) is (epsilon, delta)-DP where the loss of "
    "the base's output on a random record is below Delta with high probability.",
    because="Neighbours differ in any record at all, likely under D or not. On a D without features and labels no "
    "loss is above 0, and the replaced record moves one by 4Y^2.",
)
def typical_records(context: Context) -> tuple[str, Evidence]:
    """D has the record (0, 0) alone: no loss, whatever the model; the record that is replaced has x = e_1."""
    epsilon, delta, y = 1.0, 1e-5, 1.0
    rows: list[Row] = []
    for models, last, typical in ((4, 100, 1.0), (4, 100, 0.1), (18, 100, 0.1), (18, 10_000, 0.1), (18, 100, 0.01)):
        n = (models + 1) * last
        scale = 4.0 * (models + 1) * typical * y**2 / (n * epsilon)
        pair = coin_pair(y, last, models, scale, 0)
        rows.append({"m": models, "n": n, "Delta": typical * y**2, "scale": scale, "epsilon": epsilon, "delta": delta,
                     "pair": pair, "true_epsilon": pair.epsilon(delta),
                     "true_delta_at_worst_scale": coin_pair(y, last, models, 4.0 / typical * scale, 0).delta(epsilon)})
    return profiles(
        rows,
        "value: the largest true delta where (1, 1e-5) is claimed",
        "squared loss, B = Y = 1; the base returns +-B e_1 by a fair coin, so it is (0, 0)-DP; the scale is the "
        "corrected 4(m + 1)Delta/(n epsilon) with a Delta that no loss of a record of D, (0, 0), exceeds; one "
        "record of the last chunk changes from (e_1, Y) to (e_1, -Y), where the loss moves by 4Y^2",
        value=max(row["pair"].delta(epsilon) for row in rows),
    )
