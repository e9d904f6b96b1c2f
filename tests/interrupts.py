"""What a process that a test interrupts is started with."""

from __future__ import annotations

import signal


def hear_interrupts() -> None:
    """A shell's background job ignores Ctrl-C, what nohup starts a lost terminal, and so would all they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
