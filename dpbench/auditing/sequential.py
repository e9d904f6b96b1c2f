"""`trials="auto"`: rounds of doubling size, valid at whatever round one stops.

Round r is a split audit of its own, with fresh streams and error probability α/((r + 1)(r + 2)); these sum to
α, so all rounds' bounds hold together and the largest may be reported after any data-driven stop (a stitched
confidence sequence, Howard et al. 2021, in its simplest form). Each round chooses its event anew: the event
worth certifying moves into the tail as the sample grows, which one fixed test martingale would not follow.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

from dpbench.auditing.blocks import Progress, Runs
from dpbench.auditing.results import AuditResult
from dpbench.auditing.split import split_audit

FIRST = 4_000  # runs a side in the first round


def until_decided(
    runs: Runs,
    claim: float,
    delta: float,
    gap: float,
    budget: int,
    alpha: float,
    workers: int | Executor,
    with_mu: bool,
    progress: Progress | None,
) -> AuditResult:
    """Audit in rounds until the claim is refuted, the bound is within `gap` of it, or `budget` is spent.

    Parameters
    ----------
    budget : int
        Runs a side, over all rounds.
    alpha : float
        Error probability of the whole.

    Returns
    -------
    AuditResult
        Its `trials` are all that were spent a side; its curve is the last round's.
    """
    best: AuditResult | None = None
    mu = None
    spent = 0
    number = 0
    while True:
        size = min(FIRST * 2**number, budget - spent)
        if budget - spent < 3 * size:
            size = budget - spent  # what would be left is less than a further round needs
        level = alpha / ((number + 1) * (number + 2))
        found = split_audit(runs, claim, delta, size, level, workers, with_mu, progress, number)
        spent += size
        number += 1
        mu = found.mu_lower if mu is None else max(mu, found.mu_lower or 0.0)
        best = found if best is None or found.epsilon_lower >= best.epsilon_lower else best
        decided = best.epsilon_lower > claim or best.epsilon_lower >= claim - gap
        if decided or spent >= budget:
            return replace(best, trials=spent, confidence=1.0 - alpha, mu_lower=mu, family=found.family)
