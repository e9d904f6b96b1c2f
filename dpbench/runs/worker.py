"""What a worker process of `dpbench.runs.workers` does: whole entries, one after another, on the shared store.

It reads groups of entries from its pipe and writes replies to it. Where the pipe ends, the run is over, was stopped, or
its parent is gone: the worker keeps what it has, and is gone within two seconds.
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
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from operator import attrgetter
from typing import Any

from dpbench.runs.context import RunContext, attempt, compiling_told
from dpbench.runs.progress import Silent
from dpbench.runs.workers import LIMIT

_ALLOCATIONS = 50_000  # between two searches for garbage: Python's 700 cost a tenth of imports
_EVERY = 0.1  # seconds between two replies about blocks


def serve(pipe: Connection) -> None:
    """Serve the parent; never returns."""
    gc.set_threshold(_ALLOCATIONS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what `interrupt_main` calls
    telling = _Telling(pipe)
    try:
        _work(pipe, telling)
    except (KeyboardInterrupt, EOFError, OSError):
        pass
    except BaseException as error:
        with suppress(OSError):
            telling.say("failed", _portable(error))
    finally:
        os._exit(0)  # whatever still runs


def _work(pipe: Connection, telling: _Telling) -> None:
    for name in pipe.recv():  # what a claim needs and cannot be imported is told where the claim is
        module, _, attribute = name.partition(":")
        with suppress(Exception):
            attrgetter(attribute)(import_module(module))
    setup, threads, limits, kernels = pipe.recv()
    os.environ["NUMBA_CACHE_DIR"] = kernels
    groups: queue.SimpleQueue[list[tuple[str, bytes]]] = queue.SimpleQueue()
    with RunContext(**setup, workers=threads, progress=telling) as context:
        threading.Thread(target=_listen, args=(pipe, groups), daemon=True).start()
        while True:
            claims = []
            for name, packed in groups.get():
                telling.say("loading", name)
                try:
                    claims.append(pickle.loads(packed))  # here, not in the listener: it imports what it rests on
                except OSError:
                    raise
                except Exception as error:
                    telling.say("outcome", name, f"{type(error).__name__}: a worker process cannot import it: {error}")
            with compiling_told(context):
                for claim in claims:
                    telling.say("claim", claim.id)
                    telling.say("outcome", claim.id, attempt(claim, context, limits.get(claim.id)))
            telling.say("done")


def _listen(pipe: Connection, groups: queue.SimpleQueue[list[tuple[str, bytes]]]) -> None:
    with suppress(OSError, EOFError):
        while True:
            groups.put(pipe.recv())
    sys.unraisablehook = lambda *_: None  # the interruption may meet a finaliser
    _thread.interrupt_main()
    time.sleep(LIMIT)
    os._exit(1)


class _Telling(Silent):
    """A progress that tells the parent."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._turn, self._told = pipe, threading.Lock(), 0.0

    def say(self, *reply: Any) -> None:
        with self._turn:  # kernels are compiled in any thread
            self._pipe.send(reply)

    def compiling(self, done: int, total: int, name: str) -> None:
        self.say("compiling", done, total, name)

    def blocks(self, done: int, total: int) -> None:
        if time.monotonic() > self._told + _EVERY:
            self._told = time.monotonic()
            self.say("blocks", done, total)


def _portable(error: BaseException) -> BaseException:
    """An error that can be raised in another process; its traceback is a note, for DPBENCH_DEBUG=1."""
    trace = "".join(traceback.format_exception(error))
    try:
        copy: BaseException = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = RuntimeError(f"{type(error).__name__}: {error}")
    copy.add_note(f"in a worker process:\n{trace}")
    return copy
