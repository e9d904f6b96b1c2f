"""Laplace weights of Algorithms 4 and 5: the range searched for sample sizes, and the certificate of their privacy."""

from __future__ import annotations

from fractions import Fraction

from dpbench.certificates.build import Draft, as_computed
from dpbench.certificates.search.space import Parameter, Real, Space
from dpbench.papers.publicdata import theory

_ACCURACY: dict[str, Parameter] = {
    "epsilon": Real("claimed", 1e-3, 1.0),
    "alpha": Real("accuracy", 1e-3, 0.125),
    "L": Real("log(1/beta)", 12.0, 1e3),
}
_RANGE = {"small": ("epsilon <= 1", "the proof's range"), "alpha": ("alpha <= 1/8", "the proof's range"),
          "log": ("L >= 12", "the proof's range")}  # fmt: skip
WEIGHTS = Space(
    "Algorithm 4 with Laplace weights on constants, or on all functions on two points",
    {**_ACCURACY, "c": Real("constant of m", 1e-2, 1e2)},
    definitions={"m": "c*(1 + L)/alpha^2"},
    conditions={**_RANGE, "many": ("m >= 2", "public points")},
)

WEIGHED = {"m": "number of public points", "epsilon": "claimed"}
LEMMA_18 = (
    "If f on Z is chosen under the weights xi on one data set, it is chosen under shifted weights on the neighbour, "
    "each of the m shifted by 2 or -2 (Lemma 18).",
    ["points"],
)
POINTS = {"points": ("m >= 1", "there is a public point")}


def hidden(more: str) -> Draft:
    """The certificate that the weights hide the choice; `more`: what is released of it."""
    instances = [
        ({"m": m, "epsilon": epsilon}, {"loss": epsilon})
        for m in (1, 16, 4096) for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4))
    ]  # fmt: skip
    draft = Draft(
        verdict="proved",
        statement="With weights Lap(2m/epsilon) no choice on the public points changes its chance by more than "
        "e^epsilon.",
        symbols=WEIGHED, definitions={"scale": "2*m/epsilon"}, assumptions=POINTS,
        claim={"family": "pure", "shift": "m*2", "scale": "scale", "epsilon": "epsilon", "delta": "0"},
        instances=instances,
        derivation=[
            LEMMA_18,
            ("The density of m Laplace variables changes by at most exp(l1 norm of the shift/scale).", []),
            (more, []),
        ],
        theory={"scale": lambda v: theory.rrspm_laplace_scale(int(v["m"]), v["epsilon"])},
    )  # fmt: skip
    return as_computed(draft, "scale", "of the Laplace weights, as it is computed", solved="-")
