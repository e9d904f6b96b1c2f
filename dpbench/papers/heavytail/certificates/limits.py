"""Heavy-tailed paper: what no ε lowers (Theorems 1 and 2 for large ε), and where truncation sets the excess."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.stats import binom

from dpbench.certificates.build import Draft, above, certificate, near, without_bound
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.theorems.equation19 import PRINTED
from dpbench.papers.heavytail.theorems.hidden import rare_law
from dpbench.papers.heavytail.theorems.theorems1_2_moment import LIGHT, TAIL, fixed_law_excess


def large_epsilon(theta: Fraction) -> Draft:
    """Nine records ±1 with chances 0.55 and 0.45, ζ = 1e-4, ε = 1e13: the minority wins with chance 0.38."""
    order, square = float(theta), theta == 2
    shares, terms = (4, 4) if square else (5, 8)
    instances = []
    for epsilon in (10**13, 10**15):
        iota = above(
            theory.truncation(9, 1, float(epsilon), 0.05, theta=order, tau=1.0, moment="norm", diameter=2.0), 4
        )
        loss = -math.log(1.0 - 2.0 * float(iota) + (2.0 * float(iota)) ** order / order)
        missed = float(binom.cdf(4, 9, 0.55)) * (1.0 - 20_001.0 * math.exp(-epsilon * loss / (4.0 * math.log(order))))
        values = {"n": 9, "k": 5, "p": Fraction(45, 100), "iota": iota, "zeta": Fraction(1, 10**4), "tau": 1,
                  "epsilon": epsilon, "eta": Fraction(1, 20), "constant": 100, "theta": theta}  # fmt: skip
        instances.append((values, {"left": missed, "right": Fraction(shares, 20)}))
    smooth = (
        "3*zeta*tau + iota*(zeta*tau)^2 + 5/2*iota*spread" if square else
        "3*zeta*tau + 2*(2*iota)^(theta - 1)/theta*(spread + (zeta*tau)^theta)"
    )  # fmt: skip
    return Draft(
        verdict="refuted",
        statement="An excess beyond 100 times the bound has more than the probability that the theorem leaves.",
        symbols={"n": "records", "k": "labels -1 of a majority", "p": "chance of a label -1", "iota": "truncation",
                 "zeta": "radius of the net", "tau": "bound on the moment of x", "epsilon": "claimed",
                 "eta": "failure probability", "constant": "what O(.) is taken to hide", "theta": "order"},
        definitions={
            "N": "2/zeta + 1", "psi": "-log(1 - 2*iota + (2*iota)^theta/theta)",
            "spread": "2^theta*(1 - p)", "bound": f"{smooth} + {terms}*log(theta)*log(N/eta)/(n*iota*epsilon)",
            "other": "N*exp(-epsilon*psi/(4*log(theta)))",
            "excess": "1 - 2*p",
        },
        assumptions={
            "order": ("theta = 2" if square else "theta = 3/2", "the order of the moment"),
            "nine": ("k = (n + 1)/2", "a majority"), "inner": ("2*iota <= 1", "no residual is truncated"),
            "far": ("excess >= constant*bound", "every w < 0 is beyond the bound"),
        },
        claim={"left": "betatail(p, k, n - k + 1)*(1 - other)", "relation": "<=", "right": f"{shares}*eta"},
        instances=instances,
        derivation=[
            ("x = 1, W = [-1, 1], y = 1 or -1: the excess of w is (1 - 2 p)(1 - w), more than 1 - 2 p for w < 0.",
             ["far"]),
            ("With k or more labels -1 let S be the sum of psi(iota |y_i - w|). Between the labels S is concave; psi "
             "is too, so S(0) >= n psi(2 iota)/2, S(1) is at least k psi(2 iota), and S(-1) at most (n - k) psi(2 "
             "iota): every w >= 0 has S >= S(-1) + psi(2 iota)/2.", ["inner", "nine", "order"]),
            ("The weights are exp(-epsilon S/(2 log theta)), half of the printed exponent (more concentrated with the "
             "whole): all of N net points with w >= 0 together have at most the chance other.", []),
        ],
    )  # fmt: skip


@certificate("heavytail.thm1.inequality.large-epsilon", "inequality")
def theorem1_large() -> Draft:
    return large_epsilon(Fraction(2))


@certificate("heavytail.thm2.inequality.large-epsilon", "inequality")
def theorem2_large() -> Draft:
    return large_epsilon(Fraction(3, 2))


@certificate("heavytail.thm1.inequality.y-moment.fixed-law", "growth")
def fixed_law() -> Draft:
    """n = t⁸: the excess of `fixed_law_excess` over the rate of (7)."""
    first = 10
    n = 2 ** (8 * first)
    iota = theory.truncation(n, 1, 1.0, 0.05, theta=2.0, tau=1.0, moment="norm", diameter=2.0)
    quantity = fixed_law_excess(iota) / theory.rate(n, 1, 1.0, 0.05, theta=2.0, tau=1.0, moment="norm", diameter=2.0)
    return Draft(
        verdict="refuted",
        statement="On one law, the same for all n, the excess over the rate of (7) grows without bound in n.",
        symbols={"t": "eighth root of the number of records n", "epsilon": "claimed", "eta": "failure probability",
                 "tau": "bound on the moment of x", "Delta": "diameter", "index": "Pareto index of Y",
                 "light": "c of the risk (c/4) w^4"},
        definitions={
            "n": "t^8", "share": "log(n)*log(1/eta)/(n*epsilon)", "iota": "sqrt(share)/(tau*Delta)",
            "lost": "3/10*index/(index - 1/2)*(iota/4)^(index - 1/2) - 2*iota",
            "away": "min(1, (lost/light)^(1/3))", "excess": "light/4*away^4", "rate": "tau*Delta*sqrt(share)",
        },
        assumptions={"index": ("index > 1", "E|y| is finite"), "ball": ("Delta = 2", "W = [-1, 1]"),
                     "moment": ("tau = 1", "E x^2 <= 1")},
        claim=without_bound("t", first, "excess/rate", "1/2"),
        instances=[({"epsilon": 1, "eta": Fraction(1, 20), "tau": 1, "Delta": 2, "index": near(TAIL, 3),
                     "light": near(LIGHT, 3)}, {"quantity": quantity})],
        derivation=[
            ("With chance 0.3 Y is Pareto(index), x = sqrt(Y), y = Y; else x = 1 and y in [-1, 1] with a law that "
             "makes L - L* = (c/4) w^4 on W. Truncation takes at least lost from the slope, so the minimiser of the "
             "expected truncated risk is away from 0 by (lost/c)^(1/3) or more.", ["index", "ball", "moment"]),
            ("Sampling moves the slope by n^(-1/2) and the mechanism's noise the excess by n^(-1/2): both are of lower "
             "order than what is shown, which is n^(-2/5) up to logarithms.", []),
        ],
    )  # fmt: skip


@certificate("heavytail.thm2.inequality.assumption4-truncation", "growth")
def printed_truncation() -> Draft:
    """The rare law at θ = 3/2 and the printed ι, n from 2²⁰ on: (19) needs a constant that grows."""
    first, order = 20, 1.5
    n = 2**first
    iota = theory.truncation(n, 1, 1.0, 0.05, theta=order, tau=1.0, moment="coordinate", diameter=2.0, printed=True)
    chance, size, common = rare_law(iota, order)
    rate = theory.rate(n, 1, 1.0, 0.05, theta=order, tau=1.0, moment="coordinate", diameter=2.0)
    quantity = 0.9 * (chance * size - (1.0 - chance) * common) / rate
    return Draft(
        verdict="refuted",
        statement="With probability 1 - eta the excess is that of a |w| <= 1/10, and it grows without bound over "
        "(19).",
        symbols={"n": "records", "epsilon": "claimed", "eta": "failure probability", "theta": "order of the moment",
                 "Delta": "diameter"},
        definitions={
            "share": "log(n)*log(1/eta)/(n*epsilon)", "iota": "share^((theta - 1)/theta)", "M": "4/iota",
            "p": "M^(-theta)/(1 + (1/2)^theta*M^(theta - theta^2))", "a": "p*M/2",
            "many": "n - 6/5*n*p", "half": "iota*a/2",
            "gap": PRINTED.all_definitions["gap"],
            "missed": PRINTED.all_definitions["missed"],
            "excess": "9/10*(p*M - (1 - p)*a)", "rate": "Delta*share^((theta - 1)/theta)",
        },
        assumptions={"order": ("theta = 3/2", "the order of the moment"), "ball": ("Delta = 2", "W = [-1, 1]")},
        claim=without_bound("n", first, "excess/rate", "1/10", holds=["missed < eta"]),
        instances=[({"epsilon": 1, "eta": Fraction(1, 20), "theta": Fraction(3, 2), "Delta": 2},
                    {"quantity": quantity})],
        derivation=[
            ("x = y = M with chance p, else x = a and y = 0, so that E|x|^theta <= 1 and E|y|^theta <= 1; the risk p "
             "M (1 - w) + (1 - p) a |w| is least at w = 1, and every |w| <= 1/10 has at least the excess stated.",
             ["order", "ball"]),
            ("Given at most 6/5 n p rare records (Chernoff), every |w| > 1/10 has a sum of losses larger by gap than "
             "w = 0: psi(z) >= z/2 for the common records, and a rare one counts log(theta) at most. The weights are "
             "exp(-epsilon sum/(2 log theta)) on at most 2 n + 1 net points: missed bounds the chance of |w| > 1/10.",
             []),
        ],
    )  # fmt: skip
