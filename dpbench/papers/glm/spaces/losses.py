"""Bounds on losses and outputs: Lemmas 2, 3, 9 and 10, Fact 1, Theorem 15, and a step of Theorem 11."""

from __future__ import annotations

from typing import Any

from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Choice, Integer, Parameter, Real, Space, vector

BALL: dict[str, Parameter] = {
    "H": Choice("smoothness of the squared loss (<w, x> - y)^2", (2,)),
    "B": Real("radius", 1e-3, 1e3),
    "X": Real("bound on the features' norm", 1e-3, 1e3),
    "Y": Real("bound on the labels", 1e-3, 1e3),
    "a": Real("<w, x> over B X", -1.0, 1.0),
    "b": Real("label over Y", -1.0, 1.0),
}
RECORDS = Space(
    "the squared loss of any model of the ball at any admissible record, in one dimension",
    BALL,
    definitions={"residual": "a*B*X - b*Y", "loss": "residual^2"},
)
_ONE = ("x = X e, w = a B e, y = b Y: every value of <w, x> and of the label that the bounds allow.",)

NOISY = Space(
    "the squared loss of a model of the ball plus Gaussian noise, at any admissible record, in one dimension",
    {
        **BALL,
        "sigma": Real("noise", 1e-4, 1e4),
        "K": Integer("candidates", 1, 1000),
        "records": Integer("records of S_2", 1, 10**6),
        "delta": Real("claimed", 1e-10, 0.5),
        "beta": Real("failure probability", 1e-10, 0.5),
    },
)
_CHANCE = "erfc((sqrt(Delta) - (b*Y - a*B*X))/(X*sigma*sqrt(2)))/2"
_NOISY = (
    "w~ = a B e plus noise, record (X e, b Y): the loss is at least Delta where b Y - X (a B + sigma N) >= "
    "sqrt(Delta).",
)
EXPONENT = Space(
    "a model of the ball plus Gaussian noise, along any direction",
    {
        "B": BALL["B"],
        "sigma": Real("noise", 1e-4, 1e4),
        "a": Real("length of the model along the direction, over B", 0.0, 1.0),
    },
)
_MOMENT = "exp((a*B)^2/(gamma2 - 2*sigma^2))/sqrt(1 - 2*sigma^2/gamma2)"
_FINITE = {"finite": ("gamma2 > 2*sigma^2", "the expectation is finite")}
_NORMAL = ("E exp((m + sigma N)^2/g) = exp(m^2/(g - 2 sigma^2))/sqrt(1 - 2 sigma^2/g) for g > 2 sigma^2.",)

D = 4
CUBE = Space(
    f"any two points of the cube [0, 1]^{D}",
    vector("v", D, 0.0, 1.0, "estimate") | vector("mu", D, 0.0, 1.0, "mean"),
    definitions={
        "square": " + ".join(f"(v_{i} - mu_{i})^2" for i in range(1, D + 1)),
        "absolute": " + ".join(f"abs(v_{i} - mu_{i})" for i in range(1, D + 1)),
    },
    conditions={"apart": ("square > 0", "the points differ")},
)
_CUBE = ("Both sides are functions of the two points alone.",)

QUESTIONS: dict[str, Any] = {
    "glm.lemma9.inequality": inequality(
        RECORDS, "loss", "Delta", definitions={"Delta": "Y^2 + H*B^2*X^2"}, derivation=_ONE
    ),
    "glm.lemma9.inequality.corrected": inequality(
        RECORDS, "loss", "Delta", definitions={"Delta": "2*Y^2 + H*B^2*X^2"}, derivation=_ONE
    ),
    "glm.lemma3.inequality": inequality(RECORDS, "loss", "3*(Y^2 + H*B^2*X^2)", derivation=_ONE),
    "glm.lemma2.inequality": inequality(
        RECORDS, "2*abs(residual)*X", "2*Y*sqrt(H)*X + 2*H*B*X^2", derivation=_ONE
    ),
    "glm.fact1.inequality": inequality(RECORDS, "2*abs(residual)", "sqrt(4*H*loss)", derivation=_ONE),
    "glm.lemma10.inequality": inequality(
        NOISY, _CHANCE, "min(delta, beta)/(4*K)", derivation=_NOISY,
        definitions={"Delta": "Y^2 + H*X^2*sigma^2*log(K/delta) + H*B^2*X^2"},
    ),
    "glm.lemma10.inequality.corrected": inequality(
        NOISY, _CHANCE, "min(delta, beta)/(4*K)", derivation=_NOISY,
        definitions={
            "Delta": "(Y + sqrt(H/2)*X*(B + sigma*sqrt(2*log(8*K*records/min(delta, beta)))))^2"
        },
    ),
    "glm.thm15.inequality": inequality(
        EXPONENT, _MOMENT, "2", definitions={"gamma2": "B^2 + sigma^2"}, conditions=_FINITE, derivation=_NORMAL
    ),
    "glm.thm15.inequality.corrected": inequality(
        EXPONENT, _MOMENT, "2", definitions={"gamma2": "2*B^2/log(2) + 16/3*sigma^2"}, conditions=_FINITE,
        derivation=_NORMAL,
    ),
    "glm.thm11.inequality.norms": inequality(CUBE, "square", "sqrt(square)", derivation=_CUBE),
    "glm.thm11.inequality.norms.corrected": inequality(CUBE, "square", "absolute", derivation=_CUBE),
}  # fmt: skip
