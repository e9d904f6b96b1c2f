"""`kernel`: the one decorator that says njit.

It exists because of two measured faults of numba's file cache: an edit of a callee in another file is not
seen (the old callee keeps running, also after an upgrade of the package), and code compiled without bounds
checks is reused under ``NUMBA_BOUNDSCHECK=1``. Both are cured by a cache folder keyed by the
kernel's module with all that it imports (`dpbench.core.sources.digest_of`) and by the flag.

A kernel declares its one signature. It is compiled at its first call (or by `compile_kernels`, which reports
progress) and never again: arguments of another type raise instead of starting a second compilation. Read-only
and writable arrays both fit an argument declared with `array(..., readonly)`.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs
from numba import types

from dpbench.core.sources import digest_of, edited

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

PATIENCE = 60.0  # seconds after which one no longer waits for a process that may have been stopped
_STEP = 0.01  # seconds between two looks: short steps, between which Ctrl-C is received


@contextmanager
def turn(file: Path) -> Iterator[None]:
    """Hold the lock of `file` within the body; wait for a process that has it, at most `PATIENCE` seconds."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield
        return
    try:
        deadline = time.monotonic() + PATIENCE
        while not _free(handle) and time.monotonic() < deadline:
            time.sleep(_STEP)
        yield
    finally:
        os.close(handle)


def _free(handle: int) -> bool:
    """Whether the lock is now ours, or there are no locks here."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


KERNELS: dict[str, Kernel] = {}
_LOCK = threading.RLock()
_TOLD: list[Callable[[int, int, str], None]] = []

f8 = types.float64
i8 = types.int64
u1 = types.boolean
rng_t = types.npy_rng


def arr(dtype: Any, ndim: int, writable: bool = False) -> types.Array:
    """Type of a C-ordered array argument; inputs are declared read-only, so that writable arrays fit too."""
    return types.Array(dtype, ndim, "C", readonly=not writable)


class Kernel:
    """A function compiled for one signature, callable from Python and from other kernels."""

    def __init__(self, function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> None:
        self.py_func = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.signature = signature
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self._options = options
        self._dispatcher: Any = None
        self._seen = False

    def __call__(self, *arguments: Any) -> Any:
        if self._dispatcher is None:
            self.compile()
        return self._dispatcher(*arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def _numba_type_(self) -> Any:
        """What numba asks for when another kernel calls this one."""
        self.compile()
        return self._dispatcher._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """Signatures compiled so far in this process: none or one."""
        if self._dispatcher is None or numba.config.DISABLE_JIT:
            return []
        return list(self._dispatcher.signatures)

    def compile(self) -> None:
        """Compile for the declared signature, or load from the cache. A second call does nothing.

        What another process compiles at this moment is loaded when it is done.
        """
        with _LOCK:
            if self._dispatcher is not None:
                return
            if numba.config.DISABLE_JIT:
                self._dispatcher = self.py_func
                return
            folder = cache_folder(self.py_func.__module__)
            if _TOLD and not self.in_cache():
                _TOLD[-1](0, 1, self.name)
            with turn(folder / f"{self.__name__}.lock"), _no_collection():
                self._dispatcher = self._made(folder)

    def in_cache(self) -> bool:
        """Whether the cache has it now, or had it before."""
        if not self._seen:
            self._seen = any(cache_folder(self.__module__).rglob(f"*.{self.__name__}-*.nbi"))
        return self._seen

    def _made(self, folder: Path) -> Any:
        try:
            dispatcher = self._compiled_in(folder)
        except OSError as error:  # the disk is full, say
            base = folder.parent
            if _USED[base] == base:  # not by a kernel that this one calls
                _USED[base] = _instead_of(base, error.strerror or str(error))
            dispatcher = self._compiled_in(_usable(_USED[base] / folder.name))
        except Exception:  # a damaged pickle raises anything
            if not any(folder.rglob(f"*.{self.__name__}-*.nb?")):
                raise  # nothing was loaded: the kernel is at fault
            dispatcher = self._compiled_in(_beside_damaged(folder.parent) / folder.name)
        dispatcher.disable_compile()
        return dispatcher

    def _compiled_in(self, folder: Path) -> Any:
        """A dispatcher with the one signature, loaded from the folder where that holds it."""
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            dispatcher = numba.njit(nogil=True, cache=True, no_cfunc_wrapper=True, **self._options)(self.py_func)
            dispatcher.compile(self.signature)
        finally:
            numba.config.CACHE_DIR = before
        (compiled,) = dispatcher.overloads.values()
        loaded = compiled.fndesc.modname, compiled.fndesc.qualname, dispatcher.signatures[0]
        if loaded != (self.__module__, self.py_func.__qualname__, tuple(self.signature.args)):
            raise RuntimeError(f"{folder} holds {loaded} in the place of {self.name}")
        return dispatcher


@contextmanager
def _no_collection() -> Iterator[None]:
    """No search for garbage meanwhile, a tenth of the time that numba takes: nearly all that it makes stays."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def kernel(
    signature: Any, *, error_model: str = "numpy", fastmath: bool | set[str] = False
) -> Callable[[Callable[..., Any]], Kernel]:
    """Declare a compiled kernel; the only place of the project that calls ``numba.njit``.

    Parameters
    ----------
    signature : numba signature
        The one signature, for example ``types.void(arr(f8, 2), f8, arr(f8, 1, writable=True))``.
    error_model : {"numpy", "python"}
        "numpy" (no exception on division by zero) lets loops with divisions vectorise.
    fastmath : bool or set of str
        LLVM flags. Leave it off where a guarantee depends on the result; ``{"contract"}`` only fuses
        multiply-add and keeps NaN, infinities and comparisons.
    """

    def declare(function: Callable[..., Any]) -> Kernel:
        compiled_kernel = Kernel(function, signature, {"error_model": error_model, "fastmath": fastmath})
        KERNELS[compiled_kernel.name] = compiled_kernel
        return compiled_kernel

    return declare


def compile_kernels(
    kernels: Iterable[Kernel] | None = None, report: Callable[[int, int, str], None] | None = None
) -> None:
    """Compile the given kernels (default: all declared so far); `report(done, total, name)` before each."""
    pending = [k for k in (KERNELS.values() if kernels is None else kernels) if k._dispatcher is None]
    for done, item in enumerate(pending):
        if report is not None:
            report(done, len(pending), item.name)
        item.compile()


@contextmanager
def telling(report: Callable[[int, int, str], None]) -> Iterator[None]:
    """So that `report` is told of each kernel that is compiled meanwhile, as the only one that is known of."""
    _TOLD.append(report)
    try:
        yield
    finally:
        _TOLD.remove(report)


def cache_folder(module: str) -> Path:
    """Folder of numba's cache for the kernels of `module`: keyed by sources, versions and the bounds flag."""
    flag = "bounds" if numba.config.BOUNDSCHECK else "plain"
    key = f"{digest_of(module)[:20]}-{numba.__version__}-{np.__version__}-{flag}"
    return _usable((_base_folder() if not edited([module]) else _own_folder()) / key)


@cache
def _own_folder() -> Path:
    """A folder of this process, whose code is not the one on disk any more: no other may load what it compiles."""
    return _temporary("sources of dpbench changed after this process started: what it compiles is not kept")


@cache
def _beside_damaged(base: Path) -> Path:
    """A folder of this process, in the place of a cache that holds what cannot be loaded."""
    return _temporary(
        f"compiled kernels in {base} are damaged: this process compiles its own. "
        "Remove that folder to compile only once again."
    )


_ROOM = 65_536  # bytes: an empty file can be made on a full disk
_USED: dict[Path, Path] = {}


def _base_folder() -> Path:
    """NUMBA_CACHE_DIR or the user's cache folder; a temporary one, said once, where that is not usable."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    return _usable(Path(given) if given else Path(platformdirs.user_cache_dir("dpbench")) / "numba", _ROOM)


def _usable(wanted: Path, room: int = 0) -> Path:
    """The folder, or a temporary one in its place; see `_refused`."""
    if wanted not in _USED:
        why = _refused(wanted, room)
        _USED[wanted] = _instead_of(wanted, why) if why else wanted
    return _USED[wanted]


def _refused(folder: Path, room: int) -> str:
    """Why compiled kernels, which are code, are neither kept in a folder nor loaded from it; empty where they are.

    As ssh treats keys: the folder is made for its owner alone, and one that another user owns or may write is refused.
    """
    try:
        for part in (*reversed(folder.parents), folder):
            part.mkdir(0o700, exist_ok=True)
        status = folder.stat()
        if hasattr(os, "geteuid") and status.st_uid not in (0, os.geteuid()):
            return "another user owns it"
        if os.name == "posix" and status.st_mode & 0o022:
            return f"other users may write there (mode {status.st_mode & 0o777:o})"
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(room))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _instead_of(wanted: Path, why: str) -> Path:
    return _temporary(
        f"compiled kernels cannot be kept in {wanted} ({why}): this process compiles its own. "
        "Set NUMBA_CACHE_DIR to a writable folder of yours to compile only once."
    )


def _temporary(why: str) -> Path:
    """A folder that goes when the process ends, with a warning that says why."""
    folder = tempfile.mkdtemp(prefix="dpbench-numba-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    warnings.warn(why, RuntimeWarning, stacklevel=2)
    return Path(folder)
