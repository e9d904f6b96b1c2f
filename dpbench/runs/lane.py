"""What a worker process of `dpbench.runs.lanes` does: whole entries, one after another, on the shared store.

It reads requests from its stdin and writes replies to its stdout, both pickled. Where its stdin ends without a
request to end, the run was stopped or its parent is gone: it keeps what it has, and is gone within two seconds.
"""

from __future__ import annotations

import _thread
import gc
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from typing import Any, BinaryIO

from dpbench.runs.context import RunContext, attempt, compiling_told
from dpbench.runs.executors import Threads
from dpbench.runs.progress import Silent

_ALLOCATIONS = 50_000  # between two searches for garbage: Python's 700 cost a tenth of imports and of keys of code
LIMIT = 1.4  # seconds from the end of stdin to the end of the process, whatever it does
_EVERY = 0.1  # seconds between two replies about blocks

Tell = Callable[..., None]


def serve() -> None:
    """Serve the parent; never returns."""
    gc.set_threshold(_ALLOCATIONS)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing that a library prints gets between the replies
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what `interrupt_main` calls

    def tell(*reply: Any) -> None:
        pickle.dump(reply, replies)
        replies.flush()

    try:
        _work(sys.stdin.buffer, tell)
    except (KeyboardInterrupt, BrokenPipeError, EOFError):
        pass
    except BaseException as error:
        tell("failed", _portable(error))
    finally:
        os._exit(0)  # the listener may hold the lock of stdin, which the interpreter would wait for


def _work(requests: BinaryIO, tell: Tell) -> None:
    for name in pickle.load(requests):  # what a claim needs and cannot be imported is told where the claim is
        module, _, attribute = name.partition(":")
        with suppress(Exception):
            attrgetter(attribute)(import_module(module))
    setup, threads, limits, kernels = pickle.load(requests)
    os.environ["NUMBA_CACHE_DIR"] = kernels
    groups: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    with RunContext(**setup, workers=Threads(threads), progress=_Telling(tell)) as context:
        threading.Thread(target=_listen, args=(requests, groups, context), daemon=True).start()
        while (group := groups.get()) is not None:
            claims = []
            for name, packed in pickle.loads(group):
                tell("loading", name)
                try:
                    claims.append(pickle.loads(packed))  # here, not in the listener: it imports what it rests on
                except Exception as error:
                    tell("outcome", name, f"{type(error).__name__}: a worker process cannot import it: {error}")
            with compiling_told(context):
                for claim in claims:
                    tell("claim", claim.id)
                    tell("outcome", claim.id, attempt(claim, context, limits.get(claim.id)))
            tell("done")


def _listen(requests: BinaryIO, groups: queue.SimpleQueue[bytes | None], context: RunContext) -> None:
    try:
        while True:
            verb, argument = pickle.load(requests)
            if verb == "widen":
                context.widen(argument)
                continue
            groups.put(argument)
            if verb == "end":
                return
    except (OSError, EOFError, pickle.UnpicklingError):
        groups.put(None)
        _thread.interrupt_main()
        time.sleep(LIMIT)
        os._exit(1)


class _Telling(Silent):
    """A progress that tells the parent."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._told = tell, 0.0

    def compiling(self, done: int, total: int, name: str) -> None:
        self._tell("compiling", done, total, name)

    def blocks(self, done: int, total: int) -> None:
        if time.monotonic() > self._told + _EVERY:
            self._told = time.monotonic()
            self._tell("blocks", done, total)


def _portable(error: BaseException) -> BaseException:
    """An error that can be raised in another process; its traceback is a note, for DPBENCH_DEBUG=1."""
    told = "".join(traceback.format_exception(error))
    try:
        copy: BaseException = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = RuntimeError(f"{type(error).__name__}: {error}")
    copy.add_note(f"in a worker process:\n{told}")
    return copy
