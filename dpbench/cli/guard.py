"""From an exception to one line on stderr and an exit code: no traceback without DPBENCH_DEBUG=1."""

from __future__ import annotations

import functools
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from dpbench.core.printable import printable

UNEXPECTED, BAD_USE, OUR_ERROR, MACHINE_FAILED, INTERRUPTED, BROKEN_PIPE = 1, 2, 70, 74, 130, 141
UsageError: Any = typer.BadParameter.__mro__[1]  # typer's own, or click's before typer carried a copy of it
_MACHINE = ("StoreError", "WorkersLost", "BrokenExecutor")  # by name: no module is loaded for their sake

Command = TypeVar("Command", bound=Callable[..., Any])


def one_line(message: str) -> None:
    """Say one thing on stderr, as long as somebody listens."""
    try:
        print(f"dpbench: {printable(' '.join(message.split()))}", file=sys.stderr)
    except (OSError, ValueError):
        return


def guarded(command: Command) -> Command:
    """A command whose exceptions become exit codes, before the framework can give them another meaning."""

    @functools.wraps(command)
    def inner(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (typer.Exit, typer.Abort, UsageError):
            raise
        except BaseException as error:
            raise typer.Exit(report(error, command)) from None

    return inner  # type: ignore[return-value]


def as_typed(message: str, command: Callable[..., Any]) -> str:
    """A message about a Python parameter, in the names of the command's options.

    The subject before "must" becomes the option, and so does a parameter with a value: ``on_excess='clip'`` is
    typed ``--on-excess clip``.
    """
    hints = get_type_hints(command, include_extras=True)
    # Under Annotated the first name of an option stands where its default would.
    options = {n: str(m.default) for n, hint in hints.items() for m in get_args(hint) if isinstance(m, OptionInfo)}
    if "data" in options:
        options["path"] = options["data"]  # what the readers of a table call the file
    known = "|".join(map(re.escape, options)) or "(?!)"
    message = re.sub(rf"^({known})(?= must )", lambda m: options[m[1]], message)
    message = re.sub(rf"\b({known})=(['\"])(\w+)\2", lambda m: f"{options[m[1]]} {m[3]}", message)
    return re.sub(rf"(?<=at most )({known})(?= = )", lambda m: options[m[1]], message)


def report(error: BaseException, command: Callable[..., Any] | None = None) -> int:
    """Say what happened in one line, and return the exit code that belongs to it.

    A SystemExit is an error like any other: nothing of ours raises it under a command, and its code, 0 above
    all, must not pass for a verdict.
    """
    from dpbench.core.validation import InvalidInput, MissingExtra

    if os.environ.get("DPBENCH_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, KeyboardInterrupt):
        one_line(
            str(error) or "interrupted; run the same command again"
        )  # a run's own interruption says what is stored and how to resume
        return INTERRUPTED
    if isinstance(error, (InvalidInput, MissingExtra)):
        one_line(str(error) if command is None else as_typed(str(error), command))
        return BAD_USE
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    if isinstance(error, MemoryError):
        one_line(f"out of memory: {error or 'no more could be had'}")
        return MACHINE_FAILED
    if isinstance(error, ImportError) and "failed to map segment" in str(error):
        one_line(f"out of memory: a library could not be loaded: {error}")
        return MACHINE_FAILED
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        one_line(f"{error.strerror or error}{place}")
        return MACHINE_FAILED
    if type(error).__name__ in _MACHINE:
        one_line(str(error))
        return MACHINE_FAILED
    how = "please report; run with DPBENCH_DEBUG=1 for the traceback"
    one_line(f"unexpected {type(error).__name__}: {error}; {how}")
    return OUR_ERROR


@contextmanager
def stoppable(what: str, workers: Any) -> Iterator[Any]:
    """Workers for work that is not stored: Ctrl-C leaves them, and says that nothing is kept."""
    from dpbench.runs.executors import open_executor

    executor, _ = open_executor(workers)
    try:
        yield executor
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            message = f"interrupted: {what} stores nothing; run the same command again"
            raise KeyboardInterrupt(message) from error
        raise
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
