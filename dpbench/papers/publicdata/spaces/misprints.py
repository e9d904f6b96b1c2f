"""Slips of formulas that other statements of the paper have right: Lemmas 3, 10 and 12, Theorems 6 and 9."""

from __future__ import annotations

from typing import Any

from dpbench.certificates.search.growth import order
from dpbench.certificates.search.question import inequality, pair_shift
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.papers.publicdata.spaces.constants import EPSILON

CONSTANTS = Space(
    "Perturb with Laplace noise on the constants in [-1, 1] and one public point, two of them any distance apart",
    {"rho": Real("distance of fbar and fbar'", 1e-6, 2.0), "epsilon": EPSILON, "delta": Real("slack", 1e-12, 1e-3)},
    definitions={"gamma": "rho/epsilon"},
)
_CONSTANTS = (
    "m = 1, before the output is cut to [-1, 1]: two Laplace laws rho apart, a postprocessing of it no worse.",
)

CALLS = Space(
    "any sizes of Algorithm 2, least norm 1/4",
    {
        "n": Integer("records", 1, 10**9),
        "eta": Real("weight of the process", 1e-6, 1e2),
        "g": Real("E sup omega_m", 1e-6, 1e3),
        "J": Integer("calls", 1, 10**9),
        "delta": Real("claimed", 1e-12, 0.5),
    },
    definitions={"lemma1": "2/(eta*n)^(1/3)*4^(2/3)*g^(1/3) + sqrt(log(2/delta)/J)"},
)
_CALLS = ("Lemma 1 at failure probability delta/2 and kappa = 1/4.",)

SAMPLE = Space(
    "any dimension, accuracy and level at smoothness and Lipschitz constant 1",
    {
        "d": Integer("VC dimension", 1, 10**6),
        "epsilon": Real("claimed", 1e-3, 1.0),
        "alpha": Real("accuracy", 1e-3, 0.5),
        "beta": Real("failure probability", 1e-6, 0.3),
        "delta": Real("claimed", 1e-10, 1e-2),
    },
    definitions={
        "b": "log(1/beta)",
        "n": "max(d^5*b^6/(epsilon^3*alpha^14), d^5*b^(9/2)*log(1/delta)^(3/2)/(epsilon^3*alpha^10))",
    },
)
MISSED = Space(
    "one function, of complexity 0, on a set that m public points miss with probability 2 beta",
    {
        "m": Integer("public points", 16, 10**9),
        "beta": Real("failure probability", 1e-6, 0.45),
    },
    definitions={"mass": "1 - (2*beta)^(1/m)", "norm": "sqrt(mass)"},
)
COINS = Space(
    "fair labels and two constant functions, n records, any number of public points",
    {
        "half": Integer("half the number of records", 1, 10**4),
        "more": Integer("heads beyond half", 1, 10**4),
        "m": Integer("public points", 1, 10**6),
        "beta": Real("failure probability", 1e-6, 0.5),
    },
    definitions={
        "n": "2*half",
        "k": "half + more",
        "deviation": "more/n",
        "chance": "2*betatail(1/2, k, n - k + 1)",
    },
    conditions={"count": ("k <= n", "a count"), "likely": ("chance > beta", "more than the failure probability")},
)
_COINS = ("k heads or more, or k tails or more, of n have the probability chance, and a deviation of more/n at least.",)

QUESTIONS: dict[str, Any] = {
    "publicdata.lemma3.privacy.laplace": pair_shift(
        CONSTANTS, "rho", "gamma^2", family="laplace", derivation=_CONSTANTS
    ),
    "publicdata.lemma9.privacy.laplace": pair_shift(
        CONSTANTS, "rho", "gamma", family="laplace", derivation=_CONSTANTS
    ),
    "publicdata.lemma10.inequality": inequality(
        CALLS, "lemma1", "4/(n*eta)^(1/3)*g + sqrt(log(2/delta)/J)", derivation=_CALLS
    ),
    "publicdata.lemma10.inequality.corrected": inequality(
        CALLS, "lemma1", "2*4^(2/3)*(n*eta)^(-1/3)*g^(1/3) + sqrt(log(2/delta)/J)", derivation=_CALLS
    ),
    "publicdata.thm6.inequality.sample-size": order(
        SAMPLE, "n", "d/(epsilon^3*alpha^14)", scalable=("d",),
        derivation=("(129) has d^5, the text of section 3 has vc for it.",),
    ),
    "publicdata.lemma12.inequality.proof": order(
        MISSED, "norm", "(log(log(m)) + log(1/beta))/m", scalable=("m",),
        derivation=("m points miss the set with probability (1 - mass)^m = 2 beta: then |f|_m = 0 and |f|_mu = norm.",),
    ),
    "publicdata.lemma12.inequality": order(
        MISSED, "norm", "sqrt((log(log(m)) + log(1/beta))/m)", scalable=("m",),
        derivation=("m points miss the set with probability (1 - mass)^m = 2 beta: then |f|_m = 0 and |f|_mu = norm.",),
    ),
    "publicdata.thm9.inequality.printed": order(
        COINS, "deviation", "sqrt((1 + log(1/beta))/m)", scalable=("m",), derivation=_COINS
    ),
    "publicdata.thm9.inequality": inequality(COINS, "deviation", "sqrt((1 + log(1/beta))/n)", derivation=_COINS),
}  # fmt: skip
