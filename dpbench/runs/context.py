"""The context that a claim runs in: level, seed, workers, `map` over memoised blocks, time limits, and its outcome."""

from __future__ import annotations

import hashlib
import queue
import reprlib
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from dpbench.core import sources, validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import canonical
from dpbench.core.validation import InvalidInput
from dpbench.runs.encoding import decode
from dpbench.runs.environment import environment, made_with
from dpbench.runs.executors import BlockError, WorkersLost, encoded_block, open_executor
from dpbench.runs.progress import Progress, Silent
from dpbench.runs.store import Store, StoredVerdict, StoreError

if TYPE_CHECKING:
    from dpbench.runs.measurable import Measurable


@dataclass(frozen=True)
class UnitName:
    """What the blocks of a unit are stored under.

    Attributes
    ----------
    text : str
        The unit, the function and its arguments, and the modules that these are from: modules that import each other
        have one key, and may have functions of one name.
    code : str
        Key of the code, the versions and the type of processor.
    edited : tuple of str
        Files that have changed since this process loaded them: the code that runs has no key, and nothing is stored.
    """

    text: str
    code: str
    edited: tuple[str, ...]


def name_of(unit: dict[str, Any], function: Callable[[int], Any]) -> UnitName:
    """The name of ``function(block)`` as a part of `unit`.

    Raises
    ------
    InvalidInput
        If `function` is not a module-level function or a partial of one, or is bound to something that no text
        names.
    """
    text = f"{canonical(unit)}|{_text(function)}|{' '.join(sources.homes(function))}"
    code = sources.code_of(function)
    written = "\n".join(
        [code.key, sources.framework(), *(f"{name}={what}" for name, what in sorted(environment().items()))]
    )
    return UnitName(text, hashlib.sha256(written.encode()).hexdigest(), sources.edited(code.modules))


def _text(value: Any) -> str:
    """Canonical text of a function or an argument."""
    if isinstance(value, partial):
        bound = [_text(v) for v in value.args]
        bound += [f"{k}={_text(v)}" for k, v in sorted(value.keywords.items())]
        return f"{_text(value.func)}({','.join(bound)})"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, FunctionType):
        if "<" in value.__qualname__:
            raise validation.invalid("function", "a module-level function or a partial of one", value)
        return value.__qualname__
    return canonical(value)


_PATIENCE = 0.4  # seconds after Ctrl-C or a failure that running blocks are waited for


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, once everything that had finished is stored; the message says where.

    Attributes
    ----------
    blocks : int
        Blocks in the store.
    path : Path or None
        Its file; None: there is none, and everything is lost.
    """

    def __init__(self, blocks: int, path: Any) -> None:
        self.blocks, self.path = blocks, path
        kept = f"{blocks} blocks stored in {path}; run the same command again to resume"
        super().__init__(f"interrupted: {'nothing stored (no store was given)' if path is None else kept}")


class RunContext:
    """See `dpbench.ledger.measurement.Context`.

    Parameters
    ----------
    level : {"quick", "full"}
    seed : int
    workers : int, concurrent.futures.Executor or None
        Threads of this process (None: one a core), or an executor of yours, which stays open. The results do
        not depend on it.
    store : path or None
        SQLite file that finished blocks are kept in; None keeps them in memory.
    progress : Progress or None
        Told of what is going on, and closed at the end; None: nobody is told.

    Attributes
    ----------
    workers : concurrent.futures.Executor
        The executor in use, for what takes one.

    Raises
    ------
    InvalidInput, StoreError, BlockError, WorkersLost
    Interrupted
        On leaving the context after Ctrl-C.
    """

    def __init__(self, *, level: str, seed: int, workers: Any = None, store: Any = None, progress: Any = None) -> None:
        self.level = validation.choice("level", level, ("quick", "full"))
        self.seed = validation.integer("seed", seed, at_least=0)
        steps = ("compiling", "claim", "blocks", "close")
        if progress is not None and not all(callable(getattr(progress, step, None)) for step in steps):
            raise validation.invalid("progress", f"None or an object with the methods {', '.join(steps)}", progress)
        self.progress: Progress = Silent() if progress is None else progress
        self._claim = ""
        self._blocks = [0, 0]  # done and asked for in the present claim
        self._closing = ExitStack()
        self._given = workers
        self.workers, self._flight = open_executor(workers)
        self._closing.callback(self._leave_workers)
        self.store = Store(store)
        self._unkept: Store | None = None
        self._closing.callback(self.store.close)

    def __enter__(self) -> RunContext:
        self._closing.callback(self.progress.close)
        self._closing.enter_context(one_blas_thread())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        with self._closing:
            if kind is not None and issubclass(kind, KeyboardInterrupt):
                raise Interrupted(len(self.store), self.store.path) from error

    def _leave_workers(self) -> None:
        """End the threads of this context, each with the block in its hands; an executor of the user's stays open."""
        if self.workers is not self._given:
            self.workers.shutdown(wait=False, cancel_futures=True)

    def renew_workers(self) -> None:
        """New threads in the place of some that may never end their block."""
        self._leave_workers()
        self.workers, self._flight = open_executor(self._given)

    def lost(self, where: str) -> WorkersLost:
        """The error of a worker that died, with what is stored."""
        path = self.store.path
        kept = f"{len(self.store)} blocks are stored in {path}" if path else "nothing is stored"
        return WorkersLost(f"{where}: a worker died (killed, or out of memory); {kept}")

    def lacking(self, module: str) -> str:
        """Why the workers cannot compute for this module of another package; empty where they can, or are here."""
        asked = getattr(self.workers, "lacking", None)
        return "" if asked is None else str(asked(module))

    def pick(self, *, quick: Any, full: Any) -> Any:
        """The size that belongs to the level of the run."""
        return quick if self.level == "quick" else full

    def run(self, claim: Measurable) -> tuple[str, Any]:
        """The verdict and evidence of a claim, with the seconds it took; recorded in the store."""
        self._claim, self._blocks = claim.id, [0, 0]
        began = time.perf_counter()
        try:
            verdict, evidence = claim.measure(self)
        finally:
            self._claim = ""
        evidence = replace(evidence, seconds=time.perf_counter() - began)
        recorded = {**evidence.to_dict(), "made_with": made_with()}
        store = self._store_for(sources.edited(claim.code.modules))
        store.record(claim.id, self.level, self.seed, claim.digest, verdict, recorded)
        return verdict, evidence

    def recorded(self, claims: Iterable[Measurable]) -> dict[str, StoredVerdict]:
        """What the store has of these claims, by id: at this level and seed, by the same code, versions and processor.

        Nothing of a claim whose code changed on the disk after this process loaded it.
        """
        stored = self.store.verdicts(quiet=True)  # a damaged one is found again
        newest = {(v.claim, v.code): v for v in stored if (v.level, v.seed) == (self.level, self.seed)}
        if not newest:
            return {}
        here = made_with()
        recorded = {}
        for claim in claims:
            verdict = newest.get((claim.id, claim.digest))
            if (
                verdict is not None
                and verdict.evidence.get("made_with") == here
                and not sources.edited(claim.code.modules)
            ):
                recorded[claim.id] = verdict
        return recorded

    def _store_for(self, edited: tuple[str, ...]) -> Store:
        """The store; one in memory, with a warning, where the code that runs is not the one on disk any more."""
        if not edited:
            return self.store
        if self._unkept is None:
            self._unkept = Store(None)
            self._closing.callback(self._unkept.close)
            warnings.warn(
                f"{', '.join(edited)} changed after this process loaded it: what is computed now is of neither version "
                "for certain, and is not stored; start a new process",
                RuntimeWarning,
                stacklevel=3,
            )
        return self._unkept

    def map(self, unit: dict[str, Any], function: Callable[[int], Any], blocks: Iterable[int]) -> list[Any]:
        """``[function(b) for b in blocks]``, each block computed once and then read from the store.

        Parameters
        ----------
        unit : dict
            Names what the blocks are of. The function and all that is bound to it belong to the key anyway.
        function : callable
            A module-level function of the number of a block, or a partial of one; its value is made of
            numbers, arrays, text, lists and dicts.
        blocks : iterable of int
        """
        numbers = [validation.integer("a block", block, at_least=0) for block in blocks]
        name = name_of(unit, function)
        store = self._store_for(name.edited)
        run = store.run(name.text, self.seed, name.code)
        results = store.blocks(run, numbers)
        missing = [number for number in dict.fromkeys(numbers) if number not in results]
        self._blocks[1] += len(results) + len(missing)
        self._advance(len(results))
        if missing:
            results |= _Flight(self, store, run, function, unit).compute(missing)
        return [results[number] for number in numbers]

    def _advance(self, count: int) -> None:
        self._blocks[0] += count
        self.progress.blocks(*self._blocks)


class _Flight:
    """The missing blocks of one `map`: a bounded number in flight, stored as they arrive."""

    def __init__(
        self, context: RunContext, store: Store, run: int, function: Callable[[int], Any], unit: dict[str, Any]
    ) -> None:
        self.context, self.store, self.run, self.function, self.unit = context, store, run, function, unit
        self.executor: Executor = context.workers
        self.flying: dict[Future[bytes], int] = {}
        self.landed: queue.SimpleQueue[Future[bytes]] = queue.SimpleQueue()
        self.arrived: dict[int, bytes] = {}  # not yet stored
        self.values: dict[int, Any] = {}
        self.failures: dict[int, BaseException] = {}

    def compute(self, missing: Sequence[int]) -> dict[int, Any]:
        waiting = iter(missing)
        try:
            while True:
                while not self.failures and len(self.flying) < self.context._flight:
                    number = next(waiting, None)
                    if number is None:
                        break
                    self._launch(number)
                if not self.flying:
                    break
                self._land(timeout=0.5)
                if any(isinstance(error, BrokenExecutor) for error in self.failures.values()):
                    wait(self.flying, _PATIENCE)  # its own thread ends them, and may break at one that we cancel
                if self.failures:
                    self._cancel()
                self._keep()
        except BaseException as error:
            self._cancel()
            wait(self.flying, _PATIENCE)
            if isinstance(error, KeyboardInterrupt):
                for future in [f for f in self.flying if f.done()]:
                    self._take(future)
                self._keep()
            raise
        if self.failures:
            raise self._error()
        return self.values

    def _launch(self, number: int) -> None:
        try:
            future = self.executor.submit(encoded_block, self.function, number)
        except BrokenExecutor as error:
            self.failures[number] = error
            return
        self.flying[future] = number
        future.add_done_callback(self.landed.put)

    def _land(self, timeout: float) -> None:
        """Wait for a future that is done, and take all that are."""
        try:
            future = self.landed.get(timeout=timeout)
            while True:
                self._take(future)
                future = self.landed.get_nowait()
        except queue.Empty:
            return

    def _take(self, future: Future[bytes]) -> None:
        """Take what a future that is done has brought; it stays in flight until then, whenever Ctrl-C comes."""
        number = self.flying[future]
        if future.cancelled():
            if not self.failures:
                self.failures[number] = CancelledError("the executor dropped it")
        elif (error := future.exception()) is not None:
            self.failures[number] = error
        else:
            self.arrived[number] = future.result()
        del self.flying[future]

    def _keep(self) -> None:
        if self.arrived:
            self.store.add(self.run, self.arrived)
            self.values |= {number: decode(value) for number, value in self.arrived.items()}
            self.context._advance(len(self.arrived))
            self.arrived = {}

    def _cancel(self) -> None:
        for future in self.flying:
            future.cancel()

    def _error(self) -> BaseException:
        """Of the first block that failed; a lost worker comes first, since nothing can be computed then."""
        lost = [number for number, error in self.failures.items() if isinstance(error, BrokenExecutor)]
        number = min(lost or self.failures)
        error = self.failures[number]
        where = f"{self.context._claim or 'run'}, block {number} of {reprlib.repr(self.unit)}"
        if isinstance(error, BrokenExecutor):
            failure: BaseException = self.context.lost(where)
        elif isinstance(error, KeyboardInterrupt):
            failure = KeyboardInterrupt()
        else:
            failure = BlockError(f"{where}: {type(error).__name__}: {error}")
        failure.__cause__ = error
        return failure


OUTSIDE = {"quick": 600.0, "full": 14_400.0}
"""Seconds an entry of another package may take at each level, unless the user says otherwise."""
_AGAIN = 1.0  # seconds until it is raised again, where the entry catches it


class TimeUp(BaseException):
    """Raised in an entry whose time is over: no `Exception`, so that ``except Exception`` does not keep it going."""


def given_limit(max_seconds: Any) -> float | None:
    """The user's limit: None, or a number of seconds above 0."""
    return None if max_seconds is None else validation.real("max_seconds", max_seconds, above=0.0)


def limit(claim: Measurable, level: str, max_seconds: float | None) -> float | None:
    """Seconds this entry may take; None: as long as it needs, as the entries of this package do."""
    return max_seconds if max_seconds is not None else OUTSIDE[level] if claim.outside else None


def over(seconds: float) -> str:
    """The reason that stands in the place of a verdict."""
    return f"TimeUp: still running after {seconds:g} s (--max-seconds gives it more)"


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the main thread after so many seconds; elsewhere, and for None, nothing is limited.

    It is received between two steps of Python: a call of compiled code that never returns ends with its process alone.
    """
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


Outcome = tuple[str, Any] | str
"""Verdict and evidence, or the reason why there is none."""
FEW = 16
"""Entries that are not worth starting processes for."""


def by_module(claims: Iterable[Measurable]) -> list[list[Measurable]]:
    """The claims of each module, which may share blocks."""
    groups: dict[str, list[Measurable]] = {}
    for claim in claims:
        groups.setdefault(claim.module, []).append(claim)
    return list(groups.values())


@contextmanager
def compiling_told(context: RunContext) -> Iterator[None]:
    """Progress is told of each kernel that is compiled, at its first call."""
    from dpbench.core.kernel import telling

    with telling(context.progress.compiling):
        yield


def attempt(claim: Measurable, context: RunContext, seconds: float | None = None) -> Outcome:
    """Run one entry, for at most so many seconds; what it cannot do becomes a reason, what ends the run is raised.

    An unforeseen error of an entry of this package is a fault of ours and ends the run; one of another package's entry
    is that entry's reason.
    """
    try:
        with at_most(seconds):
            lacking = context.lacking(claim.module) if claim.outside else ""
            return f"InvalidInput: {lacking}" if lacking else context.run(claim)
    except (StoreError, WorkersLost):
        raise
    except (InvalidInput, ArithmeticError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    except TimeUp:
        context.renew_workers()
        return over(seconds or 0.0)
    except (Exception, SystemExit) as error:
        if not claim.outside:
            raise
        return f"{type(error).__name__}: {error}{_place(error)}"


def _place(error: BaseException) -> str:
    """Where an error was raised, as " (file.py, line 3)"."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
