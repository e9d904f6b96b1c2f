"""Lemma 10 of the public-data paper: (102) as printed and with its exponent, against Lemma 1."""

from __future__ import annotations

import math

from dpbench.ledger.correction import Correction
from dpbench.ledger.statement import Real, Statement, grid, inequality
from dpbench.papers.publicdata.theorems import paper

_QUOTE = r"\frac{4}{(n\cdot\eta)^{1/3}}\cdot\mathbb{E}\left[\sup_{f\in\mathcal{F}}\omega_{m}(f)\right]"


def side_condition(m: int, complexity: float, delta: float) -> float:
    """Left side of (103) with C = 1; it is to be at most 1/6."""
    tail = math.sqrt((math.log(math.log(m)) + math.log(1.0 / delta)) / m)
    return math.log(m) ** 2 / math.sqrt(m) * complexity + tail


WITH_KAPPA = Statement(
    about="2 4^(2/3) (n eta)^(-1/3) (E sup omega)^(1/3) + sqrt(log(2/delta)/J) is at least the stability of Lemma 1 "
    "for kappa >= 1/4: {claim} for all kappa, g and e, the two terms over 2 4^(2/3).",
    symbols={
        "g": Real("(E sup omega/(n eta))^(1/3)", 0, "inf"),
        "e": Real("sqrt(log(2/delta)/J)/(2 4^(2/3))", 0, "inf"),
        "kappa": Real("inf |f|_m", "1/4", "inf"),
    },
    claim=inequality("g/(4*kappa)^(2/3) + e", "<=", "g + e"),
    cells=20,
    steps=("Lemma 1 at delta/2 has 2 (E sup omega/(n eta))^(1/3) kappa^(-2/3), and the same second term.",),
)
WITHOUT = WITH_KAPPA.replace(
    about="What (102) takes for the stability, 4 (n eta)^(-1/3) E sup omega + sqrt(log(2/delta)/J), is at least that "
    "of Lemma 1 with kappa >= 1/4: {claim} at n eta = {strength}, both over 2 4^(2/3).",
    where={"strength": "10"},
    claim=inequality("g/(4*kappa)^(2/3) + e", "<=", "4*strength^(2/3)*g^3/(2*4^(2/3)) + e"),
    cells=0,
    steps=(*WITH_KAPPA.steps, "E sup omega is n eta g^3, so (102) has 4 (n eta)^(2/3) g^3."),
    witness=tuple({"g": g, "e": "7/10000", "kappa": "1/4"} for g in ("17/100", "46/100")),
)


_POINTS = grid(g=("1/20", "1/4", 1, 3), e=("1/1000",), kappa=("1/4", "1/2", 1))

paper.formula(
    "lemma10",
    WITHOUT,
    points=_POINTS,
    source="Lemma 10, equation 102",
    expected="refuted",
    holds="publicdata.lemma10.inequality.corrected",
    weight="misprint",
    hurt="letter",
    quote=_QUOTE,
    consequence="The exponent 1/3 of E sup omega and kappa^(-2/3) of Lemma 1 are lost on the way to (102).",
    errata=Correction(
        place="Lemma 10, equation 102",
        effect=1,
        change="for E sup omega read its cube root, with 5.04 for 4",
    ),
    because="Lemma 1 has (E sup omega)^(1/3) and kappa^(-2/3) <= 2.52, so 5.04 (n eta)^(-1/3) (E sup omega)^(1/3): "
    "more than (102) where E sup omega < 1.41.",
    rows={
        "corrected": {
            "source": "Lemma 10, equation 102 with the exponent 1/3 and kappa",
            "expected": "proved",
            "statement": WITH_KAPPA,
            "points": _POINTS,
            "equality": "at kappa = 1/4, the lower bound that Lemma 10 proves",
            "because": "kappa^(-2/3) is largest at kappa = 1/4, the lower bound that Lemma 10 proves, where the two "
            "are equal.",
        },
    },
)
