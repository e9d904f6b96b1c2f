"""Worker processes of `dpbench.runs.lanes`: how one is started, and some started before there is work for them.

Importing the claims takes a process seconds: the workers of a run that is sure to want them do it while its own process
does the same. Nothing heavy is imported here, so that they start at once.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

# With -P nothing of the working folder is imported, as `-c` alone would: a file `pickle.py` there, say.
_START = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from dpbench.runs.lane import serve; serve()"
_MOST = 16  # a run has fewer groups of entries than some machines have cores
_WAITING: list[subprocess.Popen[bytes]] = []


@contextmanager
def ahead(count: int, imports: Sequence[str]) -> Iterator[None]:
    """So many workers, which import what is named as ``module:attribute`` while they wait; those not used are ended."""
    try:
        _WAITING.extend(_started(imports) for _ in range(min(count, _MOST)))
        yield
    finally:
        while _WAITING:
            process = _WAITING.pop()
            process.kill()
            process.communicate()


def worker() -> subprocess.Popen[bytes]:
    """One that was started ahead, or a new one."""
    return _WAITING.pop(0) if _WAITING else _started(())


def _started(imports: Sequence[str]) -> subprocess.Popen[bytes]:
    with _deaf_to_interrupts():
        process = subprocess.Popen([sys.executable, "-P", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    with suppress(OSError):  # it is gone, as whoever reads its replies is about to hear
        for part in (sys.path, tuple(imports)):
            pickle.dump(part, process.stdin)
        process.stdin.flush()
    return process


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """A process started here never hears Ctrl-C: it is ours to end it, once."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
