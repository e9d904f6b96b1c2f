"""What numbers were made with: versions of the packages they rest on, and the machine."""

from __future__ import annotations

import functools
import importlib
import os
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path


def versions(names: Iterable[str] = ("numba", "numpy", "scipy")) -> dict[str, str]:
    """Versions of Python, of this package and of what its numbers rest on."""
    ours = importlib.import_module("dpbench").__version__  # a plain import would tie all code of ours to a run's digest
    return {"python": platform.python_version(), "dpbench": ours, **{name: version(name) for name in names}}


@functools.cache
def machine() -> str:
    """Processor, cores and system, in a line: bits and seconds depend on them."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown processor")
