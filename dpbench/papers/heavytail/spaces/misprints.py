"""Slips of formulas: the covering number's range, a display of Lemma 10, the failure probability of Theorem 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.build import above
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Choice, Integer, Real, Space
from dpbench.papers.heavytail import theory


def truncation_in_use(n: int, theta: float) -> Fraction:
    """ι of Theorems 1 and 2 at d = ε = τ = 1, η = 1/20 on [−1, 1], rounded up to four digits."""
    return above(theory.truncation(n, 1, 1.0, 0.05, theta=theta, tau=1.0, moment="norm", diameter=2.0), 4)


COVERED = Space(
    "one point, which any net has",
    {
        "Delta": Real("diameter", 1e-3, 1e3),
        "zeta": Real("radius of the net", 1e-6, 1e6),
        "d": Integer("dimension", 1, 100),
    },
)
_COVERED = ("A net of W has a point.",)
FITTED = Space(
    "x = 1, labels that w* fits, at w*",
    {
        "n": Integer("records", 1, 10**8),
        "theta": Choice("order of the moment", (Fraction(3, 2), Fraction(5, 4), Fraction(7, 4), 2)),
        "iota": Real("truncation", 1e-6, 1.0),
        "zeta": Real("radius of the net", 1e-6, 1.0),
        "eta": Real("failure probability", 1e-6, 0.99),
    },
    definitions={
        "psi": "-log(1 - iota*zeta + (iota*zeta)^theta/theta)",
        "power": "n*2^(theta - 1)/theta*(iota*zeta)^theta",
    },
    conditions={"inner": ("iota*zeta <= 1", "below the truncation's end")},
)
_FITTED = ("x = 1, y = <x, w*>, w = w*: the residual is 0, L_D = 0, and nothing is random; psi is odd.",)

QUESTIONS: dict[str, Any] = {
    "heavytail.lemma2.inequality.any-radius": inequality(
        COVERED, "1", "(3*Delta/zeta)^d", derivation=_COVERED, witness={"Delta": 1, "zeta": 4, "d": 2}
    ),
    "heavytail.lemma2.inequality": inequality(
        COVERED, "1", "(3*Delta/zeta)^d", derivation=_COVERED,
        conditions={"range": ("zeta <= Delta", "a radius below the diameter")},
    ),
    "heavytail.lemma10.inequality.last-display": inequality(
        FITTED, "n*psi", "power/n + log(1/eta)", relation=">=", derivation=_FITTED,
        witness=tuple(
            {"n": n, "theta": theta, "iota": truncation_in_use(n, float(theta)), "zeta": Fraction(1, n),
             "eta": Fraction(1, 20)}
            for n, theta in ((100, Fraction(7, 4)), (10**4, Fraction(5, 4)))
        ),
    ),
    "heavytail.lemma10.inequality": inequality(
        FITTED, "n*psi", "n*iota*zeta + power + log(1/eta)", derivation=_FITTED
    ),
}  # fmt: skip
