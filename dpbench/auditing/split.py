"""One split audit: a choosing part, a certifying part, and the result that their counts give."""

from __future__ import annotations

import math
import time
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from dpbench.auditing.blocks import BLOCK, Counter, Progress, Runs
from dpbench.auditing.choose import Plan, choose
from dpbench.auditing.claimed import Claim, exceeded, exceeds
from dpbench.auditing.dependence import Check, Watch
from dpbench.auditing.events import Event
from dpbench.auditing.excluded import least_probability, sentence
from dpbench.auditing.intervals import Region
from dpbench.auditing.levels import Levels
from dpbench.auditing.own_score import Own
from dpbench.auditing.results import AuditResult, Certified
from dpbench.auditing.traces import fixed_columns, probe_of
from dpbench.auditing.wording import Seen, in_words

CHOOSE_SHARE = 0.2
LEAST_CERTIFY = 80
CHOOSE_ROWS = 2**21
CHOOSE_NUMBERS = 4 * 10**7  # numbers a side kept in memory while choosing

CALLS, LEAST_HELD = 32, 64  # single runs that are compared with a constant column, of so many rows at least

SHARE_ROWS = 4096  # a side, from which the share of the event is read that groups of runs are compared with

HEDGE_SHARE = 0.05  # of the error probability goes to the hedges, where there are any,
CURVE_SHARE = 0.05  # this to the events of the curve,
MU_SHARE = 0.25  # this to the event for μ, where it is asked for, and the rest to the main event


@dataclass(frozen=True)
class Request:
    """What an audit is to do, with every field validated.

    Attributes
    ----------
    claim : float or None
        The ε claimed.
    delta : float
    workers : int or Executor
    with_mu : bool
    progress : callable or None
    held : Claim or None
        What the verdict is on, where it is not (`claim`, `delta`).
    own : Own or None
        A score of the user's.
    max_seconds : float or None
        Time in which to end, about.
    """

    claim: float | None
    delta: float
    workers: int | Executor = 1
    with_mu: bool = False
    progress: Progress | None = None
    held: Claim | None = None
    own: Own | None = None
    max_seconds: float | None = None


def split_audit(runs: Runs, request: Request, trials: int, levels: Levels, watch: Watch, tag: str = "") -> AuditResult:
    """One split audit of `trials` runs a side.

    Parameters
    ----------
    levels : Levels
        What its certificates' error probabilities are drawn from.
    watch : Watch
        Tests of independence.
    tag : str
        Tells the streams of audits of one seed apart.

    Raises
    ------
    DependentOutputs
        The runs are seen not to be independent.
    """
    started = time.perf_counter()
    runs, width = runs.looked_at()
    if runs.kinds:  # a score of the user's is of outputs, not of their types
        request = replace(request, own=None)
    if request.max_seconds is not None:
        trials = affordable(runs, trials, request.max_seconds)
    rows = max(20, min(int(CHOOSE_SHARE * trials), CHOOSE_ROWS, CHOOSE_NUMBERS // width))
    drawing = time.perf_counter()
    first, second = runs.collect("choose" + tag, rows, request.workers)
    pace = (time.perf_counter() - drawing) / rows
    probe = probe_of(first, second)
    for side, outputs in enumerate((first, second)):
        watch.add_all("choose" + tag, side, probe, outputs, BLOCK)
        held = fixed_columns(outputs[:BLOCK] if outputs.ndim > 1 else outputs[:BLOCK, None])
        if held and len(outputs) >= LEAST_HELD:  # of the data alone, or drawn once a call
            watch.add_calls(side, held, min(len(outputs), BLOCK), runs.calls("calls" + tag, side, CALLS))
    watch.examine()
    if request.own is not None:
        request.own.check_rows(first, second)
    certify = trials - rows
    plan = choose(first, second, certify, request.delta, levels.total, request.with_mu, request.held, request.own)
    if request.max_seconds is not None:  # the number of certifying runs is fixed before the first of them
        left = request.max_seconds - (time.perf_counter() - started)
        certify = min(certify, max(LEAST_CERTIFY, int(left / pace)))
    like = first[:0].copy()
    shares = [float(np.mean(plan.score(side[:SHARE_ROWS]) >= plan.main.threshold)) for side in (first, second)]
    seen = tuple(Seen.of(score, first, second) for score in plan.scores)
    del first, second
    counter = Counter(plan.scores, plan.thresholds(), probe.with_event((shares[0], shares[1])), plan.main.threshold)
    counts = runs.count("certify" + tag, certify, counter, like, request.workers, request.progress, watch)
    checks = watch.examine()
    tally = Tally(counts, certify, rows + certify)
    return report(plan, seen, tally, request, levels, seed=runs.seed, checks=checks)


@dataclass(frozen=True)
class Tally:
    """What the certifying runs gave.

    Attributes
    ----------
    counts : int64[2, k]
        Of {score ≥ t} at each threshold t of each score of the plan, on the two sides.
    rows : int or (int, int)
        Certifying runs a side.
    trials : int
        All runs a side.
    """

    counts: np.ndarray
    rows: int | tuple[int, int]
    trials: int


def report(
    plan: Plan,
    seen: tuple[Seen, ...],
    tally: Tally,
    request: Request,
    levels: Levels,
    *,
    seed: int,
    checks: tuple[Check, ...] = (),
) -> AuditResult:
    """The result, from the counts of the certifying runs.

    All certificates hold together, so ε, the curve and μ may each be read from whichever says most.
    """
    certified = certificates(plan, tally.counts, tally.rows, levels)
    levels.settle(c.alpha for _, c in certified)
    bound, (event, certificate) = 0.0, certified[0]
    for tried, found in certified:
        if _plain(found, request.delta) > bound:  # no certificate says more than its frequencies
            value = found.region().epsilon(request.delta)
            if value > bound:
                bound, event, certificate = value, tried, found
    mu = max(c.region().mu() for _, c in certified) if request.with_mu else None
    verdict, held = None, request.held
    claimed = request.claim is not None or held is not None
    if claimed:
        refuted = bound > request.claim if request.claim is not None else any(exceeds(held, c) for _, c in certified)
        verdict = "refuted" if refuted else "not refuted"
    words = in_words(plan.scores[event.arm], event, certificate, seen[event.arm])
    family = tuple(c for _, c in certified)
    fewest = int(np.min(tally.rows))
    level = HEDGE_SHARE * levels.total / 2.0

    def refutes(region: Region) -> bool:
        return region.epsilon(request.delta) > (request.claim or 0.0) if held is None else exceeded(held, region)

    columns = 1 if seen[0].first.ndim == 1 else seen[0].first.shape[1]
    least = least_probability(columns, max(tally.trials - fewest, 1), fewest, level, refutes)
    return AuditResult(
        bound, request.claim, request.delta, 1.0 - levels.total, tally.trials, words.event, verdict, mu, certificate,
        family, seed, checks=checks, excludes=sentence(least, columns, claimed), columns=words.columns,
        examples=words.examples, claim="" if held is None else held.words,
    )  # fmt: skip


def affordable(runs: Runs, trials: int, seconds: float) -> int:
    """Runs a side, at most `trials` and at least 100, that the sampler makes in this time, from a few of them."""
    rows, took = 1, 0.0
    while rows < min(trials, BLOCK) and took < 0.02 * seconds:
        rows = min(8 * rows, BLOCK, trials)
        started = time.perf_counter()
        for side in (0, 1):
            runs.draw("pace", side, rows, rows)
        took = time.perf_counter() - started
    return trials if took == 0.0 else max(100, min(trials, int(seconds * rows / took)))


def certificates(
    plan: Plan, counts: np.ndarray, rows: int | tuple[int, int], levels: Levels
) -> list[tuple[Event, Certified]]:
    """The events of a plan, the main one first, each certified at a level drawn from `levels`."""
    total, sizes = levels.total, np.broadcast_to(rows, 2)
    curve = levels.split("curve", CURVE_SHARE, len(plan.curve))
    mu = [] if plan.mu is None else [levels.draw("mu", MU_SHARE * total)]
    hedges = levels.split("hedge", HEDGE_SHARE, len(plan.hedges)) if plan.hedges else []
    left = total - math.fsum([*curve, *mu, *hedges])
    second = [] if plan.second is None else [levels.draw("second", plan.second.share * left)]
    main = levels.draw("main", left - math.fsum(second))
    made = []
    thresholds = plan.thresholds()
    start = 0, len(thresholds[0])
    for event, level in zip(plan.events, [main, *second, *hedges, *mu, *curve], strict=True):
        tops = counts[:, start[event.arm] + np.searchsorted(thresholds[event.arm], event.threshold)]
        hits = tops if event.above else sizes - tops
        (first, second), (likelier, other) = (x.tolist()[:: 1 if event.forward else -1] for x in (hits, sizes))
        opposite = None if likelier == other else other
        made.append((event, Certified((first, second), likelier, event.forward, level, event.angle, opposite)))
    return made


def _plain(found: Certified, delta: float) -> float:
    p, q = found.frequencies
    return math.inf if q == 0.0 < p - delta else math.log((p - delta) / q) if p > delta and q > 0.0 else -math.inf
