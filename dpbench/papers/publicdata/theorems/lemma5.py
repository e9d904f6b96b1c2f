"""Lemma 5 of the public-data paper: what a regulariser costs."""

from __future__ import annotations

from dpbench.ledger.statement import Real, Statement, grid, inequality
from dpbench.papers.publicdata.theorems import paper

REGULARISED = Statement(
    about="L_D(fbar) <= L_D(f_ERM) + sup R - inf R for any regulariser R: {claim}, {spread} at most that range.",
    symbols={
        "L": Real("L_D(fbar)", 0, 1),
        "least": Real("L_D(f_ERM)", 0, 1),
        "R": Real("R(fbar)", -1000, 1000),
        "other": Real("R(f_ERM)", -1000, 1000),
    },
    where={"spread": "max(R, other) - min(R, other)"},
    given={"minimiser": ("L + R <= least + other", "fbar minimises L_D + R")},
    claim=inequality("L", "<=", "least + spread"),
)

paper.formula(
    "lemma5",
    REGULARISED,
    points=[
        *grid(L=("1/2",), least=("1/4",), R=(-3, 0), other=("1/4", 2)),
        {"L": 1, "least": 0, "R": -1, "other": 0},
    ],
    equality="R is least at a function that is worse by its range",
    source="Lemma 5, equation 18",
    expected="not refuted",
    quote=r"L_{\mathcal{D}}(\bar{f})\leq L_{\mathcal{D}}(f_{\mathsf{ERM}})+\sup_{f,f^{\prime}\in\mathcal{F}}R(f)-R(f^{"
    r"\prime})",
    because="fbar minimises L_D + R, so L_D(fbar) + R(fbar) <= L_D(f_ERM) + R(f_ERM); attained where R is least at a "
    "function that is worse by its range.",
)
