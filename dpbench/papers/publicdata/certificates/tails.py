"""Lemma 8 of the public-data paper: tails of the norm of normal variables, on a whole box, by a subdivision."""

from __future__ import annotations

from fractions import Fraction

from dpbench.certificates.build import Draft, certificate, near


def geometric(first: Fraction, last: Fraction, ratio: float) -> list[str]:
    """Edges from `first` to `last`, each about `ratio` times the one before."""
    edges = [first]
    while edges[-1] < last:
        edges.append(min(last, near(float(edges[-1]) * ratio, 3)))
    return [str(edge) for edge in edges]


@certificate("publicdata.lemma8.inequality.gaussian.corrected", "box")
def lemma8() -> Draft:
    """P(‖ζ‖_m > 1 + √(2 log(1/β)/m)) ≤ β for all β in [1e-8, 0.9], by χ² tails."""
    return Draft(
        verdict="proved",
        statement="The norm of m standard normal variables is beyond the corrected bound with probability at most "
            "beta.",
        symbols={"m": "public points", "beta": "failure probability"},
        definitions={"bound": "1 + sqrt(2*log(1/beta)/m)"},
        assumptions={"points": ("m >= 1", "there is a public point")},
        claim={"box": {"beta": geometric(Fraction(1, 10**8), Fraction(9, 10), 1.1)},
               "left": "gammatail(m/2, m*bound^2/2)", "relation": "<=", "right": "beta"},
        instances=[({"m": m}, {}) for m in (1, 2, 3, 10)],
        derivation=[("m |zeta|_m^2 is chi-squared with m degrees of freedom, and |fbar - f^|_m <= 2 gamma |zeta|_m "
            "in any "
                     "class that contains fbar.", ["points"])],
    )  # fmt: skip
