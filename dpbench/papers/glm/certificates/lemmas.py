"""Lemmas 5, 9, 10 and 11 of the GLM paper, Theorem 15's moment, equation (21), and misprints of the lower bounds."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.stats import binom, norm

from dpbench.certificates.build import Draft, certificate, without_bound
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.spaces import QUESTIONS
from dpbench.papers.glm.theorems.lemma5 import tripling_pair


@certificate("glm.lemma5.stability", "inequality")
def lemma5() -> Draft:
    """η = 4/H̃ triples the difference of two runs at each step."""
    instances = []
    for n, steps in ((10**6, 16), (10**4, 10)):
        left, right = tripling_pair(n, steps)
        if left > right:
            instances.append(({"n": n, "T": steps, "H": 2, "Y": 1}, {"left": float(left), "right": float(right)}))
    return Draft(
        verdict="refuted",
        statement="At eta = 4/H the left side exceeds the right.",
        symbols={"n": "number of records", "T": "steps", "H": "smoothness H~", "Y": "root of the loss at zero"},
        definitions={
            "eta": "4/H",
            "c": "1 - (1 - (-3)^T)/(4*T)",
            "regret": "sum(j, 1, T, (9^(j - 1) - 1)/n)",
        },
        assumptions={"loss": ("H = 2", "the squared loss"), "labels": ("Y = 1", "labels +-1")},
        claim={"left": "c^2*2*Y^2/n^2", "relation": "<=",
               "right": "8*H*eta^2*T/n*(1/n)*regret + 8*H*eta^2*T*Y^2/n"},
        instances=instances,
        derivation=[
            ("Squared loss, d = 1, x = 1, fair labels +-1, no noise, a ball that is never met (B = 1 + 3^(T-1)): w_t = "
             "(1 - (-3)^(t-1)) times the mean label.", ["loss", "labels"]),
            ("The average of w_1..w_T is c times the mean label, whose replaced record moves it by 2/n half of the "
             "time: the left side is c^2 2/n^2. L^(w_j) - L^(0) = (9^(j-1) - 1) mean^2, of expectation 1/n; w* = "
             "0.", []),
        ],
    )  # fmt: skip


@certificate("glm.lemma9.inequality", "inequality")
def lemma9() -> Draft:
    """The squared loss at the far end of the ball."""
    instances = []
    for b, y in ((Fraction(1), Fraction(1)), (Fraction(1, 2), Fraction(1))):
        right = y**2 + 2 * b**2
        instances.append(({"B": b, "X": 1, "Y": y, "H": 2}, {"left": (b + y) ** 2, "right": right}))
    return Draft(
        verdict="refuted",
        statement="A point of the ball has a loss above Delta(B).",
        symbols={"B": "radius", "X": "bound on the features' norm", "Y": "bound on the labels", "H": "smoothness"},
        definitions={"Delta": "Y^2 + H*B^2*X^2"},
        assumptions={"loss": ("H = 2", "the squared loss (<w, x> - y)^2")},
        claim={"left": "(B*X + Y)^2", "relation": "<=", "right": "Delta"}, instances=instances,
        derivation=[("w = -B e, x = X e, y = Y: the loss is (B X + Y)^2, and at w = 0 it is Y^2.", ["loss"])],
        theory={"Delta": lambda v: theory.ball_loss_bound(v["H"], v["X"], v["Y"], v["B"])},
    )  # fmt: skip


@certificate("glm.lemma10.inequality", "inequality")
def lemma10() -> Draft:
    """A little noise does not bring the far end of the ball back below Δ(B)."""
    sigma, delta, beta = Fraction(1, 100), Fraction(1, 10**5), Fraction(1, 20)
    bound = theory.perturbed_loss_bound(2.0, 1.0, 1.0, 1.0, 0.01, 1, 1e-5)
    left = float(norm.cdf((2.0 - math.sqrt(bound)) / 0.01))
    values = {"B": 1, "X": 1, "Y": 1, "H": 2, "sigma": sigma, "K": 1, "delta": delta, "beta": beta}
    return Draft(
        verdict="refuted",
        statement="A loss above Delta(B) has more than the chance that Assumption 2 allows.",
        symbols={"B": "radius", "X": "bound on the features' norm", "Y": "bound on the labels", "H": "smoothness",
                 "sigma": "noise", "K": "candidates", "delta": "claimed", "beta": "failure probability"},
        definitions={
            "Delta": QUESTIONS["glm.lemma10.inequality"].all_definitions["Delta"],
            "chance": "erfc(-(B*X + Y - sqrt(Delta))/(X*sigma*sqrt(2)))/2",
        },
        assumptions={"loss": ("H = 2", "the squared loss")},
        claim={"left": "chance", "relation": "<=", "right": "min(delta, beta)/(4*K)"},
        instances=[(values, {"left": left, "right": Fraction(1, 4 * 10**5)})],
        derivation=[("w~ = -B e (all records (X e, -B X), say), w^ = w~ + noise, record (X e, Y): the loss is at least "
                     "Delta where the noise along e is below (B X + Y - sqrt(Delta))/X.", ["loss"])],
        theory={"Delta": lambda v: theory.perturbed_loss_bound(
            v["H"], v["X"], v["Y"], v["B"], v["sigma"], int(v["K"]), v["delta"])},
    )  # fmt: skip


_LEMMA_11 = {
    "T": QUESTIONS["glm.lemma11.inequality"].all_definitions["T"],
    "U": QUESTIONS["glm.lemma11.inequality"].all_definitions["U"],
}
_THEORY_11 = {
    "T": lambda v: theory.boosting_spread(v["H"], v["Y"], v["gamma"], int(v["n"]), v["beta"]),
    "U": lambda v: theory.boosting_upper(v["H"], v["Y"], v["gamma"], int(v["n"]), v["beta"]),
}


@certificate("glm.lemma11.inequality", "inequality")
def lemma11() -> Draft:
    """w = 0 and two-valued labels: the mean loss is a binomial count, and T as small as one likes."""
    y, n, beta, gamma = 10, 100, Fraction(1, 10), Fraction(1, 10**9)
    spread = theory.boosting_spread(2.0, y, float(gamma), n, 0.1)
    upper = theory.boosting_upper(2.0, y, float(gamma), n, 0.1)
    k = math.floor(n / y**2 * ((1.0 + spread) * 0.5 * y**2 + upper)) + 1
    values = {"n": n, "Y": y, "H": 2, "gamma": gamma, "beta": beta, "p": Fraction(1, 2), "k": k}
    return Draft(
        verdict="refuted",
        statement="The first inequality fails with more than probability beta.",
        symbols={"n": "records", "Y": "bound on the labels", "H": "smoothness H~", "gamma": "sub-Gaussian parameter",
                 "beta": "failure probability", "p": "chance of a label Y", "k": "records with the label Y"},
        definitions=_LEMMA_11,
        assumptions={"beyond": ("k*Y^2/n > (1 + T)*p*Y^2 + U", "k labels Y break the first inequality"),
                     "loss": ("H = 2", "the squared loss"), "sub": ("gamma > 0", "w = 0 is sub-Gaussian with any "
                         "gamma")},
        claim={"left": "betatail(p, k, n - k + 1)", "relation": "<=", "right": "beta"},
        instances=[(values, {"left": float(binom.sf(k - 1, n, 0.5)), "right": beta})],
        derivation=[("w = 0, labels Y with probability p, else 0: the mean loss is Y^2 Bin(n, p)/n and the risk p Y^2.",
                     ["loss", "sub"]),
                    ("k or more labels Y break the inequality; betatail is the chance of that.", ["beyond"])],
        theory=_THEORY_11,
    )  # fmt: skip


@certificate("glm.lemma11.inequality.rare", "inequality")
def lemma11_rare() -> Draft:
    """One rare record (1, 0) among records (0, 0) and w = 1; Y is free, for the loss at zero is 0."""
    n, beta, gamma, y = 1000, Fraction(1, 10**5), Fraction(121, 100), Fraction(1, 10_000)
    loss = Fraction(51, 50) * beta / n
    return Draft(
        verdict="refuted",
        statement="One record makes the mean loss larger than the bound, and comes with more than probability beta.",
        symbols={"n": "records", "Y": "bound on the root of the loss at zero, which is 0", "H": "smoothness H~",
                 "gamma": "sub-Gaussian parameter", "beta": "failure probability",
                 "loss": "the risk of w = 1: the chance of the record (1, 0)"},
        definitions=_LEMMA_11,
        assumptions={"beyond": ("1/n > (1 + T)*loss + U", "a single record (1, 0) breaks the first inequality"),
                     "squared": ("H = 2", "the squared loss"),
                     "model": ("gamma^2*log(2) >= 1", "E exp(w^2/gamma^2) <= 2 for w = 1")},
        claim={"left": "1 - (1 - loss)^n", "relation": "<=", "right": "beta"},
        instances=[({"n": n, "Y": y, "H": 2, "gamma": gamma, "beta": beta, "loss": loss},
                    {"left": -math.expm1(n * math.log1p(-float(loss))), "right": beta})],
        derivation=[("w = 1, records (1, 0) with probability loss, else (0, 0): the mean loss is the share of the "
                     "records (1, 0), 1/n or more if there is one, and the loss at zero is 0.", ["squared", "model"]),
                    ("A single one breaks the inequality; the left side is the chance of that.", ["beyond"])],
        theory=_THEORY_11,
    )  # fmt: skip


@certificate("glm.thm7.inequality.penalty", "inequality")
def penalty() -> Draft:
    """Equation (21) at w = 0: 4Y² stands where the second moment is of the order Y⁴."""
    y, n, beta = 10, 200, Fraction(1, 10)
    tau = theory.score_penalty(theory.ball_loss_bound(2.0, 1.0, y, 2.0), y, n, 4, 0.1)
    records = n // 2
    k = math.ceil(records * (0.5 + tau / y**2)) + 0
    values = {"n": n, "Y": y, "H": 2, "X": 1, "B": 2, "K": 1, "beta": beta, "p": Fraction(1, 2), "k": k}
    return Draft(
        verdict="refuted",
        statement="The difference is larger with more than that probability.",
        symbols={"n": "records, half of them in S_2", "Y": "bound on the labels", "H": "smoothness",
                 "X": "bound on the features' norm", "B": "radius", "K": "candidates", "beta": "failure probability",
                 "p": "chance of a label Y", "k": "records of S_2 with the label Y"},
        definitions={
            "Delta": "Y^2 + H*B^2*X^2",
            "tau": QUESTIONS["glm.thm7.inequality.penalty"].all_definitions["tau"],
            "records": "n/2",
        },
        assumptions={"beyond": ("k*Y^2/records - p*Y^2 > tau", "k labels Y are beyond tau"),
                     "loss": ("H = 2", "the squared loss")},
        claim={"left": "betatail(p, k, records - k + 1)", "relation": "<=", "right": "beta/(2*K)"},
        instances=[(values, {"left": float(binom.sf(k - 1, records, 0.5)), "right": Fraction(1, 20)})],
        derivation=[("w = 0, labels Y with probability p, else 0: the mean loss over S_2 is Y^2 Bin/records.",
                     ["loss"]),
                    ("k or more labels Y are beyond tau above the risk p Y^2: betatail is the chance.", ["beyond"])],
        theory={"Delta": lambda v: theory.ball_loss_bound(v["H"], v["X"], v["Y"], v["B"]),
                "tau": lambda v: theory.score_penalty(theory.ball_loss_bound(v["H"], v["X"], v["Y"], v["B"]), v["Y"],
                                                      int(v["n"]), 4 * int(v["K"]), v["beta"])},
    )  # fmt: skip


@certificate("glm.thm15.inequality", "inequality")
def theorem15() -> Draft:
    """E exp(⟨w, u⟩²/γ²) along the minimiser, with little noise."""
    b, sigma = 1.0, 0.1
    gamma2 = b * b + sigma * sigma
    left = math.exp(b * b / (gamma2 - 2 * sigma**2)) / math.sqrt(1.0 - 2.0 * sigma**2 / gamma2)
    return Draft(
        verdict="refuted",
        statement="Condition 2 of Theorem 13, E exp(<w, u>^2/gamma^2) <= 2, fails.",
        symbols={"B": "radius", "sigma": "noise", "two": "the bound of condition 2"},
        definitions={"gamma2": "B^2 + sigma^2"},
        assumptions={"finite": ("gamma2 > 2*sigma^2", "the expectation is finite"),
                     "two": ("two = 2", "the definition of sub-Gaussian")},
        claim={"left": "exp(B^2/(gamma2 - 2*sigma^2))/sqrt(1 - 2*sigma^2/gamma2)", "relation": "<=", "right": "two"},
        instances=[({"B": 1, "sigma": Fraction(1, 10), "two": 2}, {"left": left, "right": 2})],
        derivation=[("w = B u + noise: E exp((B + sigma N)^2/g) = exp(B^2/(g - 2 sigma^2))/sqrt(1 - 2 sigma^2/g), g "
            "> 2 "
                     "sigma^2.", ["finite", "two"])],
        theory={"gamma2": lambda v: theory.perturbed_sub_gaussian(v["B"], v["sigma"]) ** 2},
    )  # fmt: skip


@certificate("glm.thm11.inequality.norms", "inequality")
def norms() -> Draft:
    return Draft(
        verdict="refuted", statement="The square of the norm exceeds the norm.",
        symbols={"d": "d'", "u": "each coordinate of v - mu"}, definitions={"square": "sum(j, 1, d, u^2)"},
        assumptions={"cube": ("u <= 1", "v and mu lie in the cube"), "below": ("u >= 0", "v >= mu")},
        claim={"left": "square", "relation": "<=", "right": "sqrt(square)"},
        instances=[({"d": 4, "u": 1}, {"left": 4, "right": 2.0})],
        derivation=[("v = (1, ..., 1), mu = 0. True for d' = 1 alone.", ["cube", "below"])],
    )  # fmt: skip


@certificate("glm.cor5.floor.small-radius", "growth")
def small_radius() -> Draft:
    return Draft(
        verdict="refuted",
        statement="The floor over what w = 0 has grows without bound as B = 1/t "
            "falls.",
        symbols={"t": "1/B", "n": "records", "X": "bound on the features' norm", "Y": "bound on the labels",
                 "d": "dimension", "H": "smoothness"},
        definitions={"B": "1/t", "floor": QUESTIONS["glm.cor5.floor.small-radius"].sides[0], "zero": "H*B^2*X^2/2"},
        assumptions={"dimension": ("d >= 1", "there is a coordinate")},
        claim=without_bound("t", 2, "floor/zero", "1"),
        instances=[({"n": 10, "X": 1, "Y": 1, "d": 1, "H": 1}, {"quantity": 8.0 / math.sqrt(10.0)})],
        derivation=[("The excess risk of w = 0 is at most H B^2 X^2/2 by smoothness, for a minimiser of norm B.",
                     ["dimension"])],
    )  # fmt: skip


@certificate("glm.thm16.floor.small-radius", "growth")
def small_radius_16() -> Draft:
    return Draft(
        verdict="refuted",
        statement="The printed floor over what w = 0 has at most grows without bound as B = 1/t falls.",
        symbols={"t": "1/B", "n": "records", "X": "bound on the features' norm", "Y": "bound on the labels",
                 "H": "smoothness"},
        definitions={"B": "1/t", "floor": "min(Y, B*X)/sqrt(n)", "zero": "H*B^2*X^2/2"},
        assumptions={"smooth": ("H >= 2", "the theorem's H"), "features": ("X >= 1", "the theorem's features")},
        claim=without_bound("t", 2, "floor/zero", "1"),
        instances=[({"n": 100, "X": 1, "Y": 1, "H": 2}, {"quantity": 4.0 / 10.0})],
        derivation=[("w* minimises over the whole line, so the excess risk of w = 0 is at most H B^2 X^2/2 by "
                     "smoothness, for every loss of the theorem with |w*| <= B.", ["smooth", "features"])],
    )  # fmt: skip
