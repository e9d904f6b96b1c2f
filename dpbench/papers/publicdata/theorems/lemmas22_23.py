"""Lemmas 22 and 23 of the public-data paper: the parts of Theorem 10."""

from __future__ import annotations

import math

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import missed, sampled, summary
from dpbench.ledger.measurement import LEVEL, Context, Rows
from dpbench.papers.publicdata.algorithms.oracles import nearest, public_values
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.separator import weighted_minimisers
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.populations import FinitePopulation, line
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.sweeps import Drawn

BETA = 0.05
_OUTPUTS = 8  # of a data set


def population(smoothness: float) -> FinitePopulation:
    """Thresholds on [0, 1], target 1/2, labels flipped with probability 0.1."""
    return line(Thresholds(), smoothness, noise=0.1, cells=512)


def differences(smoothness: float, n: int, m: int, seed: int, block: int) -> np.ndarray:
    """|L_ν(f̂) − L_ν(f̃)| and L_D(f̃) − min L_D, `_OUTPUTS` rows for a data set."""
    law = population(smoothness)
    rng = stream(seed, "publicdata.lemma22", smoothness, n, m, block)
    problem = Drawn(law, m).draw(n, rng)
    mechanism = RRSPM(1.0)
    minimisers = weighted_minimisers(problem, "laplace", mechanism.scale(problem), rng, _OUTPUTS, _OUTPUTS)
    rounded = nearest(problem, public_values(problem, minimisers))
    apart = np.abs(law.risk(rounded) - law.risk(minimisers))
    best = weighted_minimisers(problem, "laplace", 1e-12, rng, _OUTPUTS, 1)
    return np.column_stack([apart, problem.empirical_risk(minimisers) - problem.empirical_risk(best)])


@paper.inequality(
    "lemma22",
    source="Lemma 22, with constant 1",
    expected="not refuted",
    level=LEVEL,
    arguments={"which": 0},
    statement="With probability 1 - beta, L(f^) - L(f~) <= sqrt((d + log(1/beta))/(m sigma^2)).",
    quote=r"\leq O\left(\sqrt{\frac{d+\log(1/\beta)}{m\sigma^{2}}}\right)",
    because="The constant of O(.) is taken as 1; thresholds, exact population risk. f^ agrees with f~ on Z, so "
    "(d/m)/sigma would do.",
)
def classification(context: Context, which: int) -> Rows:
    """Lemma 22 (which = 0, constant 1) or 23 (1) on thresholds: how often the bound is missed."""
    sets = context.pick(quick=40, full=400)
    cases = [(s, n, m) for s in (1.0, 0.2) for n, m in ((2000, 8), (10_000, 32))]
    for sigma, n, m in cases:
        gaps = np.concatenate(sampled(context, differences, sigma, n, m, blocks=sets))
        bound = (
            math.sqrt((1.0 + math.log(1.0 / BETA)) / (m * sigma**2)),
            4.0 * m**2 * math.log(m / BETA) / n,
        )[which]
        column = gaps[:, which]
        one = column.reshape(sets, -1)[:, 0]  # one output a data set: independent trials
        quantile = float(np.quantile(column, 1.0 - BETA))
        yield missed(one, bound, BETA, len(cases), sigma=sigma, n=float(n), m=float(m), quantile=quantile,
                     bound=bound, share=quantile / bound)  # fmt: skip
    note = f"value: largest share of the bound that the {1.0 - BETA:g}-quantile takes, {len(cases)} settings"
    return summary(note, value="share", trials=sets * len(cases))


paper.inequality(
    "lemma23",
    source="Lemma 23",
    expected="not refuted",
    level=LEVEL,
    arguments={"which": 1},
    statement="With probability 1 - beta, L_D(f~) - min L_D <= 4 m^2 log(m/beta)/(epsilon n).",
    quote=r"\leq\frac{4m^{2}\log(m/\beta)}{\varepsilon n}",
    because="All |xi_i| <= (2m/epsilon) log(m/beta) but with probability beta; the noise of signed weights adds up "
    "like a root.",
)(classification)
