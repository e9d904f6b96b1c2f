"""Where blocks are computed: this thread, threads of this process, or an executor of the user's."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from numbers import Integral
from typing import Any

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.runs.encoding import encode

_FLIGHT = 256  # blocks handed to an executor of unknown width before the first of them is back


class WorkersLost(RuntimeError):
    """The executor can compute no more: a worker process was killed, or ran out of memory."""


class BlockError(RuntimeError):
    """A block raised; the message names the claim, the block and the error, which is chained."""


def encoded_block(function: Callable[[int], Any], block: int) -> bytes:
    """What a worker runs: one block under one BLAS thread, its value encoded."""
    with one_blas_thread():
        return encode(function(block))


def open_executor(workers: Any) -> tuple[Executor, int]:
    """The executor for `workers` (None: a thread for each core), and how many blocks it is handed at once."""
    if isinstance(workers, Executor):
        return workers, _FLIGHT
    if workers is None:
        workers = cores()
    elif isinstance(workers, bool) or not isinstance(workers, Integral) or workers < 1:
        raise validation.invalid("workers", "an integer >= 1 or a concurrent.futures.Executor", workers)
    if workers == 1:
        return Serial(), 1
    return ThreadPoolExecutor(int(workers), "dpbench-worker"), 2 * int(workers)  # none ever waits for the next


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Serial(Executor):
    """Runs each call in the calling thread, at once; Ctrl-C interrupts the call itself."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
