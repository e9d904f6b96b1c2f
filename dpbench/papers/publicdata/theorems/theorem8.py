"""Theorem 8 of the public-data paper: the privacy of Algorithm 4 with Laplace weights."""

from __future__ import annotations

import numpy as np

from dpbench.certificates.attack_counts import Attack, counted
from dpbench.certificates.build import Draft, certificate
from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import LEVEL, Context, Evidence
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.laplace_weights import hidden
from dpbench.papers.publicdata.theorems.parity_cube import EPSILON


def one_record() -> tuple[PublicDataProblem, PublicDataProblem]:
    """Thresholds, four public points, one record between them with the label 1, or −1."""
    points = np.array([0.2, 0.4, 0.6, 0.8])
    problem = PublicDataProblem([0.5], [1.0], points, hypotheses=Thresholds(), loss="zero-one")
    return problem, problem.replace_record(0, [0.5], -1.0)


@paper.privacy(
    "thm8",
    source="Theorem 8, Lemmas 6 and 21",
    expected="proved",
    level=LEVEL,
    rests_on=("publicdata.lemma18.inequality", "publicdata.lemma19.inequality"),
    statement="Algorithm 4 with weights Lap(2m/epsilon) is epsilon-DP.",
    quote="Algorithm 4 is ... -pure differentially private.",
    because="What is released is a function of f~(Z), whose law changes by at most e^epsilon (Lemma 21); on "
    "thresholds by attack, on the cube exactly (publicdata.thm4.privacy.laplace).",
)
def theorem8(context: Context) -> tuple[str, Evidence]:
    """Algorithm 4 on thresholds: its guarantee, and an attack on the pair that its public points tell best."""
    mechanism, sides = RRSPM(EPSILON), one_record()
    trials = context.pick(quick=20_000, full=400_000)
    (lower,) = attack_bounds(context, [(mechanism, sides)], epsilon=EPSILON, delta=0.0, trials=trials)
    claimed = {"epsilon": EPSILON, "delta": 0.0}
    return profiles(
        [claimed | {"guarantee": mechanism.guarantee(sides[0])}, claimed | {"attack": lower}],
        f"value: epsilon from below by {trials:,} runs a side on thresholds, four public points; claimed 1",
        value=lower,
        trials=2 * trials,
    )


@counted("publicdata.thm8.privacy")
def attack() -> Attack:
    return Attack(RRSPM(1.0), one_record(), 1.0, 0.0, "thresholds, one record, four public points")


@certificate("publicdata.thm8.privacy", "guarantee")
def weights_certificate() -> Draft:
    return hidden("What is released is a function of that choice (Lemmas 6 and 21).")
