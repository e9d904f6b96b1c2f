"""Entries and their rows, and where ids have gone.

An entry is a result that a reader looks up. Its rows are claims: what is printed first, then what stands beside it (as
corrected, with another constant or noise, in another range of the moment, a misprint of its proof). The id of an entry
is the address of its first row, whose verdict is the entry's; each other row has the address ``<entry>.<row>``.

``moved.json``, beside the committed evidence, says of each id that the ledger ever had where it is: the address of a
row, of a line of the errata, or a test; with the verdict and the value that it had when it moved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dpbench.ledger.core import Claim

TARGETS = ("row", "errata", "test")
Value = TypeVar("Value")


def by_entry(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """The rows of each entry, by its id."""
    rows: dict[str, list[Claim]] = {}
    for claim in claims:
        rows.setdefault(claim.entry, []).append(claim)
    return rows


@cache
def places() -> Mapping[str, Mapping[str, Any]]:
    """What ``moved.json`` says of each id; empty where there is none."""
    from dpbench.ledger.places import folder

    file = folder().parent / "moved.json"
    return json.loads(file.read_text(encoding="utf-8"))["ids"] if file.is_file() else {}


@cache
def moved() -> Mapping[str, str]:
    """Ids that are addresses no more, with the address of the row, or the test, that has taken their place."""
    targets = {old: next(str(place[name]) for name in TARGETS if name in place) for old, place in places().items()}
    return {old: new for old, new in targets.items() if old != new}


def is_test(address: str) -> bool:
    """Whether that is no row, but a test."""
    return "::" in address


def readdressed(values: Mapping[str, Value]) -> dict[str, Value]:
    """The same by the addresses of today; what has become a test is left out."""
    named = {moved().get(name, name): part for name, part in values.items()}
    return {name: part for name, part in named.items() if not is_test(name)}
