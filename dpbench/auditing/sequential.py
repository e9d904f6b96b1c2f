"""`trials="auto"`: rounds of doubling size, valid at whatever round one stops.

Round r is a split audit of its own, with fresh streams and error probability α/((r + 1)(r + 2)); these sum to
α, so all rounds' bounds hold together and the largest may be reported after any data-driven stop (a stitched
confidence sequence, Howard et al. 2021, in its simplest form). Each round chooses its event anew: the event
worth certifying moves into the tail as the sample grows, which one fixed test martingale would not follow.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from dpbench.auditing.blocks import Runs
from dpbench.auditing.certified import Certified, least_excess
from dpbench.auditing.claimed import Claim
from dpbench.auditing.dependence import LEVEL, Watch
from dpbench.auditing.detectable import open_excess
from dpbench.auditing.levels import Levels
from dpbench.auditing.results import AuditResult
from dpbench.auditing.split import Request, split_audit

if TYPE_CHECKING:
    from dpbench.auditing.guesses import Guessed

FIRST = 4_000  # runs a side in the first round
LEAST_SPENT = 200_000  # runs a side before giving up: rarer leaks than in one run of 10,000 may still be unseen


def share(number: int) -> float:
    """Of a level, for round `number` from 0 on; all rounds together have 1."""
    return 1.0 / ((number + 1) * (number + 2))


def until_decided(runs: Runs, request: Request, claim: Claim, gap: float, budget: int, levels: Levels) -> AuditResult:
    """Audit in rounds until the claim is refuted, its excess is at least −`gap`, or `budget` is spent.

    It gives up, after `LEAST_SPENT` runs a side, where an upper limit for every event that the last round certified
    lies below the claim, and where a further round would not end within `max_seconds`.

    Parameters
    ----------
    claim : Claim
        What the rounds are compared with: that of `request`.
    gap : float
        In the unit of the claim's excess: ε, μ, or a Rényi divergence.
    budget : int
        Runs a side, over all rounds.
    levels : Levels
        What the rounds' error probabilities are drawn from.

    Returns
    -------
    AuditResult
        Its `trials` are all that were spent a side; its curve rests on all rounds.
    """
    best: AuditResult | None = None
    family: tuple[Certified | Guessed, ...] = ()
    mu = epsilon = 0.0
    spent = 0
    number = 0
    started = time.perf_counter()
    while True:
        size = min(FIRST * 2**number, budget - spent)
        if budget - spent < 3 * size:
            size = budget - spent  # what would be left is less than a further round needs
        part = levels.part(f"round {number + 1}", share(number) * levels.total)
        watch = Watch(f"sampler {runs.name}", share(number) * LEVEL)
        found = split_audit(runs, request, size, part, watch, f"-{number}")
        spent += size
        number += 1
        mu = max(mu, found.mu_lower or 0.0)
        family += found.family
        levels.settle(c.alpha for c in family)
        best = found if best is None or _says_more(found, best, request) else best
        epsilon = max(epsilon, found.epsilon_lower)
        seconds = time.perf_counter() - started
        certified = [c for c in found.family if isinstance(c, Certified)]
        if request.held is None:
            assert request.claim is not None
            decided = best.epsilon_lower >= request.claim - gap
        else:
            decided = max(least_excess(claim, c) for c in certified) >= -gap
        decided |= found.verdict == "refuted"
        # the next round takes twice as long
        late = request.max_seconds is not None and 3.0 * seconds > request.max_seconds
        hopeless = found.verdict == "blind" or open_excess(certified, claim) < 0.0
        if decided or late or spent >= budget or (spent >= LEAST_SPENT and hopeless):
            return replace(
                best, epsilon_lower=epsilon, trials=spent, confidence=1.0 - levels.total, family=family,
                mu_lower=mu if request.with_mu else None, excludes=found.excludes, verdict=found.verdict,
                detectable=found.detectable, blind=found.blind,
            )  # fmt: skip


def _says_more(found: AuditResult, best: AuditResult, request: Request) -> bool:
    """Whether the event of a later round is the one to speak of: of a whole claim, that which exceeds it more."""
    if request.held is None:
        return found.epsilon_lower >= best.epsilon_lower
    assert found.certified is not None and best.certified is not None
    return least_excess(request.held, found.certified) >= least_excess(request.held, best.certified)
