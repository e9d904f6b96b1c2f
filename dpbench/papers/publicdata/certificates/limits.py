"""Theorem 6's two sample sizes, and Theorem 4 with Gaussian weights, of the public-data paper."""

from __future__ import annotations

import math
from fractions import Fraction

from dpbench.certificates.build import Draft, Number, certificate, without_bound
from dpbench.certificates.search.formula import program
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.spaces import QUESTIONS
from dpbench.privacy import gaussian


@certificate("publicdata.thm6.inequality.sample-size", "growth")
def sample_size() -> Draft:
    """(129) over d ε⁻³α⁻¹⁴ along d: four powers more."""
    first = 2
    quantity = theory_settings.theorem6(1.0, 1e-5, 0.5, 0.05, 2.0**first, 1.0, 1.0).n / (2.0**first * 2.0**14)
    return Draft(
        verdict="refuted",
        statement="The sample size of Theorem 6 in its detailed form, over the one that section 3 says, grows like "
        "d^4.",
        symbols={"d": "VC dimension", "epsilon": "claimed", "delta": "claimed", "alpha": "accuracy",
                 "beta": "failure probability", "sigma": "smoothness of the distribution",
                 "lambda": "Lipschitz constant"},
        definitions={
            "b": "log(1/beta)", "c": "log(1/delta)",
            "n": "max(lambda^12*d^5*b^6/(sigma^12*epsilon^3*alpha^14), "
            "d^5*lambda^9*b^(9/2)*c^(3/2)/(sigma^9*epsilon^3*alpha^10))",
            "said": "d/(epsilon^3*alpha^14)",
        },
        assumptions={"plain": ("sigma = 1", "no smoothness in the statement"), "unit": ("lambda = 1", "nor lambda")},
        claim=without_bound("d", first, "n/said", "4"),
        instances=[({"epsilon": 1, "delta": Fraction(1, 10**5), "alpha": Fraction(1, 2), "beta": Fraction(1, 20),
                     "sigma": 1, "lambda": 1}, {"quantity": quantity})],
        derivation=[("(129) has d^5, section 3 has vc: no O(.) closes it.", ["plain", "unit"])],
    )  # fmt: skip


@certificate("publicdata.thm4.inequality.gaussian-learner", "growth")
def learner() -> Draft:
    """d = t⁴: the m that privacy needs over the m that learns at n of (21), at C = 1000 and log(d)³ for Ω̃."""
    first = 6
    epsilon, alpha, log, constant = 0.125, 0.125, math.log(1e5), 1000.0
    d = 2.0 ** (4 * first)
    s = d / 8.0
    n = d * d / (epsilon * alpha**4) * math.sqrt(log) * math.log(20.0) * math.log(d) ** 3
    private = (s * epsilon / constant) ** 2 / log
    accurate = 8.0 * alpha * epsilon * n / (constant * math.sqrt(d * log))
    return Draft(
        verdict="refuted",
        statement="The m that is needed for privacy on one class over the largest m that learns another grows "
        "without bound in d.",
        symbols={"t": "fourth root of the VC dimension d", "epsilon": "claimed", "delta": "claimed",
                 "alpha": "accuracy",
                 "beta": "failure probability", "C": "the theorem's constant, as large as one likes"},
        definitions={
            "d": "t^4", "s": "d/8", "survival": "exp(-2*sqrt(2)*d/(sqrt(pi)*s))",
            "broken": "1/2 - exp(epsilon)*survival/2 - delta",
            "n": QUESTIONS["publicdata.thm4.inequality.gaussian-learner"].all_definitions["n"],
            "needed": "(s*epsilon/C)^2/log(1/delta)",
            "accurate": QUESTIONS["publicdata.thm4.inequality.gaussian-learner"].all_definitions["accurate"],
        },
        assumptions={"cost": ("8*erfc(1/sqrt(2))/2 > 1", "flips of chance Phi(-1) cost more than alpha"),
                     "bias": ("8*alpha <= 1", "labels biased by 8 alpha")},
        claim=without_bound("t", first, "needed/accurate", "2", "-3", holds=["broken > 0"]),
        instances=[({"epsilon": Fraction(1, 8), "delta": Fraction(1, 10**5), "alpha": Fraction(1, 8),
                     "beta": Fraction(1, 20), "C": 1000}, {"quantity": private / accurate})],
        derivation=[
            ("The cube with one public point a bit: parity 1 has the chances 1/2 and erfc(sqrt(2)/s)^d/2 on the tilted "
             "pair; log erfc is concave with slope -2/sqrt(pi) at 0, so erfc(sqrt(2)/s)^d <= survival, and weights of "
             "a standard deviation of s = d/8 or less break (epsilon, delta) where broken > 0; with C sqrt(m "
             "log(1/delta))/epsilon privacy asks for m > needed.", []),
            ("The cube with its points in d equal groups, labels biased by 8 alpha: a bit flips with chance Phi(-1) "
             "once m reaches accurate, and the flips cost 8 alpha Phi(-1) > alpha.", ["bias", "cost"]),
            ("needed/accurate depends on C by 1/C alone: no choice of m as a function of the parameters does both.",
             []),
        ],
    )  # fmt: skip


@certificate("publicdata.thm4.privacy.gaussian-patterns", "guarantee")
def patterns() -> Draft:
    """The closed form of the scale for N labellings: each labelling's Gaussian pair within (ε, δ/N)."""
    closed = QUESTIONS["publicdata.thm4.privacy.gaussian-patterns"].all_definitions["s"]
    definitions = {"N": "(exp(1)*m/d)^d", "root": "log(N/delta)", "scale": closed.replace("many", "root")}
    instances = []
    for m, d in ((100, 1), (10_000, 1), (100_000, 10)):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            size = d * math.log(math.e * m / d)
            values: dict[str, Number] = {"m": m, "d": d, "epsilon": epsilon, "delta": Fraction(1, 10**5)}
            (scale,) = program(list(values), definitions, ["scale"])({k: float(v) for k, v in values.items()})
            shown = math.exp(size) * gaussian.delta(float(epsilon), 2.0 * math.sqrt(m) / scale)
            instances.append((values, {"delta": shown}))
    return Draft(
        verdict="proved",
        statement="Gaussian weights of the closed-form scale keep Algorithm 4 within (epsilon, delta) on every class "
        "of VC dimension d.",
        symbols={"m": "public points", "d": "VC dimension", "epsilon": "claimed", "delta": "claimed"},
        definitions=definitions,
        assumptions={"points": ("m >= d", "at most N labellings of the public points (Sauer and Shelah)")},
        claim={"family": "bound", "shift": "N*gaussian_delta(2*sqrt(m)/scale, epsilon)", "scale": "1",
               "epsilon": "epsilon", "delta": "delta"},
        instances=instances,
        derivation=[
            ("Given the labels, a labelling v wins iff sums of the weights pass thresholds that a record moves by at "
             "most 2; adding 2 to every weight, signed by v, makes up for it. So P(v wins) and P'(v wins) are those "
             "of a Gaussian pair 2 sqrt(m)/scale apart.", []),
            ("The sum over the labellings costs the factor N.", ["points"]),
        ],
    )  # fmt: skip
