"""Blocks on many machines: an executor over the workers of a Dask scheduler (extra ``cluster``)."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from typing import Any

from dpbench import validation
from dpbench.runs.environment import versions
from lowerbounds._digest import code_digest

_PATIENCE = 10  # seconds until a scheduler must answer, and have a worker


@functools.cache
def fingerprint() -> str:
    """Of the code and the versions that bits depend on: equal on all machines of a run."""
    text = f"{code_digest('dpbench.claims.ledger')} {sorted(versions().items())}"
    return hashlib.sha256(text.encode()).hexdigest()


class Cluster(Executor):
    """The workers of a Dask client.

    A task that a lost worker had is computed again by another; one that no worker survives, and a scheduler
    that is gone, give `BrokenExecutor`. A worker with other code or versions than ours computes nothing.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._inner = client.get_executor()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        outer: Future[Any] = Future()
        if self._client.status not in ("running", "connecting"):
            outer.set_exception(BrokenExecutor("the scheduler is gone"))
            return outer
        inner = self._inner.submit(_checked, fingerprint(), fn, args, kwargs)
        inner.add_done_callback(functools.partial(_pass_on, outer))
        outer.add_done_callback(lambda future: inner.cancel() if future.cancelled() else None)
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait and not cancel_futures)


def _checked(expected: str, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if fingerprint() != expected:
        raise BrokenExecutor("a worker has other code or versions than this process")
    return fn(*args, **kwargs)


def _pass_on(outer: Future[Any], inner: Future[Any]) -> None:
    """Give the outcome of a task to the future that its submitter holds."""
    if not outer.set_running_or_notify_cancel():
        return
    try:
        outer.set_result(inner.result())
    except CancelledError:
        outer.set_exception(BrokenExecutor("the scheduler is gone"))
    except Exception as error:
        lost = type(error).__name__ == "KilledWorker"
        outer.set_exception(BrokenExecutor(f"workers died at this task: {error}") if lost else error)


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
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it would say of lost workers is said by us
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
        found = client.run(fingerprint)
    except Exception as error:
        raise validation.invalid("scheduler", f"one whose workers have dpbench ({_reason(error)})", address) from error
    others = sorted(worker for worker, code in found.items() if code != fingerprint())
    if others:
        must_be = "one whose workers have the code and versions of this process"
        raise validation.invalid("scheduler", must_be, f"{address} with {', '.join(others)}")


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
