"""Lemma 1: how good the candidate is that the exponential mechanism chooses."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems import ORDERS, paper


@paper.inequality(
    "lemma1",
    source="Lemma 1",
    expected="not refuted",
    quote=r"$\leq OPT_{u}(x)-\frac{2\Delta u}{\epsilon}(\ln|\mathcal{R}|+t)\}\leq e^{-t}$",
    statement="Pr{u <= OPT - (2 Delta u/epsilon)(ln|R| + t)} <= e^{-t} for the exponential mechanism.",
    because="Candidates at or below the threshold weigh at most |R| e^{-(ln|R| + t)} together, the best one 1.",
)
def utility(context: Context) -> Rows:
    """Lemma 1, exactly, on the scores of heavy-tailed data and on the worst ones: all but one at a threshold."""
    rng = stream(context.seed, "heavytail.lemma1")
    cases = []
    for theta, epsilon in product((2.0, *ORDERS[2]), (0.1, 1.0, 10.0)):
        X = rng.standard_t(theta + 0.1, size=(30, 2))
        problem = HeavyTailedProblem(X, X @ (0.5, 0.0) + rng.standard_t(1.5, 30), radius=1.0, theta=theta)
        cases.append(ExponentialMechanism(epsilon, net_radius=0.1).log_probabilities(problem)[1])
    for size, t in product((2, 100, 10_000), (0.01, 1.0, 10.0)):
        logs = np.full(size, -(math.log(size) + t))
        logs[0] = 0.0
        cases.append(logs - np.logaddexp.reduce(logs))
    for case, logs in enumerate(cases):
        # log p = εu/(2Δu) + constant, so the event is log p ≤ max log p − (ln|R| + t).
        logs = np.sort(logs)
        below = np.concatenate([[0.0], np.cumsum(np.exp(logs))])
        for t in np.linspace(0.0, 20.0, 81).tolist():
            bad = np.searchsorted(logs, logs[-1] - (math.log(logs.size) + t), side="right")
            yield {"case": case, "t": t, "left": float(below[bad]), "right": math.exp(-t)}
    return "probabilities summed exactly"
