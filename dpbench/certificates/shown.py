"""What a page or a terminal says of certificates, and why an entry has none: read from the committed files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpbench.core import validation
from dpbench.ledger.evidence import committed
from dpbench.ledger.grades import missing, place_of_certificates
from dpbench.ledger.places import folder
from dpbench.ledger.registry import by_id

PLACE = "evidence/certificates"
RECORDS = "evidence/records"
DECIDES = {
    "pair-discrete": "two finite laws and an event: P(E) - e^ε Q(E) is above δ",
    "pair-shift": "two Gaussian or Laplace laws a shift apart: their δ(ε) is above δ",
    "guarantee": "sensitivity and noise: δ(ε), or the log-ratio, is within the claim at each instance listed",
    "inequality": "both sides at the values listed: the opposite of what is claimed",
    "region": "an inequality on a region, infinite ends allowed: intervals with slopes on the cells of a tree",
    "composition": "what is composed of steps within a notion: by a rule that is a fact, its inequality on a region",
    "growth": "a quantity that exceeds c t^a log(t)^b for all t from some t on: no constant bounds it",
}
"""Kind of a certificate to what its check decides."""
RECORDED = {
    "sample": "counts of an event on two data sets, and the lower bound on ε that they give",
    "sample-mean": "counts, or sums in a range, and the one-sided bound that they give, beside what is claimed",
    "rate": "means with standard errors: the interval of their log-log slope, beside the slope claimed",
}
"""Kinds of records of samples and fits: they decide nothing, and are no certificates."""
TRIED = "tried on instances, nothing is proved: a certificate of those values would say less than the entry"
SLOPE = "a slope is fitted: nothing is decided exactly"
SAMPLED = "sampled: nothing is decided exactly"


def read(place: Path) -> dict[str, list[dict[str, Any]]]:
    """Claim id to its certificates, from a folder of such files; empty where there is no folder.

    Raises
    ------
    InvalidInput
        If a file is not a certificate.
    """
    certificates: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(place.glob("*.json")):
        try:
            one = json.loads(path.read_text(encoding="utf-8"))
            kept = {name: one[name] for name in ("id", "kind", "statement", "instances")}
            certificates.setdefault(one["id"], []).append({"file": path.name, **kept})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise validation.invalid("certificates", f"a folder of certificates ({error!r})", str(path)) from error
    return certificates


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
    if certificates := _of(claim):
        place = "certificates" if by_id()[claim].outside else PLACE
        return tuple(f"{place}/{one['file']} ({one['kind']}): {one['statement']}" for one in certificates)
    record = committed(ids=[claim]).get(claim)
    kept = "".join(f"; recorded in {RECORDS}/{one['file']}" for one in recorded().get(claim, ()))
    return () if record is None else (f"none: {reason(record)}{kept}",)


def _of(claim: str) -> list[dict[str, Any]]:
    """Certificates of an entry: of another package's, those beside its module."""
    declared = by_id().get(claim)
    if declared is None or not declared.outside:
        return known().get(claim, [])
    return read(place_of_certificates(declared)).get(claim, [])


def links(claim: str) -> dict[str, Any]:
    """``{"certificate": [file names]}`` of an entry, or ``{"certificate": None, "no_certificate": reason}``."""
    if certificates := _of(claim):
        return {"certificate": [one["file"] for one in certificates]}
    record = committed(ids=[claim]).get(claim)
    why = "there is no committed evidence of it" if record is None else reason(record)
    return {"certificate": None, "no_certificate": why}


def reason(record: Mapping[str, Any]) -> str:
    """Why this record of the ledger has no certificate."""
    claim = by_id()[record["id"]]
    if claim.no_certificate:
        return claim.no_certificate
    if record["verdict"] in ("consistent", "inconsistent", "undecided"):
        return SLOPE
    if sampled(record):
        return SAMPLED
    if how := missing(claim):
        return how
    if record["verdict"] == "not refuted":
        return TRIED
    return f"none has been written yet: `dpbench verify {claim.id} --certificates {PLACE}` writes those of its formulas"


def sampled(record: Mapping[str, Any]) -> bool:
    """Whether sampling at an error level is part of what the entry rests on."""
    return bool(record["evidence"].get("level"))


def grouped(records: Iterable[Mapping[str, Any]], key: Callable[[Any], Any]) -> dict[Any, list[str]]:
    """What `key` says of a record to the ids of which it says so; nothing where it says nothing."""
    groups: dict[Any, list[str]] = {}
    for one in records:
        if said := key(one):
            groups.setdefault(said, []).append(one["id"])
    return groups


def by_kind(
    certificates: Mapping[str, list[dict[str, Any]]], kinds: Mapping[str, str] = DECIDES
) -> list[tuple[str, str, str, str]]:
    """(kind, what is decided, files, values that they list) in the order of `kinds`."""
    every = [one for listed in certificates.values() for one in listed]
    rows = []
    for kind, what in kinds.items():
        here = [one for one in every if one["kind"] == kind]
        rows.append((f"`{kind}`", what, str(len(here)), str(sum(len(one["instances"]) for one in here))))
    return rows
