"""Blocks on many machines: an executor over the workers of a Dask scheduler (extra ``cluster``)."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import logging
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpbench.core import validation
from dpbench.core.sources import everything
from dpbench.runs.environment import processor_type, versions

_KEPT = 8  # functions that the workers hold: those of the units that run at one time
_PATIENCE = 10  # seconds until a scheduler must answer, and have a worker


@functools.cache
def fingerprint() -> str:
    """Of the code, the versions and the type of processor that bits depend on: equal on all machines of a run."""
    text = f"{everything()} {sorted(versions().items())} {processor_type()}"
    return hashlib.sha256(text.encode()).hexdigest()


class Cluster(Executor):
    """The workers of a Dask client.

    A task that a lost worker had is computed again by another; one that no worker survives, and a scheduler
    that is gone, give `BrokenExecutor`. A worker with other code, versions or
    processor type than ours computes nothing.

    A function among the arguments travels once to each worker, with the data bound to it, and not with every
    task. It is the result of a task of its own, not data put there: what dies with a worker is made again.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._open: weakref.WeakSet[Future[Any]] = weakref.WeakSet()
        self._closed = False
        self._sent: OrderedDict[int, tuple[Any, Any]] = OrderedDict()  # id: (function, Dask's future of it)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        outer: Future[Any] = Future()
        if self._client.status not in ("running", "connecting"):
            outer.set_exception(BrokenExecutor("the scheduler is gone"))
            return outer
        travelling = [self._once(argument) if callable(argument) else argument for argument in args]
        inner = self._client.submit(_checked, fingerprint(), fn, kwargs, *travelling)
        self._open.add(outer)
        self._client.loop.add_callback(_pass_on, outer, inner)
        outer.add_done_callback(lambda future: inner.cancel() if future.cancelled() else None)
        return outer

    def _once(self, function: Callable[..., Any]) -> Any:
        """Dask's future of `function`, of which the last few are kept."""
        kept, future = self._sent.pop(id(function), (None, None))
        if kept is not function:
            future = self._client.submit(_same, function, pure=False)
        self._sent[id(function)] = function, future
        if len(self._sent) > _KEPT:
            self._sent.popitem(last=False)
        return future

    def lacking(self, module: str) -> str:
        """In a sentence, which workers do not have this module of the user's as it is here; empty where all do."""
        here = _text_of(module)
        others = [worker for worker, text in self._client.run(_text_of, module).items() if text != here]
        if not others:
            return ""
        package = module.partition(".")[0]
        return (
            f"code travels to workers by its name: {', '.join(sorted(others))} must have the module {module} as it is "
            f"here (install {package} there), got another text or none"
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True
        if wait and not cancel_futures:
            wait_for(list(self._open))
        for future in list(self._open):
            future.cancel()


def _text_of(module: str) -> str:
    """Digest of a module's source, without importing it; empty where it is not found."""
    try:
        spec = find_spec(module)
        return "" if spec is None or not spec.origin else hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()
    except (ImportError, ValueError, OSError):
        return ""


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _checked(expected: str, fn: Callable[..., Any], kwargs: dict[str, Any], *args: Any) -> Any:
    if fingerprint() != expected:
        raise BrokenExecutor("a worker has other code or versions than this process, or another processor type")
    return fn(*args, **kwargs)


async def _pass_on(outer: Future[Any], inner: Any) -> None:
    """Give the outcome of a task, Dask's future `inner`, to the future that its submitter holds; in the client's loop.

    Dask's own executor looks at the state of the task once the result is there: where the worker that held it was lost
    in between, it takes the result for an error.
    """
    result: Any = None
    error: Exception | None = None
    try:
        result = await inner
    except (CancelledError, asyncio.CancelledError):
        error = BrokenExecutor("the scheduler is gone")
    except Exception as said:
        lost = type(said).__name__ == "KilledWorker"
        error = BrokenExecutor(f"workers died at this task: {said}") if lost else said
    if outer.set_running_or_notify_cancel():
        outer.set_result(result) if error is None else outer.set_exception(error)


@contextmanager
def scheduler(address: str) -> Iterator[Cluster]:
    """An executor on the workers of the Dask scheduler at `address`, for ``workers=``.

    Parameters
    ----------
    address : str
        For example ``"tcp://10.0.0.5:8786"``. Its workers need this version of dpbench, with the same versions
        of what it rests on; the results are then the same bits as those of threads here, on processors of one
        type.

    Raises
    ------
    MissingExtra
        Without the extra ``cluster``.
    InvalidInput
        If no scheduler answers there within ten seconds, it has no workers, or one with other code.
    """
    distributed = validation.extra("distributed", "cluster")
    for logger in ("distributed", "distributed.client"):  # what they would say of lost workers is said by us
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    if not isinstance(address, str) or "://" not in address:
        raise validation.invalid("scheduler", "an address such as tcp://host:8786", address)
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise validation.invalid(
            "scheduler", f"the address of a running Dask scheduler ({_reason(error)})", address
        ) from error
    try:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise validation.invalid("scheduler", "one that has workers", address) from error
        _check(client, address)
        yield Cluster(client)
    finally:
        client.close(timeout=2)


def _check(client: Any, address: str) -> None:
    try:
        fingerprints = client.run(fingerprint)
    except Exception as error:
        raise validation.invalid("scheduler", f"one whose workers have dpbench ({_reason(error)})", address) from error
    others = sorted(worker for worker, code in fingerprints.items() if code != fingerprint())
    if others:
        must_be = "one whose workers have the code and versions of this process, and its processor type"
        raise validation.invalid("scheduler", must_be, f"{address} with {', '.join(others)}")


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
