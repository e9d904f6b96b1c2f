"""Lemmas 4 and 12 of the public-data paper: norms under μ and on the public points, and the proof's (134)."""

from __future__ import annotations

import math

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import growing, margins, missed, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.ledger.statement import Integer, Real, Statement, inequality, order
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.lemma10 import side_condition

BETA = 0.05
_SAMPLES = 50  # of m points, in a block


def bracket(m: int) -> float:
    """What C multiplies in (107) for thresholds: their Gaussian complexity is at most √(2 log(m + 1))."""
    return side_condition(m, math.sqrt(2.0 * math.log(m + 1.0)), BETA)


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


_LEMMA = "With probability 1 - beta, |f{0}|_mu <= 2|f{0}|_m + C (log^{1} m G_m/sqrt(m) + {{tail}}) for all {2}."
LEMMA_12 = Statement(
    about=_LEMMA.format(" - f'", 2, "f, f'"),
    symbols={"m": Integer("public points", 16, 10**9), "beta": Real("failure probability", "1e-6", "45/100")},
    where={
        "u": "log(1/(2*beta))/m",
        "mass": "u/(1 + u)",
        "norm": "sqrt(mass)",
        "tail": "sqrt((log(log(m)) + log(1/beta))/m)",
    },
    claim=order("norm", to="tail", variable="m"),
    steps=(
        "One function, the indicator of a set of that mass, of complexity 0: u/(1 + u) <= 1 - e^-u, so m points miss "
        "it with probability (1 - mass)^m >= e^(-m u) = 2 beta, and then |f|_m = 0 and |f|_mu = norm.",
    ),
)
LEMMA_4 = LEMMA_12.replace(about=_LEMMA.format("", 2, "f"))
PROOF = LEMMA_12.replace(
    about=_LEMMA.format("", 3, "f"),
    where={"tail": "(log(log(m)) + log(1/beta))/m"},
    witness={"m": 16, "beta": "1/20", "power_m": 1, "first": 0},
)


@paper.inequality(
    "lemma4",
    source="Lemma 4, equation 16, with C = 1",
    expected="not refuted",
    level=LEVEL,
    arguments={"difference": False},
    statement=LEMMA_4,
    quote=r"\left\|f\right\|_{\mu}\leq 2\cdot\left\|f\right\|_{m}+\widetilde{O}\left(\frac{\overline{\mathcal{G}}_{m}("
    r"\mathcal{F})+\sqrt{\log\left(1/\beta\right)}}{\sqrt{m}}\right)",
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
        value=max(needed),
        trials=len(sizes) * blocks * _SAMPLES,
    )


paper.inequality(
    "lemma12",
    source="Lemma 12, equation 107, with C = 1",
    expected="not refuted",
    level=LEVEL,
    arguments={"difference": True},
    statement=LEMMA_12,
    quote=r"+C\left(\frac{\log^{2}(m)}{\sqrt{m}}\cdot\overline{\mathcal{G}}_{m}(\mathcal{F})+\sqrt{\frac{\log\log(m)+"
    r"\log\left(\frac{1}{\beta}\right)}{m}}\right)",
    because="Differences of thresholds on uniform points, whose supremum is exact, stay below C = 1, which is "
    "universal and not given.",
)(comparison)


@paper.inequality(
    "lemma12",
    variant="proof",
    source="Proof of Lemma 12, equation 134",
    expected="refuted",
    holds="publicdata.lemma12.inequality",
    statement=PROOF,
    weight="misprint",
    hurt="letter",
    quote=r"+\frac{\log\log(m)+\log\left(\frac{1}{\beta}\right)}{m}\right)",
    consequence="The root of the last term is lost, by a factor of sqrt(m). Lemma 12 itself has it; (134), (118) and "
    "(124) have log^3 m where log^2 m is proved.",
    errata=Correction(
        place="Proof of Lemma 12, equation 134",
        line=910,
        change="put the last fraction under a root; for log^3 read log^2",
    ),
    because="The root of (135) is to be taken of the last term too, as (107) has it. One function, the indicator of a "
    "set that m points miss with probability 2 beta: |f|_m = 0, G_m = 0, |f|_mu of order sqrt(log(1/(2 beta))/m).",
)
def root(context: Context) -> Evidence:
    """The C that one function needs, β = 0.05: it grows as √m."""
    rows = []
    for m in (10**2, 10**4, 10**6, 10**8):
        mass = -math.expm1(math.log(2.0 * BETA) / m)
        tail = PROOF.number("tail", m=m, beta=BETA)
        rows.append({"m": float(m), "mass": mass, "norm": math.sqrt(mass), "constant": math.sqrt(mass) / tail})
    return growing(rows, "value: exponent in m of the C that (134) needs for one function, beta = 0.05")


LOGARITHM = Statement(
    about="sqrt(log m) times the integral of sqrt(log(m/u))/u from m^(-1/2) to 1 is at most log^2 m: {claim} for all s "
    "= log^2 m.",
    symbols={"s": Real("log^2 m", 0, "inf")},
    claim=inequality("(2/3)*((3/2)^(3/2) - 1)*s", "<=", "s"),
    cells=20,
    steps=("The integral is (2/3)(log^(3/2)(m/r) - log^(3/2) m) with r = m^(-1/2), log(m/r) = (3/2) log m.",),
)


@paper.inequality(
    "lemma12",
    variant="logarithm",
    source="Proof of Lemma 12, equations 139 and 140, against 107, 118 and 134",
    expected="proved",
    statement=LOGARITHM,
    because="So r of order log^2 m G_m/sqrt(m) solves (139): (107) has the power of the logarithm that the proof "
    "gives, and log^3 of (118), (124) and (134) is one more than needed. The ratio tends to 0.558.",
)
def logarithm(context: Context) -> Rows:
    """∫_r^1 √log(m/u)/u du = ⅔((log(m/r))^{3/2} − (log m)^{3/2}), r = 1/√m."""
    for m in (16, 1024, 10**6, 10**12, 10**100):
        log = math.log(m)
        integral = 2.0 / 3.0 * ((1.5 * log) ** 1.5 - log**1.5)
        yield {"m": float(m), "left": math.sqrt(log) * integral, "right": log**2}
