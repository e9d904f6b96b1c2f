"""Algorithm 4 as printed: private, as its choice is nearly uniform."""

from __future__ import annotations

from itertools import product

import numpy as np

from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Context, Evidence, Row, column
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.selection_privacy import GD, TARGETS, problem
from dpbench.privacy import selection


@paper.privacy(
    "alg4",
    variant="printed",
    source="Algorithm 4, as printed",
    expected="proved",
    holds="glm.thm7.privacy.exact",
    statement="Algorithm 4 with the sensitivities Delta(B_j) and an (epsilon/2K, delta/2K)-DP base whose outputs lie "
    "in the ball is (epsilon, delta)-DP.",
    because="The scores are means over n/2 records, which one record moves by at most 2(2 Y^2 + H a^2)/n <= 4 "
    "Delta(B)/n: the choice is (2/n)*epsilon-DP or better. Private, and for the same reason useless: the choice "
    "hardly looks at the scores.",
    quote=r"Then Algorithm 4 is  $(\epsilon,\delta)$ -DP.",
    rests_on=(
        "glm.sensitivity.inequality.losses",
        "glm.thm12.privacy.exact",
        "glm.lemma9.inequality.corrected",
        "glm.thm1.privacy.exact",
    ),
    no_certificate="the whole is the base's guarantee, taken as a premise, and a choice that is nearly uniform",
)
def algorithm4_printed(context: Context) -> tuple[str, Evidence]:
    """Private at every n, with a choice far weaker than asked for: the chance of a perfect candidate shows it."""
    proofs: list[Row] = []
    rows: list[Row] = []
    for name, n in product(("squared", "half-squared", "logistic", "huber", "capped-linear"), (2, 4, 24, 1_000)):
        data = problem(name, n)
        for epsilon, delta in TARGETS:
            search = PrivateGridSearch(GD, epsilon, delta, candidates=3, calibration="printed")
            proofs.append({"epsilon": epsilon, "delta": delta, "guarantee": search.guarantee(data)})
    y, n, epsilon, beta, count = 64.0, 1_000_000, 1.0, 0.05, 16
    bounds = [theory.ball_loss_bound(2.0, 1.0, y, 2.0**j) for j in range(1, count + 1)]
    for label, gammas, level in (("printed", bounds, 0.5), ("2 Delta/n", [2.0 * b / n for b in bounds], 1.0)):
        scores = np.full(count + 1, y**2)
        scores[6] = 0.0  # the candidate at radius 64 has no loss at all, every other one that of w = 0
        logs = selection.generalized_exponential(scores, [0.0, *gammas], level * epsilon, 0.25 * beta)
        rows.append({"sensitivity": label, "chance of the perfect candidate": float(np.exp(logs[6]))})
    data = problem("squared", 1_000)
    as_printed, true = (
        PrivateGridSearch(GD, 1.0, 1e-5, candidates=3, calibration=c).sensitivities(data)[1:]
        for c in ("printed", "exact")
    )
    return profiles(
        proofs,
        "value: the least ratio of a printed sensitivity to the true one at n = 1000 (squared loss)",
        "Y = 64, n = 1e6, K = 16, epsilon = 1: a candidate without any loss among others as bad as w = 0 is chosen "
        f"with probability {rows[0]['chance of the perfect candidate']:.4f} as printed, "
        f"{rows[1]['chance of the perfect candidate']:.4f} with 2 Delta/n",
        value=float((as_printed / true).min()),
        tables={"chances": column(rows)},
    )
