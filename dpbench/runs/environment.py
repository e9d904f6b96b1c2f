"""What numbers were made with: versions of the packages they rest on, and the machine."""

from __future__ import annotations

import functools
import os
import platform
from importlib import metadata
from pathlib import Path

from dpbench.core import sources
from dpbench.core.version import __version__

version = functools.cache(metadata.version)  # read from files, and asked for by every entry
_RESTS_ON = "numba", "numpy", "scipy", "scikit-learn"


def versions() -> dict[str, str]:
    """Versions of Python, of this package and of what its numbers rest on."""
    return {"python": platform.python_version(), "dpbench": __version__, **{name: version(name) for name in _RESTS_ON}}


@functools.cache
def environment() -> dict[str, str]:
    """What the last bits of a number depend on besides the code: versions of libraries and the type of processor."""
    return {name: text for name, text in versions().items() if name != "dpbench"} | {"processor": processor_type()}


@functools.cache
def processor_type() -> str:
    """The kernels that BLAS chose and the processor that numba compiles for: "SkylakeX, icelake-server", say."""
    import numba
    import threadpoolctl
    from llvmlite.binding import get_host_cpu_name

    libraries = threadpoolctl.threadpool_info()
    kernels = sorted({str(one["architecture"]) for one in libraries if one.get("architecture")})
    return ", ".join([*kernels, numba.config.CPU_NAME or get_host_cpu_name()])


@functools.cache
def machine() -> str:
    """Processor, cores and system, in a line: bits and seconds depend on them."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def made_with() -> dict[str, str]:
    """What a verdict is recorded with: what its last bits depend on, the machine, and the framework's code."""
    return {**versions(), "processor": processor_type(), "machine": machine(), "framework": sources.framework()[:16]}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown processor")
