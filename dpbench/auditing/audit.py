"""`audit`: a lower bound on the privacy loss of any mechanism, from samples on two neighbouring data sets.

The sample is split. One part, which no bound rests on, chooses an event (`choose`). The other, which shares no block
with it, counts the event on both sides; an exact joint region of the two probabilities gives what the counts rule out
(`certified`, `claimed`), and exact tests look whether the runs are independent (`dependence`). A bound holds in finite
samples at its stated confidence for every sampler whose runs are independent; a verdict is "refuted" or "not
refuted", never "private".
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpbench.auditing.blocks import BLOCK, CERTIFY_CALLS, Counter, Progress, Runs, Sampler, block_rows, sampler_name
from dpbench.auditing.certified import Certified, Origin, least_excess
from dpbench.auditing.choose import Event, Own, as_score, choose
from dpbench.auditing.claimed import Approximate, Claim, as_claim, parameter
from dpbench.auditing.dependence import DISPERSED, LEVEL, Check, Watch
from dpbench.auditing.detectable import CURVE_SHARE, open_excess, sentence, smallest_detectable
from dpbench.auditing.outputs import WIDEST, Layout, paths
from dpbench.auditing.pair import check_relation, refuse_equal, runs_a_side
from dpbench.auditing.results import AuditResult
from dpbench.auditing.traces import Probe, fixed_columns, probe_of
from dpbench.auditing.wording import Seen, in_words
from dpbench.core import validation
from dpbench.core.blas import one_blas_thread

__all__ = ["AuditResult", "Certified", "audit"]

CHOOSE_SHARE = 0.2  # of the runs choose the event,
CHOOSE_ROWS, CHOOSE_NUMBERS, CHOOSE_RESULTS = 2**21, 4 * 10**7, 200_000  # and a side no more rows, numbers, results
LEAST_CERTIFY = 80
SUSPECT = 0.2  # p-value of the event's dispersion over calls, below which a refutation is made again from fresh runs
BLIND = 0.5  # share of certifying runs in which a leaf has a value not seen before, above which the audit is blind
CALLS, LEAST_HELD = 32, 64  # single runs that are compared with a constant column, of so many rows at least
SHARE_ROWS = 4096  # a side, from which the share of the event is read that groups of runs are compared with
FIRST_ROUND, LEAST_SPENT = 4_000, 200_000  # of trials="auto": runs a side in the first round, and before giving up


def audit(
    sampler: Sampler,
    dataset: Any,
    neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    relation: str | None = None,
    trials: int | str = 1_000_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | Executor = 1,
    score: Callable[[Any], Any] | None = None,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    gap: float = 0.05,
    budget: int = 100_000_000,
    ignore: Sequence[str] = (),
) -> AuditResult:
    """Bound the privacy loss of a mechanism from below, by sampling it on two neighbouring data sets.

    Parameters
    ----------
    sampler : callable
        ``sampler(dataset, trials, rng) -> array``, first axis `trials`: numbers or booleans of shape
        (trials,) or (trials, k), or fixed-width strings or bytes (trials,). Rows must be independent runs, those
        of the two data sets independent of each other too.
        The mechanisms of this package are such samplers.
    dataset, neighbour : any
        Two neighbouring data sets, handed to the sampler untouched; equal ones are refused.
    epsilon, delta : float, optional
        The claim. Without ε there is a bound and no verdict.
    claim : Profile, mapping or privacy loss distribution, optional
        A whole claim in place of ε: a `dpbench.Profile` (exact or upper), ``{"mu": 1.0}`` for Gaussian differential
        privacy, ``{"rho": 0.5}`` for zero-concentrated privacy (approximate with a ``"delta"`` beside it), ``{"rdp":
        {2: 0.5, 8: 2.0}}`` for Rényi divergences at listed orders, or what has ``get_delta_for_epsilon``, as
        dp-accounting's privacy loss distributions. The result's `bound` is in the claim's unit, `epsilon_lower` still
        at `delta`.
    relation : {"replace", "add", "remove", "add_remove"}, optional
        How the neighbour comes from the data set, for which the claim is made; it is said in the result, and compared
        with the sizes of lists and arrays.
    trials : int or "auto"
        Runs on each side, at least 100. A fifth (at most 2²¹, less for wide outputs) chooses the event, the
        rest certify it. "auto" keeps sampling until the claim is refuted, the bound is within `gap` of it,
        `budget` runs a side are spent, or (from 200,000 runs on) an upper limit for every event tried lies below the
        claim; its bound holds at any such stop.
    confidence : float
        Of the bound, the curve and μ together: their error probabilities sum to at most 1 − `confidence`.
    seed : int
        Streams are seeded by (seed, side, part, block) alone, whatever the workers.
    workers : int or concurrent.futures.Executor
        Threads, or an executor of yours (for processes, sampler and data sets must pickle).
    score : callable, optional
        A score of your own, such as an attack: ``score(outputs) -> numbers of shape (rows,)``, of a block of outputs
        and nothing else. It is tried beside the learned ones, and used where it promises most.
    max_seconds : float, optional
        Time in which to end, about: fewer runs are made where the sampler is slow, how many is fixed before the first
        certifying run. What comes out then depends on the machine.
    progress : callable, optional
        ``progress(done, total)`` in certifying runs of both sides.
    gap, budget : float, int
        For ``trials="auto"`` alone. `gap` is in the unit of the claim: ε (of a profile too), μ, or a Rényi divergence.
    ignore : sequence of str
        Where outputs are of any kind (`dpbench.each`, texts): leaves to leave out, by their paths such as ``"id"``,
        identifiers and times that say nothing of the data.

    Returns
    -------
    AuditResult

    Raises
    ------
    InvalidInput
        A parameter or a sampler's output cannot be used, or the sampler raised.
    DependentOutputs
        The runs are seen not to be independent, at a level of 1e-9 an audit: no bound would be valid. Where an output
        or a column never changes in a call, 16 calls for one run each are compared with it.

    Examples
    --------
    >>> from dpbench import audit
    >>> def noisy_count(count, trials, rng):
    ...     return count + rng.laplace(scale=1.0, size=trials)
    >>> audit(noisy_count, 0.0, 1.0, epsilon=0.5, trials=100_000).verdict
    'refuted'
    """
    if not callable(sampler):
        raise validation.invalid("sampler", "callable as sampler(dataset, trials, rng)", sampler)
    if not isinstance(workers, Executor):
        validation.integer("workers", workers, at_least=1)
    if progress is not None and not callable(progress):
        raise validation.invalid("progress", "callable as progress(done, total), or None", progress)
    if max_seconds is not None:
        max_seconds = validation.real("max_seconds", max_seconds, above=0.0)
    rows = None if isinstance(trials, str) and trials == "auto" else runs_a_side(trials)
    request = Request.of(epsilon, delta, claim, confidence, score, ignore, check_relation(dataset, neighbour, relation))
    request = replace(request, workers=workers, progress=progress, max_seconds=max_seconds)
    gap = validation.real("gap", gap, above=0.0)
    budget = validation.integer("budget", budget, at_least=1000)
    refuse_equal(dataset, neighbour)
    seed = validation.integer("seed", seed, at_least=0)
    runs = Runs(sampler, dataset, neighbour, seed, sampler_name(sampler))
    # One OpenMP thread too, for a sampler of scikit-learn's: a team would not survive a fork.
    with one_blas_thread(), threadpool_limits(1, user_api="openmp"):
        if rows is not None:
            return _split(runs, request, rows, Watch(f"sampler {runs.name}"))
        if request.claim is None:
            raise validation.invalid("epsilon", 'given with trials="auto" (it, or claim, is when to stop)', epsilon)
        return _until_decided(runs, request, request.claim, gap, budget)


@dataclass(frozen=True)
class Request:
    """What an audit is to do, with every field validated.

    Attributes
    ----------
    epsilon : float or None
        The claim, where it is one of epsilon and delta.
    claim : Claim or None
        What the verdict is on.
    alpha : float
        1 - confidence: the levels of all certificates sum to at most this.
    own : Own or None
        A score of the user's.
    max_seconds : float or None
        Time in which to end, about.
    """

    epsilon: float | None
    delta: float
    claim: Claim | None
    alpha: float
    own: Own | None
    ignore: tuple[str, ...]
    relation: str | None
    workers: int | Executor = 1
    progress: Progress | None = None
    max_seconds: float | None = None

    @classmethod
    def of(
        cls, epsilon: Any = None, delta: Any = 0.0, claim: Any = None, confidence: Any = 0.999, score: Any = None,
        ignore: Any = (), relation: str | None = None,
    ) -> Request:  # fmt: skip
        """Checked."""
        level = None if epsilon is None else validation.real("epsilon", epsilon, at_least=0.0)
        delta = validation.delta(delta)
        alpha = 1.0 - validation.fraction("confidence", confidence)
        return cls(level, delta, as_claim(claim, level, delta), alpha, as_score(score), paths(ignore), relation)

    @property
    def against(self) -> Claim:
        """What the event is chosen for."""
        return Approximate(0.0, self.delta) if self.claim is None else self.claim

    @property
    def words(self) -> str:
        """The claim, where it is not one of epsilon and delta."""
        return "" if self.claim is None or self.epsilon is not None else self.claim.words


def _split(runs: Runs, request: Request, trials: int, watch: Watch, tag: str = "") -> AuditResult:
    """One split audit of `trials` runs a side; `tag` tells the streams of audits of one seed apart.

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
        trials = _affordable(runs, trials, request.max_seconds)
    rows = max(20, min(int(CHOOSE_SHARE * trials), CHOOSE_ROWS, CHOOSE_NUMBERS // width))
    if runs.any_kind:
        rows = min(rows, CHOOSE_RESULTS)
    drawing = time.perf_counter()
    runs, first, second = runs.collect("choose" + tag, rows, request.workers, request.ignore)
    pace = (time.perf_counter() - drawing) / rows
    probe = probe_of(first, second)
    _watch_choosing(runs, watch, probe, (first, second), tag)
    if request.own is not None:
        request.own.check_rows(first, second)
    certify = trials - rows
    events = choose(first, second, certify, request.against, request.alpha, request.own)
    if request.max_seconds is not None:  # the number of certifying runs is fixed before the first of them
        left = request.max_seconds - (time.perf_counter() - started)
        certify = min(certify, max(LEAST_CERTIFY, int(left / pace)))
    like = first[:0].copy()
    shares = [float(np.mean(events[0](side[:SHARE_ROWS]))) for side in (first, second)]
    seen = Seen.of(events[0].score, first, second, runs.layout)
    del first, second
    leaves = () if runs.layout is None else runs.layout.seen
    counter = Counter(events, tuple(column for _, _, column in leaves), probe.with_event((shares[0], shares[1])))

    def certified(part: str) -> AuditResult:
        counts = runs.count(part + tag, certify, counter, like, request.workers, request.progress, watch)
        checks = watch.examine()
        drawn = Drawn(runs, runs.layout, part + tag, block_rows(certify, CERTIFY_CALLS), runs.seed)
        return report(events, seen, counts, (certify, certify), rows + certify, request, checks, drawn)

    result = certified("certify")
    uneven = min((check.p_value for check in result.checks if check.what == DISPERSED), default=1.0)
    if result.verdict == "refuted" and uneven < SUSPECT:
        # Given how many runs are in the event, how they lie in the calls is independent of that number, and with it
        # this decision of the bound: a second bound, from fresh runs at the same level, is as good as the first one.
        again = certified("again")
        if again.epsilon_lower < result.epsilon_lower or again.verdict != "refuted":
            result = again
    return result


def _watch_choosing(runs: Runs, watch: Watch, probe: Probe, sides: tuple[np.ndarray, np.ndarray], tag: str) -> None:
    for side, outputs in enumerate(sides):
        size = block_rows(len(outputs))
        watch.add_all("choose" + tag, side, probe, outputs, size)
        call = outputs[: max(size, LEAST_HELD)]
        held = fixed_columns(call if outputs.ndim > 1 else call[:, None])
        if held and len(call) >= LEAST_HELD:  # of the data alone, or drawn once a call
            watch.add_calls(side, held, len(call), runs.calls("calls" + tag, side, CALLS))
    watch.examine()


@dataclass(frozen=True)
class Drawn:
    """Where the certifying runs come from (no `runs`: from the user)."""

    runs: Runs | None
    layout: Layout | None
    part: str
    block: int
    seed: int


def report(
    events: tuple[Event, ...], seen: Seen, counts: np.ndarray, sizes: tuple[int, int], trials: int, request: Request,
    checks: tuple[Check, ...], drawn: Drawn,
) -> AuditResult:  # fmt: skip
    """The result, from the certifying runs' counts: of the events, then of the leaves' values not seen before.

    All certificates hold together, so that the bound and the curve may each be read from whichever says most.
    """
    family = _certificates(events, counts, sizes, request.alpha)
    regions = [c.region() for c in family]
    against, claim = request.against, request.claim
    excesses = [float(against.excess(region.low, region.high).min()) for region in regions]
    place = int(np.argmax(excesses))
    event, best = events[place], family[place]
    blind = _blindness(drawn.layout, counts[:, len(events) :].sum(axis=0) / sum(sizes))
    verdict = None
    if claim is not None:
        verdict = "refuted" if excesses[place] > 0.0 else "blind" if blind else "not refuted"
    words = in_words(event, best, seen)
    value, unit = against.read(regions[place])
    able = [smallest_detectable(against, c) for c in dict.fromkeys([best, family[0]])]
    least = min((x for x in able if x is not None), default=None)
    return AuditResult(
        max(region.epsilon(request.delta) for region in regions), request.epsilon, request.delta,
        1.0 - request.alpha, trials, words.event, verdict, None, best, tuple(family), drawn.seed, checks=checks,
        excludes=sentence(least, against, claim is not None), columns=words.columns, examples=words.examples,
        claim=request.words,
        relation=request.relation, detectable=least, bound=value, unit=unit, blind=blind, ignored=request.ignore,
        origin=Origin(event.score, event, drawn.runs, drawn.layout, drawn.part, drawn.block, claim),
        claim_value=parameter(claim),
    )  # fmt: skip


def _certificates(
    events: tuple[Event, ...], counts: np.ndarray, sizes: tuple[int, int], alpha: float
) -> list[Certified]:
    """The main event has what the curve's leave of the level."""
    curve = len(events) - 1
    levels = [alpha * (1.0 - CURVE_SHARE) if curve else alpha, *[alpha * CURVE_SHARE / max(curve, 1)] * curve]
    made = []
    for event, level, hits in zip(events, levels, counts.T.tolist(), strict=False):
        (first, second), (likelier, other) = (x[:: 1 if event.forward else -1] for x in (hits, sizes))
        opposite = None if likelier == other else other
        made.append(Certified((first, second), likelier, event.forward, level, event.angle, opposite))
    return made


def _blindness(layout: Layout | None, shares: np.ndarray) -> str:
    """Which leaves most runs give values of that were not seen before, and what to do; empty if there are none."""
    leaves = () if layout is None else layout.seen
    blind = [(name, path, share) for (name, path, _), share in zip(leaves, shares, strict=True) if share > BLIND]
    if not blind:
        return ""
    said = " and ".join(
        f"of {name} only equality is seen (and means over a grid, of an array of more than {WIDEST} entries), and in "
        f"{share:.0%} of the certifying runs it has a value that was seen less than five times before"
        for name, _, share in blind[:3]
    )
    given = ", ".join(repr(path) for _, path, _ in blind)
    return (
        f"{said}: return the numbers, words or fields that it is made of (a decoded text, an object's attributes, "
        f"predictions at fixed points), or leave it out by ignore=[{given}] if it says nothing of the data"
    )


def _affordable(runs: Runs, trials: int, seconds: float) -> int:
    """Runs a side, at most `trials` and at least 100, that the sampler makes in this time, from a few of them."""
    rows, took = 1, 0.0
    while rows < min(trials, BLOCK) and took < 0.02 * seconds:
        rows = min(8 * rows, BLOCK, trials)
        started = time.perf_counter()
        for side in (0, 1):
            runs.draw("pace", side, rows, rows)
        took = time.perf_counter() - started
    return trials if took == 0.0 else max(100, min(trials, int(seconds * rows / took)))


def _until_decided(runs: Runs, request: Request, claim: Claim, gap: float, budget: int) -> AuditResult:
    """Rounds of doubling size until the claim is refuted, its excess is at least -`gap`, or `budget` is spent.

    Round r is a split audit of its own, with fresh streams and error probability alpha/((r + 1)(r + 2)); these sum to
    alpha, so that all rounds' bounds hold together after any stop that depends on the data. It gives up, after
    `LEAST_SPENT` runs a side, where an upper limit for every event that the last round certified lies below the claim,
    and where a further round would not end within `max_seconds`.
    """
    best: AuditResult | None = None
    family: tuple[Any, ...] = ()
    most, epsilon, spent, number, started = -math.inf, 0.0, 0, 0, time.perf_counter()
    while True:
        size = min(FIRST_ROUND * 2**number, budget - spent)
        if budget - spent < 3 * size:
            size = budget - spent  # what would be left is less than a further round needs
        share = 1.0 / ((number + 1) * (number + 2))
        part = replace(request, alpha=share * request.alpha)
        found = _split(runs, part, size, Watch(f"sampler {runs.name}", share * LEVEL), f"-{number}")
        spent, number, family = spent + size, number + 1, family + found.family
        epsilon = max(epsilon, found.epsilon_lower)
        certified = [c for c in found.family if isinstance(c, Certified)]
        excess = max(least_excess(claim, c) for c in certified)
        if best is None or excess >= most:
            best, most = found, excess
        # the next round takes twice as long
        late = request.max_seconds is not None and 3.0 * (time.perf_counter() - started) > request.max_seconds
        hopeless = found.verdict == "blind" or open_excess(certified, claim) < 0.0
        decided = found.verdict == "refuted" or most >= -gap
        if decided or late or spent >= budget or (spent >= LEAST_SPENT and hopeless):
            return replace(
                best, epsilon_lower=epsilon, trials=spent, confidence=1.0 - request.alpha, family=family,
                excludes=found.excludes, verdict=found.verdict, detectable=found.detectable, blind=found.blind,
            )  # fmt: skip
