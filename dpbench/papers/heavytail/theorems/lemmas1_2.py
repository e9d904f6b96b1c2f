"""Lemmas 1 and 2: how good the candidate is that the exponential mechanism chooses, and the size of a net.

The printed range of the radius in Lemma 2 is too wide.
"""

from __future__ import annotations

import math
from itertools import product

from dpbench.ledger.correction import Correction
from dpbench.ledger.measurement import Context, Rows
from dpbench.ledger.statement import Integer, Real, Statement, inequality
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.net import Net
from dpbench.papers.heavytail.theorems import paper

CANDIDATES = Statement(
    about="All candidates but the best one at the threshold OPT - (2 Delta u/epsilon)(ln|R| + t): their chance is at "
    "most e^(-t), {claim}.",
    symbols={"R": Integer("candidates", 1, 10**9), "t": Real("t", 0, 100)},
    where={"others": "(R - 1)*exp(-t)/R"},
    claim=inequality("others/(1 + others)", "<=", "exp(-t)"),
    steps=("Each weighs at most exp(-ln|R| - t) of the best one; no more and no heavier ones there are.",),
)
paper.formula(
    "lemma1",
    CANDIDATES,
    points=[{"R": size, "t": t} for size in (2, 100, 10_000) for t in ("1/100", 1, 10)],
    source="Lemma 1",
    expected="not refuted",
    quote=r"$\leq OPT_{u}(x)-\frac{2\Delta u}{\epsilon}(\ln|\mathcal{R}|+t)\}\leq e^{-t}$",
    because="Candidates at or below the threshold weigh at most |R| e^{-(ln|R| + t)} together, the best one 1.",
)

QUOTE = r"Then its covering number $\mathcal{N}(\mathcal{W},\zeta)\leq(\frac{3\Delta}{\zeta})^{d}$."
ANY_RADIUS = Statement(
    about="The covering number is at most (3 Delta/zeta)^d for every zeta > 0; a net has a point: {claim}.",
    symbols={
        "Delta": Real("diameter", "1/1000", 1000),
        "zeta": Real("radius of the net", "1e-6", 10**6),
        "d": Integer("dimension", 1, 100),
    },
    claim=inequality("1", "<=", "(3*Delta/zeta)^d"),
    steps=("A net of W has a point.",),
    witness={"Delta": 1, "zeta": 4, "d": 2},
)
IN_RANGE = ANY_RADIUS.replace(
    about="For zeta <= Delta the net in use has at most (3 Delta/zeta)^d points, and one at least: {claim}.",
    given={"range": ("zeta <= Delta", "a radius below the diameter")},
    witness=None,
)


@paper.inequality(
    "lemma2",
    source="Lemma 2, for zeta <= Delta",
    expected="not refuted",
    origin="corrected",
    quote=QUOTE,
    statement=IN_RANGE,
    because="A grid of spacing zeta/sqrt(d), rounded towards 0, covers; counted exactly or by volumes.",
    rows={
        "any-radius": {
            "source": "Lemma 2, as printed",
            "expected": "refuted",
            "weight": "misprint",
            "quote": QUOTE,
            "hurt": "letter",
            "statement": ANY_RADIUS,
            "points": (),
            "because": "For zeta > 3 Delta the bound is below 1, and no net is empty: the printed lemma holds for zeta "
            "<= 3 Delta: by volumes for zeta <= Delta, which its source asks for, and by one point from there on.",
            "consequence": "For zeta > 3 Delta the right side is below 1. All uses have zeta = 1/n.",
            "errata": Correction(
                place="Lemma 2", change="add: for zeta <= 3 Delta (one point covers from zeta = Delta on)"
            ),
        }
    },
)
def covering(context: Context) -> Rows:
    """The size of the nets in use against (3Δ/ζ)^d, for ζ ≤ Δ, in logarithms; and their covering radius."""
    for domain, d in product(("ball", "box"), range(1, 9)):
        diameter = 2.0 * (math.sqrt(d) if domain == "box" else 1.0)
        for share in (1.0, 0.7, 0.5, 0.3, 0.1, 1e-2, 1e-4):
            net = Net(d, 1.0, domain, share * diameter)
            row = {"domain": domain, "d": float(d), "net_radius": net.net_radius}
            bound = theory.covering_bound(d, diameter, net.net_radius)
            yield row | {"what": "log N", "left": net.log_size_bounds()[1], "right": bound}
            yield row | {"what": "covering radius", "left": net.covering_radius, "right": net.net_radius}
