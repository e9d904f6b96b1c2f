"""Laplace weights of Algorithms 4 and 5: the range of their sample sizes, and the certificate of their privacy.

Theorem 8 of the public-data paper: the privacy of Algorithm 4 with Laplace weights.

Algorithm 5 of the public-data paper (RSPM): identification sets.
"""

from __future__ import annotations

import numpy as np

from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import LEVEL, Context, Evidence
from dpbench.ledger.statement import Integer, Real, Statement, grid, laplace
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.parity_cube import all_of_epsilon

ACCURACY = {
    "epsilon": Real("claimed", "1/1000", 1),
    "alpha": Real("accuracy", "1/1000", "1/8"),
    "L": Real("log(1/beta)", 12, 10**6),
}
"""The range of the proofs."""

LEMMA_18 = (
    "If f on Z is chosen under the weights xi on one data set, it is chosen under shifted weights on the neighbour, "
    "each of the m shifted by 2 or -2 (Lemma 18)."
)
EPSILONS = ("1/10", 1, 4)
HIDDEN = Statement(
    about="With weights Lap(2m/epsilon) no choice on the public points changes its chance by more than e^epsilon.",
    symbols={"m": Integer("number of public points", 1, "inf"), "epsilon": Real("claimed", 0, "inf")},
    where={"scale": "2*m/epsilon"},
    claim=laplace(shift="m*2", scale="scale", epsilon="epsilon"),
    steps=(
        LEMMA_18,
        "The density of m Laplace variables changes by at most exp(l1 norm of the shift/scale).",
        "What is released is a function of that choice (Lemmas 6 and 21).",
    ),
    witness=grid(m=(1, 16, 4096), epsilon=EPSILONS),
    computed={"scale": "of the Laplace weights"},
)
"""The weights hide the choice."""


def one_record() -> tuple[PublicDataProblem, PublicDataProblem]:
    """Thresholds, four public points, one record between them with the label 1, or −1."""
    points = np.array([0.2, 0.4, 0.6, 0.8])
    problem = PublicDataProblem([0.5], [1.0], points, hypotheses=Thresholds(), loss="zero-one")
    return problem, problem.replace_record(0, [0.5], -1.0)


def algorithm5(context: Context) -> tuple[str, Evidence]:
    """RSPM on the parity cube, whose groups identify it: the guarantee, and the tilted pair that has all of it."""
    note = "value: largest |1 - epsilon reached/epsilon| on the tilted pair, whose points identify the class"
    return all_of_epsilon((1, 3, 64, 1024), RSPM, note)


@paper.privacy(
    "thm8",
    source="Theorem 8, Lemmas 6 and 21",
    expected="proved",
    level=LEVEL,
    rests_on=("publicdata.lemma18.inequality", "publicdata.lemma19.inequality"),
    statement="Algorithm 4 with weights Lap(2m/epsilon) is epsilon-DP.",
    formulas=HIDDEN,
    quote="Algorithm 4 is ... -pure differentially private.",
    because="What is released is a function of f~(Z), whose law changes by at most e^epsilon (Lemma 21); on "
    "thresholds by attack, on the cube exactly (publicdata.thm4.privacy.laplace).",
    rows={
        "identification": {
            "measure": algorithm5,
            "source": "Algorithm 5 (Neel, Roth, Vietri & Wu 2019)",
            "expected": "proved",
            "rests_on": ("publicdata.lemma18.inequality",),
            "formulas": HIDDEN,
            "statement": "RSPM on a universal identification set of size m with weights Lap(2m/epsilon) is epsilon-DP.",
            "origin": "folklore",
            "because": "f^ is a function of f^(U), since any two functions differ on U; Lemmas 18 to 21 on U. The "
            "parity cube's pair attains epsilon.",
            "level": 0.0,
        },
    },
)
def theorem8(context: Context) -> tuple[str, Evidence]:
    """Algorithm 4 on thresholds: its guarantee, and an attack on the pair that its public points tell best."""
    mechanism, pair, claimed = RRSPM(1.0), one_record(), {"epsilon": 1.0, "delta": 0.0}
    trials = context.pick(quick=20_000, full=400_000)
    (lower,) = attack_bounds(context, [(mechanism, pair)], **claimed, trials=trials)
    return profiles(
        [claimed | {"guarantee": mechanism.guarantee(pair[0])}, claimed | {"attack": lower}],
        f"value: epsilon from below by {trials:,} runs a side on thresholds, four public points; claimed 1",
        value=lower,
        trials=2 * trials,
    )
