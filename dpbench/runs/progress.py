"""Progress of a run, on stderr only: bars on a terminal, a line now and then elsewhere, or nothing."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, Protocol, TextIO

from dpbench.core.printable import printable


class Progress(Protocol):
    """What a run tells; implement it to show progress in a place of your own."""

    def compiling(self, done: int, total: int, name: str) -> None:
        """Kernel `name` is about to be compiled, after `done` of `total`."""

    def claim(self, done: int, total: int, name: str) -> None:
        """Claim `name` is about to run, after `done` of `total`."""

    def blocks(self, done: int, total: int) -> None:
        """`done` of the `total` blocks that the present claim has asked for so far are there."""

    def close(self) -> None:
        """The run is over, well or not. A second call does nothing."""


class Silent:
    """Says nothing."""

    def compiling(self, done: int, total: int, name: str) -> None: ...

    def claim(self, done: int, total: int, name: str) -> None: ...

    def blocks(self, done: int, total: int) -> None: ...

    def close(self) -> None: ...


class Share:
    """Which share of a run is done, and from that and the time so far the time left."""

    def __init__(self) -> None:
        self._started: float | None = None  # compiling does not count: it says nothing about the rest
        self._done, self._total, self._inside = 0, 1, 0.0
        self.name = ""

    def claim(self, done: int, total: int, name: str) -> None:
        self._start()
        self._done, self._total, self._inside = done, total, 0.0
        self.name = f"{done + 1} of {total}: {name}"

    def blocks(self, done: int, total: int) -> None:
        self._start()
        self._inside = done / total if total else 0.0

    def _start(self) -> None:
        if self._started is None:
            self._started = time.monotonic()

    def left(self) -> str:
        """', about 2 min left', or nothing as long as nothing is done: each claim counts alike."""
        done = (self._done + self._inside) / self._total
        if self._started is None or not 0.0 < done < 1.0:
            return ""
        seconds = (time.monotonic() - self._started) * (1.0 - done) / done
        return f", about {seconds:.0f} s left" if seconds < 100 else f", about {seconds / 60:.0f} min left"


class Lines:
    """A plain line after two seconds and then every ten, also while one step lasts; for logs and pipes.

    Parameters
    ----------
    stream : text file
    first, every : float
        Seconds.
    """

    def __init__(self, stream: TextIO, *, first: float = 2.0, every: float = 10.0) -> None:
        self._stream, self._first, self._every = stream, first, every
        self._share = Share()
        self._text = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._print, name="dpbench-progress", daemon=True)

    def compiling(self, done: int, total: int, name: str) -> None:
        self._say(f"compiling {done + 1} of {total}: {name}")

    def claim(self, done: int, total: int, name: str) -> None:
        self._share.claim(done, total, name)
        self._say(f"claim {self._share.name}")

    def blocks(self, done: int, total: int) -> None:
        self._share.blocks(done, total)
        claim = f"claim {self._share.name}, " if self._share.name else ""
        self._say(f"{claim}blocks {done} of {total}")

    def close(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _say(self, text: str) -> None:
        self._text = text
        if not self._thread.is_alive() and not self._over.is_set():
            self._thread.start()

    def _print(self) -> None:
        pause = self._first
        while not self._over.wait(pause):
            try:
                print(f"dpbench: {printable(self._text)}{self._share.left()}", file=self._stream, flush=True)
            except (OSError, ValueError):  # nobody reads any more
                return
            pause = self._every


class Terminal:
    """Bars: kernels compiled, claims done, blocks of the present claim, time left; gone at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bars

        self._share = Share()
        note = TextColumn("{task.fields[note]}")
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(24), note
        # never touch stdout: it may be a pipe that takes the JSON
        self._bars = Bars(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        self._rows: dict[str, Any] = {}

    def compiling(self, done: int, total: int, name: str) -> None:
        self._show("compiling", done, total, f"{done + 1} of {total}: {name}")

    def claim(self, done: int, total: int, name: str) -> None:
        self._hide("compiling")
        self._hide("blocks")
        self._share.claim(done, total, name)
        self._show("claims", done, total, self._share.name + self._share.left())

    def blocks(self, done: int, total: int) -> None:
        self._hide("compiling")
        self._share.blocks(done, total)
        if "claims" in self._rows:
            self._bars.update(self._rows["claims"], note=self._share.name + self._share.left())
        self._show("blocks", done, total, f"{done} of {total}")

    def close(self) -> None:
        self._bars.stop()

    def _show(self, row: str, done: int, total: int, note: str) -> None:
        self._bars.start()
        if row not in self._rows:
            self._rows[row] = self._bars.add_task(row, total=total, note=note)
        self._bars.update(self._rows[row], completed=done, total=total, note=note)

    def _hide(self, row: str) -> None:
        if row in self._rows:
            self._bars.remove_task(self._rows.pop(row))


def on_stderr(quiet: bool = False) -> Progress:
    """What fits stderr: bars on a terminal, lines in a log or pipe, nothing if `quiet`."""
    if quiet:
        return Silent()
    if sys.stderr.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown"):
        return Terminal()
    return Lines(sys.stderr)
