"""Blocks of a user's sampler: seeded by (seed, side, part, block) alone, checked once, streamed in any
order."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dpbench.auditing.choose import Event
from dpbench.auditing.dependence import KEPT, Watch
from dpbench.auditing.outputs import Layout, learn
from dpbench.auditing.traces import Probe, Trace, joined
from dpbench.core import sampling
from dpbench.core.validation import InvalidInput, invalid, native

BLOCK = 16_384
"""Trials in a block, at most; the last one of a part may be short."""

CALLS, CERTIFY_CALLS = 16, 64
"""Blocks of the choosing and of the certifying part of a side, at least: what a call's runs share shows between
calls, and the more they are, the less it moves the frequency of an event."""

LEARN = 20_000
"""Outputs a side from which a layout is learned, at most."""

SIDES = ("dataset", "neighbour")
CHUNK = 128  # stretches between two reports of progress
STRETCHES, LONGEST = 1024, 64
"""Of a certifying part and side: as many stretches of blocks at least as far as there are blocks, none of more blocks
than the second. What a stretch gives is summed where it is drawn: of 1e10 runs a side come 19,000 results, not 1.2
million."""

EACH = "a function of one call and one result is made a sampler by dpbench.each(function)"
CALLED = (
    "a sampler is called as sampler(dataset, trials, rng) and draws its noise from rng; one with noise of its own is "
    "wrapped as lambda dataset, trials, rng: sampler(dataset, trials)"
)
SEEN = 'an exception that an analyst would see is an output: dpbench.each(function, exceptions="output")'
ENCODE = "dpbench.encode(outputs) makes such an array of dicts, records, ragged lists, images and mixtures"

Sampler = Callable[[Any, int, np.random.Generator], Any]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Runs:
    """The two sides of an audit: who is sampled, on what, and from which seed.

    `kinds`: the sides' outputs are of two types or widths, which distinguishes the sides; only that is kept of a run.
    `any_kind`: outputs are anything (texts, or what a sampler made by `each` returns), and made numbers by `layout`.
    """

    sampler: Sampler
    dataset: Any
    neighbour: Any
    seed: int
    name: str
    kinds: bool = False
    any_kind: bool = False
    layout: Layout | None = None

    def draw(self, part: str, side: int, block: int, rows: int) -> np.ndarray:
        """The outputs of one block, checked, as numbers or texts; `part` names the stream."""
        outputs = self.results(part, side, block, rows)
        if self.layout is not None:
            return self.layout.encode(outputs)
        assert isinstance(outputs, np.ndarray)
        return np.full(rows, kind_of(outputs)) if self.kinds else outputs

    def results(self, part: str, side: int, block: int, rows: int) -> Any:
        """The outputs of one block as the sampler returns them: an array that was checked, or a list of anything."""
        rng = sampling.stream(self.seed, SIDES[side], part, block)
        call = getattr(self.sampler, "results", self.sampler)
        try:
            made = call(self.neighbour if side else self.dataset, rows, rng)
        except (Exception, SystemExit) as error:
            hint = f"; {SEEN}" if takes_three(self.sampler) else f"; {CALLED}, and {EACH}"
            raise InvalidInput(
                f"sampler {self.name} raised {type(error).__name__} on the {SIDES[side]}: {error}{hint}"
            ) from error
        if call is not self.sampler:
            return made
        outputs = checked(made, rows, self.name)
        return outputs.tolist() if self.any_kind and not self.kinds else outputs

    def looked_at(self, texts: bool = True) -> tuple[Runs, int]:
        """The runs, `kinds` and `any_kind` determined by one run a side, and the columns of an output.

        `texts`: arrays of texts are taken apart too.
        """
        if hasattr(self.sampler, "results"):
            return replace(self, any_kind=True), 1
        one, other = (self.draw("width", side, 0, 1) for side in (0, 1))
        runs = self if _alike(one, other) else replace(self, kinds=True)
        if texts and not runs.kinds and one.dtype.kind in "SU":
            return replace(runs, any_kind=True), 1
        return runs, 1 if runs.kinds or one.ndim == 1 else one.shape[1]

    def collect(
        self, part: str, rows: int, workers: int | Executor, ignore: Sequence[str] = ()
    ) -> tuple[Runs, np.ndarray, np.ndarray]:
        """The runs, with a layout where outputs are of any kind, and all outputs of a part, `rows` of each side."""
        jobs = _jobs(rows)
        half = len(jobs) // 2
        if self.any_kind:
            found = sampling.map_blocks(_Draw(self, part), jobs, workers)
            first, second = ([x for block in blocks for x in block] for blocks in (found[:half], found[half:]))
            runs = replace(self, layout=learn(first[:LEARN], second[:LEARN], ignore))
            assert runs.layout is not None
            return runs, runs.layout.encode(first), runs.layout.encode(second)
        if ignore:
            raise InvalidInput(
                "ignore must be left out where outputs are arrays of numbers (of all of whose columns the values are "
                f"looked at), got {list(ignore)}"
            )
        parts = sampling.map_blocks(_Draw(self, part), jobs, workers)
        _same_kind(parts, self.name)
        return self, np.concatenate(parts[:half]), np.concatenate(parts[half:])

    def calls(self, part: str, side: int, count: int) -> np.ndarray:
        """One output of each of so many calls."""
        return np.concatenate([self.draw(part, side, block, 1) for block in range(count)])

    def count(
        self,
        part: str,
        rows: int,
        counter: Counter,
        like: np.ndarray,
        workers: int | Executor,
        progress: Progress | None,
        watch: Watch | None = None,
    ) -> np.ndarray:
        """Sum over the blocks of `counter(outputs)`, one row a side: what is kept of a stretch of blocks is its counts,
        and for `watch` its trace."""
        size = block_rows(rows, CERTIFY_CALLS)
        jobs, length = _stretches(rows, size)
        counted = _Count(self, part, counter, like[:0], size)
        total = np.zeros((2, counter.width), dtype=np.int64)
        done = 0
        # An executor of many workers is given many at a time; here, those of about half a second of cheap runs.
        count = CHUNK if isinstance(workers, Executor) else max(8, CHUNK // length)
        for start in range(0, len(jobs), count):
            chunk = jobs[start : start + count]
            found = sampling.map_blocks(counted, chunk, workers)
            for (side, _, drawn), (counts, trace) in zip(chunk, found, strict=True):
                total[side] += counts
                done += drawn
                if watch is not None and counter.probe is not None and trace is not None:
                    watch.add(part, side, counter.probe, trace)
            if progress is not None:
                progress(done, 2 * rows)
        return total


@dataclass(frozen=True)
class Counter:
    """Of a block: how many outputs are in each event (all of one score), how many have values not seen before in the
    leaves of these columns, and the block's trace, whose last bit tells whether an output is in the first event."""

    events: tuple[Event, ...]
    unseen: tuple[int, ...]
    probe: Probe | None = None

    @property
    def width(self) -> int:
        return len(self.events) + len(self.unseen)

    def __call__(self, outputs: np.ndarray, side: int = 0) -> tuple[np.ndarray, Trace | None]:
        scores = self.events[0].score(outputs)
        main = self.events[0].of(scores)
        hits = [int(np.count_nonzero(event.of(scores))) for event in self.events]
        columns = outputs.reshape(len(outputs), -1) if self.unseen else outputs
        hits += [int(np.count_nonzero(columns[:, j] >= 0.5)) for j in self.unseen]
        return np.array(hits), None if self.probe is None else self.probe.trace(outputs, side, main)


@dataclass(frozen=True)
class _Draw:
    runs: Runs
    part: str

    def __call__(self, job: tuple[int, int, int]) -> Any:
        side, block, rows = job
        return (self.runs.results if self.runs.any_kind else self.runs.draw)(self.part, side, block, rows)


@dataclass(frozen=True)
class _Count:
    runs: Runs
    part: str
    counter: Counter
    like: np.ndarray
    size: int

    def __call__(self, job: tuple[int, int, int]) -> tuple[np.ndarray, Trace | None]:
        side, first, rows = job
        total, traces = np.zeros(self.counter.width, dtype=np.int64), []
        for block, start in enumerate(range(0, rows, self.size), first):
            outputs = self.runs.draw(self.part, side, block, min(self.size, rows - start))
            _same_kind([self.like, outputs], self.runs.name)
            counts, trace = self.counter(outputs, side)
            total += counts
            if trace is not None:  # past `KEPT` without nine tenths of what would travel, for nothing
                traces.append(trace if block < KEPT else trace.without_bits())
        return total, joined(traces) if traces else None


def block_rows(rows: int, calls: int = CALLS) -> int:
    """Trials in the blocks of a part of so many a side: at least `calls` of them, none beyond `BLOCK`."""
    return max(1, min(BLOCK, rows // calls))


def _jobs(rows: int) -> list[tuple[int, int, int]]:
    size = block_rows(rows)
    return [(side, b, min(size, rows - b * size)) for side in (0, 1) for b in range(-(-rows // size))]


def _stretches(rows: int, size: int) -> tuple[list[tuple[int, int, int]], int]:
    """Side, first block and rows of each stretch of blocks of `size` rows, and the blocks of the longest.

    It depends on the rows alone, so that a run that is resumed asks for the same. The first `KEPT` blocks, whose bits
    are compared, are by themselves.
    """
    blocks = -(-rows // size)
    length = max(1, min(LONGEST, blocks // STRETCHES))
    ends = [*range(min(KEPT, blocks)), *range(KEPT, blocks, length), blocks]
    cuts = [(first, min(last * size, rows) - first * size) for first, last in pairwise(ends)]
    return [(side, first, long) for side in (0, 1) for first, long in cuts], length


def takes_three(sampler: Any) -> bool:
    """Whether it can be called with a data set, a number of trials and a generator, as far as its signature tells."""
    try:
        inspect.signature(sampler).bind(None, 1, None)
    except TypeError:
        return False
    except ValueError:  # it has none
        return True
    return True


def sampler_name(sampler: Any) -> str:
    """What messages call a sampler: its own name, or its type's."""
    return str(getattr(sampler, "__name__", None) or type(sampler).__name__)


def checked(made: Any, rows: int, name: str) -> np.ndarray:
    """The outputs of a block as an array of shape (rows,) or (rows, k), or one clear message."""
    what = f"the array that sampler {name} returns"
    shape = f"of shape ({rows},) or ({rows}, k)"
    if made is None:
        raise invalid(what, f"an array {shape} (does the sampler return anything?)", made)
    outputs = native(what, made, f"an array {shape} ({ENCODE})")
    if outputs.ndim == 0 and not isinstance(made, np.ndarray):
        raise invalid(what, f"{shape} ({EACH})", made)
    if outputs.ndim == 0 or outputs.shape[0] != rows:
        raise invalid(what, f"{shape}: one row for each of the trials asked for (here {rows})", outputs)
    if outputs.dtype.kind in "SU":
        if outputs.ndim != 1:
            raise invalid(what, f"of shape ({rows},) when it holds strings", outputs)
        return outputs
    if outputs.dtype.kind not in "fiub":
        raise invalid(what, f"of numbers, booleans or fixed-width strings ({ENCODE})", made)
    if outputs.ndim > 2 or (outputs.ndim == 2 and outputs.shape[1] == 0):
        raise invalid(what, f"{shape} ({ENCODE})", outputs)
    return outputs[:, 0] if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs


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
