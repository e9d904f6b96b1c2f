"""Whole entries in worker processes: several interpreters, where threads would wait for the lock of one.

Each lane is a process with a `RunContext` of its own on the same store (`dpbench.runs.lane`). Entries of one
module share blocks, so a module is handed out whole, the longest first. The results are those of one process:
only seconds, and the order in which verdicts are recorded, depend on the lanes.
"""

from __future__ import annotations

import pickle
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from dpbench.runs.ahead import worker
from dpbench.runs.context import Outcome, RunContext, over
from dpbench.runs.lane import LIMIT
from dpbench.runs.measurable import Measurable

_GUESS = {"rate": 2.0}  # seconds of an entry that was never run, by its kind
_OTHERS = 0.5
_PATIENCE = 5.0  # seconds beyond its limit until a claim that its own process could not end is ended with it
_ENDED = "WorkersLost: its worker process ended (by itself, killed, or out of memory)"
_GRACE = 0.2  # seconds beyond which a lane that should have ended is killed


def run_in_lanes(
    groups: list[list[Measurable]], context: RunContext, processes: int, limits: Mapping[str, float] | None = None
) -> dict[str, Outcome]:
    """The outcome of each claim, by its id.

    Parameters
    ----------
    groups : list of lists of claims
        Each is run by one lane.
    context : RunContext
        Names the level, the seed and the store, which is a file; is told of progress.
    processes : int
        Cores to use: a lane each; where there are fewer groups than that, a lane has threads.
    limits : mapping of str to float, optional
        Seconds that a claim may take. One that takes longer, and one of another package that ends its process, has
        that for its outcome, and what it held up goes to a new lane.
    """
    from dpbench.core.kernel import cache_folder

    limits = limits or {}
    outcomes: dict[str, Outcome] = {}
    waiting = deque(_packed(_longest_first(groups, context), outcomes))
    total = sum(map(len, groups))
    joint = _Joint(context.progress, total)
    events: queue.SimpleQueue[tuple[_Lane, Any]] = queue.SimpleQueue()
    count = min(processes, len(waiting))
    kept = {"level": context.level, "seed": context.seed, "store": context.store.path}
    # where the folder cannot be written: one other for all, named in one warning
    kernels = str(cache_folder("dpbench.core.sampling").parent)
    setup = kept, processes // max(1, count), limits, kernels
    lanes: list[_Lane] = []

    def begin(group: dict[str, bytes]) -> _Lane:
        lanes.append(_Lane(setup, events))
        lanes[-1].run(group)
        return lanes[-1]

    outside = {claim.id for group in groups for claim in group if claim.outside}
    try:
        busy = {begin(waiting.popleft()) for _ in range(count)}
        while busy:
            late = next((lane for lane in busy if lane.late(limits)), None)
            lane, reply = (late, None) if late is not None else _next(events)
            if lane is None or lane not in busy:
                continue  # it was told to end, or was ended
            match reply:
                case ("done",) if waiting:
                    lane.run(waiting.popleft())
                case ("done",):
                    lane.send("end", None)
                    busy.remove(lane)
                    for other in busy:
                        other.send("widen", processes // len(busy))
                case ("outcome", name, outcome):
                    outcomes[name] = outcome
                    lane.left.pop(name, None)
                    joint.done(lane)
                case ("loading", name):
                    lane.at(name)
                case ("claim", name):
                    lane.at(name)
                    joint.claim(lane, name)
                case ("blocks", *counts):
                    joint.blocks(lane, *counts)
                case ("compiling", *kernel):
                    context.progress.compiling(*kernel)
                case ("failed", error):
                    raise error
                case None if late is not None or lane.name in outside:
                    said = over(limits[lane.name]) if late is not None else _ENDED
                    outcomes[lane.name] = said
                    joint.done(lane)
                    busy.remove(lane)
                    lane.process.kill()
                    lane.left.pop(lane.name, None)
                    if lane.left or waiting:
                        busy.add(begin(lane.left or waiting.popleft()))
                case None:
                    raise context.lost(joint.name(lane))
                case _:
                    continue
    finally:
        _stop(lanes)
    return outcomes


def _packed(groups: Iterable[list[Measurable]], outcomes: dict[str, Outcome]) -> Iterator[dict[str, bytes]]:
    """The groups as they travel; a claim that cannot has that for its outcome."""
    for group in groups:
        packed = {}
        for claim in group:
            try:
                packed[claim.id] = pickle.dumps(claim)
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                must_be = "module-level functions, which worker processes import by name"
                outcomes[claim.id] = f"InvalidInput: what {claim.id} runs must be {must_be}, got {error}"
        if packed:
            yield packed


def _longest_first(groups: list[list[Measurable]], context: RunContext) -> list[list[Measurable]]:
    """By the seconds of earlier runs in the store, or a guess."""
    seconds: dict[str, float] = {}
    for verdict in context.store.verdicts():
        if verdict.level == context.level:  # a resumed run reads blocks and is short: the longest run counts
            took = float(verdict.evidence.get("seconds", 0.0))
            seconds[verdict.claim] = max(took, seconds.get(verdict.claim, 0.0))

    def cost(group: list[Measurable]) -> float:
        return sum(seconds.get(claim.id, _GUESS.get(claim.kind, _OTHERS)) for claim in group)

    return sorted(groups, key=cost, reverse=True)


def _next(events: queue.SimpleQueue[tuple[_Lane, Any]]) -> tuple[_Lane | None, Any]:
    """The next message, if one came within half a second: short steps, between which Ctrl-C is received everywhere."""
    with suppress(queue.Empty):
        return events.get(timeout=0.5)
    return None, ()


def _stop(lanes: list[_Lane]) -> None:
    """End all lanes: those that still run keep what they have computed, and are killed if they take too long."""
    for lane in lanes:
        lane.hang_up()
    deadline = time.monotonic() + LIMIT + _GRACE
    for lane in lanes:
        try:
            lane.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            lane.process.kill()
            lane.process.wait()


class _Lane:
    """A worker process, and a thread that puts what it says among the events; None where it is gone."""

    def __init__(self, setup: Any, events: queue.SimpleQueue[tuple[_Lane, Any]]) -> None:
        self.process = worker()
        self.left: dict[str, bytes] = {}
        self.name, self._since = "", 0.0
        self._write(setup)
        threading.Thread(target=self._listen, args=(events,), name="dpbench-lane", daemon=True).start()

    def run(self, group: dict[str, bytes]) -> None:
        self.left, self.name = dict(group), ""
        self.send("run", pickle.dumps(list(group.items())))

    def at(self, name: str) -> None:
        """It has begun this claim."""
        self.name, self._since = name, time.monotonic()

    def late(self, limits: Mapping[str, float]) -> bool:
        """Whether the claim in hand has had its time, and the lane has not ended it itself."""
        seconds = limits.get(self.name)
        return seconds is not None and self.name in self.left and time.monotonic() > self._since + seconds + _PATIENCE

    def send(self, verb: str, argument: Any) -> None:
        self._write((verb, argument))

    def hang_up(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()

    def _write(self, request: Any) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # it is gone, as the listener is about to say
            pickle.dump(request, self.process.stdin)
            self.process.stdin.flush()

    def _listen(self, events: queue.SimpleQueue[tuple[_Lane, Any]]) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as replies, suppress(Exception):
            while True:
                events.put((self, pickle.load(replies)))
        events.put((self, None))


class _Joint:
    """One progress of all lanes: entries done, those that run, and the blocks of these."""

    def __init__(self, progress: Any, total: int) -> None:
        self._progress, self._done, self._total = progress, 0, total
        self._names: dict[_Lane, str] = {}
        self._blocks: dict[_Lane, tuple[int, int]] = {}

    def name(self, lane: _Lane) -> str:
        return self._names.get(lane, "run")

    def claim(self, lane: _Lane, name: str) -> None:
        self._names[lane] = name
        first, *others = self._names.values()
        self._progress.claim(self._done, self._total, f"{first} and {len(others)} more" if others else first)

    def blocks(self, lane: _Lane, done: int, total: int) -> None:
        self._blocks[lane] = done, total
        finished, asked = map(sum, zip(*self._blocks.values(), strict=True))
        self._progress.blocks(finished, asked)

    def done(self, lane: _Lane) -> None:
        self._done += 1
        self._names.pop(lane, None)
        self._blocks.pop(lane, None)
