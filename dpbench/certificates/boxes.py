"""Inequalities that hold on a whole box of parameters, by interval evaluation on a subdivision."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpbench.certificates.build import Draft, certificate, near
from dpbench.papers.glm import theory


def geometric(first: Fraction, last: Fraction, ratio: float) -> list[str]:
    """Edges from `first` to `last`, each about `ratio` times the one before."""
    edges = [first]
    while edges[-1] < last:
        edges.append(min(last, near(float(edges[-1]) * ratio, 3)))
    return [str(edge) for edge in edges]


def truncation(orders: Sequence[str]) -> Draft:
    """ψ ≤ log(1 + x + x^θ/θ) on [0, 1], where ψ(x) = −log(1 − x + x^θ/θ): 2u + u² ≥ x² with u = x^θ/θ."""
    return Draft(
        verdict="not refuted",
        statement="The upper bound on psi for 1/1000 <= x <= 1, divided by x^2 after exponentials.",
        symbols={"x": "argument", "theta": "order of the moment", "one": "what 2u + u^2 over x^2 must exceed"},
        definitions={"u_over_x2": "x^(theta - 2)/theta", "u": "x^theta/theta"},
        assumptions={"one": ("one = 1", "(1 - x + u)(1 + x + u) >= 1")},
        claim={"box": {"x": geometric(Fraction(1, 1000), Fraction(1), 1.1),
                       **({"theta": list(orders)} if orders else {})},
               "left": "u_over_x2*(2 + u)", "relation": ">=", "right": "one"},
        instances=[({"one": 1} | ({} if orders else {"theta": 2}), {})],
        derivation=[
            ("psi(x) = -log(1 - x + u) on [0, 1], so the lower bound is an equality there, and the upper bound is (1 "
             "- x + "
             "u)(1 + x + u) = (1 + u)^2 - x^2 >= 1, that is 2u + u^2 >= x^2.", ["one"]),
            ("Below 1/1000: 2 x^(theta - 2)/theta >= 1 for x <= 1. Beyond 1: psi is constant, the upper bound grows, "
             "and 1 "
             "- x + x^theta/theta >= 1/theta. psi is odd.", []),
        ],
    )  # fmt: skip


@certificate("heavytail.eq3.inequality", "box")
def equation3() -> Draft:
    return truncation(())


@certificate("heavytail.eq15.inequality", "box")
def equation15() -> Draft:
    orders = [str(Fraction(k, 40)) for k in range(42, 79, 2)]
    return truncation(orders)


def _ratio(left: str, right: str, statement: str, derivation: str, name: str) -> Draft:
    edges = ["0", *geometric(Fraction(1, 10), Fraction(100), 1.25)]
    bound = theory.smooth_gradient_bound if name == "gradient" else theory.smooth_loss_bound
    return Draft(
        verdict="not refuted", statement=statement,
        symbols={"r": "sqrt(H) B X/Y", "Y": "root of the loss at zero", "H": "smoothness",
                 "X": "bound on the features' norm"},
        definitions={"B": "r*Y/(sqrt(H)*X)", "bound": right},
        assumptions={"scale": ("Y = 1", "both sides are homogeneous"), "smooth": ("H > 0", "smooth"),
                     "features": ("X > 0", "not all zero")},
        claim={"box": {"r": edges}, "left": left, "relation": "<=", "right": "bound"},
        instances=[({"Y": 1, "H": h, "X": x}, {}) for h, x in ((1, 1), (2, 3))],
        derivation=[(derivation, ["smooth", "features"]), ("Both sides scale alike in Y at fixed r, and for r > 100 "
            "the "
                    "quadratic terms alone decide.", ["scale"])],
        theory={"bound": lambda v: bound(v["H"], v["X"], v["Y"], v["r"] * v["Y"] / (v["H"] ** 0.5 * v["X"]))},
    )  # fmt: skip


@certificate("glm.lemma2.inequality", "box")
def lemma2() -> Draft:
    return _ratio(
        "(sqrt(2*H)*Y + H*B*X)*X", "2*Y*sqrt(H)*X + 2*H*B*X^2",
        "The gradient's sharp bound is within the printed one.",
        "|phi'(0)| <= sqrt(2 H phi(0)) for a non-negative H-smooth phi, phi'(z) <= phi'(0) + H|z| and |z| <= B X.",
        "gradient",
    )  # fmt: skip


@certificate("glm.lemma3.inequality", "box")
def lemma3() -> Draft:
    return _ratio(
        "(Y + sqrt(H/2)*B*X)^2", "3*(Y^2 + H*B^2*X^2)",
        "The loss's sharp bound is within the printed one.",
        "sqrt(phi(z)) <= sqrt(phi(0)) + sqrt(H/2)|z| for a non-negative H-smooth phi, and |z| <= B X.",
        "loss",
    )  # fmt: skip


@certificate("publicdata.lemma8.inequality.gaussian.corrected", "box")
def lemma8() -> Draft:
    """P(‖ζ‖_m > 1 + √(2 log(1/β)/m)) ≤ β for all β in [1e-8, 0.9], by χ² tails."""
    return Draft(
        verdict="not refuted",
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
