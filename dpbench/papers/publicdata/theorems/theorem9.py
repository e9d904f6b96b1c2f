"""Theorem 9 of the public-data paper: uniform deviations over a class of bounded VC dimension.

C = 10 is enough, d ≥ 1. Given the records, the losses less 1/2 and their negatives are a set T of diameter 1 in
L2(P_n); by Haussler (1995) a part of it with all distances above r has at most 2e(d + 1)(2e/r²)^d members, of logarithm
at most d(4.08 + 2 log(1/r)). Chaining over r = 10^−k, each link of level k at most 10^(1−k) long, gives E sup_T of the
mean of the losses with random signs at most √(d/n) Σ_k 10^(1−k) √(2(4.08 + 2k log 10)) ≤ 4.76 √(d/n). Symmetrisation
doubles it, and one record moves the supremum by at most 1/n: sup |L_D − L| ≤ 9.52 √(d/n) + √(log(1/β)/(2n)) with
probability 1 − β (McDiarmid), and √(9.52² + 1/2) < 10 (Cauchy–Schwarz).
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy.special import bdtrik

from dpbench.core import binomial
from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import missed, summary
from dpbench.ledger.measurement import LEVEL, Context, Rows
from dpbench.ledger.statement import Integer, Real, Statement, inequality, order
from dpbench.papers.publicdata.theorems import paper

BETA = 0.05
_BITS = (1, 4, 16, 64)


def cube_deviations(rng: np.random.Generator, n: int, bits: int, sets: int) -> np.ndarray:
    """sup_f |L_D(f) − L(f)| over all functions on `bits` equally likely points, y a fair coin: VC dimension `bits`."""
    counts = rng.multinomial(n, np.full(2 * bits, 0.5 / bits), size=sets) / n - 0.5 / bits
    halves = counts.reshape(sets, bits, 2)
    return np.asarray(np.maximum(halves.max(axis=2).sum(axis=1), -halves.min(axis=2).sum(axis=1)))


def line_deviations(rng: np.random.Generator, n: int, dimension: int, sets: int) -> np.ndarray:
    """sup_f |L_D(f) − L(f)| for thresholds (1) or intervals (2), x uniform on [0, 1] and y = −1: Kolmogorov, Kuiper."""
    x = np.sort(rng.random((sets, n)), axis=1)
    above = (np.arange(1, n + 1) / n - x).max(axis=1)
    below = (x - np.arange(n) / n).max(axis=1)
    return np.asarray(np.maximum(above, below) if dimension == 1 else above + below)


def union_deviations(rng: np.random.Generator, n: int, dimension: int, sets: int) -> np.ndarray:
    """sup_f |L_D(f) − L(f)| for unions of `dimension`/2 intervals, x uniform on [0, 1] and y a fair coin.

    Row k of `best` is the largest Σ y f(x) over the records so far, from the left, where f has changed sign at most k
    times; n − 2nL_D(f) is that sum, and that of −y the other side.
    """
    y = 2 * rng.integers(0, 2, (n, sets), dtype=np.int32) - 1
    sign = np.where(np.arange(dimension + 1) % 2, 1, -1).astype(np.int32)[:, None]
    best = np.zeros((dimension + 1, 2 * sets), dtype=np.int32)
    for row in np.hstack([y, -y]):
        best[1:] = np.maximum(best[1:], best[:-1])
        best += sign * row
    return np.asarray(best.max(axis=0).reshape(2, sets).max(axis=0) / (2.0 * n))


# by its name, a class whose deviations are drawn
FAMILIES = {"bits": cube_deviations, "line": line_deviations, "unions": union_deviations}


RECORDS = Statement(
    about="For some universal C (10 is enough), with probability 1 - beta, sup |L_D - L| <= C sqrt((d + "
    "log(1/beta))/n) for every class of VC dimension d >= 1; tried with C = 2: {bound}.",
    symbols={
        "half": Integer("half the number of records", 1, 10**4),
        "more": Integer("heads beyond half", 1, 10**4),
        "m": Integer("public points", 1, 10**6),
        "d": Integer("VC dimension", 1, 1),
        "beta": Real("failure probability", "1e-6", "1/2"),
    },
    where={
        "n": "2*half",
        "k": "half + more",
        "deviation": "more/n",
        "chance": "2*betatail(1/2, k, n - k + 1)",
        "bound": "2*sqrt((d + log(1/beta))/n)",
    },
    given={"count": ("k <= n", "a count"), "likely": ("chance > beta", "more than the failure probability")},
    claim=inequality("deviation", "<=", "bound"),
    steps=(
        "Fair labels and two constant functions: k heads or more, or k tails or more, of n have the probability "
        "chance, and a deviation of more/n at least.",
    ),
)
PRINTED = RECORDS.replace(
    about="With probability 1 - beta, sup |L_D - L| <= O({bound}) for n records D.",
    where={"bound": "sqrt((d + log(1/beta))/m)"},
    claim=order("deviation", to="bound", variable="m"),
    witness={"half": 50, "more": 10, "m": 1, "d": 1, "beta": "1/20", "power_m": 1, "first": 0},
)


@paper.inequality(
    "thm9",
    source="Theorem 9, n for m, tried with C = 2",
    expected="not refuted",
    level=LEVEL,
    statement=RECORDS,
    origin="corrected",
    because="10: symmetrisation, chaining over Haussler's packings, bounded differences. 1 fails: on unions of d/2 "
    "intervals with fair labels sqrt(n) sup |L_D - L| is near sqrt(d).",
    rows={
        "printed": {
            "points": [{"half": 50, "more": 10, "m": 100**k, "d": 1, "beta": "1/20"} for k in range(4)],
            "source": "Theorem 9",
            "expected": "refuted",
            "holds": "publicdata.thm9.inequality",
            "statement": PRINTED,
            "weight": "misprint",
            "hurt": "letter",
            "quote": r"\leq O\left(\sqrt{\frac{d+\log(1/\beta)}{m}}\right)\right)\geq 1-\beta.",
            "consequence": "The bound has m, which the theorem does not know, for the n records. Its second display "
            "has argmin for min. Lemma 22 uses it with m points for the records, (183) with n.",
            "errata": Correction(place="Theorem 9, both displays", change="for m read n, and for argmin read min"),
            "because": "m is not a number of the theorem. With the m public points of the section for it, the bound "
            "falls with m at a fixed n, and the deviation does not: a fair coin, exactly.",
            "level": 0.0,
        },
    },
)
def uniform(context: Context) -> Rows:
    """How often C = 2 is missed, and the C that the (1 − β)-quantile needs; a coin exactly to β = 1e-12.

    On unions of intervals √n sup |L_D − L| has a mean near √d and a standard deviation near 0.29, for large d and n/d:
    legs of a zigzag of threshold h have mean heights 2h and mean times h². Intervals need 0.77, a coin 1/√2 as β falls,
    all bits on d points 1/√(2π) as d grows.
    """
    sets = context.pick(quick=1000, full=4000)
    rng = stream(context.seed, "publicdata.thm9")
    cases = [("bits", d, n, sets) for d in _BITS for n in (100, 10_000)]
    cases += [("line", d, n, sets) for d in (1, 2) for n in (100, context.pick(quick=400, full=2000))]
    cases += [("unions", d, context.pick(quick=2000, full=100_000), 64) for d in (16, 64)]
    for family, d, n, size in cases:
        deviations = FAMILIES[family](rng, n, d, size)
        bound = RECORDS.number("bound", d=d, half=n / 2, beta=BETA)
        needed = 2.0 * float(np.quantile(deviations, 1.0 - BETA)) / bound
        yield missed(deviations, bound, BETA, len(cases), family=family, d=d, n=n, constant=needed)
    for beta, n in product((1e-3, 1e-6, 1e-12), (100, 10**6)):  # one fair coin: the class {−1, 1} on one point
        bound = RECORDS.number("bound", d=1, half=n / 2, beta=beta)
        needed = 2.0 * (math.ceil(bdtrik(1.0 - 0.5 * beta, n, 0.5)) / n - 0.5) / bound
        chance = 2.0 * binomial.above(math.floor(n * (0.5 + bound)), n, 0.5)
        yield {"family": "coin", "d": 1, "n": n, "constant": needed, "frequency": chance, "left": chance,
               "right": beta, "runs": 0, "hits": 0, "allowed": beta}  # fmt: skip
    return summary(
        "value: largest C that a (1 - beta)-quantile needs; 2 is what is tried",
        value="constant", trials=sum(size for *_, size in cases),
    )  # fmt: skip
