"""Lemma 5: average stability of gradient descent, on labels of one feature."""

from __future__ import annotations

from typing import Any

from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Integer, Real, Space

RUN = Space(
    "gradient descent without noise on labels +1 and -1 of one feature, squared loss, any step size up to 4/H",
    {
        "n": Integer("number of records", 2, 10**8),
        "T": Integer("steps", 1, 60),
        "c": Real("step size times H", 1e-2, 4.0),
        "p": Real("chance of a label 1", 1e-3, 0.999),
    },
    definitions={
        "H": "2",
        "eta": "c/H",
        "mean": "2*p - 1",
        "variance": "4*p*(1 - p)/n",
        "kept": "1 - (1 - (1 - c)^T)/(T*c)",
        "regret": "sum(j, 1, T, (1 - c)^(2*(j - 1))*(mean^2 + variance) - variance)",
        "left": "kept^2*4/n^2*2*p*(1 - p)",
        "right": "8*H*eta^2*T/n*(1/n)*regret + 8*H*eta^2*T/n",
    },
    conditions={"inside": ("c^2 > 2*c - 1", "the step is not the one that ends in one step")},
)
_DERIVED = (
    "d = 1, x = 1, labels 1 with chance p and -1 else (Y = 1), a ball that is never met: w_t = (1 - (1 - c)^(t-1)) "
    "times the mean label, whose replaced record moves it by 2/n with chance 2 p (1 - p); so the average of w_1..w_T "
    "has the stability on the left, squared.",
    "L^(w_j) - L^(w*) has the expectation (1 - c)^(2(j-1)) (mean^2 + variance) - variance, w* = 2 p - 1.",
)

QUESTIONS: dict[str, Any] = {
    "glm.lemma5.stability": inequality(RUN, "left", "right", derivation=_DERIVED),
    "glm.lemma5.stability.corrected": inequality(
        RUN, "left", "right", derivation=_DERIVED,
        conditions={"step": ("c <= 2", "eta <= 2/H"), "steps": ("T <= n", "no more steps than records")},
    ),
}  # fmt: skip
