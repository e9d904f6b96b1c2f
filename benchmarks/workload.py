"""What a benchmark's version is: a digest of the files that state its work, so that changed work starts a new line."""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

Kind = TypeVar("Kind", bound=type)
_PREFIXES = ("time_", "peakmem_", "track_")


def digest(*modules: ModuleType) -> str:
    """Of the source of the modules that state the work."""
    return hashlib.sha256("\0".join(map(inspect.getsource, modules)).encode()).hexdigest()


def workload(*modules: ModuleType) -> Callable[[Kind], Kind]:
    """Decorate a class of benchmarks: its version is that of the modules and of itself; it times the processor."""

    def mark(kind: Kind) -> Kind:
        version = hashlib.sha256((digest(*modules) + inspect.getsource(kind)).encode()).hexdigest()
        for name, method in vars(kind).items():
            if name.startswith(_PREFIXES):
                method.version = version
        kind.timer = staticmethod(time.process_time)  # type: ignore[attr-defined]
        return kind

    return mark
