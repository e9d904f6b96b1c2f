"""Whole entries in worker processes: several interpreters, where threads would wait for the lock of one.

Each process has a `RunContext` of its own on the same store (`dpbench.runs.worker`). Entries of one module share
blocks, so a module is handed out whole, the longest first. The results are those of one process: only seconds, and the
order in which verdicts are recorded, depend on the workers.

A process is a new interpreter with ``-P``, so that nothing of the working folder is imported, and does not run the
user's script again. It has a pipe of its own: a worker that is killed while it speaks spoils nobody else's, and each
side sees at once that the other is gone. Nothing heavy is imported here: workers can start before the claims are read.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Pipe, wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from dpbench.runs.context import Outcome, RunContext
    from dpbench.runs.measurable import Measurable

POSSIBLE = os.name == "posix"
"""Whether workers can be started here: elsewhere a process does not inherit a pipe."""
LIMIT = 1.4  # seconds from the end of its pipe to the end of a worker, whatever it does
_GRACE = 0.2  # seconds beyond which one that should have ended is killed
_PATIENCE = 5.0  # seconds beyond its limit until an entry that its own process could not end is ended with it
_GUESS = {"rate": 2.0}  # seconds of an entry that was never run, by its kind
_OTHERS = 0.5
_MOST = 16  # a run has fewer groups of entries than some machines have cores
_ENDED = "WorkersLost: its worker process ended (by itself, killed, or out of memory)"
_START = (
    "import sys; from multiprocessing.connection import Connection; pipe = Connection(int(sys.argv[1])); "
    "sys.path[:] = pipe.recv(); from dpbench.runs.worker import serve; serve(pipe)"
)
_WAITING: list[Worker] = []


class Worker:
    """A process, and what it has in hand.

    Parameters
    ----------
    imports : sequence of str
        What it imports while it waits, as ``module:attribute``.
    """

    def __init__(self, imports: Sequence[str] = ()) -> None:
        self.pipe, theirs = Pipe()
        with theirs:
            number = theirs.fileno()
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(number)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                pass_fds=[number], process_group=0,  # Ctrl-C is for its parent alone
            )  # fmt: skip
        self.left: dict[str, bytes] = {}
        self.name, self._since = "", 0.0
        self.blocks = 0, 0
        self.send(sys.path)
        self.send(tuple(imports))

    def send(self, what: Any) -> None:
        with suppress(OSError):  # it is gone, as whoever listens is about to hear
            self.pipe.send(what)

    def run(self, group: dict[str, bytes]) -> None:
        self.left, self.name = dict(group), ""
        self.send(list(group.items()))

    def begins(self, name: str) -> None:
        self.name, self._since, self.blocks = name, time.monotonic(), (0, 0)

    def late(self, limits: Mapping[str, float]) -> bool:
        """Whether the entry in hand has had its time, and the worker has not ended it itself."""
        seconds = limits.get(self.name)
        return seconds is not None and self.name in self.left and time.monotonic() > self._since + seconds + _PATIENCE


@contextmanager
def started(count: int, imports: Sequence[str]) -> Iterator[None]:
    """So many workers for a run that is about to begin, which import meanwhile; those not used are ended."""
    try:
        _WAITING.extend(Worker(imports) for _ in range(min(count, _MOST) if POSSIBLE else 0))
        yield
    finally:
        ended, _WAITING[:] = list(_WAITING), []
        for worker in ended:
            worker.process.kill()
        _end(ended)


def run_in_workers(
    groups: list[list[Measurable]], context: RunContext, processes: int, limits: Mapping[str, float] | None = None
) -> dict[str, Outcome]:
    """The outcome of each claim, by its id.

    Parameters
    ----------
    groups : list of lists of claims
        Each is run by one worker.
    context : RunContext
        Names the level, the seed and the store, which is a file; is told of progress.
    processes : int
        Cores to use: a worker each; where there are fewer groups than that, a worker has threads.
    limits : mapping of str to float, optional
        Seconds that a claim may take. One that takes longer, and one of another package that ends its process, has
        that for its outcome, and what it held up goes to a new worker.
    """
    from dpbench.core.kernel import cache_folder
    from dpbench.runs.context import over

    limits = limits or {}
    outcomes: dict[str, Outcome] = {}
    waiting = deque(_packed(_longest_first(groups, context), outcomes))
    outside = {claim.id for group in groups for claim in group if claim.outside}
    total, count = sum(map(len, groups)), min(processes, len(waiting))
    kept = {"level": context.level, "seed": context.seed, "store": context.store.path}
    # where the folder cannot be used: one other for all, named in one warning
    setup = kept, processes // max(1, count), limits, str(cache_folder("dpbench.core.sampling").parent)
    workers: list[Worker] = []
    busy: dict[Connection, Worker] = {}

    def begin(group: dict[str, bytes]) -> None:
        workers.append(_WAITING.pop(0) if _WAITING else Worker())
        busy[workers[-1].pipe] = workers[-1]
        workers[-1].send(setup)
        workers[-1].run(group)

    def lose(worker: Worker, reason: str) -> None:
        """Its entry has the reason for an outcome; what it held up goes to a new worker."""
        del busy[worker.pipe]
        worker.process.kill()
        outcomes[worker.name] = reason
        worker.left.pop(worker.name, None)
        if worker.left or waiting:
            begin(worker.left or waiting.popleft())

    def hear(worker: Worker) -> None:
        match _reply(worker.pipe):
            case ("done",) if waiting:
                worker.run(waiting.popleft())
            case ("done",):
                del busy[worker.pipe]
                worker.pipe.close()
            case ("loading", name):
                worker.begins(name)
            case ("claim", name):
                worker.begins(name)
                names = [one.name for one in busy.values() if one.name in one.left]
                more = f" and {len(names) - 1} more" if names[1:] else ""
                context.progress.claim(len(outcomes), total, f"{names[0]}{more}")
            case ("outcome", name, outcome):
                outcomes[name] = outcome
                worker.left.pop(name, None)
                worker.blocks = 0, 0
            case ("blocks", done, asked):
                worker.blocks = done, asked
                context.progress.blocks(*map(sum, zip(*(one.blocks for one in busy.values()), strict=True)))
            case ("compiling", *kernel):
                context.progress.compiling(*kernel)
            case ("failed", error):
                raise error
            case _ if worker.name in outside and worker.name in worker.left:
                lose(worker, _ENDED)
            case _:
                raise context.lost(worker.name or "run")

    try:
        for _ in range(count):
            begin(waiting.popleft())
        while busy:
            for worker in [busy[pipe] for pipe in wait(list(busy), timeout=0.5)]:  # type: ignore[index]
                hear(worker)
            for worker in [one for one in busy.values() if one.late(limits)]:
                lose(worker, over(limits[worker.name]))
    finally:
        _end(workers)
    return outcomes


def _reply(pipe: Connection) -> Any:
    """What a worker says; None where it is gone."""
    with suppress(EOFError, OSError):
        return pipe.recv()
    return None


def _end(workers: Sequence[Worker]) -> None:
    """Close their pipes: those that still run keep what they have computed, and are killed if they take too long."""
    for worker in workers:
        worker.pipe.close()
    deadline = time.monotonic() + LIMIT + _GRACE
    for worker in workers:
        try:
            worker.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()


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
