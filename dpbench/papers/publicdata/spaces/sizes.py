"""Sample sizes of Theorems 3 and 7, where epsilon falls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.search.growth import order
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Choice, Integer, Parameter, Real, Space

MOVED = (
    "F = {t phi: |t| <= 1}, phi = 1 at x0 and a at the public point; records at x0 with balanced labels: one record "
    "moves fbar from -phi to phi, and the chance of f^ = phi goes from 1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). So "
    "this s, and any smaller, breaks (epsilon, delta) where broken > 0."
)
PRIVATE: dict[str, Parameter] = {
    "epsilon": Real("claimed", 1e-3, 1.0),
    "delta": Real("claimed", 1e-8, 1e-2),
    "s": Real("deviation of the output over half of what a record moves it by", 1e-2, 1e4),
    "alpha": Real("accuracy", 1e-3, 0.125),
}
_BROKEN = "1/2 - exp(epsilon)*erfc(2/(s*sqrt(2)))/2 - delta"
CONDITIONS = {
    "alpha": ("alpha <= 1/8", "an accuracy"),
    "small": ("epsilon <= 1", "the range of the entry"),
    "broken": ("broken > 0", "the smaller noise breaks (epsilon, delta)"),
}
SETTING = Space(
    "Algorithm 3 at the settings of (130), on a class of one direction",
    {
        **PRIVATE,
        "beta": Real("failure probability", 1e-6, 0.5),
        "lambda": Real("Lipschitz constant", 0.5, 1e2),
        "d": Integer("VC dimension", 1, 100),
        "m": Integer("public points of (130), which do not depend on epsilon", 1, 10**6),
    },
    definitions={"broken": _BROKEN, "b": "log(1/beta)", "gamma": "alpha/(lambda*sqrt(b))", "eta": "alpha"},
    conditions=CONDITIONS,
)
ANY = Space(
    "Algorithm 3 at any settings that accuracy allows, on a class of one direction",
    {
        **PRIVATE,
        "G": Real("complexity of the class", 1e-2, 1e2),
        "quantile": Choice("1.64, below the 0.95-quantile of the normal law", (Fraction(41, 25),)),
    },
    definitions={"broken": _BROKEN, "noise": "2*alpha/quantile"},
    conditions=CONDITIONS,
)

QUESTIONS: dict[str, Any] = {
    "publicdata.thm7.inequality.sample-size": order(
        SETTING, "(s/2/gamma)^2*m/eta",
        "max(lambda^5*d*b^2/(epsilon*alpha^5), lambda^4*d*b^(3/2)*sqrt(log(1/delta))/(epsilon*alpha^4))",
        scalable=("epsilon", "delta", "s"),
        derivation=(MOVED, "gamma, eta and m of (130), sigma = 1, do not depend on epsilon: n >= the left side."),
    ),
    "publicdata.thm7.privacy": inequality(
        SETTING, "(s/2/gamma)^2*m/eta", "2*log(5/4/delta)*m/(eta*gamma^2*epsilon^2)",
         derivation=(MOVED, "The n of the entry."),
    ),
    "publicdata.thm3.inequality.sample-size": order(
        ANY, "(s/2/noise)^2/(2*alpha)", "G^2/(epsilon*alpha^5)", scalable=("epsilon", "delta", "s"),
        derivation=(
            MOVED,
            "Constants in [-1, 1] with labels of mean 2 eta ask for eta <= 2 alpha, constants with labels 1 for "
            "gamma/sqrt(m) <= 2 alpha/Phi^-1(1 - beta) at beta = 0.05; so n >= (s sqrt(m)/(2 gamma))^2/eta is at least "
            "needed, whatever eta, gamma and m are.",
        ),
    ),
}  # fmt: skip
