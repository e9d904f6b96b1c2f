"""Remark 1: lower bounds for regression, by a packing, under which no ε-DP algorithm falls, beside the bounds."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from dpbench.core import binomial
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems import FAILURE, ORDERS, paper, unit_rate
from dpbench.papers.heavytail.theorems.theorems1_2 import BOUNDS
from lowerbounds.rare_packings import rare_packing


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


PACKED = 26.0
"""Factor of the packing beside its logarithms, for 4 ≤ d ≤ 1024, ε ≤ 1 and d ≤ nε, constants of the bound being 1.

It has to be 8·(d/(nεp))^{(θ−1)/θ}, which is largest, 25.9, at θ = 2, d = 9 (12 members) and ε just above log(6)/2: from
there on k is 1 and no longer 2.
"""


def packed(context: Context, theorem: int, moment: str) -> Rows:
    """The ceiling, Δ = 2 in it, against 2·`PACKED`·(log n·log(1/η))^{(θ−1)/θ}, and the gap in d, times the excess."""
    for theta, n, d, epsilon in product(
        ORDERS[theorem], (10**6, 10**9, 10**12), (4, 9, 16, 256, 1024), (0.01, 0.1, 0.896, 1.0)
    ):
        hard = rare_packing(n, d, epsilon, theta=theta, moment=moment)
        assert hard.probability >= 0.25 > FAILURE
        ceiling = unit_rate(n, d, theta, moment, epsilon)
        logs = (theory.log_records(n) * math.log(1.0 / FAILURE)) ** ((theta - 1.0) / theta)
        gap = d ** (1.0 / theta - 0.5) if moment == "coordinate" else 1.0
        yield {
            "theta": theta, "n": float(n), "d": float(d), "epsilon": epsilon, "chance": hard.chance,
            "excess": hard.excess, "factor": ceiling / hard.excess, "left": ceiling,
            "right": 2.0 * PACKED * logs * gap * hard.excess,
        }  # fmt: skip


def optimal(theorem: int, moment: str, equation: str, assumption: str, bound: str, quote: str) -> Any:
    """A row: how near any ε-DP algorithm comes to the bound."""
    beside = " d^(1/theta - 1/2)" if (theorem, moment) == (2, "coordinate") else ""
    return {
        "kind": "inequality", "measure": packed, "arguments": {"theorem": theorem, "moment": moment}, "quote": quote,
        "source": f"Theorem {theorem}, equation {equation}" + (", Remark 1" if equation == "8" else ""),
        "statement": f"For every epsilon-DP algorithm on the unit ball some law of Assumption {assumption} has an "
        f"excess, with probability 1/4, of at least {bound} over {PACKED:g}{beside} (log n log(1/eta))^((theta-1)/"
        "theta), for 4 <= d <= 1024, epsilon <= 1 and d <= n epsilon.",
        "because": "A packing: x = s v, y = s sqrt(d) with probability p, else 0, for v in a code of {-1, 1}^d. About "
        "np records tell two members apart, so p = c d/(n epsilon), and p s sqrt(d) is the rate: (7), (8) and (18) are "
        "optimal in n, d and epsilon but for logarithms; between (19) and the worst law known lies d^(1/theta - 1/2). "
        "E|y|^theta is 1, or d^(theta/2) under moments of the coordinates, as sup E|<x,w>|^theta may be. "
        "Remark 1 leaves regression open: the same packing settles it.",
    }  # fmt: skip


paper.floor(
    "remark1",
    source="Remark 1, with the packing for regression",
    expected="not refuted",
    quote="for the upper bound in (8), it matches the lower bound of the private mean estimation under Assumption 2 in "
    "[18]. However, it is still unknown whether this lower bound is optimal for DPSCO with general convex loss.",
    statement="Averaged over the packing, the mean excess of Algorithms 1 and 2 as corrected is at least its floor.",
    because="The floor holds for every epsilon-DP algorithm. d = 1: two laws, x = y = s or x = -s, y = s with "
    "probability p; the law of the output given K rare records, and K, exactly.",
    rows={f"assumption{says[1]}": optimal(*at, *says) for at, says in BOUNDS.items()},
)(floor)
