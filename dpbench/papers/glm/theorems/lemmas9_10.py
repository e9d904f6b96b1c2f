"""Lemmas 9 and 10: the bound on the losses that Assumption 2 asks for, of Algorithms 1 and 3."""

from __future__ import annotations

from itertools import product

from dpbench.ledger.correction import Correction
from dpbench.ledger.statement import Integer, Real, Statement, inequality
from dpbench.papers.glm.theorems import paper

_BALL = {
    "B": Real("radius", "1/1000", 1000),
    "X": Real("bound on the features' norm", "1/1000", 1000),
    "Y": Real("bound on the labels", "1/1000", 1000),
}

LEMMA9 = Statement(
    about="The output of Algorithm 1 has losses below {Delta} (Assumption 2).",
    symbols=_BALL,
    where={"H": "2", "Delta": "Y^2 + H*B^2*X^2"},
    claim=inequality("(B*X + Y)^2", "<=", "Delta"),
    steps=("Squared loss, w = -B e, x = X e, y = Y: the loss is (B X + Y)^2, and at w = 0 it is Y^2.",),
    witness=({"B": 1, "X": 1, "Y": 1}, {"B": "1/2", "X": 1, "Y": 1}),
)
LEMMA9_CORRECTED = LEMMA9.replace(where={"Delta": "2*Y^2 + H*B^2*X^2"}, witness=None)
BALL = Statement(
    about="The loss of a non-negative H-smooth GLM, at most Y^2 at zero, is over the ball at most 2 Y^2 + H B^2 X^2: "
    "{claim} for all s = (sqrt(H/2)B X - Y)/(sqrt(H/2)B X + Y).",
    symbols={"s": Real("(sqrt(H/2)B X - Y)/(sqrt(H/2)B X + Y)", -1, 1)},
    claim=inequality("1", "<=", "((1 - s)^2 + (1 + s)^2)/2"), cells=20,
    steps=(
        "The root of a non-negative H-smooth loss is sqrt(H/2)-Lipschitz: it is at most (Y + sqrt(H/2)B X)^2.",
        "Both sides are homogeneous of degree 2 in Y and sqrt(H/2)B X, whose sum is taken as 1: they are (1 - s)/2 and "
        "(1 + s)/2.",
    ),
)  # fmt: skip

paper.formula(
    "lemma9",
    LEMMA9,
    source="Lemma 9",
    expected="refuted",
    weight="constant",
    hurt="proof",
    quote=r"Algorithm 1 run with constraint set  $\mathcal{B}_B$  satisfies Assumption 2 with  $\Delta(B) = "
    r"\|\mathcal{Y}\|^2 + HB^2\|\mathcal{X}\|^2$ .",
    consequence="At B = |X| = |Y| = 1, H = 2 the loss reaches 4 where Delta(B) = 3 (at B = 1/2, 9/4 against 3/2), so "
    "Algorithm 4's sensitivities are up to a third too small per record.",
    errata=Correction(
        place="Lemma 9, appendix C.4",
        effect=1,
        change="for |Y|^2 + H B^2|X|^2 read 2|Y|^2 + H B^2|X|^2, or (|Y| + sqrt(H/2)B|X|)^2",
        caveat="“The proof is straightforward using Lemma 3”, whose bound 3(|Y|^2 + H B^2|X|^2) is right.",
    ),
    rows={
        "corrected": {
            "source": "Lemma 9, corrected",
            "expected": "proved",
            "statement": BALL,
            "formulas": LEMMA9_CORRECTED,
            "evaluated": LEMMA9_CORRECTED,
            "points": [{"B": b, "X": 1, "Y": 1} for b in ("1/1000", "1/2", 1, 1000)],
            "equality": "the squared loss attains it at sqrt(H/2)B X = Y",
        },
    },
)


LEMMA10 = Statement(
    about="The output of Algorithm 3 has losses below {Delta}, but for a chance of min(delta, beta)/(4K).",
    symbols={
        **_BALL,
        "sigma": Real("noise", "1/10000", 10000),
        "K": Integer("candidates", 1, 1000),
        "records": Integer("records of S_2", 1, 10**6),
        "delta": Real("claimed", "1e-10", "1/2"),
        "beta": Real("failure probability", "1e-10", "1/2"),
    },
    where={
        "H": "2",
        "Delta": "Y^2 + H*X^2*sigma^2*log(K/min(delta, beta)) + H*B^2*X^2",
        "unit": "X*sigma*sqrt(2)",
        "far": "(erfc((sqrt(Delta) - Y - B*X)/unit) + erfc((sqrt(Delta) + Y + B*X)/unit))/2",
        "near": "(erfc((sqrt(Delta) - Y)/unit) + erfc((sqrt(Delta) + Y)/unit))/2",
    },
    claim=inequality("1 - (1 - far)*(1 - near)^(records - 1)", "<=", "min(delta, beta)/(4*K)"),
    steps=(
        "w~ = -B e_1 (all records (X e_1, -B X), say) plus noise, S_2 of (X e_1, Y), (X e_2, Y), ...: far and near are "
        "the chances of a loss of Delta or more at the first and at another record, which are independent.",
        "As Lemma 9; and P(|<b, x>| >= t) <= 2 exp(-t^2/(2 X^2 sigma^2)), not exp(-t^2/(X^2 sigma^2)), for one record "
        "of S_2 only.",
    ),
    witness=(
        {"B": 1, "X": 1, "Y": 1, "sigma": "1/100", "K": 1, "records": 1, "delta": "1e-5", "beta": "1/20"},
        {"B": "1/100", "X": 1, "Y": "1/100", "sigma": 1, "K": 10, "records": 100, "delta": "1/20", "beta": "1e-4"},
    ),
)
LEMMA10_CORRECTED = LEMMA10.replace(
    where={"Delta": "(Y + sqrt(H/2)*X*(B + sigma*sqrt(2*log(8*K*records/min(delta, beta)))))^2"}, witness=None
)
PERTURBED = Statement(
    about="For 8K|S_2|/min(delta, beta) <= e^100 the output of Algorithm 3 has losses below (Y + sqrt(H/2)X(B + sigma "
    "sqrt(2 log(8K|S_2|/min(delta, beta)))))^2, but for a chance of min(delta, beta)/(4K): {claim} for all L = "
    "log(8K|S_2|/min(delta, beta)) from 2 to 100.",
    symbols={"L": Real("log(8K|S_2|/min(delta, beta))", 2, 100)},
    claim=inequality("erfc(sqrt(L))", "<=", "2*exp(-L)"), cells=500,
    steps=(
        "The root of the loss is at most Y + sqrt(H/2)(B X + |<b, x>|), and P(|<b, x>| > X sigma sqrt(2L)) <= "
        "erfc(sqrt(L)) for one record of S_2; the union over S_2 may cost |S_2| 2 e^-L = min(delta, beta)/(4K).",
    ),
)  # fmt: skip
_POINTS = [
    {"B": b, "X": 1, "Y": y, "sigma": sigma, "K": count, "records": records, "delta": delta, "beta": beta}
    for (b, y, sigma), (delta, beta), count, records in product(
        ((1, 1, "1/10"), (1, 1, 10), ("1/100", "1/100", 1), ("1/1000", 1, 1)),
        (("1e-5", "1/20"), ("1/20", "1/20"), ("1/20", "1e-4")), (1, 10), (2, 100),
    )
]  # fmt: skip

paper.formula(
    "lemma10",
    LEMMA10,
    points=_POINTS,
    source="Lemma 10",
    expected="refuted",
    weight="constant",
    hurt="proof",
    quote=r"Algorithm 3 run with parameter B and  $\sigma$  satisfies Assumption 2 with  $\Delta(B) = "
    r"\|\mathcal{Y}\|^2 + H\|\mathcal{X}\|^2\sigma^2\log(K/\delta)) + HB^2\|\mathcal{X}\|^2$",
    consequence="As Lemma 9 where sigma is small; where it is large, the chance of a loss above Delta(B) is up to "
    "85.8 times the allowed min(delta, beta)/(4K) with the logarithm of C.3 (100 records, K = 10).",
    errata=Correction(
        place="Lemma 10, appendix C.4",
        effect=1,
        change="read (|Y| + sqrt(H/2)|X|(B + sigma sqrt(2 log(8Kn_2/min(delta, beta)))))^2, n_2 the records of S_2",
        caveat="C.3 uses the lemma with a larger logarithm, which is granted here: “H\\|\\mathcal{X}\\|^2\\sigma_j^2"
        "\\log\\left(K/\\min\\left\\{\\beta,\\delta\\right\\}\\right)”.",
    ),
    rows={
        "corrected": {
            "source": "Lemma 10, corrected",
            "expected": "proved",
            "statement": PERTURBED,
            "formulas": LEMMA10_CORRECTED,
            "evaluated": LEMMA10_CORRECTED,
            "points": _POINTS,
        },
    },
)
