"""Uniform deviations and excess risk on classes of sign patterns: Lemmas 13, 14 and 15."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Choice, Integer, Real, Space

PATTERNS = Space(
    "all functions on M points with values of size s, linear loss from 0 to 1 between -s and s",
    {
        "n": Integer("records", 2, 10**9),
        "M": Integer("points of the domain, uniform", 4, 10**12),
        "s": Real("size of the functions' values; the loss has the Lipschitz constant 1/(2 s)", 1e-6, 1.0),
        "eta": Real("weight of the process or of the regulariser", 1e-9, 1.0),
        "J": Integer("calls", 1, 10**8),
        "beta": Real("failure probability", 1e-8, 0.49),
    },
    definitions={
        "lambda": "1/(2*s)",
        "G": "s*sqrt(2*n/pi)",
        "G_m": "s*sqrt(2*M/pi)",
    },
)
_CLASS = (
    "F = {s, -s}^M (Lemma 14: its convex hull too), loss (s - f y)/(2 s), which is 1/(2 s)-Lipschitz with values in "
    "[0, 1]; E sup omega_n is s sqrt(n) E|N| for distinct points and less otherwise, and E sup omega_m with all M "
    "points public is s sqrt(M) E|N|."
)
_SEEN = (
    _CLASS,
    "Fair labels: L(f) = 1/2 for every f. The records are n distinct points with probability 1 - n (n - 1)/(2 M) or "
    "more, and then some f has L_D(f) = 0: the deviation is 1/2.",
)
_UNSEEN = (
    _CLASS,
    "Labels 1: inf L = 0. At the M - n or more points without a record the process alone decides, each call's sign is "
    "fair and independent of the rest, so that with probability 1/2 or more at least half of them are wrong on "
    "average.",
)
_CENTRE = (
    _CLASS,
    "Labels 1: inf L = 0. At the M - n or more points without a record the regularised minimiser is 0, of loss 1/2.",
)
_FEWER = {"fewer": ("n < M", "points without a record"), "likely": ("beta < 1/2", "the event has that chance")}


def _deviation(bound: str) -> Any:
    return inequality(
        PATTERNS, "1/2", "bound", derivation=_SEEN, definitions={"bound": bound},
        conditions={"likely": ("1 - n*(n - 1)/(2*M) > beta", "the points differ with more than this chance")},
    )  # fmt: skip


def _excess(bound: str, derivation: tuple[str, ...]) -> Any:
    return inequality(PATTERNS, "(1 - n/M)/2", bound, derivation=derivation, conditions=_FEWER)


_L = "sqrt(2*log(1/beta)/n)"
_CALLS = "2*eta*(G_m + sqrt({}log(1/beta)/J))"
FUNCTIONS = Space(
    "a class of three functions, of which the average of two is nearest to the third",
    {
        "n": Integer("records", 2, 10**12),
        "eta": Real("weight of the process", 1e-9, 1.0),
        "gamma": Real("scale of the noise", 1e-12, 1.0),
        "m": Integer("public points", 16, 10**30),
        "J": Integer("calls", 1, 10**9),
        "C": Real("of the lemma, any number", 1.0, 1e3),
        "beta": Real("failure probability", 1e-8, 0.5),
        "sigma": Choice("smoothness", (Fraction(1, 3),)),
        "lambda": Choice("Lipschitz constant", (Fraction(1, 2),)),
    },
    definitions={
        "G": "sqrt(2*log(3))",
        "L": "log(1/beta)",
        "reach": "eta*sqrt(8/9)/4",
        "seldom": "2*exp(-n*reach^2/2) + 2*exp(-2*J/2500)",
        "uniform": "lambda/sigma*(log(m)^3/sqrt(m)*G + sqrt((log(log(m)) + L)/m))",
    },
    conditions={"often": ("1 - seldom > beta", "the event has more than the failure probability")},
)
_FUNCTIONS = (
    "Three functions, as in publicdata.thm6.rate.nonconvex: fbar is (1 - q)/2 g1 + (1 + q)/2 g2 with |q| < 1/4 but for "
    "the chance stated (Hoeffding, for the labels and for the J calls), the third function is nearest to it, and its "
    "excess is 1/6.",
    "The suprema of omega_n and omega_m have expectations of at most G = sqrt(2 log 3).",
)
TWICE = Space(
    "any numbers of records and failure probabilities",
    {"n": Integer("records", 1, 10**9), "beta": Real("failure probability", 1e-12, 0.999)},
    definitions={"lemma13": "sqrt(2*log(1/beta)/n)"},
)
_TWICE = ("The proof takes the deviation of (108) twice, for fbar and for the minimiser.",)

QUESTIONS: dict[str, Any] = {
    "publicdata.lemma13.inequality": _deviation(f"6/sqrt(n)*G + {_L}"),
    "publicdata.lemma13.inequality.corrected": _deviation(f"6*lambda/sqrt(n)*G + {_L}"),
    "publicdata.lemma14.inequality": _excess(
        f"12/sqrt(n)*G + 2*sqrt(log(1/beta)/n) + {_CALLS.format('')}", _UNSEEN
    ),
    "publicdata.lemma14.inequality.corrected": _excess(
        f"12*lambda/sqrt(n)*G + 2*{_L} + {_CALLS.format('2*')}", _UNSEEN
    ),
    "publicdata.lemma14.inequality.regularized": _excess("12*G + 2*sqrt(log(1/beta)/n) + eta", _CENTRE),
    "publicdata.lemma14.inequality.regularized-scale": _excess(f"12*lambda*G + 2*{_L} + eta", _CENTRE),
    "publicdata.lemma14.inequality.deviation": inequality(
        TWICE, "2*lemma13", "2*sqrt(log(1/beta)/n)", derivation=_TWICE,
        witness=({"n": 100, "beta": Fraction(1, 20)}, {"n": 1000, "beta": Fraction(1, 1000)}),
    ),
    "publicdata.lemma14.inequality.deviation.corrected": inequality(
        TWICE, "2*lemma13", "2*sqrt(2*log(1/beta)/n)", derivation=_TWICE
    ),
    "publicdata.lemma15.inequality": inequality(
        FUNCTIONS, "1/6", "bound", derivation=_FUNCTIONS,
        definitions={
            "bound": "12/sqrt(n)*G + 2*sqrt(L/n) + 2*eta*(G + sqrt(L/J)) + 4*lambda*gamma/sigma*sqrt(L) + C*uniform"
        },
        witness=tuple(
            {"n": 10**8, "eta": Fraction(1, 100), "gamma": Fraction(1, 10**4), "m": m, "J": 10**5, "C": constant,
             "beta": Fraction(1, 20), "sigma": Fraction(1, 3), "lambda": Fraction(1, 2)}
            for constant, m in ((1, 10**14), (10**3, 10**20), (10**6, 10**26))
        ),
    ),
}  # fmt: skip
