"""`audit` and `audit_samples`: a lower bound on ε from runs on two neighbouring data sets.

A part of the runs chooses an event, the others certify it: the choice is free, and the bound is exact. Runs come in
blocks, each with its own stream, so that the same seed gives the same bits for any number of workers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dpbench.auditing.certify import (
    CHOOSE_SHARE,
    CURVE_SHARE,
    Approximate,
    Certified,
    Claim,
    as_claim,
    least_excess,
    open_excess,
    smallest_detectable,
)
from dpbench.auditing.choose import Event, Own, as_score, choose
from dpbench.auditing.independence import (
    DISPERSED,
    KEPT,
    LEVEL,
    Check,
    Probe,
    Trace,
    Watch,
    check_arrays,
    probe_of,
)
from dpbench.auditing.outputs import WIDEST, Layout, frame_rows, is_frame, learn, paths
from dpbench.auditing.result import AuditResult, Origin, Seen, in_words
from dpbench.auditing.samplers import accepts, sampler_name
from dpbench.core import sampling, validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import InvalidInput, invalid, native
from dpbench.privacy.profile import Profile


def refuse_equal(dataset: Any, neighbour: Any) -> None:
    """Refuse two equal data sets: every mechanism has ε = 0 on them, so an audit would show nothing.

    Raises
    ------
    InvalidInput
    """
    if equal(dataset, neighbour):
        raise InvalidInput("neighbour must be a data set that differs from dataset, got two equal data sets")


def equal(one: Any, other: Any) -> bool:
    """Whether two data sets are seen to be equal: the same object, arrays with equal entries, equal values."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    digest = getattr(one, "digest", None)
    if isinstance(digest, str):
        return bool(digest == getattr(other, "digest", None))
    try:
        return bool(np.all(one == other))
    except Exception:  # a type of the user's that cannot say
        return False


RELATIONS = ("replace", "add", "remove", "add_remove")
"""How the neighbour comes from the data set: a record is replaced, added, removed, or added or removed."""


def check_relation(dataset: Any, neighbour: Any, relation: Any, claim: Any = None) -> str | None:
    """The relation, refused where the sizes of the two data sets contradict it, or a claim for records replaced.

    Sizes are compared of lists, tuples, arrays, and of two problems (objects with an `n`) alone. Where they are equal
    nothing is said against a record added or removed: the data may be counts.

    Raises
    ------
    InvalidInput
    """
    if relation is not None:
        validation.choice("relation", relation, list(RELATIONS))
    sizes = _records(dataset), _records(neighbour)
    if sizes[0] is None or sizes[1] is None:
        return relation
    more = sizes[1] - sizes[0]
    if relation is None:
        if more and isinstance(claim, Profile) and claim.neighbours == "replace":
            must_be = "a profile for neighbours 'add_remove' of data sets of two sizes (guarantee(.., neighbours=..))"
            raise invalid("claim", must_be, f"'replace', and {sizes[0]} and {sizes[1]} records")
        return None
    fits = {"replace": more == 0, "add": more in (0, 1), "remove": more in (0, -1), "add_remove": abs(more) <= 1}
    if not fits[relation]:
        raise InvalidInput(
            f"relation must be that of dataset and neighbour, got {relation!r} and {sizes[0]} and {sizes[1]} records"
        )
    return relation


def _records(dataset: Any) -> int | None:
    """How many records a data set has; None where that is not known."""
    if isinstance(dataset, (list, tuple)):
        return len(dataset)
    if isinstance(dataset, np.ndarray):
        return len(dataset) if dataset.ndim else None
    number = getattr(dataset, "n", None)
    return number if isinstance(number, int) else None


MOST_RUNS = 10**9
"""Runs a side, at most: of each block of them a kilobyte is kept."""


def runs_a_side(trials: Any) -> int:
    """The number of runs, at least 100; 1e5 counts as the integer that it is.

    Raises
    ------
    InvalidInput
    """
    number = trials.item() if isinstance(trials, np.generic) else trials
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 100:
        raise invalid("trials", 'an integer >= 100 or "auto"', trials)
    if number > MOST_RUNS:
        raise invalid("trials", f"at most {MOST_RUNS:,}", f"{float(number):.3g}" if number < 10**300 else trials)
    return number


BLOCK = 16_384
"""Trials in a block, at most; the last one of a part may be short."""

CALLS, CERTIFY_CALLS = 16, 64
"""Blocks of the choosing and of the certifying part of a side, at least: what a call's runs share shows between
calls, and the more they are, the less it moves the frequency of an event."""

LEARN = 20_000
"""Outputs a side from which a layout is learned, at most."""

SIDES = ("dataset", "neighbour")
CHUNK = 128  # blocks between two reports of progress

EACH = "a function of one call and one result is made a sampler by dpbench.each(function)"
CALLED = (
    "a sampler is called as sampler(dataset, trials, rng) and draws its noise from rng; one with noise of its own is "
    "wrapped as lambda dataset, trials, rng: sampler(dataset, trials)"
)
SEEN = 'an exception that an analyst would see is an output: dpbench.each(function, exceptions="output")'
ANY_KIND = "dicts, records, ragged lists, images and mixtures are audited by dpbench.each(function of one run)"

Sampler = Callable[[Any, int, np.random.Generator], Any]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Runs:
    """The two sides of an audit: who is sampled, on what, and from which seed.

    `any_kind`: outputs are anything (texts, arrays of two types or widths on the two sides, or what a sampler made by
    `each` returns), and made numbers by `layout`.
    """

    sampler: Sampler
    dataset: Any
    neighbour: Any
    seed: int
    name: str
    any_kind: bool = False
    layout: Layout | None = None

    def draw(self, part: str, side: int, block: int, rows: int) -> np.ndarray:
        """The outputs of one block, checked, as numbers or texts; `part` names the stream."""
        outputs = self.results(part, side, block, rows)
        if self.layout is not None:
            return self.layout.encode(outputs)
        assert isinstance(outputs, np.ndarray)
        return outputs

    def results(self, part: str, side: int, block: int, rows: int) -> Any:
        """The outputs of one block as the sampler returns them: an array that was checked, or a list of anything."""
        rng = sampling.stream(self.seed, SIDES[side], part, block)
        call = getattr(self.sampler, "results", self.sampler)
        try:
            drawn = call(self.neighbour if side else self.dataset, rows, rng)
        except (Exception, SystemExit) as error:
            hint = f"; {SEEN}" if accepts(self.sampler, 3) else f"; {CALLED}, and {EACH}"
            raise InvalidInput(
                f"sampler {self.name} raised {type(error).__name__} on the {SIDES[side]}: {error}{hint}"
            ) from error
        if call is not self.sampler:
            return drawn
        outputs = checked(drawn, rows, self.name)
        return outputs.tolist() if self.any_kind else outputs

    def looked_at(self, texts: bool = True) -> tuple[Runs, int]:
        """The runs, `any_kind` determined by one run a side, and the columns of an output.

        `texts`: arrays of texts are taken apart too.
        """
        if hasattr(self.sampler, "results"):
            return replace(self, any_kind=True), 1
        one, other = (self.draw("width", side, 0, 1) for side in (0, 1))
        if not _alike(one, other) or (texts and one.dtype.kind in "SU"):
            return replace(self, any_kind=True), 1
        return self, 1 if one.ndim == 1 else one.shape[1]

    def collect(
        self, part: str, rows: int, workers: int | Executor, ignore: Sequence[str] = ()
    ) -> tuple[Runs, np.ndarray, np.ndarray]:
        """The runs, with a layout where outputs are of any kind, and all outputs of a part, `rows` of each side."""
        jobs = _jobs(rows)
        half = len(jobs) // 2
        blocks = sampling.map_blocks(partial(self._block, part), jobs, workers)
        if self.any_kind:
            first, second = ([x for block in side for x in block] for side in (blocks[:half], blocks[half:]))
            runs = replace(self, layout=learn(first[:LEARN], second[:LEARN], ignore))
            assert runs.layout is not None
            return runs, runs.layout.encode(first), runs.layout.encode(second)
        if ignore:
            raise InvalidInput(
                "ignore must be left out where outputs are arrays of numbers (of all of whose columns the values are "
                f"looked at), got {list(ignore)}"
            )
        _same_kind(blocks, self.name)
        return self, np.concatenate(blocks[:half]), np.concatenate(blocks[half:])

    def _block(self, part: str, job: tuple[int, int, int]) -> Any:
        return (self.results if self.any_kind else self.draw)(part, *job)

    def count(
        self,
        part: str,
        rows: int,
        counter: Counter,
        probe: Probe,
        like: np.ndarray,
        workers: int | Executor,
        progress: Progress | None,
        watch: Watch,
    ) -> np.ndarray:
        """Sum over the blocks of `counter(outputs)`, one row a side: what is kept of a block is its counts, and for
        `watch` its trace."""
        jobs = _jobs(rows, CERTIFY_CALLS)
        counted = partial(self._counted, part, counter, probe, like[:0])
        total = np.zeros((2, counter.width), dtype=np.int64)
        done = 0
        for start in range(0, len(jobs), CHUNK):
            chunk = jobs[start : start + CHUNK]
            counts_by_chunk = sampling.map_blocks(counted, chunk, workers)
            for (side, _, drawn), (counts, trace) in zip(chunk, counts_by_chunk, strict=True):
                total[side] += counts
                done += drawn
                watch.add(part, side, trace)
            if progress is not None:
                progress(done, 2 * rows)
        return total

    def _counted(
        self, part: str, counter: Counter, probe: Probe, like: np.ndarray, job: tuple[int, int, int]
    ) -> tuple[np.ndarray, Trace]:
        """Of one block; bits of rows, nine tenths of a trace, are kept of the first blocks alone."""
        outputs = self.draw(part, *job)
        _same_kind([like, outputs], self.name)
        counts, inside = counter(outputs)
        trace = probe.trace(outputs, inside)
        return counts, trace if job[1] < KEPT else trace.without_bits()


@dataclass(frozen=True)
class Counter:
    """Of a block: how many outputs are in each event (all of one score), how many have values not seen before in the
    leaves of these columns, and which are in the first event."""

    events: tuple[Event, ...]
    unseen: tuple[int, ...]

    @property
    def width(self) -> int:
        return len(self.events) + len(self.unseen)

    def __call__(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores = self.events[0].score(outputs)
        hits = [int(np.count_nonzero(event.of(scores))) for event in self.events]
        columns = outputs.reshape(len(outputs), -1) if self.unseen else outputs
        hits += [int(np.count_nonzero(columns[:, j] >= 0.5)) for j in self.unseen]
        return np.array(hits), self.events[0].of(scores)


def block_rows(rows: int, calls: int = CALLS) -> int:
    """Trials in the blocks of a part of so many a side: at least `calls` of them, none beyond `BLOCK`."""
    return max(1, min(BLOCK, rows // calls))


def _jobs(rows: int, calls: int = CALLS) -> list[tuple[int, int, int]]:
    """Side, number and rows of each block of a part."""
    size = block_rows(rows, calls)
    return [(side, b, min(size, rows - b * size)) for side in (0, 1) for b in range(-(-rows // size))]


def checked(drawn: Any, rows: int, name: str) -> np.ndarray:
    """The outputs of a block as an array of shape (rows,) or (rows, k), or one clear message."""
    what = f"the array that sampler {name} returns"
    shape = f"of shape ({rows},) or ({rows}, k)"
    if drawn is None:
        raise invalid(what, f"an array {shape} (does the sampler return anything?)", drawn)
    outputs = native(what, drawn, f"an array {shape} ({ANY_KIND})")
    if outputs.ndim == 0 and not isinstance(drawn, np.ndarray):
        raise invalid(what, f"{shape} ({EACH})", drawn)
    if outputs.ndim == 0 or outputs.shape[0] != rows:
        raise invalid(what, f"{shape}: one row for each of the trials asked for (here {rows})", outputs)
    return columns_of(what, outputs, f"numbers or booleans {shape}, or texts of shape ({rows},) ({ANY_KIND})")


def columns_of(what: str, array: np.ndarray, must_be: str) -> np.ndarray:
    """Numbers of one or two axes or texts of one, a lone column without its axis; or one clear message."""
    axes = (1,) if array.dtype.kind in "SU" else (1, 2)
    if array.dtype.kind not in "fiubSU" or array.ndim not in axes or 0 in array.shape[1:]:
        raise invalid(what, must_be, array)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _same_kind(parts: list[np.ndarray], name: str) -> None:
    """Refuse a width or a type that differs between blocks (strings may differ in length)."""
    first = parts[0]
    for other in parts[1:]:
        if not _alike(first, other):
            raise InvalidInput(
                f"the arrays that sampler {name} returns must be of one width and type in every block, got "
                f"{kind_of(first)} and then {kind_of(other)}"
            )


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Of one width and type; strings may differ in length."""
    text = one.dtype.kind in "SU" and other.dtype.kind == one.dtype.kind
    return other.shape[1:] == one.shape[1:] and (text or other.dtype == one.dtype)


def kind_of(outputs: np.ndarray) -> str:
    return f"{'scalars' if outputs.ndim == 1 else f'rows of {outputs.shape[1]}'} of type {outputs.dtype}"


CHOOSE_ROWS, CHOOSE_NUMBERS, CHOOSE_RESULTS = 2**21, 4 * 10**7, 200_000  # a side choose, rows, numbers, results at most
LEAST_CERTIFY = 80
SUSPECT = 0.2  # p-value of the event's dispersion over calls, below which a refutation is made again from fresh runs
BLIND = 0.5  # share of certifying runs in which a leaf has a value not seen before, above which the audit is blind
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
        with the sizes of lists and arrays, and with the neighbours of a `Profile`.
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
        The runs are seen not to be independent, at a level of 1e-9 an audit: no bound would be valid.

    Examples
    --------
    >>> from dpbench import audit
    >>> def noisy_count(count, trials, rng):
    ...     return count + rng.laplace(scale=1.0, size=trials)
    >>> audit(noisy_count, 0.0, 1.0, epsilon=0.5, trials=100_000).verdict
    'refuted'
    """
    check_call(sampler, workers, progress)
    if max_seconds is not None:
        max_seconds = validation.real("max_seconds", max_seconds, above=0.0)
    rows = None if isinstance(trials, str) and trials == "auto" else runs_a_side(trials)
    relation = check_relation(dataset, neighbour, relation, claim)
    request = Request.of(epsilon, delta, claim, confidence, score, ignore, relation)
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
            raise invalid("epsilon", 'given with trials="auto" (it, or claim, is when to stop)', epsilon)
        return _until_decided(runs, request, request.claim, gap, budget)


def check_call(sampler: Any, workers: Any, progress: Any) -> None:
    """Refuse what cannot be called, before anything is."""
    if not callable(sampler):
        raise invalid("sampler", "callable as sampler(dataset, trials, rng)", sampler)
    if not isinstance(workers, Executor):
        validation.integer("workers", workers, at_least=1)
    if progress is not None and not callable(progress):
        raise invalid("progress", "callable as progress(done, total), or None", progress)


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
        if isinstance(claim, Profile) and relation and (relation == "replace") != (claim.neighbours == "replace"):
            raise invalid("relation", f"that of the claim, a profile for neighbours {claim.neighbours!r}", relation)
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
    if request.max_seconds is not None:
        trials = _affordable(runs, trials, request.max_seconds)
    rows = max(20, min(int(CHOOSE_SHARE * trials), CHOOSE_ROWS, CHOOSE_NUMBERS // width))
    if runs.any_kind:
        rows = min(rows, CHOOSE_RESULTS)
    drawing = time.perf_counter()
    runs, first, second = runs.collect("choose" + tag, rows, request.workers, request.ignore)
    pace = (time.perf_counter() - drawing) / rows
    probe = probe_of(first, second)
    for side, outputs in enumerate((first, second)):
        watch.add_all("choose" + tag, side, probe, outputs, block_rows(rows))
    watch.examine()
    certify = trials - rows
    counter, seen = _choice(first, second, certify, request, runs.layout)
    if request.max_seconds is not None:  # the number of certifying runs is fixed before the first of them
        left = request.max_seconds - (time.perf_counter() - started)
        certify = min(certify, max(LEAST_CERTIFY, int(left / pace)))
    like = first[:0].copy()
    del first, second

    def certified(part: str) -> AuditResult:
        counts = runs.count(part + tag, certify, counter, probe, like, request.workers, request.progress, watch)
        checks = watch.examine()
        origin = Origin(runs, runs.layout, part + tag, block_rows(certify, CERTIFY_CALLS))
        return report(counter, seen, counts, (certify, certify), rows + certify, request, checks, origin, runs.seed)

    result = certified("certify")
    if result.verdict == "refuted" and watch.uneven("certify" + tag) < SUSPECT:
        # Given how many runs are in the event, how they lie in the calls is independent of that number, and with it
        # this decision of the bound: a second bound, from fresh runs at the same level, is as good as the first one.
        again = certified("again")
        if again.epsilon_lower < result.epsilon_lower or again.verdict != "refuted":
            result = again
    return result


def _choice(
    first: np.ndarray, second: np.ndarray, certify: int, request: Request, layout: Layout | None
) -> tuple[Counter, Seen]:
    """What the certifying runs are counted by, and what is kept of the choosing part for words."""
    if request.own is not None:
        request.own.check_rows(first, second)
    events = choose(first, second, certify, request.against, request.alpha, request.own)
    leaves = () if layout is None else layout.seen
    return Counter(events, tuple(column for _, _, column in leaves)), Seen.of(events[0].score, first, second, layout)


def report(
    counter: Counter, seen: Seen, counts: np.ndarray, sizes: tuple[int, int], trials: int, request: Request,
    checks: tuple[Check, ...], origin: Origin, seed: int,
) -> AuditResult:  # fmt: skip
    """The result, from the certifying runs' counts: of the events, then of the leaves' values not seen before.

    All certificates hold together, so that the bound and the curve may each be read from whichever says most.
    """
    events = counter.events
    family = _certificates(events, counts, sizes, request.alpha)
    regions = [c.region() for c in family]
    against, claim = request.against, request.claim
    excesses = [least_excess(against, region) for region in regions]
    place = int(np.argmax(excesses))
    event, best = events[place], family[place]
    blind = _blindness(origin.layout, counts[:, len(events) :].sum(axis=0) / sum(sizes))
    verdict = None
    if claim is not None:
        verdict = "refuted" if excesses[place] > 0.0 else "blind" if blind else "not refuted"
    value, unit = against.read(regions[place])
    able = [smallest_detectable(against, c) for c in dict.fromkeys([best, family[0]])]
    least = min((x for x in able if x is not None), default=None)
    return AuditResult(
        max(region.epsilon(request.delta) for region in regions), request.epsilon, request.delta,
        1.0 - request.alpha, trials, in_words(event, best, seen), verdict, best, tuple(family), seed, checks=checks,
        claim=request.words, relation=request.relation, detectable=least, bound=value, unit=unit, blind=blind,
        ignored=request.ignore, origin=replace(origin, event=event, claim=claim),
    )  # fmt: skip


def _certificates(
    events: tuple[Event, ...], counts: np.ndarray, sizes: tuple[int, int], alpha: float
) -> list[Certified]:
    """The main event has what the curve's leave of the level."""
    curve = len(events) - 1
    levels = [alpha * (1.0 - CURVE_SHARE) if curve else alpha, *[alpha * CURVE_SHARE / max(curve, 1)] * curve]
    certificates = []
    for event, level, hits in zip(events, levels, counts.T.tolist(), strict=False):
        (first, second), (likelier, other) = (x[:: 1 if event.forward else -1] for x in (hits, sizes))
        opposite = None if likelier == other else other
        certificates.append(Certified((first, second), likelier, event.forward, level, event.angle, opposite))
    return certificates


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
    most, epsilon, spent, drawn, number, started = -math.inf, 0.0, 0, 0, 0, time.perf_counter()
    while True:
        size = min(FIRST_ROUND * 2**number, budget - spent)
        if budget - spent < 3 * size:
            size = budget - spent  # what would be left is less than a further round needs
        share = 1.0 / ((number + 1) * (number + 2))
        part = replace(request, alpha=share * request.alpha)
        result = _split(runs, part, size, Watch(f"sampler {runs.name}", share * LEVEL), f"-{number}")
        spent, number, family = spent + size, number + 1, family + result.family
        drawn += result.trials  # fewer where the time is short
        epsilon = max(epsilon, result.epsilon_lower)
        certified = [c for c in result.family if isinstance(c, Certified)]
        excess = max(least_excess(claim, c.region()) for c in certified)
        if best is None or excess >= most:
            best, most = result, excess
        # the next round takes twice as long
        late = request.max_seconds is not None and 3.0 * (time.perf_counter() - started) > request.max_seconds
        hopeless = result.verdict == "blind" or open_excess(certified, claim) < 0.0
        decided = result.verdict == "refuted" or most >= -gap
        if decided or late or spent >= budget or (spent >= LEAST_SPENT and hopeless):
            return replace(
                best, epsilon_lower=epsilon, trials=drawn, confidence=1.0 - request.alpha, family=family,
                verdict=result.verdict, detectable=result.detectable, blind=result.blind,
            )  # fmt: skip


LEAST = 100
"""Outputs a side, at least."""

SCORED = 65_536  # rows scored at a time


def audit_samples(
    outputs: Any,
    neighbour_outputs: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    confidence: float = 0.999,
    seed: int = 0,
    score: Callable[[Any], Any] | None = None,
    relation: str | None = None,
    ignore: Sequence[str] = (),
) -> AuditResult:
    """Bound the privacy loss of a mechanism from below, from its outputs on two neighbouring data sets.

    Parameters
    ----------
    outputs, neighbour_outputs : array
        Independent runs on the data set and on the neighbour, one a row, in the order in which they were drawn; those
        of the two sides independent of each other too (no random numbers in common): numbers
        or booleans of shape (rows,) or (rows, k), or texts of shape (rows,); or a list or a data frame of outputs of
        any kind, which are taken apart by a layout learned from the rows that choose the event. At least 100 rows
        each, and not necessarily as many of both.
    epsilon, delta, claim, confidence, relation, ignore
        As in `dpbench.audit`.
    score : callable, optional
        As in `dpbench.audit`. An attack must have been learned from other outputs than these: one that knows the rows
        that certify it makes the bound invalid, and no test sees that.
    seed : int
        Decides which rows choose the event: a fifth of the smaller side's number, drawn from each side at random.

    Returns
    -------
    AuditResult
        `trials` are the rows of the smaller side. It makes the checks of independence that `dpbench.audit` makes.

    Raises
    ------
    InvalidInput
    DependentOutputs
        The rows are seen not to be independent, or were sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from dpbench import audit_samples
    >>> rng = np.random.default_rng(0)
    >>> audit_samples(rng.laplace(size=20_000), 1 + rng.laplace(size=20_000), epsilon=0.5).verdict
    'refuted'
    """
    seed = validation.integer("seed", seed, at_least=0)
    if relation is not None:
        validation.choice("relation", relation, list(RELATIONS))
    request = Request.of(epsilon, delta, claim, confidence, score, ignore, relation)
    one, other = _given("outputs", outputs), _given("neighbour_outputs", neighbour_outputs)
    layout = None
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        one, other = _both_alike(one, other)
    elif isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        raise InvalidInput("neighbour_outputs must be of the kind that outputs are, got an array and a list of results")
    if isinstance(one, np.ndarray) and (one.dtype.kind not in "SU" or score is not None):
        if request.ignore:
            raise InvalidInput(f"ignore must be left out beside arrays of numbers, got {list(request.ignore)}")
    else:
        one, other = list(one), list(other)
    with one_blas_thread(), threadpool_limits(1, user_api="openmp"):
        fewest = min(len(one), len(other))
        kept = isinstance(one, list)
        most = LEARN if kept else CHOOSE_ROWS
        rows = max(20, min(int(CHOOSE_SHARE * fewest), most))
        # Rows that choose anything, columns or event, certify nothing.
        chosen = [_chosen(len(x), rows, seed, side) for side, x in enumerate((one, other))]
        if kept:
            some = [[x[k] for k in np.flatnonzero(mask)] for x, mask in zip((one, other), chosen, strict=True)]
            layout = learn(some[0], some[1], request.ignore)
            one, other = layout.encode(one), layout.encode(other)
        checks = check_arrays(one, other)
        width = 1 if one.ndim == 1 else one.shape[1]
        thin = -(-rows * width // CHOOSE_NUMBERS)
        first, second = (x[mask][::thin] for x, mask in zip((one, other), chosen, strict=True))
        rest, left = (x[~mask] for x, mask in zip((one, other), chosen, strict=True))
        sizes = len(rest), len(left)
        certify = 2 * sizes[0] * sizes[1] // sum(sizes)  # as many on each side have as small an error
        counter, seen = _choice(first, second, certify, request, layout)
        counts = np.stack([_counts(counter, x) for x in (rest, left)])
        checks += tuple(x for x in check_arrays(rest, left, counter.events[0]) if x.what == DISPERSED)
    return report(counter, seen, counts, sizes, fewest, request, checks, Origin(None, layout), seed)


def _given(name: str, outputs: Any) -> Any:
    """An array, checked, or a list of results of any kind."""
    if is_frame(type(outputs)):
        rows = frame_rows(outputs)[0]
    elif isinstance(outputs, np.ndarray) and outputs.dtype.names is not None:
        rows = [dict(zip(outputs.dtype.names, row.item(), strict=True)) for row in outputs]
    elif isinstance(outputs, (list, tuple)) and len(outputs) > 0 and not _numbers_throughout(outputs):
        rows = list(outputs)
    else:
        return _checked(name, outputs)
    if len(rows) < LEAST:
        raise invalid(name, f"at least {LEAST} rows, one a run", f"{len(rows)} rows")
    return rows


def _numbers_throughout(outputs: Any) -> bool:
    try:
        return np.asarray(outputs).dtype.kind in "fiub"
    except ValueError:  # of several shapes
        return False


def _checked(name: str, outputs: Any) -> np.ndarray:
    must_be = "numbers or booleans of shape (rows,) or (rows, k), texts of shape (rows,), or a list of outputs"
    array = columns_of(name, native(name, outputs, must_be), must_be)
    if len(array) < LEAST:
        raise invalid(name, f"at least {LEAST} rows, one a run", array)
    return array


def _both_alike(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both of one type, or one message."""
    texts = {x.dtype.kind if x.dtype.kind in "SU" else "" for x in (one, other)}
    if one.shape[1:] != other.shape[1:] or len(texts) > 1:
        raise InvalidInput(
            f"neighbour_outputs must be of the width and type of outputs, {kind_of(one)}, got {kind_of(other)}"
        )
    kind = np.result_type(one, other)
    return one.astype(kind, copy=False), other.astype(kind, copy=False)


def _chosen(total: int, rows: int, seed: int, side: int) -> np.ndarray:
    """bool[total]: which rows choose the event."""
    chosen = np.zeros(total, dtype=bool)
    chosen[sampling.stream(seed, "samples", "choose", side).choice(total, rows, replace=False, shuffle=False)] = True
    return chosen


def _counts(counter: Counter, outputs: np.ndarray) -> np.ndarray:
    total = np.zeros(counter.width, dtype=np.int64)
    for start in range(0, len(outputs), SCORED):
        total += counter(outputs[start : start + SCORED])[0]
    return total
