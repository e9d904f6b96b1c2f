"""Blocks that the tests of runs compute in threads and processes, and a program that maps them.

As a program: ``runs_workload.py STORE WORKERS BLOCKS [LOG [PAUSE [LONG]]]`` maps BLOCKS blocks, prints the
digest of the results, and writes a line to the file LOG at the start of each block. A block lasts PAUSE
seconds; from block LONG on it goes on for a minute, in calls of half a second that do not hold the
interpreter's lock, as kernels do not. How long a block takes is not a part of its name.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from dpbench.core.sampling import stream
from dpbench.runs.context import Interrupted, RunContext
from dpbench.runs.encoding import encode
from dpbench.runs.store import Store

SHIFT = 0.0


class Pace:
    """How blocks are computed and where that is logged: attributes of a class are no part of a key, constants are."""

    log: Any = None
    pause = 0.0
    long = sys.maxsize


def block_of(scale: float, block: int) -> dict[str, Any]:
    """A value with arrays, a list and numbers in it."""
    if Pace.log is not None:
        os.write(Pace.log, f"{block}\n".encode())
    time.sleep(Pace.pause)
    for _ in range(120 if block >= Pace.long else 0):
        time.sleep(0.5)
    draws = SHIFT + scale * stream("workload", block).standard_normal((20, 3))
    return {"mean": draws.mean(), "rows": draws[:2], "parts": [float(draws.max()), block, block % 2 == 0]}


def product_of(matrix: np.ndarray, block: int) -> np.ndarray:
    """A matrix product, whose bits would depend on the threads of BLAS."""
    return (matrix + stream("product", block).standard_normal(matrix.shape)) @ matrix.T


def failing(bad: int, block: int) -> int:
    """Raises at one block."""
    if block == bad:
        raise ZeroDivisionError("planted")
    return block


def dying(bad: int, block: int) -> int:
    """Kills its process at one block."""
    if block == bad:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def blas_threads(block: int) -> list[int]:
    """How many threads each BLAS of the process would use."""
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def number_of(block: int) -> float:
    """The least a block can be."""
    return float(stream("number", block).standard_normal())


def process_of(block: int) -> int:
    """Which process computes a block, after a hundredth of a second."""
    time.sleep(0.01)
    return os.getpid()


def logged_block(log: str, pause: float, block: int) -> float:
    """A number, after a pause and with a line in a file; neither is a part of it."""
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{block}\n")
    time.sleep(pause)
    return number_of(block)


def gated_block(log: str, gate: str, free: int, block: int) -> float:
    """As `logged_block` with a pause of 0.05 s; all but the first `free` to start last until there is a file `gate`."""
    with open(log, "a+", encoding="utf-8") as file:
        file.write(f"{block}\n")
        file.seek(0)
        begun = len(file.readlines())
    while begun > free and not os.path.exists(gate):
        time.sleep(0.02)
    time.sleep(0.05)
    return number_of(block)


def blocks_in(path: Path) -> int:
    """How many blocks a store has, which another thread or process may be writing."""
    store = Store(path, read_only=True)
    try:
        return len(store)
    finally:
        store.close()


def failing_at(bad: tuple[int, ...], block: int) -> int:
    """Raises at several blocks."""
    if block in bad:
        raise ArithmeticError(f"planted at {block}")
    return block


def digest(values: list[Any]) -> str:
    """Of every bit of the values."""
    return hashlib.sha256(encode(values)).hexdigest()


class Counted:
    """A function that counts how often it is pickled in this process."""

    pickled = 0

    def __reduce__(self) -> tuple[type, tuple[()]]:
        Counted.pickled += 1
        return Counted, ()

    def __call__(self, block: int) -> int:
        return block + 1


def call(function: Counted, block: int) -> int:
    return function(block)


def main() -> int:
    store, workers, blocks, *more = sys.argv[1:]
    if more:
        Pace.log = os.open(more[0], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    Pace.pause = float(more[1]) if len(more) > 1 else 0.0
    Pace.long = int(more[2]) if len(more) > 2 else Pace.long
    try:
        with RunContext(level="quick", seed=0, workers=int(workers), store=store) as context:
            print(digest(context.map({"what": "workload"}, partial(block_of, 2.0), range(int(blocks)))))
    except Interrupted as stop:
        print(stop, file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # as the command line ends: without a wait for blocks that threads still compute
