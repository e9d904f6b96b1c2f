"""Remark 1: lower bounds for regression, by a packing, under which no ε-DP algorithm falls."""

from __future__ import annotations

from itertools import product

import numpy as np

from dpbench.core import binomial
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems import paper
from lowerbounds.rare_packings import rare_packing


@paper.floor(
    "remark1",
    source="Remark 1, with the packing for regression",
    expected="not refuted",
    quote="for the upper bound in (8), it matches the lower bound of the private mean estimation under Assumption 2 in "
    "[18]. However, it is still unknown whether this lower bound is optimal for DPSCO with general convex loss.",
    statement="Averaged over the packing, the excess of Algorithms 1 and 2 is at least its floor.",
    because="The floor holds for every epsilon-DP algorithm. d = 1: two laws, x = y = s or x = -s, y = s with "
    "probability p; the law of the output given K rare records, and K, exactly.",
)
def floor(context: Context) -> Rows:
    """n 10 and 100, ε from 0.1 to 10, both members alike by symmetry."""
    for theta, n, epsilon in product((2.0, 1.5), (10, 100), (0.1, 1.0, 10.0)):
        hard = rare_packing(n, 1, epsilon, theta=theta)
        mechanism, risk = ExponentialMechanism(epsilon, net_radius=0.05), 0.0
        for rare, mass in enumerate(binomial.mass(range(n + 1), n, hard.chance)):
            if mass < 1e-9:
                break
            x = np.where(np.arange(n) < rare, hard.size, 0.0)
            problem = HeavyTailedProblem(x[:, None], x, radius=1.0, theta=theta)
            points, logs = mechanism.log_probabilities(problem)
            risk += mass * float(np.exp(logs) @ (hard.chance * hard.size * (1.0 - points[:, 0])))
        yield {"theta": theta, "n": float(n), "epsilon": epsilon, "chance": hard.chance, "left": hard.floor,
               "right": risk}  # fmt: skip
