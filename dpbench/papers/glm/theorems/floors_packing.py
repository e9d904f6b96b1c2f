"""Theorem 4 of the GLM paper: its packing floor, and the slips in its proof."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import summary
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm import theory
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.floors import Case, costly, private, run_floor
from lowerbounds._packing import packing
from lowerbounds._two_point import two_point_constant

EPSILON, DELTA = 0.5, 1e-6
SWEEPS = {
    "low dimension": (4, (200,), (100, 200, 400, 800, 1600, 3200, 6400)),
    "high dimension": (48, (100,), (60, 100, 200, 400, 600)),
}


_STATEMENT = "For every (epsilon, delta)-DP algorithm the mean excess empirical risk over uniform sigma is at least "
_ROUNDING = "Integers: d' is rounded down, Delta = floor(1/epsilon), and a block has the least size with Delta's "


@paper.floor(
    "thm4", source="Theorem 4 and A.7", expected="not refuted", level=LEVEL, holds="glm.thm4.floor.exact",
    arguments={"constants": "printed"},
    statement=_STATEMENT + "(BX)^(4/3) Y^(2/3) p^(1/3)/(128 (n epsilon)^(2/3)), p = min(1, d^(3/2) Y/(BX n epsilon)), "
        "for Y/(n epsilon) <= BX <= Y min(sqrt(d), sqrt(n epsilon)).",
    because=_ROUNDING + "parity for which the minimiser's norm is at most B. For larger B the bias b exceeds 1, where "
        "the construction does not exist, and is refused.",
)
def floor(context: Context, constants: str) -> tuple[str, Evidence]:
    """Excess empirical risk over n in a low and a high dimension; the samples are those of all three constants."""
    cases = []
    for name, (d, quick, full) in SWEEPS.items():
        for place, n in enumerate(context.pick(quick=quick, full=full)):
            arguments = {"n": n, "d": d, "epsilon": EPSILON, "delta": DELTA}
            floors = {f"floor {c}": packing(**arguments, constants=c).floor for c in ("printed", "exact", "tight")}
            beside = {"sweep": name, "ceiling": ceiling(n, d), **floors}
            others = context.pick(quick={}, full=costly(EPSILON, DELTA) if place % 2 == 0 else {})
            cases.append(Case(packing, arguments, {"constants": constants}, private(EPSILON, DELTA), beside, others))
    return run_floor(context, cases, quick=96)


paper.variant(
    floor, "exact", source="Theorem 4, the constant of its construction", expected="not refuted",
    arguments={"constants": "exact"},
    statement=_STATEMENT + "(1 - delta_Delta) p b^2 Y^2/cosh^2(Delta epsilon/2), for the integers used.",
    because="Given all other signs, the posterior odds of sigma_j are at most exp(Delta epsilon) unless the data set "
    "leaks, so the mean squared error of its estimate is at least 1/cosh^2(Delta epsilon/2). Zero has p b^2 Y^2: 1.27 "
    "times the floor at Delta = 1/epsilon.",
)

paper.variant(
    floor, "tight", source="Theorem 4, with the tight curve of data sets Delta apart", expected="not refuted",
    arguments={"constants": "tight"},
    statement=_STATEMENT + "p b^2 Y^2 E[4 pi(1 - pi)], pi the posterior of a fair coin between the two laws that "
        "(epsilon, delta) allows to be told apart best at distance Delta.",
    because="The proof of the exact floor with the Delta-fold iterate of the trade-off function for group privacy; "
    "zero is at most 1.21 times above it for small epsilon and Delta = 1/epsilon.",
)


def ceiling(n: int, d: int) -> float:
    """Theorem 1's bound on noisy GD with constants 1, squared loss, B = X = Y = 1: the smaller of it and Y²."""
    return min(1.0, theory.noisy_gd_rate(2.0, 1.0, 1.0, 1.0, n, d, EPSILON, DELTA))


@paper.inequality(
    "thm4", variant="counts", source="A.7, the label counts of S_j", expected="refuted",
    holds="glm.thm4.inequality.counts.corrected", arguments={"unit": "d"},
    statement="(pn/(2d))(1 + b) and (pn/(2d))(1 - b) labels cover the pn/d' features of a block.",
    because="They sum to pn/d, which is less than pn/d' unless d' = d: the d of the printed unit pn/(2d) should be d'.",
)
def counts(context: Context, unit: str) -> Rows:
    """Labels of a block against its features, in the printed unit pn/(2d) and in pn/(2d')."""
    for n, d, epsilon in ((600, 48, 0.5), (1000, 400, 0.1), (300, 4, 0.5), (5000, 60, 0.2)):
        family = packing(n, d, epsilon)
        p, active, b = (family.parameters[k] for k in ("fraction", "active", "bias"))
        share = p * n / (2.0 * (d if unit == "d" else active))
        labels = share * (1.0 + b) + share * (1.0 - b)
        features = p * n / active
        as_built = unit == "d" or _has_counts(family, round(share * (1.0 + b)))
        right = labels if as_built else 0.5 * features
        yield {"n": n, "d": d, "active": active, "labels": labels, "left": features, "right": right}
    return "value: the smallest (labels - features)/labels of a block of S_sigma, d' = active"


paper.variant(
    counts, "counts.corrected", source="A.7, the label counts of S_j with d' for d", expected="not refuted",
    arguments={"unit": "d'"},
    statement="(pn/(2d'))(1 + b) and (pn/(2d'))(1 - b) labels cover the pn/d' features of a block.",
    because="They sum to pn/d'; the data sets built have (m + Delta)/2 and (m - Delta)/2 labels, m = pn/d', Delta = "
    "bm.",
)


def _has_counts(family: Any, count: int) -> bool:
    """Whether each block of the built data set has `count` labels of its sign."""
    sigma = family.members(np.random.default_rng(0))
    instance = family.instances(sigma)
    block, active = int(family.parameters["block"]), int(family.parameters["active"])
    plus = (instance.y[: active * block].reshape(active, block) == sigma[:, None]).sum(axis=1)
    return bool(np.all(plus == count))


@paper.inequality(
    "thm4", variant="curvature", source="Equation (10)", expected="not refuted",
    statement="F(w) - F(w^sigma) >= (p X^2/(2d')) sum_j (w_j - w_j^sigma)^2.",
    because="F is quadratic with curvature 2pX^2/d' in each coordinate, so the excess is exactly (p X^2/d') times the "
    "sum: (10) holds and loses a factor 2.",
)
def curvature(context: Context) -> Rows:
    """(10) against the exact excess, on random and extreme predictors."""
    rng = stream(context.seed, "glm.thm4.inequality.curvature")
    for n, d, epsilon in ((600, 48, 0.5), (1000, 400, 0.1), (300, 4, 0.5)):
        family = packing(n, d, epsilon)
        sigma = family.members(rng)
        instance, best = family.instances(sigma), family.minimisers(sigma)
        p, active = family.parameters["fraction"], family.parameters["active"]
        for scale in (0.0, 1e-3, 1.0, 1e3):
            w = scale * rng.standard_normal(d)
            excess = np.mean((instance.X @ w - instance.y) ** 2) - np.mean((instance.X @ best - instance.y) ** 2)
            gap = float(((w - best)[: int(active)] ** 2).sum())
            yield {"n": n, "d": d, "scale": scale, "left": p / (2.0 * active) * gap, "right": float(excess)}
    return (
        "value: the smallest (excess - right side of (10))/excess",
        "it is 1/2 everywhere: the exact factor is p X^2/d'",
    )


TWO_POINT = Statement(
    about="E[|A(S)_j - w_j| + |A(S')_j - w'_j|] >= (1/4) Yb/X for Delta <= 1/epsilon and delta <= (1 - "
    "e^-epsilon)/16: {claim} with {lost} for all t = Delta epsilon and x = e^-epsilon.",
    symbols={"t": Real("Delta epsilon", 0, 1), "x": Real("e^-epsilon", 0, 1)},
    where={"lost": "x*(exp(t) - 1)/16"},
    claim=inequality("1/4", "<=", "2*(2 - 2*lost)/(1 + exp(t))"), cells=50,
    steps=(
        "The two targets are +-Yb/X, 2Yb/X apart, and group privacy gives E|A(S) - tau| + E|A(S') - tau'| >= (2 - 2 "
        "delta_Delta)/(1 + e^(Delta epsilon)) |tau - tau'|, delta_Delta = delta(e^(Delta epsilon) - 1)/(e^epsilon - "
        "1), which is lost at the largest delta.",
    ),
)  # fmt: skip


@paper.inequality(
    "thm4", variant="two-point", source="Equation (11)", expected="proved", statement=TWO_POINT,
    rests_on=("glm.lemma1.floor.exact",),
    because="The two targets are +-Yb/X, so Lemma 1 gives (1/4)|w_j - w'_j| = (1/4) 2Yb/X: (11) holds and loses a "
    "factor 2.",
)
def two_point(context: Context) -> Rows:
    """(11): Lemma 1 gives 2·Yb/X/4 where Yb/X/4 is printed; the exact constant at Δ = ⌊1/ε⌋ gives more."""
    for epsilon in (1e-4, 1e-3, 0.01, 0.1, 0.5, 1.0):
        delta = -math.expm1(-epsilon) / 16.0
        exact = two_point_constant(epsilon, delta, math.floor(1.0 / epsilon + 1e-9))
        yield {"epsilon": epsilon, "delta": delta, "lemma 1": 0.5, "left": 0.25, "right": 2.0 * exact}
    return (
        "value: the smallest (exact - printed)/exact constant beside Yb/X, at the largest delta",
        "Lemma 1's own 1/4 already gives twice the printed right side, as |tau - tau'| = 2Yb/X",
    )


@paper.inequality(
    "thm4", variant="rescaling", source="A.7, the instance for general H", expected="refuted",
    holds="glm.thm4.inequality.rescaling.corrected", arguments={"scale": 2.0},
    statement="(H/2)(<w, x> - (2/sqrt(H)) y)^2 is at most Y^2 at w = 0.",
    because="It is (H/2)(4/H) y^2 = 2y^2 there, twice the bound; the label scale that gives y^2 is sqrt(2/H), not "
    "2/sqrt(H).",
)
def rescaling(context: Context, scale: float) -> Rows:
    """The loss (H/2)(z − s·y/√H)² at z = 0 against Y²: printed s = 2, corrected s = √2."""
    for h, y in product((0.25, 1.0, 2.0, 100.0), (0.1, 1.0, 10.0)):
        yield {"smoothness": h, "y": y, "left": 0.5 * h * (scale * y / math.sqrt(h)) ** 2, "right": y * y}
    same = "with the corrected scale both sides are y^2, the left one through sqrt(2/H)"
    return summary("value: the smallest (Y^2 - loss at zero)/Y^2", equality=same)


paper.variant(
    rescaling, "rescaling.corrected", source="A.7, the instance for general H with label scale sqrt(2/H)",
    expected="not refuted", arguments={"scale": math.sqrt(2.0)},
    statement="(H/2)(<w, x> - sqrt(2/H) y)^2 is at most Y^2 at w = 0.",
    because="It is (H/2)(2/H) y^2 = y^2 there; the loss is H-smooth and has its minimum where the labels are scaled "
    "by it.",
)
