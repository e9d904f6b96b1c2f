"""Theorem 15: boosting output perturbation, the γ of its proof."""

from __future__ import annotations

from dpbench.ledger.correction import Correction
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.theorems import paper

MOMENT = Statement(
    about="The output of Algorithm 3 is gamma^2-sub-Gaussian (condition 2 of Theorem 13) with gamma^2 = B^2 + sigma^2: "
    "E exp(<w, u>^2/gamma^2) is at most 2.",
    symbols={"B": Real("radius", "1/1000", 1000), "sigma": Real("noise", 0, 1000)},
    where={"gamma2": "B^2 + sigma^2"},
    given={"finite": ("gamma2 > 2*sigma^2", "the expectation is finite")},
    claim=inequality("exp(B^2/(gamma2 - 2*sigma^2))/sqrt(1 - 2*sigma^2/gamma2)", "<=", "2"),
    steps=(
        "w = B u + noise: E exp((B + sigma Z)^2/gamma^2) = (1 - 2 sigma^2/gamma^2)^(-1/2) exp(B^2/(gamma^2 - 2 "
        "sigma^2)) for gamma^2 > 2 sigma^2.",
    ),
    witness=tuple({"B": 1, "sigma": sigma} for sigma in (0, "1/10", "9/10")),
)
CORRECTED = MOMENT.replace(where={"gamma2": "2*B^2/log(2) + 16/3*sigma^2"}, witness=None)
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
paper.formula(
    "thm15",
    MOMENT,
    source="Theorem 15, proof",
    expected="refuted",
    weight="constant",
    hurt="proof",
    quote=r"Since the algorithm simply adds Gaussian noise of variance  $\sigma^2\mathbb{I}_d$  to a vector  "
    r"$\widetilde{w}$  where  $\|\widetilde{w}\| \leq B$ , we have that  $\gamma^2 \leq B^2 + \sigma^2$ .",
    consequence="E exp(<w, u>^2/gamma^2) is e = 2.718 without noise and infinite from sigma = B on; condition 2 of "
    "Theorem 13 allows 2. The rate stands.",
    errata=Correction(
        place="proof of Theorem 15, appendix D.2",
        change="for gamma^2 <= B^2 + sigma^2 read gamma^2 = 2B^2/log 2 + (16/3)sigma^2",
    ),
    rows={
        "corrected": {
            "source": "Theorem 15, proof, corrected",
            "expected": "proved",
            "statement": SUB_GAUSSIAN,
            "formulas": CORRECTED,
            "evaluated": CORRECTED,
            "points": [{"B": 1, "sigma": sigma} for sigma in (0, "1/10", "9/10", 2, 1000)],
        },
    },
)
