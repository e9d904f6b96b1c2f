"""Lemma 17 of the public-data paper: the public points identify the class restricted to them."""

from __future__ import annotations

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.publicdata.complexity import identifies
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.theorems import paper


@paper.inequality(
    "lemma17",
    source="Lemma 17 and Remark 2",
    expected="not refuted",
    statement="Any two different functions of F restricted to Z differ at a point of Z: Z identifies F restricted to "
    "Z.",
    quote="is a universal identification set for the class",
    because="By the definition of the restriction as a set of vectors, so this cannot fail; what is tried is that the "
    "restriction and `identifies` of this suite have the property, and that most classes are not identified by Z.",
)
def restriction(context: Context) -> Evidence:
    """Random classes on up to six points, Z some of them: is the restriction identified by Z, and is the class?"""
    rng = stream(context.seed, "publicdata.lemma17")
    cases, failed, whole = context.pick(quick=300, full=5000), 0, 0
    for _ in range(cases):
        size, public = int(rng.integers(2, 30)), int(rng.integers(1, 6))
        table = rng.choice((-1.0, 1.0), (size, 6))
        points = rng.permutation(6)[:public].astype(float)
        restricted = FiniteClass(np.unique(table[:, points.astype(int)], axis=0))
        failed += not identifies(restricted, np.arange(float(public)))
        whole += identifies(FiniteClass(table), points)
    return margins(
        {}, f"value: share of {cases:,} random classes that Z identifies before they are restricted to Z; of the "
        f"restricted ones {cases - failed:,}", value=whole / cases, margin=-failed / cases, trials=cases,
    )  # fmt: skip
