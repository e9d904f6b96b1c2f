"""Finished blocks and verdicts in one SQLite file, or in memory.

A block is stored under what it is of (`run`: the canonical text of the unit, the seed, the code's digest) and
its number. Each write is one short transaction, committed at once: after a kill at any moment the file holds
every block that had arrived, and two processes may share it. After a power failure the last commits may be missing
(SQLite's ``synchronous=NORMAL``), and are computed again; the file stays whole. A stored block is never changed; one
that no longer fits its checksum is removed with a warning, so that it is computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbench.core.validation import InvalidInput, invalid
from dpbench.runs.encoding import Undecodable, decode

COLUMNS = ("claim", "level", "seed", "code", "verdict", "evidence", "recorded")
"""What a row says, in the order in which its checksum is taken."""


@dataclass(frozen=True)
class StoredVerdict:
    """A verdict as recorded.

    Attributes
    ----------
    claim, level, verdict : str
    seed : int
    code : str
        Digest of the code that the claim rested on; another one than the claim's present digest means stale.
    evidence : dict
        `Evidence.to_dict()`.
    recorded : str
        UTC, ISO 8601.
    """

    claim: str
    level: str
    seed: int
    code: str
    verdict: str
    evidence: dict[str, Any]
    recorded: str


def new_row(claim: str, level: str, seed: int, code: str, verdict: str, evidence: dict[str, Any]) -> tuple[Any, ...]:
    """`COLUMNS` of a verdict recorded now, and their checksum."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return with_checksum((claim, level, str(seed), code, verdict, json.dumps(evidence, allow_nan=False), now))


def with_checksum(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row with its checksum at the end."""
    return *row, hashlib.blake2b(json.dumps(row).encode(), digest_size=16, key=b"verdict").digest()


def intact(rows: Iterable[tuple[Any, ...]], where: str | None) -> Iterator[StoredVerdict]:
    """The verdicts of those rows (`COLUMNS` and the checksum) that are as they were written; a warning for each other.

    Parameters
    ----------
    rows : iterable of tuple
    where : str or None
        What warnings call the store; None: there are none.
    """
    for row in rows:
        if any(not isinstance(cell, str) for cell in row[:-1]) or with_checksum(row[:-1]) != row:
            if where is not None:
                warnings.warn(
                    f"a verdict of {row[0]} in {where} changed after it was stored: it is left out; "
                    f"`dpbench verify {row[0]}` finds it again",
                    RuntimeWarning,
                    stacklevel=4,
                )
            continue
        claim, level, seed, code, verdict, evidence, recorded, _ = row
        yield StoredVerdict(claim, level, int(seed), code, verdict, json.loads(evidence), recorded)


SCHEMA = 3  # 2: blocks in another encoding
_APPLICATION = 0x64706265  # "dpbe" in the file's header: tells our files from other programs' databases
_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE run (id INTEGER PRIMARY KEY, unit TEXT NOT NULL, seed TEXT NOT NULL, code TEXT NOT NULL,"
    " UNIQUE (unit, seed, code))",
    "CREATE TABLE block (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, value BLOB NOT NULL,"
    " checksum BLOB NOT NULL, PRIMARY KEY (run, number))",
    "CREATE TABLE verdict (id INTEGER PRIMARY KEY, claim TEXT NOT NULL, level TEXT NOT NULL,"
    " seed TEXT NOT NULL, code TEXT NOT NULL, verdict TEXT NOT NULL, evidence TEXT NOT NULL,"
    " recorded TEXT NOT NULL, checksum BLOB, UNIQUE (claim, level, seed, code) ON CONFLICT REPLACE)",
    f"INSERT INTO meta VALUES ('schema', '{SCHEMA}')",
    f"PRAGMA application_id = {_APPLICATION}",
)
_NAMES = {"run", "block", "verdict"}


def check_schema(db: sqlite3.Connection, tables: set[str], path: Any) -> None:
    """Refuse what is not a store that this version can use.

    Parameters
    ----------
    db : sqlite3.Connection
    tables : set of str
        Names of its tables, not empty.
    path : object
        What messages call the file.

    Raises
    ------
    InvalidInput
    """
    schema = _schema(db, tables)
    if schema is None:
        raise InvalidInput(f"store must be a file of dpbench, got {path}: another program's database")
    advice = "move it away, or choose another file"
    if schema != SCHEMA:
        other = f"{path} of schema {schema}, which {'a newer' if schema > SCHEMA else 'an older'} dpbench wrote"
        raise InvalidInput(f"store must be of schema {SCHEMA}, got {other}; {advice}")
    if not tables >= _NAMES:
        lacking = f"without its table {min(_NAMES - tables)}"
        raise InvalidInput(f"store must be a whole file of dpbench, got {path} {lacking}; {advice}")


def _schema(db: sqlite3.Connection, tables: set[str]) -> int | None:
    if db.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION and "meta" in tables:
        row = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        if row is not None and row[0].isdigit():
            return int(row[0])
    return None


def prepare(db: sqlite3.Connection) -> None:
    """Make the tables of an empty file, inside a transaction."""
    if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in _TABLES:
            db.execute(statement)
    db.execute("UPDATE meta SET value = value")  # finds out that the file cannot be written


_PATIENCE = 10.0  # seconds that another process may hold the lock
_VERDICTS = f"SELECT {', '.join(COLUMNS)}, checksum FROM verdict ORDER BY id"


class StoreError(RuntimeError):
    """The store failed while in use (full disk, lost or damaged file); what was stored before is safe."""


class Store:
    """Blocks and verdicts of runs.

    Parameters
    ----------
    path : path or None
        The file, made with its folders where it does not exist; None keeps everything in memory.
    read_only : bool
        Open an existing file for reading alone.

    Raises
    ------
    InvalidInput
        If the file cannot be used as a store; it is then left as it was.
    StoreError
        From every method, if the store fails later.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, read_only: bool = False) -> None:
        if path is not None and (not isinstance(path, (str, os.PathLike)) or "\0" in str(path)):
            raise invalid("store", "a path or None", path)
        self.path = None if path is None else Path(path)
        self._inode: tuple[int, int] | None = None
        if self.path is not None:
            self._check_place(self.path, read_only)
        try:
            self._connect(read_only, "?mode=ro" * read_only)
        except sqlite3.Error as error:
            if not read_only or not _needs_a_log(error) or self._has_log():
                raise self._unusable(error) from error
            try:
                self._connect(read_only, "?immutable=1")  # no log can be made where nothing can be written
            except sqlite3.Error as again:
                raise self._unusable(again) from again
        if self.path is not None:
            self._inode = _inode(self.path)

    def _connect(self, read_only: bool, mode: str) -> None:
        target = ":memory:" if self.path is None else self.path.absolute().as_uri() + mode
        self._db = sqlite3.connect(target, timeout=0.25, isolation_level=None, uri=self.path is not None)
        self._db.text_factory = lambda cell: cell.decode(errors="replace")  # of a damaged one the checksum tells
        try:
            self._open(read_only)
        except BaseException:
            self._db.close()
            raise

    def _has_log(self) -> bool:
        """Whether commits may stand in the log alone, which an immutable file is read without."""
        assert self.path is not None
        log = self.path.with_name(f"{self.path.name}-wal")
        return log.exists() and log.stat().st_size > 0

    def __len__(self) -> int:
        """Blocks stored."""
        with self._reporting():
            return int(self._patiently("SELECT count(*) FROM block")[0][0])

    def close(self) -> None:
        """Fold the log into the file, where no other process uses it. A second call does nothing."""
        with self._reporting():
            self._db.close()

    def run(self, unit: str, seed: int, code: str) -> int:
        """The number under which blocks of this unit, seed and code are stored."""
        key = (unit, str(seed), code)
        with self._reporting():
            row = self._find(key)
            if row is None:
                with self._transaction():
                    self._db.execute("INSERT OR IGNORE INTO run (unit, seed, code) VALUES (?, ?, ?)", key)
                row = self._find(key)
        assert row is not None
        return row

    def blocks(self, run: int, numbers: Iterable[int]) -> dict[int, Any]:
        """The values of those blocks of a run that are stored, by number; a damaged one is removed, with a warning."""
        blocks = {}
        with self._reporting():
            for number in dict.fromkeys(numbers):
                query = "SELECT value, checksum FROM block WHERE run = ? AND number = ?"
                for value, checksum in self._patiently(query, (run, number)):
                    try:
                        if not isinstance(value, bytes) or _checksum(run, number, value) != checksum:
                            raise Undecodable("another checksum")
                        blocks[number] = decode(value)
                    except Undecodable:
                        self._remove(run, number)
        return blocks

    def _remove(self, run: int, number: int) -> None:
        with self._transaction():
            self._db.execute("DELETE FROM block WHERE run = ? AND number = ?", (run, number))
        where = self.path or "the store in memory"
        message = f"block {number} of run {run} in {where} changed after it was stored: it is computed again"
        warnings.warn(message, RuntimeWarning, stacklevel=3)

    def add(self, run: int, values: Mapping[int, bytes]) -> None:
        """Store encoded values of blocks, by number; they are safe on return. One already stored is kept."""
        if not values:
            return
        rows = [(run, number, value, _checksum(run, number, value)) for number, value in values.items()]
        with self._reporting(), self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO block VALUES (?, ?, ?, ?)", rows)

    def record(self, claim: str, level: str, seed: int, code: str, verdict: str, evidence: dict[str, Any]) -> None:
        """Store a verdict; it takes the place of an earlier one of the same claim, level, seed and code."""
        row = new_row(claim, level, seed, code, verdict, evidence)
        columns = ", ".join((*COLUMNS, "checksum"))
        with self._reporting(), self._transaction():
            self._db.execute(f"INSERT INTO verdict ({columns}) VALUES ({', '.join('?' * len(row))})", row)

    def verdicts(self, *, quiet: bool = False) -> list[StoredVerdict]:
        """Verdicts in the order in which they were recorded; a damaged one is left out, `quiet` or warned of."""
        with self._reporting():
            rows = self._patiently(_VERDICTS)
        return list(intact(rows, None if quiet else str(self.path or "the store in memory")))

    def _check_place(self, path: Path, read_only: bool) -> None:
        try:
            if path.exists() and not path.is_file():
                kind = "folder" if path.is_dir() else "device"
                raise InvalidInput(f"store must be a file, got the {kind} {path}")
            if read_only and not path.exists():
                raise InvalidInput(f"store must be an existing file, got {path}; `dpbench verify` makes it")
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            must_be = "a file that can be read and written"
            reason = "its folder is a file" if path.parent.is_file() else error.strerror
            raise InvalidInput(f"store must be {must_be}, got {path}: {reason}") from error

    def _open(self, read_only: bool) -> None:
        """Look before touching, so that a file that is not ours stays as it was."""
        tables = {row[0] for row in self._patiently("SELECT name FROM sqlite_master")}
        if tables:
            check_schema(self._db, tables, self.path)
        if read_only:
            if not tables:
                raise InvalidInput(f"store must hold a run of dpbench, got the empty file {self.path}")
            return
        self._patiently("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            prepare(self._db)

    def _find(self, key: tuple[str, str, str]) -> int | None:
        rows = self._patiently("SELECT id FROM run WHERE unit = ? AND seed = ? AND code = ?", key)
        return int(rows[0][0]) if rows else None

    def _patiently(self, statement: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        """Run a statement, waiting for other processes in short steps, between which Ctrl-C is received."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._db.execute(statement, parameters).fetchall()
            except sqlite3.OperationalError as error:
                if _code(error) not in ("SQLITE_BUSY", "SQLITE_LOCKED") or time.monotonic() > deadline:
                    raise

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._inode is not None and self.path is not None and _inode(self.path) != self._inode:
            raise StoreError(f"the store {self.path} was removed or replaced while in use; run the same command again")
        try:
            self._patiently("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"the store {self.path or 'in memory'} failed: {_reason(error)}; what it held is kept. "
                "Mend this, or choose another file, and run the same command again"
            ) from error

    def _unusable(self, error: sqlite3.Error) -> Exception:
        if _code(error).startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            return StoreError(f"the store {self.path} failed: {_reason(error)}")
        return InvalidInput(
            f"store must be a file of dpbench that can be read and written, got {self.path}: "
            f"{_reason(error)}; move it away, or choose another file"
        )


def stored_verdicts(path: str | os.PathLike[str]) -> list[StoredVerdict]:
    """The newest verdict of each claim, level and seed in a store, oldest first; computes and writes nothing.

    Raises
    ------
    InvalidInput
        If there is no such file, or it is not a store.
    """
    store = Store(path, read_only=True)
    newest: dict[tuple[str, str, int], StoredVerdict] = {}
    try:
        for verdict in store.verdicts():
            key = verdict.claim, verdict.level, verdict.seed
            newest.pop(key, None)
            newest[key] = verdict
    finally:
        store.close()
    return list(newest.values())


def _checksum(run: int, number: int, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=16, key=b"%d/%d" % (run, number)).digest()


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _code(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def _needs_a_log(error: sqlite3.Error) -> bool:
    return _code(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))


def _reason(error: sqlite3.Error) -> str:
    name = _code(error)
    if name.startswith("SQLITE_BUSY"):
        return f"another process has had it locked for {_PATIENCE:g} s"
    if name.startswith("SQLITE_READONLY"):
        return "it is read-only"
    return str(error)
