"""What `studies.faults` breaks: runs of a small workload on a store, each a process, and workers of Dask."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import distributed
from threadpoolctl import threadpool_info  # noqa: F401  loaded before a fork, as what a run needs

from dpbench.core.sampling import stream
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Context, Evidence
from dpbench.runs.context import RunContext
from dpbench.runs.encoding import encode
from dpbench.runs.environment import environment
from dpbench.runs.executors import WorkersLost
from dpbench.runs.scheduler import fingerprint, scheduler
from dpbench.runs.store import StoreError

UNIT = {"what": "faults"}
GONE = 3
"""Exit code of a run that stopped with an error of ours: workers lost, or a store that cannot be written."""


def block_of(pause: float, block: int) -> dict[str, Any]:
    """Numbers, and a matrix product whose bits depend on the kernels of BLAS, after `pause` seconds."""
    time.sleep(pause)
    draws = stream("faults", block).standard_normal((40, 40))
    return {"mean": draws.mean(), "product": (draws @ draws.T)[:4], "block": block}


def digest(values: list[Any]) -> str:
    """Of every bit of the values."""
    return hashlib.sha256(encode(values)).hexdigest()


def entry(pause: float, first: int, count: int, context: Context) -> tuple[str, Evidence]:
    """An entry of a ledger over some of the blocks."""
    values = context.map(UNIT, partial(block_of, pause), range(first, first + count))
    return "not refuted", Evidence(len(values), tables={"rows": {"digest": [digest(values)]}})


def claims(pause: float, blocks: int) -> tuple[Claim, ...]:
    """Two entries that have a half of the blocks each."""
    texts = dict.fromkeys(("source", "statement", "derivation"), "made up")
    half = blocks // 2
    return tuple(
        Claim(f"glm.half{part}.floor", "glm", kind="floor", expected="not refuted",
              run=partial(entry, pause, part * half, half), **texts)
        for part in (0, 1)
    )  # fmt: skip


def in_one_process(workers: Any, store: Path | None, pause: float, blocks: int) -> str:
    """The digest of all blocks, mapped on these workers."""
    with RunContext(level="quick", seed=0, workers=workers, store=store) as context:
        return digest(context.map(UNIT, partial(block_of, pause), range(blocks)))


def on_threads(store: Path, pause: float, blocks: int) -> str:
    return in_one_process(2, store, pause, blocks)


def on_a_pool(store: Path, pause: float, blocks: int) -> str:
    """On two processes of the standard library's pool."""
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        return in_one_process(pool, store, pause, blocks)


def in_lanes(store: Path, pause: float, blocks: int) -> str:
    """As entries in the worker processes of `verify`."""
    declared = claims(pause, blocks)
    ledger.all_claims = lambda *_: declared
    ledger.by_module = lambda claims: [[one] for one in claims]
    outcome = ledger.verify(store=store, processes=2)
    return "".join(sorted(one.evidence.column("digest")[0] for one in outcome.entries))


def on_dask(address: str, store: Path, pause: float, blocks: int) -> str:
    """On the workers of a Dask scheduler."""
    logging.getLogger("tornado").setLevel(logging.CRITICAL)
    with scheduler(address) as executor:
        return in_one_process(executor, store, pause, blocks)


def with_a_jumping_clock(store: Path, pause: float, blocks: int) -> str:
    """On threads, while the time of day goes forth and back by up to a year at each look at it."""
    moments, true_time, true_date = random.Random(os.getpid()), time.time, time.gmtime
    year = 366 * 86_400.0
    time.time = lambda: true_time() + moments.uniform(-year, year)
    time.gmtime = lambda seconds=None: true_date(time.time() if seconds is None else seconds)
    return on_threads(store, pause, blocks)


def on_a_full_disk(seed: int, store: Path, pause: float, blocks: int) -> str:
    """On threads, where no file may grow beyond a random size, until the store says so; then without a limit."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = random.Random(seed).randrange(50_000, 1500 * blocks)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        on_threads(store, pause, blocks)
    except StoreError:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        return on_threads(store, pause, blocks)
    raise AssertionError(f"a disk of {size} bytes held {blocks} blocks")


def child(out: Path, run: Callable[..., str], *arguments: Any) -> None:
    """The process of a run: its digest goes to `out`; the message of an error of ours does, with exit code `GONE`."""
    try:
        said, code = run(*arguments), 0
    except (WorkersLost, StoreError) as error:
        said, code = f"{type(error).__name__}: {error}", GONE
    part = out.with_suffix(".part")
    part.write_text(said, encoding="utf-8")
    part.replace(out)
    os._exit(code)


def dask_scheduler(path: Path) -> None:
    """A scheduler on the loopback address, which it writes into a file."""

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # lost workers are what is asked for

    async def serve() -> None:
        async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
            part = path.with_suffix(".part")
            part.write_text(scheduler.address, encoding="utf-8")
            part.replace(path)
            await scheduler.finished()

    asyncio.run(serve())


def dask_worker(address: str, folder: str) -> None:
    """A worker of one thread, without a nanny."""

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # lost workers are what is asked for

    async def serve() -> None:
        async with distributed.Worker(address, nthreads=1, local_directory=folder, dashboard=False) as worker:
            await worker.finished()

    asyncio.run(serve())


fingerprint()  # once, before the processes are forked: each of the many that are killed would compute these
in_one_process(1, None, 0.0, 1)


if __name__ == "__main__":  # `STORE BLOCKS`: in an interpreter of its own, whose BLAS was chosen by the environment
    print(json.dumps([environment()["processor"], on_threads(Path(sys.argv[1]), 0.0, int(sys.argv[2]))]))
