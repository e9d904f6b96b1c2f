"""Why an entry has no certificate, and counts of what has one: ``python -m dpbench.certificates.reasons``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Any

from dpbench.certificates import makers
from dpbench.certificates.evidence import claims, entries
from dpbench.ledger.words import WEIGHTS

TRIED = "tried on instances, nothing is proved: a certificate of those values would say less than the entry"
SLOPE = "a slope is fitted: nothing is decided exactly"
SAMPLED = "sampled: nothing is decided exactly"
DECIDED = ("proved", "refuted", "consistent", "inconsistent")


def reason(record: Mapping[str, Any]) -> str:
    """Why this record of the ledger has no certificate."""
    claim = claims()[record["id"]]
    if named := claim.no_certificate or claim.no_record:
        return named
    if record["verdict"] in ("consistent", "inconsistent", "undecided"):
        return SLOPE
    if sampled(record):
        return SAMPLED
    return TRIED if record["verdict"] == "not refuted" else "none has been written yet"


def sampled(record: Mapping[str, Any]) -> bool:
    """Whether sampling at an error level is part of what the entry rests on."""
    return bool(record["evidence"].get("level"))


Record = Mapping[str, Any]
"""Of an entry: its id, its verdict and its evidence."""


def by_verdict(records: Iterable[Record]) -> dict[str, list[str]]:
    """ "PAPER, VERDICT" to the ids of the entries."""
    groups: dict[str, list[str]] = {}
    for record in records:
        groups.setdefault(f"{record['id'].split('.')[0]}, {record['verdict']}", []).append(record["id"])
    return dict(sorted(groups.items()))


def by_weight(records: Iterable[Record]) -> dict[str, list[str]]:
    """Weight to the ids of the entries that do not hold, the heaviest first."""
    groups: dict[str, list[str]] = {weight: [] for weight in WEIGHTS}
    for record in records:
        claim = claims().get(record["id"])
        if record["verdict"] in ("refuted", "inconsistent") and claim is not None and claim.weight:
            groups[claim.weight].append(record["id"])
    return groups


def without(records: Iterable[Record], have: Container[str]) -> dict[str, list[str]]:
    """Reason to the ids of the entries that it keeps from having a certificate."""
    groups: dict[str, list[str]] = {}
    for record in records:
        if record["id"] not in have:
            groups.setdefault(reason(record), []).append(record["id"])
    return groups


def exactly_decided(records: Iterable[Record]) -> list[str]:
    """Ids of the entries that are proved or refuted with no sampling: those that a certificate could be of."""
    return [r["id"] for r in records if r["verdict"] in ("proved", "refuted") and not sampled(r)]


def links(claim: str) -> dict[str, Any]:
    """``{"certificate": [file names]}`` of an entry, or ``{"certificate": None, "no_certificate": reason}``."""
    files = [f"{m.id}.{m.kind}.json" for m in makers() if m.id == claim]
    if files:
        return {"certificate": files}
    record = entries().get(claim)
    why = "there is no committed evidence of it" if record is None else reason(record)
    return {"certificate": None, "no_certificate": why}


def main() -> None:
    have = {maker.id for maker in makers()}
    exact = exactly_decided(entries().values())
    print(f"exactly decided {len(exact)}, of these with a certificate {sum(claim in have for claim in exact)}")
    print(f"certificates {len(makers())}, of entries {len(have)}\n")
    for groups in (by_verdict(entries().values()), by_weight(entries().values())):
        print(f"{'':<27}{'entries':>8}{'certified':>10}")
        for name, ids in groups.items():
            print(f"{name:<27}{len(ids):>8}{sum(claim in have for claim in ids):>10}")
        print()
    kinds = Counter(maker.kind for maker in makers())
    print("by kind: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    for why, ids in without(entries().values(), have).items():
        print(f"\nno certificate ({len(ids)}): {why}\n  " + "\n  ".join(ids))


if __name__ == "__main__":
    main()
