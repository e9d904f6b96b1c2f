"""What ``dpbench list`` prints, kept between runs: to import every claim takes seconds, to read their names does not.

The entries of the papers of this package are kept in the user's cache folder, under a key made of the state of every
file of ours. Where another package brings papers, or a source is named, nothing is kept or read.
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

Row = tuple[str, str, str, str, str]
"""Paper, id, kind, expected verdict and source of an entry."""


def rows(patterns: Sequence[str] | None, paper: str | None, kind: str | None) -> list[Row]:
    """The entries that fit, as `dpbench.ledger.verify.select` finds them, which also says what is wrong with a request.

    Raises
    ------
    InvalidInput
    """
    loaded = "dpbench.ledger.registry" in sys.modules  # then there is nothing to be saved
    kept = None if loaded or not _ours_alone() else _read()
    if kept is not None:
        found = [row for row in kept if _fits(row, patterns, paper, kind)]
        if found and all(any(fnmatchcase(row[1], pattern) for row in kept) for pattern in patterns or ()):
            return found
    from dpbench.ledger.verify import all_claims, select

    if kept is None and not loaded and _ours_alone():
        _write([_row(claim) for claim in all_claims()])
    return [_row(claim) for claim in select(list(patterns) if patterns else None, paper=paper, kind=kind)]


def _row(claim: Any) -> Row:
    return claim.paper, claim.id, claim.kind, claim.expected, claim.source


def _fits(row: Row, patterns: Sequence[str] | None, paper: str | None, kind: str | None) -> bool:
    named = not patterns or any(fnmatchcase(row[1], pattern) for pattern in patterns)
    return named and paper in (None, row[0]) and kind in (None, row[2])


def _ours_alone() -> bool:
    """Whether no other package brings papers."""
    return all(point.value.partition(".")[0] == "dpbench" for point in entry_points(group="dpbench.papers"))


def _read() -> list[Row] | None:
    """The entries kept under the key of the files that are there now; None where there are none to be read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(_place().read_text(encoding="utf-8"))
        if kept["key"] == _key():
            return [(str(a), str(b), str(c), str(d), str(e)) for a, b, c, d, e in kept["entries"]]
    return None


def _write(entries: list[Row]) -> None:
    """Keep the entries where that can be done."""
    place = _place()
    part = place.with_name(f".{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({"key": _key(), "entries": entries}), encoding="utf-8")
        part.replace(place)


def _place() -> Path:
    return Path(platformdirs.user_cache_dir("dpbench")) / "listing.json"


def _key() -> str:
    """One key of the place, time and size of every file of ours."""
    state = [(str(path), sources.state(path)) for path in sorted(sources.our_files())]
    return hashlib.sha256(repr(state).encode()).hexdigest()
