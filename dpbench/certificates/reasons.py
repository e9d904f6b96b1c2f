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
REASONS: dict[str, str] = {
    "glm.alg4.privacy.printed": "the whole is the base's guarantee, taken as a premise, and a choice that is nearly "
    "uniform",
    "glm.alg5.privacy.printed": "its pair's profile is an integral over m noises: a Laplace maximum, which the grammar "
    "does not have",
    "glm.cor2.inequality.step": "the excess is a closed form over hardest scales found by search",
    "glm.cor2.inequality.units": "the excess is a closed form over hardest scales found by search",
    "glm.lemma6.inequality.printed": "the excess is a closed form over hardest scales found by search",
    "glm.lemma8.inequality.steps": "the entry's module decides it along its sizes; none has been sealed yet",
    "glm.lemma11.inequality.direction": "the entry's module decides it for one law; none has been sealed yet",
    "glm.thm10.inequality.step": "the entry's module decides it along its sizes; none has been sealed yet",
    "glm.lemma7.inequality": "no constant is stated: sampled lower bounds need constants that grow",
    "glm.thm2.inequality.dimension": "the excess is a closed form over hardest scales found by search",
    "glm.thm2.inequality.step": "the excess is a closed form over scales found by search",
    "glm.thm2.privacy.moderate": "as for Theorem 10, with the gradients of each loss at radius 2B, which would be "
    "premises",
    "glm.thm2.privacy.printed": "its targets have k below log(2n/delta), outside the proof's conditions",
    "glm.thm8.privacy.exact": "a composition of compositions: its parts are those of Theorems 7 and 13",
    "publicdata.thm7.inequality.sample-size.laplace": "tails of a sum of m Laplace variables, which the grammar "
    "does not have",
    "publicdata.thm2.privacy.one-call": "its shift is a least-squares norm found by enumeration",
    "publicdata.thm4.inequality.confidence": "the proof for every log(1/beta) is in the entry's module",
    "publicdata.thm4.privacy.gaussian-drawn": "given public points that are drawn: a product over 65,536 counts",
    "publicdata.lemma10.privacy": "the side condition (103) is not met by all its settings",
}
"""Of decided entries that have none; a test holds that each is an entry of the ledger without a certificate."""
SAMPLES: dict[str, str] = {
    "glm.lemma6.inequality": "of hundreds of sampled worlds the evidence keeps the smallest margin alone",
    "glm.lemma9.inequality": "decided exactly; what was sampled beside it is one maximum",
    "publicdata.lemma7.stability": "decided exactly; beside it, the worst of many mean squares is kept alone",
    "publicdata.lemma7.stability.as-proved": "the worst of many sampled mean squares is kept alone",
    "publicdata.lemma7.stability.sharp": "the worst of many sampled mean squares is kept alone",
    "heavytail.thm1.inequality.value": "a ratio of a mean to its limit, whose interval is that of a slope",
    "heavytail.thm2.inequality.value": "a ratio of a mean to its limit, whose interval is that of a slope",
}
"""Of sampled entries without a record of counts or sums, where the default reason is not all."""
DECIDED = ("proved", "refuted", "consistent", "inconsistent")


def reason(record: Mapping[str, Any]) -> str:
    """Why this record of the ledger has no certificate."""
    named = REASONS.get(record["id"]) or SAMPLES.get(record["id"])
    if named:
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
