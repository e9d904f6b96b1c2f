"""An entry of the ledger within a run: its kernels, and its verdict or the reason why it has none."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbench.core.validation import InvalidInput
from dpbench.runs.context import RunContext
from dpbench.runs.executors import Threads, WorkersLost
from dpbench.runs.limits import TimeUp, at_most, over
from dpbench.runs.store import StoreError

if TYPE_CHECKING:
    from dpbench.runs.measurable import Measurable

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
