"""Lemmas 4, 5, 8 and 12 of the public-data paper: norms on public points, regularised minimisers, displacement."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy.special import chdtrc, ndtr

from dpbench.auditing import intervals
from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, missed, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.hypotheses_finite import FiniteClass
from dpbench.papers.publicdata.perturb import perturb
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper

BETA = 0.05
FAILURES = (0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8)
_SAMPLES = 50  # of m points, in a block


@paper.inequality(
    "lemma8", variant="gaussian", source="Lemma 8, equation 83", expected="refuted", level=LEVEL,
    holds="publicdata.lemma8.inequality.gaussian.corrected",
    statement="With probability 1 - beta, |fbar - f^|_m <= 2 gamma sqrt(log(1/beta)).",
    because="It rests on P(|zeta|_m > sqrt(log(1/beta))) <= beta, false for one point, and for beta > 1/e at many. F "
    "= {-1, 0, 1} on one point leaves 0 iff gamma|zeta| > 1/2, and then by 1.",
)
def few_points(context: Context) -> Evidence:
    """(83) at m = 1 and F = {−1, 0, 1}, f̄ = 0: f̂ ≠ f̄ iff γ|ζ| > 1/2; exactly, and by Perturb at β = 0.01."""
    rows = []
    for beta in FAILURES:
        gamma = 0.5 / math.sqrt(math.log(1.0 / beta)) * (1.0 - 1e-9)  # so that the bound is just below 1
        rows.append({"beta": beta, "gamma": gamma, "left": 2.0 * float(ndtr(-0.5 / gamma)), "right": beta})
    trials, shown = context.pick(quick=20_000, full=1_000_000), next(row for row in rows if row["beta"] == 0.01)
    table = FiniteClass(np.array([[-1.0], [0.0], [1.0]]))
    problem = PublicDataProblem([0], [0.0], [0], hypotheses=table, loss="absolute")
    made = perturb(problem, [0.0], shown["gamma"], trials, stream(context.seed, "publicdata.lemma8"))
    bound = theory.displacement_printed(1, shown["gamma"], 0.01, "gaussian")
    hits = int((np.abs(table.predict(made, [0])[:, 0]) > bound).sum())
    low, high = (float(f(hits, trials, LEVEL / 2)) for f in (intervals.lower, intervals.upper))
    return margins(
        rows,
        "value: the exact probability at m = 1 over the beta that bounds it, largest for beta >= 1e-5",
        f"through Perturb at beta = 0.01: probability in [{low:.4f}, {high:.4f}], exact {shown['left']:.4f}",
        value=max(row["left"] / row["beta"] for row in rows if row["beta"] >= 1e-5), trials=trials,
    )


@paper.inequality(
    "lemma8", variant="gaussian.corrected", source="Lemma 8 with the norm's concentration", expected="proved",
    statement="For m = 1, 2, 3 and 10 and 1e-8 <= beta <= 0.9, with probability 1 - beta, |fbar - f^|_m <= 2 gamma (1 "
    "+ sqrt(2 log(1/beta)/m)).",
    because="|zeta|_m has mean at most 1 and is 1/sqrt(m)-Lipschitz; (85) and (86) give the displacement 2 gamma "
    "|zeta|_m.",
)
def gaussian_corrected(context: Context) -> Rows:
    """P(‖ζ‖_m > 1 + √(2 log(1/β)/m)), exact by χ², against β: displacement is at most 2γ‖ζ‖_m in any class."""
    for m, beta in product((1, 2, 3, 10, 100, 10_000), (0.9, 0.5, *FAILURES)):
        bound = 1.0 + math.sqrt(2.0 * math.log(1.0 / beta) / m)
        yield {"m": float(m), "left": float(chdtrc(m, m * bound**2)), "right": beta}
    return "value: smallest relative margin of beta over the exact probability, m = 1 to 10,000"


def laplace_norms(m: int, seed: int, block: int) -> np.ndarray:
    """‖ζ‖_m of 10,000 draws of m Laplace variables."""
    zeta = stream(seed, "publicdata.lemma8.laplace", m, block).laplace(size=(10_000, m))
    return np.sqrt((zeta**2).mean(axis=1))


@paper.inequality(
    "lemma8", variant="laplace", source="Lemma 8, equation 84, for beta <= 1/e", expected="not refuted", level=LEVEL,
    statement="With probability 1 - beta, |fbar - f^|_m <= 2 gamma log(1/beta) sqrt(m).",
    because="P(|zeta|_m > log(1/beta) sqrt(m)) is beta at m = 1 and less beyond, for beta up to 1/e.",
)
def laplace(context: Context) -> Evidence:
    """P(‖ζ‖_m > log(1/β)√m): exactly β at m = 1, by sampling beyond; β ≤ 1/e."""
    blocks = context.pick(quick=5, full=100)
    rows = [{"m": 1.0, "frequency": 0.1, "left": 0.1, "right": 0.1, "runs": 0, "hits": 0, "allowed": 0.1}]
    failures = (math.exp(-1.0), 0.2, 0.1, 0.01)
    sizes = (2, 3, 4, 8, 64)
    for m in sizes:
        norms = np.concatenate(sampled(context, laplace_norms, m, blocks=blocks))
        for beta in failures:
            bound = math.log(1.0 / beta) * math.sqrt(m)
            rows.append(missed(norms, bound, beta, len(sizes) * len(failures), m=float(m)))
    share = max(row["frequency"] / row["right"] for row in rows[1:])
    return margins(
        rows,
        "value: smallest relative margin; 0 is m = 1, where P(|zeta| > log(1/beta)) = beta; at m = 2 to 64 the "
        f"largest share of beta is {share:.3f}",
        trials=len(sizes) * blocks * 10_000,
    )


@paper.inequality(
    "lemma5", source="Lemma 5, equation 18", expected="not refuted",
    statement="L_D(fbar) <= L_D(f_ERM) + sup R - inf R for any regulariser R.",
    because="fbar minimises L_D + R, so L_D(fbar) + R(fbar) <= L_D(f_ERM) + R(f_ERM); attained where R is least at a "
    "function that is worse by its range.",
)
def regularizer(context: Context) -> Evidence:
    """(18) on random finite classes and regularisers, and where it is attained."""
    rng = stream(context.seed, "publicdata.lemma5")
    cases, smallest = context.pick(quick=20_000, full=500_000), math.inf
    for _ in range(cases // 1000):
        size = int(rng.integers(2, 30))
        risk = rng.random((1000, size))
        r = rng.standard_normal((1000, size)) * 10.0 ** rng.uniform(-3.0, 2.0, (1000, 1))
        risk[0, :2], r[0] = (0.0, 1.0), 0.0  # one function is better by as much as the regulariser ranges
        r[0, 0] = 1.0 + 1e-12
        risk[0, 2:] = 2.0
        chosen = np.take_along_axis(risk, (risk + r).argmin(axis=1)[:, None], axis=1)[:, 0]
        right = risk.min(axis=1) + np.ptp(r, axis=1)
        smallest = float(np.minimum(smallest, float((1.0 - chosen / right).min())))
    note = f"value: smallest relative margin of {cases:,} random classes of 2 to 29 functions; 0: attained"
    return margins({}, note, margin=smallest)


def bracket(m: int) -> float:
    """What C multiplies in (107) for thresholds: their Gaussian complexity is at most √(2 log(m + 1))."""
    complexity = math.sqrt(2.0 * math.log(m + 1.0))
    tail = math.sqrt((math.log(math.log(m)) + math.log(1.0 / BETA)) / m)
    return math.log(m) ** 2 / math.sqrt(m) * complexity + tail


def interval_gaps(difference: bool, m: int, seed: int, block: int) -> np.ndarray:
    """sup over intervals of ‖f‖_μ − 2‖f‖_m, uniform μ, for `_SAMPLES` sets of m points.

    f is the indicator of the interval, or the difference of two thresholds, which is ±2 on it. The supremum is over
    open intervals between points, or ends of [0, 1]: they contain as few points as can be.
    """
    rng = stream(seed, "publicdata.lemma12", m, block)
    found = np.empty(_SAMPLES)
    for k in range(_SAMPLES):
        ends = np.concatenate([[0.0], np.sort(rng.random(m)), [1.0]])
        best = 0.0
        for inside in range(m + 1):
            length = float((ends[inside + 1 :] - ends[: m + 1 - inside]).max())
            best = float(np.maximum(best, math.sqrt(length) - 2.0 * math.sqrt(inside / m)))
            if inside > 0 and 2.0 * math.sqrt(inside / m) > 1.0:
                break
        found[k] = best * (2.0 if difference else 1.0)
    return found


@paper.inequality(
    "lemma4", source="Lemma 4, equation 16, with C = 1", expected="not refuted", level=LEVEL,
    arguments={"difference": False},
    statement="With probability 1 - beta, |f|_mu <= 2|f|_m + C (log^2 m G_m/sqrt(m) + sqrt((log log m + "
    "log(1/beta))/m)) for all f.",
    because="C is universal and not given; indicators of intervals on uniform points, whose supremum is exact, stay "
    "below C = 1.",
)
def comparison(context: Context, difference: bool) -> Evidence:
    """(16) or (107) with C = 1 on intervals: how often it is missed, and the C that its (1 − β)-quantile needs."""
    sizes = context.pick(quick=(16, 64, 256), full=(16, 64, 256, 1024))
    blocks = context.pick(quick=4, full=12)
    rows: list[Row] = []
    for m in sizes:
        found = np.concatenate(sampled(context, interval_gaps, difference, m, blocks=blocks))
        gap, bound = float(np.quantile(found, 1.0 - BETA)), bracket(m)
        rows.append(missed(found, bound, BETA, len(sizes), m=float(m), gap=gap, bound=bound, constant=gap / bound))
    needed = [row["constant"] for row in rows]
    return margins(
        rows,
        f"value: largest C that the {1.0 - BETA:g}-quantile of the gap needs, over m = {sizes[0]} to {sizes[-1]} "
        f"(it falls from {needed[0]:.4f} to {needed[-1]:.4f}); C = 1 is what is tried",
        value=max(needed), trials=len(sizes) * blocks * _SAMPLES,
    )


paper.inequality(
    "lemma12", source="Lemma 12, equation 107, with C = 1", expected="not refuted", level=LEVEL,
    arguments={"difference": True},
    statement="With probability 1 - beta, |f - f'|_mu <= 2|f - f'|_m + C (log^2 m G_m/sqrt(m) + sqrt((log log m + "
    "log(1/beta))/m)) for all f, f'.",
    because="Differences of thresholds on uniform points, whose supremum is exact, stay below C = 1, which is "
    "universal and not given.",
)(comparison)
