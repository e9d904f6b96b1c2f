"""What a page or a terminal says of certificates: read from the committed files, nothing is made here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpbench.certificates.kinds import DECIDES
from dpbench.certificates.reasons import reason
from dpbench.core import validation
from dpbench.ledger.evidence import committed, folder

PLACE = "evidence/certificates"
RECORDS = "evidence/records"


def read(place: Path) -> dict[str, list[dict[str, Any]]]:
    """Claim id to its certificates, from a folder of such files; empty where there is no folder.

    Raises
    ------
    InvalidInput
        If a file is not a certificate.
    """
    made: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(place.glob("*.json")):
        try:
            one = json.loads(path.read_text(encoding="utf-8"))
            kept = {name: one[name] for name in ("id", "kind", "statement", "instances")}
            made.setdefault(one["id"], []).append(kept)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise validation.invalid("certificates", f"a folder of certificates ({error!r})", str(path)) from error
    return made


@lru_cache(maxsize=1)
def known() -> dict[str, list[dict[str, Any]]]:
    """The committed certificates by claim id."""
    return read(folder().parent / "certificates")


@lru_cache(maxsize=1)
def recorded() -> dict[str, list[dict[str, Any]]]:
    """The committed records of samples and fits by claim id."""
    return read(folder().parent / "records")


def about(claim: str) -> tuple[str, ...]:
    """File, kind and statement of each certificate of an entry, or why there is none; nothing without evidence."""
    made = known().get(claim, [])
    if made:
        return tuple(f"{PLACE}/{claim}.{one['kind']}.json ({one['kind']}): {one['statement']}" for one in made)
    record = committed(ids=[claim]).get(claim)
    kept = "".join(f"; recorded in {RECORDS}/{claim}.{one['kind']}.json" for one in recorded().get(claim, []))
    return () if record is None else (f"none: {reason(record)}{kept}",)


def by_kind(
    made: Mapping[str, list[dict[str, Any]]], kinds: Mapping[str, str] = DECIDES
) -> list[tuple[str, str, str, str]]:
    """(kind, what is decided, files, values that they list) in the order of `kinds`."""
    every = [one for listed in made.values() for one in listed]
    rows = []
    for kind, what in kinds.items():
        here = [one for one in every if one["kind"] == kind]
        rows.append((f"`{kind}`", what, str(len(here)), str(sum(len(one["instances"]) for one in here))))
    return rows


def shares(groups: Iterable[tuple[str, Iterable[str]]], made: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(group, entries, entries with a certificate) for groups of claim ids."""
    rows = []
    for name, ids in groups:
        listed = list(ids)
        rows.append((name, str(len(listed)), str(sum(claim in made for claim in listed))))
    return rows
