"""Constants and balanced labels: the pair on which Lemmas 2 and 11 and Algorithm 3 are measured and searched."""

from __future__ import annotations

import numpy as np

from dpbench.ledger.statement import Integer, Real, Statement, event
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems.perturb_shift import ANY_POINTS, CLAIMED, printed_scale

EPSILON, DELTA = 1.0, 1e-5
M, ETA = 64, 0.1
RECORDS = (1001, 10_001, 100_001)

SUM = (
    "With the sum of (8), eta does what eta/n does beside a mean: constants in [-1, 1], |f - y|/2 and balanced labels "
    "move from -1 to 1 with one record for eta < 1/4, whatever n is. "
)


def balanced(n: int, m: int = M) -> tuple[PublicDataProblem, PublicDataProblem]:
    """Constants in [−1, 1], |f − y|/2, n odd: (n + 1)/2 labels are 1, or −1 on the neighbour."""
    y = np.where(np.arange(n) <= n // 2, 1.0, -1.0)
    problem = PublicDataProblem(np.zeros(n), y, np.zeros(m), hypotheses=Constants(), loss="absolute")
    return problem, problem.replace_record(0, [0.0], -1.0)


def printed(normalization: str, eta: float = ETA) -> RegularizedPerturbation:
    """Algorithm 3 at γ of (104)."""
    return RegularizedPerturbation(
        EPSILON, DELTA, normalization=normalization, regularization=eta, calibration="printed"
    )  # fmt: skip


BALANCED = (
    "F the constants in [-1, 1], loss |f - y|/2, labels 1 and -1 in turn and one more, 1 or -1: the mean of the losses "
    "is const -+ f/(2n), least with eta f^2 at +-min(1, 1/(4 eta n)); of their sum, at +-min(1, 1/(4 eta)).",
)
PAIR = {
    "half": Integer("pairs of records with opposite labels", 1, 10**6),
    "eta": Real("weight of the regulariser", "1e-6", 100),
}
WHERE = {"n": "2*half + 1", "fbar": "min(1, 1/(4*eta*n))"}
OF_SUM = {"fbar": "min(1, 1/(4*eta))"}
STATED = {"twice": "2/sqrt(eta*n)", "root": "sqrt(log(2/delta))", "gamma": printed_scale("twice", "root")}
HALF_LINE = Statement(
    about="gamma with m/(2 gamma^2)(1 + gamma sqrt(log(2/delta))) 2/sqrt(eta n) <= epsilon makes Algorithm 3 {claim}.",
    symbols={**PAIR, "m": ANY_POINTS, **CLAIMED},
    where={**WHERE, **STATED, "sd": "gamma/sqrt(m)"},
    claim=event(p="1/2", q="erfc(2*fbar/(sd*sqrt(2)))/2"),
    steps=(
        *BALANCED,
        "Before it is cut to [-1, 1] the output is Gaussian with deviation gamma/sqrt(m); it is at least fbar with "
        "chance 1/2, and P(N > 2 fbar/sd) on the neighbour.",
    ),
)
"""The balanced pair under Algorithm 3 with the mean of the losses and γ of (104)."""

STABLE = (
    "The mean of the losses plus eta |f|_m^2 is 2 eta-strongly convex along the class: neighbours' minimisers are at "
    "most 1/sqrt(eta n) apart (both optimality inequalities added), and at most 2.",
    ["records"],
)


def printed_gamma(v: dict[str, float]) -> float:
    rho = theory.regularized_stability_printed(int(v["n"]), v["eta"])
    return theory.perturb_scale_printed(int(v["m"]), rho, v["epsilon"], 0.5 * v["delta"], "gaussian")
