"""Certificates of counterexamples in the spaces that the searches declare: here are only the points.

Claim, conditions and derivation are those of the question (`dpbench.certificates.search.known`), in one place. Each
point was found by ``dpbench hunt CLAIM`` and is admissible there; the checker decides it again.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from dpbench.certificates.build import Draft, Number, certificate

POINTS: dict[tuple[str, str], dict[str, Number]] = {
    ("glm.thm13.privacy.typical-records", "pair-discrete"): {
        "n": 4, "m": 3, "Y": 5, "Delta": 1, "epsilon": Fraction(49, 100), "delta": Fraction(1, 10),
    },
    ("heavytail.thm2.inequality.steps", "inequality"): {"theta": 2, "iota": 1, "spread": 1},
    ("publicdata.cor1.inequality.steps", "inequality"): {"rho": Fraction(9, 5), "size": 1},
    ("publicdata.thm10.inequality.confidence", "growth"): {
        "epsilon": 1, "alpha": Fraction(1, 10), "L": 13, "c": 1, "power_L": 1, "first": 0,
    },
    ("publicdata.thm4.inequality.one-class", "growth"): {
        "d": 1000, "epsilon": 1, "delta": Fraction(1, 10), "alpha": Fraction(1, 50), "L": 1, "C": Fraction(1, 2),
        "power_d": 8, "first": 11,
    },
    ("publicdata.thm5.inequality.steps", "inequality"): {"long": 1, "c": Fraction(1, 4), "tau": 1, "eta": 1},
    ("publicdata.thm6.inequality.many-calls", "growth"): {"n": 4702 * 10**19, "a": 1, "power_n": 2, "first": 19},
    ("publicdata.thm7.inequality.powers.laplace", "growth"): {
        "epsilon": 1, "alpha": Fraction(1, 10), "L": 1, "lambda": 1, "power_alpha": -1, "power_L": 0, "first": 0,
    },
}  # fmt: skip
"""Claim and kind of the certificate to exact values of the symbols of its space."""


def drafted(claim: str) -> Draft:
    """The certificate of a claim at its point."""
    from dpbench.certificates.search.known import questions

    (point,) = [point for (name, _), point in POINTS.items() if name == claim]
    return questions()[claim].draft({name: Fraction(value) for name, value in point.items()})


for _claim, _kind in POINTS:
    certificate(_claim, _kind)(partial(drafted, _claim))
