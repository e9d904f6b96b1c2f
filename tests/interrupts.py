"""What a process that a test presses Ctrl-C on is started with."""

from __future__ import annotations

import signal


def hear_interrupts() -> None:
    """A shell's background job ignores Ctrl-C, and so would all it starts: not so these processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
