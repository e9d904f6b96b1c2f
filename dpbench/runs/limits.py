"""How long an entry of somebody else may take: one that never ends costs its own verdict and no other."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dpbench.core import validation

if TYPE_CHECKING:
    from dpbench.runs.measurable import Measurable

OUTSIDE = {"quick": 600.0, "full": 14_400.0}
"""Seconds an entry of another package may take at each level, unless the user says otherwise."""
_AGAIN = 1.0  # seconds until it is raised again, where the entry catches it


class TimeUp(BaseException):
    """Raised in an entry whose time is over: no `Exception`, so that ``except Exception`` does not keep it going."""


def checked(max_seconds: Any) -> float | None:
    """The user's limit: None, or a number of seconds above 0."""
    return None if max_seconds is None else validation.real("max_seconds", max_seconds, above=0.0)


def limit(claim: Measurable, level: str, max_seconds: float | None) -> float | None:
    """Seconds this entry may take; None: as long as it needs, as the entries of this package do."""
    return max_seconds if max_seconds is not None else OUTSIDE[level] if claim.outside else None


def over(seconds: float) -> str:
    """The reason that stands in the place of a verdict."""
    return f"TimeUp: still running after {seconds:g} s (--max-seconds gives it more)"


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raise `TimeUp` in the main thread after so many seconds; elsewhere, and for None, nothing is limited.

    It is received between two steps of Python: a call of compiled code that never returns ends with its process alone.
    """
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
