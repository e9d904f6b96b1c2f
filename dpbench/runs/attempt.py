"""An entry of the ledger within a run: its kernels, and its verdict or the reason why it has none."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dpbench.core import validation

if TYPE_CHECKING:
    from dpbench.runs.measurable import Measurable
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

from dpbench.core.validation import InvalidInput
from dpbench.runs.context import RunContext
from dpbench.runs.executors import Threads, WorkersLost
from dpbench.runs.store import StoreError

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
"""Entries that are not worth work ahead: to compile what they may call, or to start processes for them."""


def by_module(claims: Iterable[Measurable]) -> list[list[Measurable]]:
    """The claims of each module, which may share blocks."""
    groups: dict[str, list[Measurable]] = {}
    for claim in claims:
        groups.setdefault(claim.module, []).append(claim)
    return list(groups.values())


@contextmanager
def compiled_for(claims: Sequence[Measurable], context: RunContext, ahead: bool) -> Iterator[None]:
    """Tell progress of the kernels that are compiled: ahead, all that these claims rest on, or each at its first call.

    Those in the cache are left to their first call, which loads them: an entry calls few of those that it can reach.
    """
    from dpbench.core.kernel import compile_missing, telling

    if not ahead:
        with telling(context.progress.compiling):
            yield
    else:
        compile_missing({name for claim in claims for name in claim.closure.names}, context.progress.compiling)
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
        if isinstance(context.workers, Threads):
            context.workers.restart()
        return over(seconds or 0.0)
    except (Exception, SystemExit) as error:
        if not claim.outside:
            raise
        return f"{type(error).__name__}: {error}{_place(error)}"


def _place(error: BaseException) -> str:
    """Where an error was raised, as " (file.py, line 3)"."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
