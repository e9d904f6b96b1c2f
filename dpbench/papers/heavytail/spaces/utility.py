"""Excess risk of Algorithms 1 and 2 on laws of two points, and the last lines of Lemma 10's proof."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.search.growth import Growth, order
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Choice, Integer, Parameter, Real, Space

FAILURE = Real("failure probability", 1e-6, 0.5)
CLAIMED = Real("claimed", 1e-2, 1e2)


def _signs(orders: tuple[int | Fraction, ...]) -> Space:
    return Space(
        "x = 1 and a label s or -s, any s, chance and size, W = [-1, 1]",
        {
            "n": Integer("records", 3, 10**6),
            "s": Real("size of the labels", 1e-3, 1e6),
            "p": Real("chance of the label s", 0.5, 1.0),
            "epsilon": CLAIMED,
            "eta": FAILURE,
            "theta": Choice("order of the moment", orders),
        },
        definitions={
            "share": "log(n)*log(1/eta)/(n*epsilon)",
            "iota": "share^(1/theta)",
            "quantile": "2*(2*p - 1)*(1 - eta)",
        },
        conditions={"cut": ("(s - 1)*iota >= 1", "every residual is truncated on all of W")},
    )


_CUT = (
    "x = 1, W = [-1, 1], y = s with probability p, -s else, every residual truncated on all of W: the output is "
    "uniform on the net, the risk is const - (2p - 1) w, and the excess (2p - 1)(1 - w) has the (1 - eta)-quantile "
    "stated.",
)


def _moments(space: Space) -> tuple[Growth, Growth]:
    scalable = ("n", "s")
    plain = order(space, "quantile", "share^((theta - 1)/theta)", scalable=scalable, derivation=_CUT)
    kept = order(
        space,
        "quantile",
        "iota^(theta - 1)*(s + 1)^theta + share^((theta - 1)/theta)",
        scalable=scalable,
        derivation=_CUT,
    )
    return plain, kept


ORDERS = (Fraction(3, 2), Fraction(5, 4), Fraction(7, 4))
SIGNS_2, SIGNS_THETA = _signs((2,)), _signs(ORDERS)


def _majority(orders: tuple[int | Fraction, ...]) -> Space:
    return Space(
        "x = 1 and labels 1 and -1, any chance, odd numbers of records, truncation and net, W = [-1, 1]",
        {
            "half": Integer("records short of a majority", 1, 1000),
            "p": Real("chance of a label -1", 0.01, 0.499),
            "iota": Real("truncation", 1e-15, 0.5),
            "zeta": Real("radius of the net", 1e-8, 1.0),
            "epsilon": Real("claimed", 1e-2, 1e18),
            "eta": Real("failure probability", 1e-4, 0.5),
            "theta": Choice("order of the moment", orders),
        },
        definitions={
            "n": "2*half + 1",
            "k": "half + 1",
            "N": "2/zeta + 1",
            "psi": "-log(1 - 2*iota + (2*iota)^theta/theta)",
            "spread": "2^theta*p",
            "other": "N*exp(-epsilon*psi/(4*log(theta)))",
            "excess": "1 - 2*p",
            "constant": "100",
        },
        conditions={"inner": ("2*iota <= 1", "below the truncation's end")},
    )


_MAJORITY = (
    "x = 1, W = [-1, 1], y = 1 or -1: the excess of w is (1 - 2 p)(1 - w), more than 1 - 2 p for w < 0.",
    "With k or more labels -1 let S be the sum of psi(iota |y_i - w|). Between the labels S is concave; psi is too, so "
    "S(0) >= n psi(2 iota)/2, S(1) is at least k psi(2 iota), and S(-1) at most (n - k) psi(2 iota): every w >= 0 has "
    "S >= S(-1) + psi(2 iota)/2.",
    "The weights are exp(-epsilon S/(2 log theta)), half of the printed exponent (more concentrated with the whole): "
    "all of N net points with w >= 0 together have at most the chance other. The constant of O(.) is taken to be 100.",
)
_QUADRATIC = "3*zeta + iota*zeta^2 + 5/2*iota*spread + 4*log(theta)*log(N/eta)/(n*iota*epsilon)"
_POWER = "3*zeta + 2*(2*iota)^(theta - 1)/theta*(spread + zeta^theta) + 8*log(theta)*log(N/eta)/(n*iota*epsilon)"
_SHORTER = (
    "zeta + 2*iota^(theta - 1)/theta*spread + (log(N/eta) + log(1/eta))/(n*iota) + "
    "2*log(theta)*log(N/eta)/(n*iota*epsilon)"
)

STEPS = Space(
    "the sum of Lemma 7, (23) and (24), against (26)",
    {
        "theta": Real("order of the moment", 1.001, 2.0),
        "iota": Real("truncation", 1e-3, 1e3),
        "spread": Real("sup E|y - <x,w>|^theta", 1e-3, 1e3),
    },
    conditions={"order": ("theta <= 2", "Assumption 3")},
)


def _large(space: Space, bound: str, failures: str) -> Any:
    return inequality(
        space, "excess", "constant*bound", derivation=_MAJORITY, definitions={"bound": bound},
        conditions={
            "likely": (f"betatail(p, k, n - k + 1)*(1 - other) > {failures}", "more than the failure probability"),
        },
        least="epsilon",
    )  # fmt: skip


MAJORITY_2, MAJORITY_THETA = _majority((2,)), _majority(ORDERS)
RESIDUALS: dict[str, Parameter] = {
    "theta": Choice("order of the moment", ORDERS),
    "iota": Real("truncation", 1e-6, 1.0),
    "zeta": Real("radius of the net", 1e-6, 1.0),
    "v": Real("|w - w*|", 1e-9, 1e2),
}
FITTED = Space(
    "x = 1, labels that a model fits, any model", RESIDUALS,
    definitions={
        "line38": "1 - iota*v + iota*zeta + iota^theta*abs(zeta - v)^theta/theta",
        "power": "iota^theta*2^(theta - 1)/theta*(v^theta + zeta^theta)",
    },
    conditions={"apart": ("abs(zeta - v) > 0", "the residual is not the net's radius")},
)  # fmt: skip
_FITTED = ("x = 1, y = <x, w*>: the residual of w is v = |w - w*|, nothing is random; the n-th roots are shown.",)
RARE = Space(
    "rare long records of size M and common short ones, under moments of order theta",
    {
        "n": Integer("records", 3, 10**6),
        "long": Real("M in units of 1/iota", 1e-2, 1e2),
        "s": Real("a over p M", 1e-2, 0.99),
        "epsilon": CLAIMED,
        "eta": FAILURE,
        "theta": Choice("order of the moment", (Fraction(3, 2), Fraction(7, 4))),
    },
    definitions={"share": "log(n)*log(1/eta)/(n*epsilon)"},
)
_LONG = {
    "M": "long/iota",
    "p": "M^(-theta)/(1 + s^theta*M^(theta - theta^2))",
    "a": "s*p*M",
    "many": "n - 6/5*n*p",
    "half": "iota*a/2",
    "gap": "min(many*half/10, 3/4*many*half - 6/5*n*p*log(theta))",
    "missed": "2*exp(-n*p/75) + (2*n + 1)*exp(-epsilon*gap/(2*log(theta)))",
    "excess": "9/10*(p*M - (1 - p)*a)",
}
_RARE = (
    "x = y = M with chance p, else x = a and y = 0, so that E|x|^theta <= 1 and E|y|^theta <= 1; the risk p M (1 - w) "
    "+ (1 - p) a |w| is least at w = 1, and every |w| <= 1/10 has at least the excess stated. W = [-1, 1], tau = 1.",
    "Given at most 6/5 n p rare records (Chernoff), every |w| > 1/10 has a sum of losses larger by gap than w = 0: "
    "psi(z) >= z/2 for the common records (z <= 1/4), and a rare one counts log(theta) at most. The weights are "
    "exp(-epsilon sum/(2 log theta)) on at most 2 n + 1 net points: missed bounds the chance of |w| > 1/10.",
)


def _rare(power: str) -> Any:
    return order(
        RARE, "excess", "2*share^((theta - 1)/theta)", scalable=("n",), derivation=_RARE,
        definitions={"iota": f"share^({power})", **_LONG},
        conditions={
            "likely": ("missed < eta", "the excess is beyond with more than the failure probability"),
            "short": ("iota*a <= 1/4", "common records are far below the truncation's end"),
        },
    )  # fmt: skip


FIXED = Space(
    "one law with a Pareto label of finite mean, that does not change with n",
    {
        "n": Integer("records", 3, 10**6),
        "index": Real("Pareto index of Y", 1.01, 3.0),
        "light": Choice("c of the risk (c/4) w^4", (Fraction(3, 20),)),
        "epsilon": CLAIMED,
        "eta": FAILURE,
    },
    definitions={"share": "log(n)*log(1/eta)/(n*epsilon)", "iota": "sqrt(share)/2"},
)
_FIXED = (
    "With chance 0.3 Y is Pareto(index), x = sqrt(Y), y = Y; else x = 1 and y in [-1, 1] with a law that makes L - L* "
    "= (c/4) w^4 on W. Truncation takes at least lost from the slope, so the minimiser of the expected truncated risk "
    "is away from 0 by (lost/c)^(1/3) or more. Delta = 2, tau = 1.",
    "Sampling moves the slope by n^(-1/2) and the mechanism's noise the excess by n^(-1/2), both of lower order.",
)

QUESTIONS: dict[str, Any] = {
    "heavytail.thm1.inequality.y-moment": _moments(SIGNS_2)[0],
    "heavytail.thm1.inequality.y-moment.corrected": _moments(SIGNS_2)[1],
    "heavytail.thm2.inequality.y-moment": _moments(SIGNS_THETA)[0],
    "heavytail.thm2.inequality.y-moment.corrected": _moments(SIGNS_THETA)[1],
    "heavytail.thm1.inequality.large-epsilon": _large(MAJORITY_2, _QUADRATIC, "4*eta"),
    "heavytail.thm1.inequality.large-epsilon.corrected": _large(MAJORITY_2, _SHORTER, "3*eta"),
    "heavytail.thm2.inequality.large-epsilon": _large(MAJORITY_THETA, _POWER, "5*eta"),
    "heavytail.thm2.inequality.large-epsilon.corrected": _large(MAJORITY_THETA, _SHORTER, "3*eta"),
    "heavytail.thm2.inequality.steps": inequality(
        STEPS, "(3 + 2^(theta - 1))/theta*iota^(theta - 1)*spread", "2^theta/theta*iota^(theta - 1)*spread",
        derivation=("Lemma 7 and (23) have iota^(theta-1)/theta each, Lemma 9 (2 iota)^(theta-1)/theta, (25) another "
                    "iota^(theta-1)/theta, which (24) drops.",),
        witness={"theta": 2, "iota": 1, "spread": 1},
    ),
    "heavytail.eq39.inequality": inequality(FITTED, "line38", "exp(power - iota*v)", derivation=_FITTED),
    "heavytail.eq39.inequality.corrected": inequality(
        FITTED, "line38", "exp(power - iota*v + iota*zeta)", derivation=_FITTED
    ),
    "heavytail.thm2.inequality.assumption4-truncation": _rare("(theta - 1)/theta"),
    "heavytail.thm2.inequality.assumption4-truncation.corrected": _rare("1/theta"),
    "heavytail.thm1.inequality.y-moment.fixed-law": order(
        FIXED, "light/4*away^4", "2*sqrt(share)", scalable=("n",), derivation=_FIXED,
        definitions={
            "lost": "3/10*index/(index - 1/2)*(iota/4)^(index - 1/2) - 2*iota",
            "away": "min(1, (lost/light)^(1/3))",
        },
        conditions={"mean": ("index > 1", "Y has a mean"), "some": ("lost > 0", "truncation takes something")},
    ),
}  # fmt: skip
