"""What ``dpbench list`` shows, kept between runs: to import every claim takes seconds, to read a list does not.

The rows of all entries of this package's papers are kept in the user's cache folder, under a key made of the state of
every file that they are of: our modules, the committed evidence and the store. Where another package brings papers, or
a source is named, nothing is kept or read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import platformdirs

from dpbench.core import sources

Row = dict[str, Any]
"""As `dpbench.report.listing.rows` makes it."""


def listed(patterns: Sequence[str] | None, paper: str | None, kind: str | None, store: Path | None) -> list[Row]:
    """The entries that fit, as `dpbench.ledger.verify.select` finds them, which also says what is wrong with a request.

    Raises
    ------
    InvalidInput
    """
    loaded = "dpbench.ledger.registry" in sys.modules  # then there is nothing to be saved
    kept = None if loaded or not _ours_alone() else _read(store)
    if kept is not None:
        found = [row for row in kept if _fits(row, patterns, paper, kind)]
        if found and all(any(fnmatchcase(row["id"], pattern) for row in kept) for pattern in patterns or ()):
            return found
    from dpbench.ledger.verify import all_claims, select

    chosen = {claim.id for claim in select(list(patterns) if patterns else None, paper=paper, kind=kind)}
    if kept is None:
        kept = _rows(all_claims(), store)
        if not loaded and _ours_alone():
            _write(kept, store)
    return [row for row in kept if row["id"] in chosen]


def _rows(claims: Sequence[Any], store: Path | None) -> list[Row]:
    from dpbench.report.listing import rows
    from dpbench.report.stored import best, known

    return rows(claims, best(known(store), [claim.id for claim in claims], with_code=False))


def _fits(row: Row, patterns: Sequence[str] | None, paper: str | None, kind: str | None) -> bool:
    named = not patterns or any(fnmatchcase(row["id"], pattern) for pattern in patterns)
    return named and paper in (None, row["paper"]) and kind in (None, row["kind"])


def _ours_alone() -> bool:
    """Whether no other package brings papers."""
    return all(point.value.partition(".")[0] == "dpbench" for point in entry_points(group="dpbench.papers"))


def _read(store: Path | None) -> list[Row] | None:
    """The rows kept under the key of the files that are there now; None where there are none to be read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(_place().read_text(encoding="utf-8"))
        if kept["key"] == _key(store):
            return [{**row, "id": str(row["id"])} for row in kept["rows"]]
    return None


def _write(rows: list[Row], store: Path | None) -> None:
    """Keep the rows where that can be done."""
    place = _place()
    part = place.with_name(f".{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({"key": _key(store), "rows": rows}), encoding="utf-8")
        part.replace(place)


def _place() -> Path:
    return Path(platformdirs.user_cache_dir("dpbench")) / "listing.json"


def _key(store: Path | None) -> str:
    """One key of the place, time and size of every file that a list is of."""
    top = Path(__file__).resolve().parents[1]
    evidence = [*top.glob("_evidence/ledger/*.json"), *top.parent.glob("evidence/ledger/*.json")]
    kept = [] if store is None else [store.resolve(), store.resolve().with_name(f"{store.name}-wal")]
    files = [*sources.our_files(), *evidence, *kept]
    state = sorted((str(path), sources.state(path)) for path in files)
    return hashlib.sha256(repr(state).encode()).hexdigest()
