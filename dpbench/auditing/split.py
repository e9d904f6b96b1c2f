"""One split audit: a choosing part, a certifying part, and the result that their counts give."""

from __future__ import annotations

import math
import time
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from dpbench.auditing.blocks import BLOCK, CERTIFY_CALLS, Counter, Progress, Runs, block_rows
from dpbench.auditing.certified import Certified, Origin, exceeds, least_excess
from dpbench.auditing.choose import Plan, choose
from dpbench.auditing.claimed import Approximate, Claim
from dpbench.auditing.dependence import DISPERSED, Check, Watch
from dpbench.auditing.detectable import sentence, smallest_detectable
from dpbench.auditing.events import Event
from dpbench.auditing.levels import CURVE_SHARE, Levels
from dpbench.auditing.outputs import WIDEST, Layout
from dpbench.auditing.results import AuditResult
from dpbench.auditing.scores import Own, Plain
from dpbench.auditing.traces import fixed_columns, probe_of
from dpbench.auditing.wording import Seen, in_words

CHOOSE_SHARE = 0.2
LEAST_CERTIFY = 80
CHOOSE_ROWS = 2**21
CHOOSE_NUMBERS = 4 * 10**7  # numbers a side kept in memory while choosing

CHOOSE_RESULTS = 200_000  # results of any kind a side kept in memory while choosing

SUSPECT = 0.2
"""p-value of the event's dispersion over calls, below which a refutation is made again from fresh runs."""

BLIND = 0.5
"""Share of the certifying runs in which a leaf has a value not seen before, above which the audit is blind."""

CALLS, LEAST_HELD = 32, 64  # single runs that are compared with a constant column, of so many rows at least

SHARE_ROWS = 4096  # a side, from which the share of the event is read that groups of runs are compared with

MU_SHARE = 0.25  # of the error probability goes to the event for μ, where it is asked for


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
    ignore: tuple[str, ...] = ()
    relation: str | None = None


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
    runs, width = runs.looked_at(texts=request.own is None)
    if runs.kinds:  # a score of the user's is of outputs, not of their types
        request = replace(request, own=None)
    if request.max_seconds is not None:
        trials = affordable(runs, trials, request.max_seconds)
    rows = max(20, min(int(CHOOSE_SHARE * trials), CHOOSE_ROWS, CHOOSE_NUMBERS // width))
    if runs.any_kind:
        rows = min(rows, CHOOSE_RESULTS)
    drawing = time.perf_counter()
    runs, first, second = runs.collect("choose" + tag, rows, request.workers, request.ignore)
    pace = (time.perf_counter() - drawing) / rows
    probe = probe_of(first, second)
    size = block_rows(rows)
    for side, outputs in enumerate((first, second)):
        watch.add_all("choose" + tag, side, probe, outputs, size)
        call = outputs[: max(size, LEAST_HELD)]
        held = fixed_columns(call if outputs.ndim > 1 else call[:, None])
        if held and len(call) >= LEAST_HELD:  # of the data alone, or drawn once a call
            watch.add_calls(side, held, len(call), runs.calls("calls" + tag, side, CALLS))
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
    seen = tuple(Seen.of(score, first, second, runs.layout) for score in plan.scores)
    del first, second
    leaves = () if runs.layout is None else runs.layout.seen
    scores = (*plan.scores, *(Plain(column) for _, _, column in leaves))
    thresholds = (*plan.thresholds, *(np.array([0.5]) for _ in leaves))
    counter = Counter(scores, thresholds, probe.with_event((shares[0], shares[1])), plan.main.threshold)

    def certified(part: str, budget: Levels) -> AuditResult:
        counts = runs.count(part + tag, certify, counter, like, request.workers, request.progress, watch)
        checks = watch.examine()
        unknown = tuple(
            (name, path, float(c.sum()) / (2 * certify))
            for (name, path, _), c in zip(leaves, counts[:, counts.shape[1] - len(leaves) :].T, strict=True)
        )
        tally = Tally(counts[:, : counts.shape[1] - len(leaves)], certify, rows + certify, unknown)
        drawn = part + tag, block_rows(certify, CERTIFY_CALLS)
        return report(plan, seen, tally, request, budget, seed=runs.seed, checks=checks, source=runs, part=drawn)

    result = certified("certify", levels)
    uneven = min((check.p_value for check in result.checks if check.what == DISPERSED), default=1.0)
    if result.verdict == "refuted" and uneven < SUSPECT:
        # Given how many runs are in the event, how they lie in the calls is independent of that number, and with it
        # this decision of the bound: a second bound, from fresh runs at the same level, is as good as the first one.
        again = certified("again", Levels(levels.total))
        if again.epsilon_lower < result.epsilon_lower or again.verdict != "refuted":
            result = again
    return result


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
    unknown : tuple of (str, str, float)
        Leaves of the outputs: name, path, and share of both sides' certifying runs whose value hardly recurs.
    """

    counts: np.ndarray
    rows: int | tuple[int, int]
    trials: int
    unknown: tuple[tuple[str, str, float], ...] = ()


def report(
    plan: Plan,
    seen: tuple[Seen, ...],
    tally: Tally,
    request: Request,
    levels: Levels,
    *,
    seed: int,
    checks: tuple[Check, ...] = (),
    source: Runs | None = None,
    layout: Layout | None = None,
    part: tuple[str, int] = ("", 0),
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
    blind = blindness(tally.unknown)
    claimed = request.claim is not None or held is not None
    if claimed:
        refuted = bound > request.claim if request.claim is not None else any(exceeds(held, c) for _, c in certified)
        verdict = "refuted" if refuted else "blind" if blind else "not refuted"
    words = in_words(plan.scores[event.arm], event, certificate, seen[event.arm])
    against = held if held is not None else Approximate(request.claim or 0.0, request.delta)
    best = certificate
    if held is not None:  # in the unit of a claim, the event is spoken of that exceeds it most
        event, best = max(certified, key=lambda made: least_excess(held, made[1]))
        words = in_words(plan.scores[event.arm], event, best, seen[event.arm])
    value, unit = against.read(best.region())
    able = [smallest_detectable(against, c) for c in dict.fromkeys([best, certified[0][1]])]
    least = min((x for x in able if x is not None), default=None)
    return AuditResult(
        bound, request.claim, request.delta, 1.0 - levels.total, tally.trials, words.event, verdict, mu, best,
        tuple(c for _, c in certified), seed, checks=checks, excludes=sentence(least, against, claimed),
        columns=words.columns, examples=words.examples, claim="" if held is None else held.words,
        relation=request.relation, detectable=least, bound=value, unit=unit, blind=blind,
        ignored=request.ignore,
        origin=Origin(
            plan.scores[event.arm], event, source, layout if source is None else source.layout, *part,
            against if claimed else None,
        ),
        claim_value=getattr(held, "mu", getattr(held, "rho", getattr(held, "epsilon", None))),
    )  # fmt: skip


def blindness(unknown: tuple[tuple[str, str, float], ...]) -> str:
    """Which leaves most runs give values of that were not seen before, and what to do; empty if there are none."""
    blind = [(name, path, share) for name, path, share in unknown if share > BLIND]
    if not blind:
        return ""
    said = " and ".join(
        f"of {name} only equality is seen (and means over a grid, of an array of more than {WIDEST} entries), and in "
        f"{share:.0%} of the certifying runs it has a value that was seen less than five times before"
        for name, _, share in blind[:3]
    )
    paths = ", ".join(repr(path) for _, path, _ in blind)
    return (
        f"{said}: return the numbers, words or fields that it is made of (a decoded text, an object's attributes, "
        f"predictions at fixed points), or leave it out by ignore=[{paths}] if it says nothing of the data"
    )


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
    left = total - math.fsum([*curve, *mu])
    second = [] if plan.second is None else [levels.draw("second", plan.second.share * left)]
    main = levels.draw("main", left - math.fsum(second))
    made = []
    for event, level in zip(plan.events, [main, *second, *mu, *curve], strict=True):
        tops = counts[:, plan.column(event)]
        hits = tops if event.above else sizes - tops
        (first, second), (likelier, other) = (x.tolist()[:: 1 if event.forward else -1] for x in (hits, sizes))
        opposite = None if likelier == other else other
        made.append((event, Certified((first, second), likelier, event.forward, level, event.angle, opposite)))
    return made


def _plain(found: Certified, delta: float) -> float:
    p, q = found.frequencies
    return math.inf if q == 0.0 < p - delta else math.log((p - delta) / q) if p > delta and q > 0.0 else -math.inf
