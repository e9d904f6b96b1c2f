"""Powers in Theorems 4, 6, 7 and 10, and Theorem 6 on three functions: what proofs in `claims` bound from below."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.search.growth import order
from dpbench.certificates.search.space import Choice, Integer, Parameter, Real, Space

_ACCURACY: dict[str, Parameter] = {
    "epsilon": Real("claimed", 1e-3, 1.0),
    "alpha": Real("accuracy", 1e-3, 0.125),
    "L": Real("log(1/beta)", 12.0, 1e3),
}
_RANGE = {"small": ("epsilon <= 1", "the proof's range"), "alpha": ("alpha <= 1/8", "the proof's range"),
          "log": ("L >= 12", "the proof's range")}  # fmt: skip
WEIGHTS = Space(
    "Algorithm 4 with Laplace weights on constants, or on all functions on two points",
    {**_ACCURACY, "c": Real("constant of m", 1e-2, 1e2)},
    definitions={"m": "c*(1 + L)/alpha^2"},
    conditions={**_RANGE, "many": ("m >= 2", "public points")},
)
CUT = Space(
    "Algorithm 3 with Laplace noise on {(t, v): 0 <= kappa t <= v <= 1}, at (132)",
    {
        "epsilon": Real("claimed", 1e-3, 1.0),
        "alpha": Real("accuracy", 1e-3, 0.125),
        "L": Real("log(1/beta)", 1.0, 1e3),
        "lambda": Real("Lipschitz constant", 0.5, 1e1),
    },
    definitions={
        "m": "lambda^2*L/alpha^2",
        "gamma": "alpha^2/(lambda^2*sqrt(L))",
        "needed": "((1 - 2*gamma)*m/(gamma*epsilon))^2/(2*alpha)",
    },
    conditions={
        "small": ("gamma <= 1/4", "a small noise"),
        "log": ("L >= 1", "d = 1 is the smaller of d sqrt(L) and L"),
        "half": ("needed >= 2/alpha", "kappa <= 1/2"),
    },
)
ONE_CLASS = Space(
    "the class of group bits and parity blocks, every m",
    {
        "d": Integer("VC dimension", 10**3, 10**12),
        "epsilon": Real("claimed", 1e-3, 1.0),
        "delta": Real("claimed", 1e-10, 0.1),
        "alpha": Real("accuracy", 1e-3, 0.0625),
        "L": Real("log(1/beta)", 1.0, 1e2),
        "C": Choice("the theorem's constant", (Fraction(1, 2), 3, 1000)),
    },
    definitions={
        "size": "log(100*d)",
        "block": "d/(4*size + 2) - 1",
        "n": "d^2*sqrt(log(1/delta))*L*log(d)^3/(epsilon*alpha^4)",
        "accurate": "503/10*alpha*epsilon*n/(C*sqrt(d*log(1/delta)))",
        "breaks": "epsilon^2*block^2/(227/10*C^2*log(1/delta)*size)",
    },
    conditions={
        "range": ("alpha <= 1/16", "the proof's range"),
        "many": ("accurate >= 20*d", "points a group"),
        "small": ("delta <= 1/10", "the proof's range"),
        "one": ("epsilon <= 1", "the proof's range"),
    },
)
THREE = Space(
    "three functions, the third near the middle of the others, at (127) and (128) with constants 1, d = epsilon = 1, "
    "beta = 0.05, delta = 1e-5, sigma = 1/3, lambda = 1/2",
    {
        "n": Real("records", 1e10, 1e40),
        "a": Real("alpha over n^(-1/14), as (129) has it", 0.5, 2.0),
    },
    definitions={
        "alpha": "a/n^(1/14)",
        "m": "9/4*log(20)/alpha^2",
        "J": "max(log(20)/alpha^2, max((3/2)^8*log(20)^4*log(100000)/alpha^8, "
        "(3/2)^6*log(20)^3*log(100000)^2/alpha^6))",
        "gamma": "2/3*alpha/sqrt(log(20))",
        "labels": "2*exp(-n*(281/2500*alpha)^2/2)",
        "few": "2*exp(-2*J*(1/50)^2) + exp(-2*J*(1/200)^2)",
        "points": "exp(-(11/450)^2*m/(2*(22/100 + 35/100*11/450))) + exp(-(1/45)^2*m/(2*(173/1000 + 7805/1000000)))",
        "noise": "exp(-m/(20000*gamma^2))",
        "missed": "labels + few + points + noise",
    },
    conditions={
        "ties": ("exp(-(7/50)^2/(2*alpha^2)) < 1/200", "the third function is hardly ever the minimiser of a call"),
        "seldom": ("missed < 1/20", "another function than the third is rarely the output"),
    },
)
_THREE = (
    "Labels, calls and public points have tails by Hoeffding and Bernstein, normal tails are below exp(-x^2/2): but "
    "for the chance missed the output is the third function, whose excess risk is 1/6; Theorem 6 promises alpha.",
)
_CONSTANTS = (
    "Constants {0, 1}, P(Y = 0) = 1/2 + alpha: a sum of m Laplace variables is sqrt(2G) N with G ~ Gamma(m), so n up "
    "to m^(3/2) sqrt(L)/(alpha epsilon) leaves the wrong constant a chance above beta.",
)
_TWO = (
    "Two points, mu(p) = 2 alpha: m below (L - log 2)(1 - 2 alpha)/(2 alpha) leaves p without a public point too "
    "often, and a larger m asks for (2/3) m sqrt(m - 1) sqrt(L)/(alpha epsilon) records at q; the least is above the "
    "left side.",
)
_CUT = (
    "One label moves fbar from (0, 0) to (1, kappa), kappa = 1/sqrt(2 eta n); the event v = 1 has a log-ratio of at "
    "least (1 - 2 gamma) m kappa/gamma, as the tail of a sum of m Laplace variables is e^-s times a polynomial of "
    "degree m - 1 with coefficients that are not negative.",
)
_BLOCKS = (
    "m below 4 D log(100 D) leaves group bits unhit, m from there to breaks has a block whose parity tells a record, m "
    "from accurate on flips an eighth of the group bits: every m fails where accurate <= breaks.",
)

QUESTIONS: dict[str, Any] = {
    "publicdata.thm10.inequality.confidence": order(
        WEIGHTS, "m^(3/2)*sqrt(L)/(alpha*epsilon)", "L/(alpha^5*epsilon)", scalable=("L",), derivation=_CONSTANTS,
        witness={"epsilon": 1, "alpha": Fraction(1, 10), "L": 13, "c": 1, "power_L": 1, "first": 0},
    ),
    "publicdata.thm4.inequality.confidence": order(
        WEIGHTS, "13/100*L^2/(epsilon*alpha^(5/2))", "4*L/(alpha^5*epsilon)", scalable=("L",), derivation=_TWO
    ),
    "publicdata.thm7.inequality.powers.laplace": order(
        CUT, "needed", "lambda^6*L^(5/2)/(epsilon*alpha^6)", scalable=("alpha", "L"), derivation=_CUT,
        witness={"epsilon": 1, "alpha": Fraction(1, 10), "L": 1, "lambda": 1, "power_alpha": -1, "power_L": 0,
                 "first": 0},
    ),
    "publicdata.thm6.inequality.many-calls": order(
        THREE, "(1 - missed)/6", "alpha", scalable=("n",), derivation=_THREE,
        witness={"n": 4702 * 10**19, "a": 1, "power_n": 2, "first": 19},
    ),
    "publicdata.thm4.inequality.one-class": order(
        ONE_CLASS, "breaks", "accurate", scalable=("d",), derivation=_BLOCKS,
        witness={"d": 1000, "epsilon": 1, "delta": Fraction(1, 10), "alpha": Fraction(1, 50), "L": 1,
                 "C": Fraction(1, 2), "power_d": 8, "first": 11},
    ),
}  # fmt: skip
