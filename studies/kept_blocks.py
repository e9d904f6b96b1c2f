"""An executor that keeps what its tasks gave in a file, and computes none twice: an audit that can be resumed."""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from dpbench.runs.scheduler import fingerprint


class KeptBlocks(Executor):
    """`map` of another executor, of which each result is stored under its function, its argument and the code.

    The file holds pickles: open none that somebody else wrote. What has another fingerprint of code, versions and
    processor type is computed again.

    Parameters
    ----------
    inner : Executor
    file : Path
        An SQLite database, made where there is none.

    Attributes
    ----------
    computed, found : int
        Tasks that were computed, and that were in the file.
    """

    def __init__(self, inner: Executor, file: Path) -> None:
        self._inner, self._file = inner, sqlite3.connect(file)
        self._file.execute("CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        self.computed = self.found = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As the inner executor does: nothing is kept."""
        return self._inner.submit(fn, *args, **kwargs)

    def map(
        self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[Any]:
        """The results in order; those computed are in the file before the first of them is returned."""
        calls = list(zip(*iterables, strict=False))
        name = hashlib.sha256(pickle.dumps(fn) + fingerprint().encode()).digest()
        keys = [name[:16] + hashlib.sha256(repr(call).encode()).digest()[:16] for call in calls]
        kept = {key: value for key in keys if (value := self._read(key)) is not None}
        missing = [(key, call) for key, call in zip(keys, calls, strict=True) if key not in kept]
        arguments = zip(*(call for _, call in missing), strict=True)
        made = self._inner.map(fn, *arguments, timeout=timeout) if missing else ()
        with self._file:
            for (key, _), value in zip(missing, made, strict=True):
                kept[key] = pickle.dumps(value)
                self._file.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, kept[key]))
        self.computed += len(missing)
        self.found += len(calls) - len(missing)
        return iter([pickle.loads(kept[key]) for key in keys])

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the file; the inner executor is its owner's."""
        self._file.close()

    def _read(self, key: bytes) -> bytes | None:
        row = self._file.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])
