"""Stability of the averaged minimisers of Algorithm 2, on two functions: Theorem 5, Lemmas 1, 7 and 10."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpbench.certificates.search.formula import Values
from dpbench.certificates.search.question import inequality, pair_event
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.papers.publicdata.spaces.constants import printed_scale


def _flips(v: Values) -> float:
    """z standard deviations above the mean of J calls."""
    chance = math.erf(1.0 / (2.0 * v["strength"] * v["norm"]) / math.sqrt(2.0))
    end = v["J"] * chance + v["z"] * math.sqrt(v["J"] * chance * (1.0 - chance))
    return min(max(float(round(end)), 1.0), v["J"])


SIGNS = Space(
    "the class {f, -f} with any norm, any weight of the process, any number of calls",
    {
        "strength": Real("n eta, records times the weight of the process", 1e-3, 1e4),
        "norm": Real("norm of f on the public points", 1e-2, 1.0),
        "J": Integer("calls", 1, 10**6),
        "z": Real("the event's end, in standard deviations", 0.0, 6.0),
        "delta": Real("failure probability", 1e-10, 0.5),
    },
    derived={"k": (_flips, "calls that flip, at the event's end")},
    definitions={
        "flip": "1 - erfc(1/(2*strength*norm)/sqrt(2))",
        "supremum": "norm*sqrt(2/pi)",
        "square": "4*norm^2*flip",
        "C": "supremum/(strength*norm^2)",
        "printed": "2*supremum^(1/3)/(strength^(1/3)*norm^(2/3))",
    },
)
_SIGNS = (
    "F = {f, -f}, |f|_m = norm, which is kappa, and E sup omega = norm E|N|; one record moves L(f) - L(-f) by 2/n, and "
    "a call flips, to a squared distance of 4 norm^2, with probability P(|N| <= 1/(2 n eta norm)).",
)
_CALLS = (*_SIGNS, "The J calls are independent: betatail is the chance that k or more flip.")


def _deviation(bound: str) -> Any:
    return inequality(
        SIGNS, "betatail(flip, k, J - k + 1)", "delta", derivation=_CALLS, definitions={"bound": bound},
        conditions={"beyond": ("4*norm^2*k/J > bound", "k flips are beyond the bound")},
    )  # fmt: skip


TWO = Space(
    "a Gaussian process on two points, of any correlation, the second of any norm",
    {
        "long": Real("norm of the second point, at most 1", 0.1, 4.0),
        "c": Real("correlation", -0.99, 0.99),
        "tau": Real("gap", 1e-6, 10.0),
        "eta": Real("weight of the process", 1e-2, 1e2),
    },
    definitions={
        "norm": "min(1, long)",
        "spread": "sqrt(1 - 2*norm*c + norm^2)",
        "rho2": "1 - norm*c",
        "supremum": "spread/sqrt(2*pi)",
        "chance": "1/2 - erfc(tau/(eta*spread*sqrt(2)))/2",
    },
    conditions={"apart": ("rho2 < 1", "the points are positively correlated")},
)
_TWO = (
    "omega at the points is N and norm (c N + sqrt(1 - c^2) N'), means 0: their difference has the deviation spread, E "
    "max is spread/sqrt(2 pi), and K(s, t*)/K(t*, t*) = norm c = 1 - rho^2 where the first point is the minimiser; "
    "then the other is within tau with the probability chance.",
)

_UNIT = (
    "m = 0: eta omega at the two points differs by a Gaussian of deviation eta spread; all points within tau of the "
    "minimum are both with the probability 2 chance, and E min eta omega = -eta supremum, which (56) multiplies by "
    "tau/(rho^2 eta^2 kappa^2), kappa = 1.",
)
HALVED = Space(
    "Theorem 5 at half the squared distance rho of two functions of norm at most 1",
    {
        "rho": Real("distance of the functions", 1e-2, 2.0),
        "size": Real("tau E sup omega/(eta kappa^2)", 1e-6, 1e3),
    },
)
_HALVED = (
    "Theorem 5 at rho^2/2 for rho^2 has the factor 1/(rho^2/2); (63) has 1/(rho^2/2)^2, all else is the same on both "
    "sides; two functions of norm at most 1 are up to 2 apart.",
)

APART = Space(
    "two constants 1 and 1 - D, a loss that tells them apart, balanced labels but for one record",
    {
        "m": Integer("public points", 16, 2**40),
        "strength": Real("n eta", 1.0, 1e30),
        "gain": Real("mean of a call's difference over its deviation", 1e-3, 10.0),
        "calls": Real("calls J, rounded up, over log(2/delta)/(first term)^2", 1.0, 1e8),
        "epsilon": Real("claimed", 1e-10, 10.0),
        "delta": Real("claimed", 1e-13, 1e-2),
        "x": Real("squared distance of means that is exceeded with chance exp(-J kl), over 4", 1e-12, 0.999),
        "mu": Real("Gaussian shift that (epsilon, delta) allows", 1e-9, 30.0),
    },
    definitions={
        "apart": "1/(strength*gain)",
        "complexity": "apart/sqrt(2*pi)",
        "first": "4*complexity/strength^(1/3)",
        "J": "calls*log(2/delta)/first^2",
        "call": "erfc(-gain/sqrt(2))/2",
    },
    conditions={
        "inside": ("apart <= 2", "constants in [-1, 1]"),
        "size": ("log(m)^2/sqrt(m)*complexity + sqrt((log(log(m)) + log(1/delta))/m) <= 1/6", "(103) with C = 1"),
    },
)
_OUTPUT = {
    "reach": "sqrt(m)*apart/gamma",
    "low": "erfc(-(call - 1/2)*reach/sqrt(2))/2 - 121/1000*reach^2/(4*J)",
}
_APART = (
    "Loss 1[f(x) != y], labels in {1, 1 - D}, balanced but for one record: L(f) - L(g) = -+1/n, the process adds eta D "
    "N, so a call gives f with probability Phi(+-gain), gain = 1/(n eta D).",
    "The output is f iff a Gaussian exceeds -(K/J - 1/2) reach, K the number of calls that gave f, of variance at most "
    "J/4; |Phi''| < 0.242: putting the mean for K/J costs at most 0.121 reach^2/(4 J). So f has at least the chance "
    "low on one data set and at most 1 - low on the other. Rounding J up makes gamma smaller and low larger.",
)

QUESTIONS: dict[str, Any] = {
    "publicdata.lemma7.stability": inequality(SIGNS, "square", "printed", derivation=_SIGNS),
    "publicdata.lemma7.stability.as-proved": inequality(SIGNS, "square", "4*sqrt(2)*sqrt(C)", derivation=_SIGNS),
    "publicdata.lemma7.stability.sharp": inequality(SIGNS, "square", "4*supremum/strength", derivation=_SIGNS),
    "publicdata.lemma1.inequality.hoeffding": _deviation("2*C^(1/3) + sqrt(log(1/delta)/J)"),
    "publicdata.lemma1.inequality.hoeffding.corrected": _deviation("square + 4*sqrt(log(1/delta)/(2*J))"),
    "publicdata.lemma1.stability.as-proved": _deviation("4*sqrt(2)*sqrt(C) + 4*sqrt(log(1/delta)/(2*J))"),
    "publicdata.lemma1.stability": _deviation(
        "(2*supremum^(1/3)/(strength^(1/3)*norm^(2/3)) + sqrt(log(1/delta)/J))^2"
    ),
    "publicdata.thm5.inequality": inequality(
        TWO, "chance", "tau/(rho2*eta*norm^4)*supremum", derivation=_TWO
    ),
    "publicdata.thm5.inequality.equal-norms": inequality(
        TWO, "2*chance", "tau/(rho2*eta)*supremum", derivation=_TWO,
        conditions={"equal": ("long >= 1", "both norms are 1, so either point may be the minimiser")},
    ),
    "publicdata.thm5.inequality.steps": inequality(
        TWO, "2*chance", "-tau/(rho2*eta)*supremum", derivation=_UNIT,
        conditions={"equal": ("long >= 1", "both norms are 1")},
        witness={"long": 1, "c": Fraction(1, 4), "tau": 1, "eta": 1},
    ),
    "publicdata.cor1.inequality.steps": inequality(
        HALVED, "2*size/rho^2", "4*size/rho^4", derivation=_HALVED, witness={"rho": Fraction(9, 5), "size": 1}
    ),
    "publicdata.lemma10.privacy": pair_event(
        APART, "low", "1 - low", derivation=_APART,
        definitions={
            "root": "sqrt(log(2/delta))",
            "used": "first + sqrt(log(2/delta)/J)",
            "gamma": printed_scale("used", "root"),
            **_OUTPUT,
        },
    ),
    "publicdata.alg2.privacy.mean": pair_event(
        APART, "low", "1 - low", derivation=_APART,
        definitions={
            "b": "sqrt(2/pi)/strength",
            "kl": "x*log(x/b) + (1 - x)*log((1 - x)/(1 - b))",
            "gamma": "sqrt(m)*2*sqrt(x)/mu",
            **_OUTPUT,
        },
        conditions={
            "share": ("x > b", "beyond the mean"),
            "mean": ("b < 1", "a share"),
            "calibrated": ("gaussian_delta(mu, epsilon) + exp(-J*kl) <= delta", "gamma is within the claim"),
        },
    ),
}  # fmt: skip
