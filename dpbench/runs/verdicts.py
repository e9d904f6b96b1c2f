"""Verdicts as rows of the store, each with a checksum of all it says."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

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
