"""Theorem 5 and Lemmas 1, 7, 8, 10 and 14 of the public-data paper: inequalities that fail at listed values."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.special import erfc
from scipy.stats import binom

from dpbench.certificates.build import Draft, certificate
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.spaces import QUESTIONS

_TWO = (
    "F = {f, -f}, |f|_m = 1, so kappa = 1 and E sup omega = E|N| = sqrt(2/pi); one record moves L(f) - L(-f) by 2/n, "
    "and a call flips, to a squared distance of 4, with probability P(|N| <= 1/(2 n eta)).",
    ["call"],
)
_STRENGTH = {"strength": "n eta, records times the weight of the process"}
_CALL = {"call": ("strength > 0", "the process is there")}

_BOUND = QUESTIONS["publicdata.lemma7.stability"].all_definitions["printed"]


@certificate("publicdata.thm5.inequality", "inequality")
def theorem5() -> Draft:
    instances = []
    for a in (Fraction(9, 10), Fraction(4, 5)):
        left = 0.5 - 0.5 * float(erfc(0.01 / float(1 - a) / math.sqrt(2.0)))
        right = 0.01 / (float(1 - a) * float(a) ** 4) * float(1 - a) / math.sqrt(2.0 * math.pi)
        instances.append(({"a": a, "tau": Fraction(1, 100), "eta": 1}, {"left": left, "right": right}))
    return Draft(
        verdict="refuted", statement="The event has more than the bound's probability on a set of two points.",
        symbols={"a": "the second point is a times the first", "tau": "gap", "eta": "weight of the process"},
        definitions={
            "kappa": "a^2", "rho2": "1 - a", "supremum": "(1 - a)/sqrt(2*pi)",
            "chance": "1/2 - erfc(tau/(eta*(1 - a)*sqrt(2)))/2",
        },
        assumptions={"inside": ("a < 1", "K(t, t) <= 1"), "positive": ("a > 0", "kappa > 0")},
        claim={"left": "chance", "relation": "<=", "right": "tau/(rho2*eta*kappa^2)*supremum"}, instances=instances,
        derivation=[("omega = (N, a N), m = 0. For N < 0 the minimiser is N, K(s, t*)/K(t*, t*) = a = 1 - rho^2, and "
            "a N <= "
                     "N + tau iff N >= -tau/(1 - a). E max(N, a N) = (1 - a) E N_+.", ["inside", "positive"])],
    )  # fmt: skip


@certificate("publicdata.lemma7.stability", "inequality")
def lemma7() -> Draft:
    instances = []
    for strength in (Fraction(1, 2), Fraction(3, 4)):
        left = 4.0 * (1.0 - float(erfc(1.0 / (2.0 * float(strength)) / math.sqrt(2.0))))
        right = 2.0 * (math.sqrt(2.0 / math.pi) / float(strength)) ** (1.0 / 3.0)
        if left > right:
            instances.append(({"strength": strength, "kappa": 1}, {"left": left, "right": right}))
    return Draft(
        verdict="refuted", statement="The mean square exceeds the bound.",
        symbols={**_STRENGTH, "kappa": "least norm in the class"},
        definitions={"flip": "1 - erfc(1/(2*strength)/sqrt(2))", "supremum": "sqrt(2/pi)"},
        assumptions={**_CALL, "norm": ("kappa = 1", "both functions have the norm 1")},
        claim={"left": "4*flip", "relation": "<=", "right": _BOUND.replace("norm", "kappa")},
        instances=instances, derivation=[_TWO, ("4 flip is the mean square.", ["norm"])],
    )  # fmt: skip


@certificate("publicdata.lemma1.inequality.hoeffding", "inequality")
def hoeffding() -> Draft:
    strength, calls, failure = 0.5, 1000, Fraction(1, 1000)
    flip = 1.0 - float(erfc(1.0 / (2.0 * strength) / math.sqrt(2.0)))
    size = math.sqrt(2.0 / math.pi) / strength
    bound = 2.0 * size ** (1.0 / 3.0) + math.sqrt(math.log(1000.0) / calls)
    k = math.floor(0.25 * bound * calls) + 1
    values = {"strength": Fraction(1, 2), "J": calls, "delta": failure, "k": k}
    return Draft(
        verdict="refuted", statement="The mean square is beyond the bound with more than probability delta.",
        symbols={**_STRENGTH, "J": "calls", "delta": "failure probability", "k": "calls that flip"},
        definitions={
            "flip": "1 - erfc(1/(2*strength)/sqrt(2))", "C": "sqrt(2/pi)/strength",
            "bound": QUESTIONS["publicdata.lemma1.inequality.hoeffding"].all_definitions["bound"],
        },
        assumptions={**_CALL, "beyond": ("4*k/J > bound", "k calls that flip are beyond the bound")},
        claim={"left": "betatail(flip, k, J - k + 1)", "relation": "<=", "right": "delta"},
        instances=[(values, {"left": float(binom.sf(k - 1, calls, flip)), "right": failure})],
        derivation=[_TWO, ("The J calls are independent: betatail is the chance that k or more flip.", ["beyond"])],
        theory={"bound": lambda v: theory.lemma7_printed(1, v["strength"], math.sqrt(2.0 / math.pi), 1.0)
                + math.sqrt(math.log(1.0 / v["delta"]) / v["J"])},
    )  # fmt: skip


@certificate("publicdata.lemma8.inequality.gaussian", "inequality")
def lemma8() -> Draft:
    instances = []
    for beta in (Fraction(1, 100), Fraction(1, 10**5)):
        gamma = Fraction(round(0.4999 / math.sqrt(math.log(1 / beta)) * 10**4), 10**4)
        left = float(erfc(0.5 / float(gamma) / math.sqrt(2.0)))
        instances.append(({"m": 1, "beta": beta, "gamma": gamma}, {"left": left, "right": beta}))
    return Draft(
        verdict="refuted", statement="f^ differs from fbar by more than that with more than probability beta.",
        symbols={"m": "public points", "beta": "failure probability", "gamma": "scale of the noise"},
        definitions={"bound": "2*gamma*sqrt(log(1/beta))", "chance": "erfc(1/(2*gamma)/sqrt(2))"},
        assumptions={"below": ("bound < 1", "a displacement of 1 is beyond the bound"), "one": ("m = 1", "one public "
            "point")},
        claim={"left": "chance", "relation": "<=", "right": "beta"}, instances=instances,
        derivation=[("F = {-1, 0, 1}, fbar = 0: f^ is 1 or -1 iff gamma |zeta| > 1/2.", ["below", "one"])],
        theory={"bound": lambda v: theory.displacement_printed(1, v["gamma"], v["beta"], "gaussian")},
    )  # fmt: skip


@certificate("publicdata.lemma10.inequality", "inequality")
def lemma10() -> Draft:
    instances = []
    for size in (Fraction(1, 20), Fraction(1)):
        tail = math.sqrt(math.log(2e5) / 10**6)
        left = 2.0 * float(size / 10) ** (1 / 3) * 0.25 ** (-2 / 3) + tail
        right = theory.lemma10_stability_printed(100, 0.1, float(size), 10**6, 1e-5)
        values = {"n": 100, "eta": Fraction(1, 10), "g": size, "kappa": Fraction(1, 4), "J": 10**6,
                  "delta": Fraction(1, 10**5)}  # fmt: skip
        instances.append((values, {"left": left, "right": right}))
    return Draft(
        verdict="refuted", statement="What stands for the stability is less than the stability of Lemma 1.",
        symbols={"n": "records", "eta": "weight of the process", "g": "E sup omega_m", "kappa": "least norm in the "
            "class",
                 "J": "calls", "delta": "claimed"},
        definitions={"lemma1": "2/((eta*n)^(1/3)*kappa^(2/3))*g^(1/3) + sqrt(log(2/delta)/J)",
                     "used": QUESTIONS["publicdata.lemma10.inequality"].claim["right"]},
        assumptions={"kappa": ("kappa >= 1/4", "the lower bound that the proof has")},
        claim={"left": "lemma1", "relation": "<=", "right": "used"}, instances=instances,
        derivation=[("Lemma 1 at failure probability delta/2 has the cube root of g, and kappa.", ["kappa"])],
        theory={"used": lambda v: theory.lemma10_stability_printed(
                    int(v["n"]), v["eta"], v["g"], int(v["J"]), v["delta"]),
                "lemma1": lambda v: theory.averaged_stability_printed(
                    int(v["n"]), v["eta"], v["g"], int(v["J"]), 0.5 * v["delta"], v["kappa"])},
    )  # fmt: skip
