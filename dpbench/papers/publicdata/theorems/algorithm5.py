"""Algorithm 5 of the public-data paper (RSPM): identification sets."""

from __future__ import annotations

from dpbench.certificates.build import Draft, certificate
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.laplace_weights import hidden
from dpbench.papers.publicdata.theorems.parity_cube import all_of_epsilon


@paper.privacy(
    "alg5",
    source="Algorithm 5 (Neel, Roth, Vietri & Wu 2019)",
    expected="proved",
    rests_on=("publicdata.lemma18.inequality",),
    statement="RSPM on a universal identification set of size m with weights Lap(2m/epsilon) is epsilon-DP.",
    origin="folklore",
    because="f^ is a function of f^(U), since any two functions differ on U; Lemmas 18 to 21 on U. The parity cube's "
    "pair attains epsilon.",
)
def algorithm5(context: Context) -> tuple[str, Evidence]:
    """RSPM on the parity cube, whose groups identify it: the guarantee, and the tilted pair that has all of it."""
    note = "value: largest |1 - epsilon reached/epsilon| on the tilted pair, whose points identify the class"
    return all_of_epsilon((1, 3, 64, 1024), RSPM, note)


@certificate("publicdata.alg5.privacy", "guarantee")
def weights_certificate() -> Draft:
    return hidden("On a universal identification set the choice is f^ itself.")
