"""One split audit: a choosing part, a certifying part, and the result that their counts give."""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np

from dpbench.auditing.blocks import Counter, Progress, Runs
from dpbench.auditing.choose import Plan, choose
from dpbench.auditing.events import Event
from dpbench.auditing.results import AuditResult, Certified

CHOOSE_SHARE = 0.2
CHOOSE_ROWS = 2**21
CHOOSE_NUMBERS = 4 * 10**7  # numbers a side kept in memory while choosing


def split_audit(
    runs: Runs,
    claim: float | None,
    delta: float,
    trials: int,
    alpha: float,
    workers: int | Executor,
    with_mu: bool,
    progress: Progress | None,
    round_: int | None = None,
) -> AuditResult:
    """One split audit of `trials` runs a side at error probability `alpha`; arguments already checked.

    `round_` numbers the audits of one seed that must not share streams.
    """
    tag = "" if round_ is None else f"-{round_}"
    width = np.atleast_2d(runs.draw("width", 0, 0, 1)).shape[-1]
    rows = max(20, min(int(CHOOSE_SHARE * trials), CHOOSE_ROWS, CHOOSE_NUMBERS // width))
    first, second = runs.collect("choose" + tag, rows, workers)
    certify = trials - rows
    plan = choose(first, second, certify, delta, alpha, with_mu)
    like = first[:0].copy()
    del first, second
    thresholds = np.unique([e.threshold for e in plan.events])
    counts = runs.count("certify" + tag, certify, Counter(plan.score, thresholds), like, workers, progress)
    return report(runs.seed, plan, thresholds, counts, claim, delta, trials, certify, alpha)


def report(
    seed: int,
    plan: Plan,
    thresholds: np.ndarray,
    counts: np.ndarray,
    claim: float | None,
    delta: float,
    trials: int,
    rows: int,
    alpha: float,
) -> AuditResult:
    """The result, from counts of {score ≥ t} on the two sides."""

    def certify(event: Event, level: float) -> Certified:
        tops = counts[:, np.searchsorted(thresholds, event.threshold)]
        found = tops if event.above else rows - tops
        first, second = (int(x) for x in (found if event.forward else found[::-1]))
        return Certified((first, second), rows, event.forward, level, event.angle)

    certificate = certify(plan.main, alpha)
    bound = certificate.region().epsilon(delta)
    mu = None if plan.mu is None else certify(plan.mu, alpha).region().mu()
    family = tuple(certify(e, alpha / len(plan.curve)) for e in plan.curve)
    verdict = None if claim is None else "refuted" if bound > claim else "not refuted"
    words = _in_words(plan, certificate)
    return AuditResult(bound, claim, delta, 1.0 - alpha, trials, words, verdict, mu, certificate, family, seed)


def _in_words(plan: Plan, certificate: Certified) -> str:
    event = plan.main
    p, q = (hits / certificate.trials for hits in certificate.hits)
    likely, other = ("dataset", "neighbour") if event.forward else ("neighbour", "dataset")
    sign = ">=" if event.above else "<"
    words = getattr(plan.score, "words", "score")
    found = f"{p:.6g} of the runs on the {likely}, {q:.6g} on the {other}"
    return f"{words} {sign} {event.threshold:.6g}: {found}"
