"""Lemmas 9 and 10, Theorem 15's γ and Theorem 7's penalty: bounds on losses, moments and means, exactly."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from dpbench.auditing.intervals import lower
from dpbench.ledger.harness import margins, summary
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.lemmas import least, over_inputs, point, smallest_margins

H = 2.0  # squared loss, ‖X‖ = 1


def ball_sides(corrected: bool, loss: Loss, *where: np.ndarray) -> tuple[Any, Any]:
    """ℓ(w; (x, y)) and Δ(B) of Lemma 9, with the arguments of `lemmas.gradient_sides`.

    The corrected bound is attained at √(H/2)BX = Y: the right side is widened by rounding.
    """
    bound = theory.ball_loss_bound_corrected if corrected else theory.ball_loss_bound
    logs, fractions, signs, cosine = where
    x_bound, size, radius, _, z, y = point(loss, logs, fractions, signs, cosine)
    return loss.value(z, y), bound(loss.smoothness, x_bound, size, radius) * (1.0 + 1e-12)


@paper.inequality(
    "lemma9", source="Lemma 9", expected="refuted", level=LEVEL, holds="glm.lemma9.inequality.corrected",
    arguments={"corrected": False},
    statement="The output of Algorithm 1 has losses below Delta(B) = Y^2 + H B^2 X^2 (Assumption 2).",
    because="sup over the ball is (Y + sqrt(H/2)BX)^2, attained by the squared loss: 4 against 3 at BX = Y = 1.",
)
def lemma9(context: Context, corrected: bool) -> Evidence:
    """The loss over the ball against Δ(B); and Algorithm 1 itself, whose output comes to lie where it is larger."""
    name, sides = f"lemma9 {corrected}", partial(ball_sides, corrected)
    if corrected:
        return over_inputs(context, sides, name)
    rows = smallest_margins(context, sides, name)
    trials, n, allowed = 64, 2_000, 0.25e-5
    problem = GLMProblem(np.ones((n, 1)), -np.ones(n), loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    w = NoisyGD(1.0, 1e-5, step_size=0.05).sample(problem, trials, seed=context.seed)[:, 0]
    hits = int(((w - 1.0) ** 2 >= theory.ball_loss_bound(H, 1.0, 1.0, 1.0)).sum())
    chance, smallest = float(lower(hits, trials, LEVEL)), least(rows)
    return margins(
        rows,
        "value: the smallest relative margin (right - left)/right over all inputs tried; 3 against 4 at "
        "B = X = Y = 1 and H = 2, and 3/2 against 9/4, the worst, at B = 1/2",
        f"Algorithm 1 at (1, 1e-5) on n = {n} records (1, -1): the loss of (1, 1) is at least Delta(B) = 3 in "
        f"{hits} of {trials} runs, hence with probability at least {chance:.3f}, where Assumption 2 allows "
        f"min(delta, beta)/(4K) <= {allowed:g}",
        value=smallest, margin=smallest if chance > allowed else 0.0, trials=trials,
    )


BALL = Statement(
    about="The loss over the ball is at most 2 Y^2 + H B^2 X^2: {claim} for all s = (sqrt(H/2)BX - Y)/(sqrt(H/2)BX + "
    "Y).",
    symbols={"s": Real("(sqrt(H/2)BX - Y)/(sqrt(H/2)BX + Y)", -1, 1)},
    claim=inequality("1", "<=", "((1 - s)^2 + (1 + s)^2)/2"), cells=20,
    steps=(
        "The root of a non-negative H-smooth loss is sqrt(H/2)-Lipschitz: it is at most (Y + sqrt(H/2)BX)^2.",
        "Both sides are homogeneous of degree 2 in Y and sqrt(H/2)BX, whose sum is taken as 1: they are (1 - s)/2 and "
        "(1 + s)/2.",
    ),
)  # fmt: skip
paper.variant(
    lemma9, "corrected", source="Lemma 9, corrected", expected="proved", level=0.0, arguments={"corrected": True},
    statement=BALL,
)


def exceedance(radius: float, y: float, noise: float, records: int, bound: float) -> float:
    """P(some record of S₂ has loss ≥ bound) for ŵ = −B e_1 + N(0, σ²I) and S₂ = {(e_1, Y), (e_2, Y), …}.

    Squared loss; the records' losses are independent.
    """
    root = math.sqrt(bound)
    if noise == 0.0:
        return 1.0 if radius + y >= root * (1.0 + 1e-12) else 0.0
    logs = []
    for centre in [radius + y] + [y] * (records - 1):
        near, far = (root - centre) / noise, (root + centre) / noise
        miss = np.log1p(-min(1.0, math.exp(log_ndtr(-near)) + math.exp(log_ndtr(-far))))
        logs.append(float(miss))
    return -math.expm1(math.fsum(logs))


@paper.inequality(
    "lemma10", source="Lemma 10", expected="refuted", holds="glm.lemma10.inequality.corrected",
    arguments={"corrected": False},
    statement="The output of Algorithm 3 has losses below Y^2 + H X^2 sigma^2 log(K/min(delta, beta)) + H B^2 X^2, but "
    "for a chance of min(delta, beta)/(4K).",
    because="As Lemma 9; and P(|<b, x>| >= t) <= 2 exp(-t^2/(2 X^2 sigma^2)), not exp(-t^2/(X^2 sigma^2)), for one "
    "record of S_2 only.",
)
def lemma10(context: Context, corrected: bool) -> Rows:
    """Assumption 2 for output perturbation: the chance of a loss above Δ(B), against min{δ, β}/4K."""
    laws = ((1.0, 1.0, 0.0), (1.0, 1.0, 0.1), (1.0, 1.0, 10.0), (0.01, 0.01, 1.0), (1e-6, 1.0, 1.0))
    levels, tail = ((1e-5, 0.05), (0.05, 0.05), (0.05, 1e-4)), 0.0
    for (radius, y, noise), (delta, beta), count, records in product(laws, levels, (1, 10), (2, 100)):
        chance, size = min(delta, beta), (H, 1.0, y, radius, noise, count)
        bound = theory.perturbed_loss_bound(*size, chance)  # log(K/min{β, δ}), as C.3 has it
        if corrected:
            bound = theory.perturbed_loss_bound_corrected(*size, chance, records)
        found, allowed = exceedance(radius, y, noise, records, bound), chance / (4.0 * count)
        tail = max(tail, found / allowed if radius + y < 0.1 else 0.0)
        yield {"B": radius, "Y": y, "noise": noise, "delta": delta, "beta": beta, "K": count, "records": records,
               "chance": found, "allowed": allowed}  # fmt: skip
    return summary(
        "value: the largest probability that a record of S_2 has a loss of Delta(B) or more",
        f"the tail alone (B and Y small against the noise): {tail:.3g} times what is allowed at most",
        value="chance", sides=("chance", "allowed"),
    )


PERTURBED = Statement(
    about="For 8K|S_2|/min(delta, beta) <= e^100 the output of Algorithm 3 has losses below (Y + sqrt(H/2)X(B + sigma "
    "sqrt(2 log(8K|S_2|/min(delta, beta)))))^2, but for a chance of min(delta, beta)/(4K): {claim} for all L = "
    "log(8K|S_2|/min(delta, beta)) from 2 to 100.",
    symbols={"L": Real("log(8K|S_2|/min(delta, beta))", 2, 100)},
    claim=inequality("erfc(sqrt(L))", "<=", "2*exp(-L)"), cells=500,
    steps=(
        "The root of the loss is at most Y + sqrt(H/2)(BX + |<b, x>|), and P(|<b, x>| > X sigma sqrt(2L)) <= "
        "erfc(sqrt(L)) for one record of S_2; the union over S_2 may cost |S_2| 2 e^-L = min(delta, beta)/(4K).",
    ),
)  # fmt: skip
paper.variant(
    lemma10, "corrected", source="Lemma 10, corrected", expected="proved", arguments={"corrected": True},
    statement=PERTURBED,
)


@paper.inequality(
    "thm15", source="Theorem 15, proof", expected="refuted", holds="glm.thm15.inequality.corrected",
    arguments={"corrected": False},
    statement="The output of Algorithm 3 is gamma^2-sub-Gaussian (condition 2 of Theorem 13) with gamma^2 = B^2 + "
    "sigma^2.",
    because="E exp((B + sigma Z)^2/gamma^2) = (1 - 2 sigma^2/gamma^2)^(-1/2) exp(B^2/(gamma^2 - 2 sigma^2)), which "
    "must be at most 2.",
)
def theorem15(context: Context, corrected: bool) -> Evidence:
    """E exp(⟨w, u⟩²/γ²) of N(B u, σ²I), which must be at most 2, over all σ/B."""
    gamma = theory.perturbed_sub_gaussian_corrected if corrected else theory.perturbed_sub_gaussian
    ratios = [0.0, *np.geomspace(1e-4, 1e6, 401).tolist()]
    moments = [theory.perturbed_moment(1.0, ratio, gamma(1.0, ratio)) for ratio in ratios]
    return margins(
        {"noise over B": ratios, "moment": moments},
        f"value: E exp(<w, u>^2/gamma^2) at {'the worst noise' if corrected else 'no noise (infinite from noise B)'};"
        " condition 2 of Theorem 13 asks for at most 2",
        value=max(moments) if corrected else moments[0], margin=1.0 - max(moments) / 2.0,
    )


SUB_GAUSSIAN = Statement(
    about="The output of Algorithm 3 is gamma^2-sub-Gaussian with gamma^2 = 2 B^2/log 2 + (16/3) sigma^2: {claim} with "
    "{g} for all t = sigma^2/(B^2 + sigma^2).",
    symbols={"t": Real("sigma^2/(B^2 + sigma^2)", 0, 1)},
    where={"g": "2*(1 - t)/log(2) + 16*t/3"},
    claim=inequality("(1 - 2*t/g)^(-1/2)*exp((1 - t)/(g - 2*t))", "<=", "2"), cells=50,
    steps=(
        "<w, u> is a number of absolute value B at most and sigma Z; E exp((B + sigma Z)^2/gamma^2) = (1 - 2 "
        "sigma^2/gamma^2)^(-1/2) exp(B^2/(gamma^2 - 2 sigma^2)), which depends on sigma/B alone: B^2 + sigma^2 = 1.",
    ),
)  # fmt: skip
paper.variant(
    theorem15, "corrected", source="Theorem 15, proof, corrected", expected="proved", arguments={"corrected": True},
    statement=SUB_GAUSSIAN,
)


CHANCES = np.unique(np.concatenate((np.geomspace(1e-6, 0.5, 60), 1.0 - np.geomspace(1e-6, 0.5, 60))))


def two_valued(first: float, second: float, n: int, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P(L̂ > level) and P(L̂ < level) for n losses that are `second` with probability `CHANCES`, else `first`.

    L̂ = first + (second − first)·Bin/n; `level`, one for each chance, is widened by rounding in the claim's favour.
    """
    from scipy.stats import binom

    slack = 1e-9 * np.maximum(np.maximum(1.0, np.abs(level)), second)
    up = np.floor((level + slack - first) / (second - first) * n)
    down = np.ceil((level - slack - first) / (second - first) * n)
    return binom.sf(up, n, CHANCES), binom.cdf(down - 1.0, n, CHANCES)


@paper.inequality(
    "thm7", variant="penalty", source="Theorem 7, equation (21)", expected="refuted",
    holds="glm.thm7.inequality.penalty.corrected", arguments={"corrected": False},
    statement="For each j the mean loss on S_2 is within tau_j = Delta log(4K/beta)/n + sqrt(4 Y^2 log(4K/beta)/n) of "
    "the risk, but for a chance of beta/(2K).",
    because="The proof bounds the second moment of the loss by 4Y^2 where it is of the order Y^4 (units of the loss "
    "squared). E l^2 <= U L(w) holds for every loss in [0, U], and the lower tail of a mean of non-negative variables "
    "needs nothing else.",
)
def penalty(context: Context, corrected: bool) -> Rows:
    """(21): the mean of n/2 losses of one candidate against its penalty, exact over two-valued losses."""
    shown = 0.0, 0.0
    for y, count, n, radius in product((1.0, 10.0, 64.0), (1, 10), (200, 20_000, 2_000_000), (0.0, 2.0, 64.0)):
        found = _penalty_failure(y, radius, n, count, 0.1, corrected)
        allowed = 0.1 / (4.0 * count) if corrected else 0.1 / (2.0 * count)
        shown = (found, allowed) if (y, count, n, radius) == (10.0, 1, 20_000, 0.0) else shown
        yield {"Y": y, "K": count, "n": n, "|w|": radius, "chance": found, "allowed": allowed}
    return summary(
        f"value: the failure probability at Y = 10, K = 1, w = 0, n = 20,000, beta = 0.1 (allowed: {shown[1]:g})",
        value=shown[0], sides=("chance", "allowed"),
    )


paper.variant(
    penalty, "penalty.corrected", source="Theorem 7, equation (21), corrected", expected="not refuted",
    arguments={"corrected": True},
    statement="min(L, Y^2) <= mean loss + sqrt(2 U Y^2 log(4K/beta)/(n/2)) for losses in [0, U], but for a chance of "
    "beta/(4K); and the right side is above Y^2 wherever L is.",
)


def _penalty_failure(y: float, radius: float, n: int, count: int, beta: float, corrected: bool) -> float:
    """The largest over p: printed, P(|L̂ − L| ≥ τ); corrected, P(L̂ + τ < min(L, φ₀))."""
    large, small, records = (radius + y) ** 2, max(0.0, radius - y) ** 2, n // 2
    if corrected:
        tau = theory.score_penalty_corrected(large, y**2, records, count, beta)
    else:  # the proof's 4K where line 6 of the algorithm has K
        bound = theory.ball_loss_bound(H, 1.0, y, max(radius, 2.0))
        tau = theory.score_penalty(bound, y, n, 4 * count, beta)
    mean = small + CHANCES * (large - small)
    if corrected:
        return float(two_valued(small, large, records, np.minimum(mean, y**2) - tau)[1].max())
    above, below = two_valued(small, large, records, mean + tau)[0], two_valued(small, large, records, mean - tau)[1]
    return float((above + below).max())
