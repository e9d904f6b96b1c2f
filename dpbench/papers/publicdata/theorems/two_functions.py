"""Algorithm 2 on two functions: what its privacy and Lemma 10 share."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from dpbench.core import binomial
from dpbench.ledger.statement import Integer, Real, Statement, event
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy.discrete import pair
from dpbench.privacy.profile import Profile, discrete_profile

EPSILON, DELTA = 1.0, 1e-5
EPSILONS = (0.1, EPSILON, 4.0)
SIGNS = FiniteClass(np.array([[1.0], [-1.0]]))
MOST = math.sqrt(2.0 / math.pi)  # E sup of |N|, and of {N, −N}


def two_signs(n: int, m: int) -> tuple[PublicDataProblem, PublicDataProblem]:
    """F = {1, −1}, 0–1 loss, n odd: (n + 1)/2 labels are 1, or −1 on the neighbour."""
    y = np.where(np.arange(n) <= n // 2, 1.0, -1.0)
    problem = PublicDataProblem(np.zeros(n, dtype=int), y, np.zeros(m, dtype=int), hypotheses=SIGNS, loss="zero-one")
    return problem, problem.replace_record(0, [0], -1.0)


def released(calls: int, chance: float, reach: float) -> float:
    """P(f̂ = f) of Algorithm 2 on {f, g} where P(f̄_j = f) = `chance`; `reach` = √m·‖f − g‖_m/γ.

    f̄ is g + (K/J)(f − g), K ~ Bin(J, `chance`), and f the nearer one iff N > −(K/J − 1/2)·reach.
    """
    counts = np.arange(calls + 1)
    law = binomial.mass(counts, calls, chance)
    return min(1.0, float(law @ ndtr((counts / calls - 0.5) * reach) / law.sum()))


def signs_profile(shift: float, calls: int, m: int, gamma: float) -> Profile:
    """The exact profile of the two data sets of `two_signs`; `shift` = 1/(nη), or 1/η beside a sum.

    L(f) − L(−f) is −1/n or 1/n and the process adds 2ηN, so f̄_j = f with probability Φ(±1/(2nη)).
    """
    chance = released(calls, float(ndtr(0.5 * shift)), 2.0 * math.sqrt(m) / gamma)
    return two_outcomes(chance, "exact", "two functions: a binomial count, then one normal against the middle")


def two_outcomes(chance: float, kind: str, why: str) -> Profile:
    """Outcomes of probabilities (p, 1 − p) against (1 − p, p)."""
    return discrete_profile(pair([chance, 1.0 - chance], [1.0 - chance, chance]), kind=kind, why=why)


LOW = "erfc(-(call - 1/2)*reach/sqrt(2))/2 - 121/1000*reach^2/(4*J)"
TAYLOR = (
    "f^ = f iff a Gaussian exceeds -(K/J - 1/2) reach, K the number of calls that gave f, of variance at most J/4; "
    "|Phi''| < 0.242: putting the mean for K/J costs at most 0.121 reach^2/(4 J). So f has at least the chance low on "
    "one data set and at most 1 - low on the other (-f by symmetry)."
)
MEAN_APART = Statement(
    about="Two constants 1 and 1 - D, a loss that tells them apart, balanced labels but for one record: {claim} at the "
    "exact calibration.",
    symbols={
        "m": Integer("public points", 16, 2**40),
        "strength": Real("n eta", 1, "1e30"),
        "gain": Real("mean of a call's difference over its deviation", "1/1000", 10),
        "calls": Real("calls J, rounded up, over log(2/delta)/(first term)^2", 1, "1e8"),
        "epsilon": Real("claimed", "1e-10", 10),
        "delta": Real("claimed", "1e-13", "1/100"),
        "x": Real("squared distance of means that is exceeded with chance exp(-J kl), over 4", "1e-12", "0.999"),
        "mu": Real("Gaussian shift that (epsilon, delta) allows", "1e-9", 30),
    },
    where={
        "apart": "1/(strength*gain)",
        "complexity": "apart/sqrt(2*pi)",
        "first": "4*complexity/strength^(1/3)",
        "J": "calls*log(2/delta)/first^2",
        "call": "erfc(-gain/sqrt(2))/2",
        "b": "sqrt(2/pi)/(2*strength)",
        "kl": "x*log(x/b) + (1 - x)*log((1 - x)/(1 - b))",
        "gamma": "sqrt(m)*2*sqrt(x)/mu",
        "reach": "sqrt(m)*apart/gamma",
        "low": LOW,
    },
    given={
        "inside": ("apart <= 2", "constants in [-1, 1]"),
        "size": ("log(m)^2/sqrt(m)*complexity + sqrt((log(log(m)) + log(1/delta))/m) <= 1/6", "(103) with C = 1"),
        "share": ("x > b", "beyond the mean"),
        "mean": ("b < 1", "a share"),
        "calibrated": ("gaussian_delta(mu, epsilon) + exp(-J*kl) <= delta", "gamma is within the claim"),
    },
    claim=event(p="low", q="1 - low"),
    steps=(
        "Loss 1[f(x) != y], labels in {1, 1 - D}, balanced but for one record: L(f) - L(g) = -+1/n, the process adds "
        "eta D N, so a call gives f with probability Phi(+-gain), gain = 1/(n eta D).",
        TAYLOR,
        "Rounding J up makes gamma smaller and low larger.",
    ),
)
