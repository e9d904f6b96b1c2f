"""Lemma 2 of the public-data paper: the stability of Algorithm 3, with the sum of the losses and with their mean."""

from __future__ import annotations

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.figure import Figure
from dpbench.ledger.harness import margins, sampled
from dpbench.ledger.measurement import Context, Evidence, column
from dpbench.ledger.statement import Statement, inequality
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import corrections, paper
from dpbench.papers.publicdata.theorems.algorithm3 import (
    BALANCED,
    OF_SUM,
    PAIR,
    SUM,
    WHERE,
    balanced,
    printed,
)

_PAIRS = 20  # neighbours of a data set
_APART = (
    "For convex F the minimiser of the {} of the losses + eta |f|_m^2 has |fbar - fbar'|_m <= "
    "{{bound}} for all neighbours."
)
MEAN = Statement(
    about=_APART.format("mean"),
    symbols=PAIR,
    where={**WHERE, "bound": "2/sqrt(eta*n)"},
    claim=inequality("2*fbar", "<=", "bound"),
    steps=BALANCED,
)
OF_THE_SUM = MEAN.replace(
    about=_APART.format("sum"),
    where=OF_SUM,
    witness=tuple({"half": half, "eta": "1/10"} for half in (50, 5000)),
)
SHARP = MEAN.replace(where={"bound": "1/sqrt(eta*n)"})


def moved(n: int, eta: float) -> float:
    """‖f̄ − f̄'‖_m of the balanced pair of constants, by the oracle."""
    here, there = (float(printed("mean", eta).minimiser(problem)[0]) for problem in balanced(n, 4))
    return abs(here - there)


def stability(context: Context, sharp: bool) -> Evidence:
    """‖f̄ − f̄'‖_m of balanced constants, and of random neighbours of linear functions, against Lemma 2."""
    of = theory.regularized_stability if sharp else theory.regularized_stability_printed
    rows = [
        {"n": float(n), "eta": eta, "moved": moved(n, eta), "bound": of(n, eta)}
        for n in (1, 11, 101, 1001, 10_001) for eta in (0.25 / n, 1.0 / n, 0.01, 0.1, 1.0)
    ]  # fmt: skip
    smallest = float(np.min([1.0 - row["moved"] / row["bound"] for row in rows]))
    count = context.pick(quick=6, full=40)
    ratios = np.array(sampled(context, linear_case, blocks=count))
    bounds = ratios[:, 4 if sharp else 3]
    smallest = float(np.minimum(smallest, float((1.0 - ratios[:, 2] / bounds).min())))
    linear = {name: ratios[:, i].tolist() for i, name in enumerate(("n", "eta", "moved"))}
    return margins(
        column(rows),
        f"value: smallest relative margin over {len(rows)} balanced pairs of constants and {count} data sets of linear "
        f"functions with {_PAIRS} neighbours each (largest share there {float((ratios[:, 2] / bounds).max()):.3f})",
        margin=smallest,
        tables={"linear": linear | {"bound": bounds.tolist()}},
        rounding=1e-9,  # the bound is attained: rounding of the oracle
    )


def linear_case(seed: int, case: int) -> list[float]:
    """n, η, the largest ‖f̄ − f̄'‖_m over the neighbours of a data set of linear functions, and both bounds."""
    rng = stream(seed, "publicdata.lemma2", case)
    n, m, d = int(rng.choice((5, 20, 100))), int(rng.choice((8, 40))), int(rng.integers(1, 4))
    eta = float(10.0 ** rng.uniform(-1.0, 1.0)) / n
    loss = str(rng.choice(("absolute", "squared", "huber")))
    x, z = (_ball(rng, k, d) for k in (n, m))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    problem = PublicDataProblem(x, y, z, hypotheses=LinearBall(d), loss=loss)
    mechanism = printed("mean", eta)
    centre, worst = mechanism.centre(problem), 0.0
    for _ in range(_PAIRS):
        i = int(rng.integers(n))
        point = x[i] if rng.random() < 0.5 else _ball(rng, 1, d)[0]
        neighbour = problem.replace_record(i, point, -y[i])
        worst = float(np.maximum(worst, float(np.sqrt(((centre - mechanism.centre(neighbour)) ** 2).mean()))))
    return [n, eta, worst, theory.regularized_stability_printed(n, eta), theory.regularized_stability(n, eta)]


def _ball(rng: np.random.Generator, count: int, d: int) -> np.ndarray:
    raw = rng.standard_normal((count, d))
    return np.asarray(raw / np.linalg.norm(raw, axis=1, keepdims=True))


paper.formula(
    "lemma2",
    OF_THE_SUM,
    kind="stability",
    row="sum",
    source="Lemma 2 with the sum of equation 8",
    expected="refuted",
    holds="publicdata.lemma2.stability.mean",
    weight="misprint",
    hurt="letter",
    quote=corrections.QUOTE_8,
    consequence=corrections.OF_THE_SUM,
    errata=corrections.MEAN,
    because=SUM,
    rows={
        "mean": {
            "source": "Lemma 2, equation 13, with the mean of the losses",
            "expected": "not refuted",
            "measure": stability,
            "arguments": {"sharp": False},
            "statement": MEAN,
            "origin": "corrected",
            "quote": r"\left\|\bar{f}-\bar{f}^{\prime}\right\|_{m}\leq\frac{2}{\sqrt{\eta\cdot n}}",
            "because": "Strong convexity of eta |f|_m^2 on a convex class, on one side only; the proof loses a factor "
            "2 in all, see publicdata.lemma2.stability.mean-sharp.",
            "figure": Figure("stability_publicdata_alg3", "stability_regularized", "at most {share:.0%} of the bound"),
        },
        "mean-sharp": {
            "source": "Lemma 2, its constant halved",
            "expected": "not refuted",
            "measure": stability,
            "arguments": {"sharp": True},
            "statement": SHARP,
            "because": "See `theory.regularized_stability`: eta |f - fbar|_m^2 on both sides. Attained by balanced "
            "constants at eta n = 1/4, and for every eta n >= 1/4 by losses of slope sqrt(eta n) (S8).",
        },
    },
)
