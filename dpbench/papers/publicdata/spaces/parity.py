"""Gaussian weights of Algorithm 4 on the parity cube: Theorem 4."""

from __future__ import annotations

from typing import Any

from dpbench.certificates.search.growth import order
from dpbench.certificates.search.question import pair_event
from dpbench.certificates.search.space import Choice, Integer, Real, Space

CUBE = Space(
    "the parity cube: d free bits in groups of public points, and one more point with their parity",
    {
        "d": Integer("free bits, the VC dimension", 1, 10**5),
        "copies": Integer("public points of a bit", 1, 16),
        "epsilon": Real("claimed", 1e-2, 10.0),
        "delta": Real("claimed", 1e-10, 0.1),
        "scale": Real("standard deviation of a weight", 1e-1, 1e9),
        "a": Real("order of the moment", 1e-2, 1e4),
    },
    definitions={"m": "d*copies"},
)
_CUBE = (
    "Each of d bits is carried by m/d public points; one more point x has the parity of the bits. Data sets {(x, 1), "
    "(x, -1)} and {(x, -1), (x, -1)}.",
    "The bits are the signs of d Gaussian sums of standard deviation group, turned to the parity that scores less "
    "where the smallest |sum| is below the gap in score, 0 or 2. All choices of one parity are equally likely: parity "
    "1 has the chances 1/2 and survival/2.",
)


def _weights(definitions: dict[str, str], **fields: Any) -> Any:
    return pair_event(
        CUBE, "1/2", "survival/2", derivation=_CUBE,
        definitions={**definitions, "group": "s*sqrt(copies)", "survival": "erfc(2/(group*sqrt(2)))^d"}, **fields,
    )  # fmt: skip


LEARNER = Space(
    "the cube with one public point a bit, weights of any standard deviation",
    {
        "d": Integer("VC dimension", 1, 10**4),
        "s": Real("standard deviation of a weight", 1e-2, 1e6),
        "epsilon": Real("claimed", 1e-3, 1.0),
        "delta": Real("claimed", 1e-10, 1e-2),
        "alpha": Real("accuracy", 1e-3, 0.125),
        "beta": Real("failure probability", 1e-6, 0.5),
        "C": Choice("the theorem's constant", (1, 10, 1000)),
    },
    definitions={
        "survival": "exp(-d*2*sqrt(2)/s*exp(-2/s^2)/sqrt(pi))",
        "broken": "1/2 - exp(epsilon)*survival/2 - delta",
        "n": "d^2/(epsilon*alpha^4)*sqrt(log(1/delta))*log(1/beta)*log(d)^3",
    },
    conditions={"more": ("d > 1", "a logarithm of d"), "bias": ("8*alpha <= 1", "a bias of the labels")},
)
_LEARNER = (
    "The cube with one public point a bit: parity 1 has the chances 1/2 and at most survival/2 (erf(x) >= 2 x "
    "exp(-x^2)/sqrt(pi)) on the tilted pair, so weights of a standard deviation of s or less break (epsilon, delta) "
    "where broken > 0 (survival grows with s); with C sqrt(m log(1/delta))/epsilon privacy asks for m > needed.",
    "The cube with its points in d equal groups, labels biased by 8 alpha: a bit flips with chance Phi(-1) once m "
    "reaches accurate, and the flips cost 8 alpha Phi(-1) > alpha.",
)

QUESTIONS: dict[str, Any] = {
    "publicdata.thm4.privacy.gaussian": _weights({"s": "2*sqrt(2*m*log(5/4/delta))/epsilon"}),
    "publicdata.thm4.privacy.gaussian-exact": _weights(
        {
            "s": "scale",
            "phi": "erfc(-2*a/(s*sqrt(2)))/2",
            "moment": "(2*phi*exp(2*a^2/s^2))^m*exp(2*a*m/s^2)",
            "front": "(a/(1 + a))^a/(1 + a)",
        },
        conditions={"calibrated": ("front*moment*exp(-a*epsilon) <= delta", "the moments are within the claim")},
    ),
    "publicdata.thm4.privacy.gaussian-patterns": _weights(
        {"many": "d*log(2) + log(1/delta)", "s": "sqrt(2*m)*(sqrt(many) + sqrt(many + epsilon))/epsilon"}
    ),
    "publicdata.thm4.inequality.gaussian-learner": order(
        LEARNER, "needed", "accurate", scalable=("d", "s"), derivation=_LEARNER,
        definitions={
            "needed": "(s*epsilon/C)^2/log(1/delta)",
            "accurate": "8*alpha*epsilon*n/(C*sqrt(d*log(1/delta)))",
        },
        conditions={"broken": ("broken > 0", "the smaller weights break (epsilon, delta)")},
    ),
}  # fmt: skip
