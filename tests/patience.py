"""How long a test waits at most: a multiple of what starting Python with ours takes in the same run.

A machine that is busy, or slow, takes longer for the start as for what is waited for. Where the environment variable
`DPBENCH_WAITS` names a file, each wait leaves a line of JSON there: the test, the seconds that it took and the limit.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dpbench

STARTS = 300
"""The usual limit: a start takes about a second, the longest of the waits about ten starts."""


@functools.cache
def start() -> float:
    """Seconds until a new process has imported what a run of `verify` needs; measured once a process of the tests."""
    root = str(Path(dpbench.__file__).parents[1])
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", "import dpbench.ledger.verify"], env={**os.environ, "PYTHONPATH": root}, check=True
    )
    return time.monotonic() - began


@contextmanager
def waits(starts: float = STARTS) -> Iterator[float]:
    """The seconds that may be waited for what the block waits for.

    Parameters
    ----------
    starts : float
        How many starts may pass.
    """
    limit, began = starts * start(), time.monotonic()
    try:
        yield limit
    finally:
        if kept := os.environ.get("DPBENCH_WAITS"):
            test = os.environ.get("PYTEST_CURRENT_TEST", "")
            line = json.dumps({"test": test, "seconds": time.monotonic() - began, "limit": limit})
            with open(kept, "a", encoding="utf-8") as file:
                file.write(line + "\n")


@contextmanager
def deadline(starts: float = STARTS) -> Iterator[float]:
    """As `waits`, as the moment of `time.monotonic` when the wait is over."""
    with waits(starts) as seconds:
        yield time.monotonic() + seconds
