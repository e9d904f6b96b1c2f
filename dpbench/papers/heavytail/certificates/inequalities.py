"""Misprints of the heavy-tailed paper and statements that fail, at listed values or along n."""

from __future__ import annotations

import math
from fractions import Fraction

from dpbench.certificates.build import Draft, certificate, without_bound
from dpbench.papers.heavytail.theorems.line import truncation_in_use

_ZETA = "x = 1, y = <x, w*>, w = w*: the residual is 0, nothing is random."


@certificate("heavytail.eq39.inequality", "inequality")
def equation39() -> Draft:
    instances = []
    for theta, n in ((Fraction(7, 4), 100), (Fraction(5, 4), 10_000)):
        iota, t = truncation_in_use(n, float(theta)), float(theta)
        x = float(iota) / n
        values = {"theta": theta, "iota": iota, "zeta": Fraction(1, n), "v": 0}
        instances.append((values, {"left": math.log1p(x + x**t / t), "right": 2.0 ** (t - 1.0) * x**t / t}))
    return Draft(
        verdict="refuted",
        statement="The exponent of (39) is below that of (38).",
        symbols={"theta": "order of the moment", "iota": "truncation", "zeta": "radius of the net", "v": "|w - w*|"},
        definitions={"exponent38": "log(1 - iota*v + iota*zeta + iota^theta*(zeta - v)^theta/theta)",
                     "exponent39": "-iota*v + iota^theta*2^(theta - 1)/theta*zeta^theta"},
        assumptions={"at": ("v = 0", "w = w*, so |w - w*|^theta adds nothing"), "order": ("theta > 1", "equation 16")},
        claim={"left": "exponent38", "relation": "<=", "right": "exponent39"}, instances=instances,
        derivation=[(f"{_ZETA} Divided by n; iota zeta E|x| is what (39) drops.", ["at", "order"])],
    )  # fmt: skip


def y_moment(theorem: int, theta: Fraction) -> Draft:
    """All residuals truncated: the output is uniform, whatever n."""
    power, first = (theta - 1) / theta, 12
    p = float(power)

    def ratio(n: float) -> float:
        return 0.4 * 0.95 / (math.log(n) * math.log(20.0) / n) ** p

    return Draft(
        verdict="refuted",
        statement="The 0.95-quantile of the excess over the printed rate grows without bound in n.",
        symbols={"n": "records", "tau": "bound on the moment of x", "d": "dimension", "epsilon": "claimed",
                 "eta": "failure probability", "theta": "order of the moment"},
        definitions={"quantile": "2*(3/5 - 2/5)*(1 - eta)",
                     "rate": "tau*(d*log(n)*log(1/eta)/(n*epsilon))^((theta - 1)/theta)"},
        assumptions={"moment": ("tau = 1", "x = 1"), "order": ("theta > 1", "a moment")},
        claim=without_bound("n", first, "quantile/rate", str(power), str(-power)),
        instances=[({"tau": 1, "d": 1, "epsilon": 1, "eta": Fraction(1, 20), "theta": theta},
                    {"quantity": ratio(2.0**first)})],
        derivation=[
            ("x = 1, W = [-1, 1], y = s with probability 3/5, -s with 2/5, s so large that every residual is truncated "
             "on all of W: the output is uniform, the risk is const - w/5, and the excess (1 - w)/5 has the (1 - "
             "eta)-quantile 2 (1 - eta)/5.", ["moment", "order"]),
        ],
    )  # fmt: skip


@certificate("heavytail.thm1.inequality.y-moment", "growth")
def theorem1() -> Draft:
    return y_moment(1, Fraction(2))


@certificate("heavytail.thm2.inequality.y-moment", "growth")
def theorem2() -> Draft:
    return y_moment(2, Fraction(3, 2))


@certificate("heavytail.thm1.inequality.failure-probability", "inequality")
def failure_probability() -> Draft:
    """η below the chance of the worst half of a net, on x = 1, y = w* = 1."""
    instances = []
    for n in (10**8, 10**10):
        iota = truncation_in_use(n, 2.0)
        i, zeta = float(iota), 1.0 / n
        right = 100.0 * (zeta + i * zeta**2 + 4.0 * i + (math.log(2 * n + 1) - math.log(zeta)) / (n * i))
        values = {"n": n, "iota": iota, "tau": 1, "Delta": 2, "epsilon": 1, "constant": 100, "excess": 1}
        instances.append((values, {"left": 1, "right": right}))
    return Draft(
        verdict="refuted",
        statement="For an eta below the chance of the worst half of the net an excess of 1 is beyond 100 times the "
            "bound.",
        symbols={"n": "records", "iota": "truncation", "tau": "bound on the moment of x", "Delta": "diameter",
                 "epsilon": "claimed", "constant": "what O(.) is taken to hide", "excess": "least excess in that half"},
        definitions={
            "zeta": "1/n", "N": "2*n + 1",
            "bound": "zeta*tau + iota*zeta^2*tau^2 + iota*tau^2*Delta^2 + 1/(n*iota*epsilon)*log(N/zeta)",
        },
        assumptions={"moment": ("tau = 1", "x = 1"), "ball": ("Delta = 2", "W = [-1, 1]"),
                     "half": ("excess <= 1", "|w - 1| for w <= 0")},
        claim={"left": "excess", "relation": "<=", "right": "constant*bound"}, instances=instances,
        derivation=[
            ("x = 1, y = w* = 1, W = [-1, 1]: the excess of w is |w - 1|, at least 1 for w <= 0.",
             ["moment", "ball", "half"]),
            ("The truncated losses sum to at most n log 2, so the weights exp(-epsilon sum/(2 log 2)) give the half of "
             "the net with w <= 0 a chance of at least exp(-n epsilon/2)/2; eta is half of that, and the bound does "
             "not depend on it.",
             []),
        ],
    )  # fmt: skip
