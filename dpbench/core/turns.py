"""Work that several processes would do at once, done by the one that comes first.

A lock on a file, which the system drops with the process that holds it. Where there are none (Windows, some network
file systems) every process works for itself: these locks save time, and no result depends on them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

PATIENCE = 60.0  # seconds after which one no longer waits for a process that may have been stopped
_STEP = 0.01  # seconds between two looks: short steps, between which Ctrl-C is received


@contextmanager
def turn(file: Path, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of `file` within the body, which is told whether it is to do the work.

    Parameters
    ----------
    file : Path
        Created where it is missing, with its folder.
    wait : bool
        Whether to wait, at most `PATIENCE` seconds, for a process that has the lock. If not, the body is told False.
    """
    if fcntl is None:
        yield True
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield True
        return
    try:
        deadline = time.monotonic() + (PATIENCE if wait else 0.0)
        while (free := _free(handle)) is False and time.monotonic() < deadline:
            time.sleep(_STEP)
        yield free or wait
    finally:
        os.close(handle)


def _free(handle: int) -> bool:
    """Whether the lock is now ours, or there are no locks here."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True
