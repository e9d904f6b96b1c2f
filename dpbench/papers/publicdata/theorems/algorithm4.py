"""Algorithm 4 of the public-data paper: which f̂ that agrees with f̃ on the public points may be released."""

from __future__ import annotations

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Context, Evidence
from dpbench.ledger.statement import Real, Statement, discrete, grid
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.separator import weighted_minimisers
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.parity_cube import EPSILON
from dpbench.papers.publicdata.theorems.theorem8 import HIDDEN
from dpbench.privacy.discrete import pair
from dpbench.privacy.profile import discrete_profile

_RUNS = 4096


def free_point() -> tuple[PublicDataProblem, PublicDataProblem]:
    """F = all functions on {z, x°}; z is public, the one record sits at x° with the label 1, or −1."""
    table = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    problem = PublicDataProblem([1], [1.0], [0], hypotheses=FiniteClass(table), loss="zero-one")
    return problem, problem.replace_record(0, [1], -1.0)


TIES = Statement(
    about="Any f^ that agrees with f~ on the public data may be returned.",
    symbols={"epsilon": Real("claimed, any number", 0, "inf")},
    claim=discrete(p=("1", "0"), q=("0", "1"), epsilon="epsilon"),
    steps=(
        "F = all functions of two points z (public) and x; a record (x, 1) or (x, 0): among those that agree on z the "
        "minimiser f~ has f~(x) = the label, with certainty. Outcomes: f^(x) = 1, 0.",
    ),
    witness=grid(epsilon=(1, 100)),
)


def ties_corrected(context: Context) -> tuple[str, Evidence]:
    """The same pair when f̂ is a function of f̃(Z) alone: a fair coin on both sides."""
    mechanism = RRSPM(EPSILON)
    sides = free_point()
    outputs = [mechanism(problem, _RUNS, stream(context.seed, "publicdata.ties")) for problem in sides]
    same = bool(np.array_equal(outputs[0], outputs[1]))
    values = sides[0].hypotheses.predict(outputs[0], [0, 1])
    fixed = all(len(np.unique(values[values[:, 0] == z, 1])) == 1 for z in (-1.0, 1.0))
    return profiles(
        [{"epsilon": EPSILON, "delta": 0.0, "guarantee": mechanism.guarantee(sides[0])}],
        f"value: largest difference of {_RUNS} outputs on the two data sets with equal weights; f^(x0) is a function "
        "of f~(z)", value=float(np.abs(outputs[0] - outputs[1]).max()), broken=not (same and fixed),
    )  # fmt: skip


@paper.privacy(
    "alg4",
    row="ties",
    source="Algorithm 4, Section 5",
    expected="refuted",
    holds="publicdata.alg4.privacy.corrected",
    statement=TIES,
    weight="misprint",
    hurt="letter",
    quote="we are able to circumvent this second perturbation and return any ... that agrees with ... on the public "
    "data",
    consequence="If f~ itself is returned, which agrees with f~ on the public points, epsilon is infinite. The listing "
    "(Perturb with gamma = 0) reads only f~ on the public points where its own minimiser is a fresh one, and is "
    "private.",
    errata=Correction(
        place="Section 5, prose before Algorithm 4",
        effect=2,
        change="say that f^ is a function of the values of f~ on the public points alone",
        caveat='Algorithm 4\'s listing, line "Output", runs Perturb with gamma = 0 and does this.',
    ),
    because="f~ itself agrees with f~. Where f(x0) is free given f on Z, f~(x0) is the label of a record at x0: the "
    "two laws share no outcome, epsilon is infinite. (The same holds for a warm start, and for ties broken by the "
    "data; and ERM over F restricted to Z is a minimum over all f with the same values on Z.)",
    rows={
        "corrected": {
            "measure": ties_corrected,
            "source": "Algorithm 4, f^ a fixed function of f~(Z)",
            "expected": "proved",
            "rests_on": ("publicdata.lemma18.inequality",),
            "formulas": HIDDEN,
            "statement": "Returning the answer of a fresh oracle call on Z labelled by f~ is epsilon-DP.",
            "because": "f^ is a function of f~(Z) and of what is public, so Lemma 21 and post-processing apply.",
        },
    },
)
def ties(context: Context) -> tuple[str, Evidence]:
    """f̂ = f̃ agrees with f̃ on Z: its value at x° is the private label, in every run."""
    sides = free_point()
    shares = []
    for problem in sides:
        rng = stream(context.seed, "publicdata.ties", problem.y[0])
        scale = RRSPM(EPSILON).scale(problem)
        minimisers = weighted_minimisers(problem, "laplace", scale, rng, _RUNS, _RUNS)
        shares.append(float((problem.hypotheses.predict(minimisers, [1])[:, 0] == 1.0).mean()))
    # Whatever the weight at z, f(x°) is free: the minimiser has the label of the record there, with certainty.
    law = discrete_profile(pair([1.0, 0.0], [0.0, 1.0]), why="the value of the minimiser at x0 is the private label")
    assert shares == [1.0, 0.0], shares
    note = f"value: exact epsilon of the pair; f~(x0) = 1 in {shares[0]:.0%} and {shares[1]:.0%} of {_RUNS} runs"
    return profiles([{"epsilon": EPSILON, "delta": 0.0, "pair": law}], note, value=law.epsilon(0.0))
