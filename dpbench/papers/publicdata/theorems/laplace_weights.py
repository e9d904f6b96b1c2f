"""Laplace weights of Algorithms 4 and 5: the range of their sample sizes, and the certificate of their privacy."""

from __future__ import annotations

from fractions import Fraction

from dpbench.certificates.build import Draft, as_computed
from dpbench.ledger.statement import Real
from dpbench.papers.publicdata import theory

ACCURACY = {
    "epsilon": Real("claimed", "1/1000", 1),
    "alpha": Real("accuracy", "1/1000", "1/8"),
    "L": Real("log(1/beta)", 12, 1000),
}
"""The range of the proofs."""

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
