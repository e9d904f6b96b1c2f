"""What a verdict rests on: how it was decided, what links that to the paper, and the grade that follows.

`decided` is "certificate" (the checker accepted one that decides this verdict), "exact" (here, with an error bound),
"sampled" (at the level spent) or "tried" (on instances). `link` leads from the paper's objects to what was decided:
"none" is needed where they were measured themselves; a "derivation" is written out, in an entry of this package or at
the place its `proof` names; all else is "assumed", somebody's word. The grade is "assumed" if the link is; "derivation"
if the link is one and what was decided is a certificate or exact; else what was decided.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbench.core import validation
from dpbench.ledger.places import folder
from dpbench.ledger.words import DECIDED, FAILED, GUARANTEES, LINKS

if TYPE_CHECKING:
    from dpbench.ledger.declaration import Declaration
    from dpbench.ledger.measurement import Evidence

PROVING = ("certificate", "exact", "derivation")
"""Grades with which a verdict may be "proved"."""
_ADDRESSES = ("https://", "http://", "doi:")


@dataclass(frozen=True)
class Basis:
    """What a verdict rests on.

    Attributes
    ----------
    decided, link : str
        As the module says.
    """

    decided: str
    link: str

    def __post_init__(self) -> None:
        validation.choice("decided", self.decided, DECIDED)
        validation.choice("link", self.link, LINKS)

    @property
    def grade(self) -> str:
        """One of `dpbench.ledger.words.GRADES`."""
        if self.link == "assumed":
            return "assumed"
        if self.link == "derivation" and self.decided in ("certificate", "exact"):
            return "derivation"
        return self.decided

    def to_dict(self) -> dict[str, str]:
        """Grade, decided and link, as documents have them."""
        return {"grade": self.grade, "decided": self.decided, "link": self.link}


def basis(claim: Declaration, verdict: str, evidence: Evidence | Mapping[str, Any]) -> Basis:
    """What the verdict of a claim rests on.

    Parameters
    ----------
    claim : Declaration
    verdict : str
    evidence : Evidence, or what its `to_dict` gives
        Where it does not say how it was decided, that follows from the kind and the level.
    """
    fields = evidence if isinstance(evidence, Mapping) else vars(evidence)
    stated = fields.get("decided")
    decided = stated if stated and stated != "certificate" else _decided(claim, verdict, fields.get("level", 0.0))
    if decided != "sampled" and certified(claim, verdict):
        decided = "certificate"
    given = fields.get("link")
    if given:
        return Basis(decided, given)
    needed = verdict == "proved" or (decided in ("certificate", "exact") and claim.kind != "rate")
    if claim.kind == "privacy":  # a guarantee needs one whatever became of it
        needed = needed or GUARANTEES in fields.get("tables", {}) or verdict == "refuted"
    written = derived(claim) or (decided == "certificate" and claim.outside)  # it is of the claim's own formulas
    return Basis(decided, (("derivation" if written else "assumed") if needed else "none"))


def _decided(claim: Declaration, verdict: str, level: float) -> str:
    """How it was decided where the evidence does not say."""
    if claim.kind == "privacy":
        return "exact"  # of attacks `profiles` says otherwise
    if level:
        return "sampled"
    return "exact" if claim.kind != "rate" and verdict in FAILED else "tried"


def derived(claim: Declaration) -> bool:
    """Whether the derivation of an entry is written out: in this package, or at the place that `proof` names."""
    if not claim.outside:
        return bool(claim.derivation.strip())
    if claim.proof.startswith(_ADDRESSES):
        return True
    return bool(claim.proof) and (_beside(claim) / claim.proof.partition("#")[0]).is_file()


def certified(claim: Declaration, verdict: str) -> bool:
    """Whether a certificate in the entry's folder (`place_of_certificates`) decides this verdict.

    Where the entry states formulas to be proved over a region, it is a certificate of these formulas over this region
    and of no earlier ones. That the checker accepts each of this package's is a test of the repository, and they are
    only read here; of another package's, which are of the formulas of the claim itself, the checker is asked.
    """
    certificates = _certificates(place_of_certificates(claim)).get((claim.id, verdict), ())
    if claim.outside:
        statement = claim.formal
        return statement is not None and any(
            one["statement"].endswith(statement.text) and _accepted(json.dumps(one)) for one in certificates
        )
    stated = claim.over_region if verdict == "proved" else ""
    return any(not stated or one["statement"] == stated for one in certificates)


def place_of_certificates(claim: Declaration) -> Path:
    """Where the certificates of an entry are: with the committed evidence, or in a folder beside the module."""
    return _beside(claim) / "certificates" if claim.outside else folder().parent / "certificates"


def _beside(claim: Declaration) -> Path:
    return Path(getattr(sys.modules.get(claim.module), "__file__", None) or ".").resolve().parent


def missing(claim: Declaration) -> str:
    """How to write the certificate that the formulas of an entry ask for, where it is not there; else empty."""
    if not claim.over_region or certified(claim, "proved"):
        return ""
    place = place_of_certificates(claim) if claim.outside else "evidence/certificates"
    return f"no certificate shows it on its region: `dpbench verify {claim.id} --certificates {place}` writes it"


def decided_by_certificate(claim: Declaration, verdict: str) -> str:
    """The verdict of an entry whose search found this one: "proved" beside a certificate of its formulas."""
    return "proved" if verdict == "not refuted" and claim.kind != "privacy" and certified(claim, "proved") else verdict


def outdated(claim: Declaration, verdict: str) -> bool:
    """Whether a kept verdict may be another by the certificates of today: of one that came, or of one that went."""
    gone = verdict == "proved" and claim.kind != "privacy" and claim.over_region and not certified(claim, "proved")
    return bool(gone) or decided_by_certificate(claim, verdict) != verdict


@cache
def _certificates(place: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The certificates of a folder, by entry and the verdict that they decide."""
    certificates: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted(place.glob("*.json")):
        try:
            one = json.loads(path.read_text(encoding="utf-8"))
            certificates.setdefault((one["id"], one["verdict"]), []).append({**one, "statement": one["statement"]})
        except (ValueError, KeyError, TypeError) as error:
            raise validation.invalid("certificates", f"a folder of certificates ({error!r})", str(path)) from error
    return certificates


@cache
def _accepted(certificate: str) -> bool:
    import dpbench_check  # with flint: not for those who only list

    return bool(dpbench_check.report_on(certificate)["accepted"])


def counts(rows: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Of (verdict, grade) pairs, how many verdicts have each grade: verdict to grade to number."""
    by_grade: dict[str, dict[str, int]] = {}
    for verdict, grade in rows:
        of_one = by_grade.setdefault(verdict, {})
        of_one[grade] = of_one.get(grade, 0) + 1
    return by_grade
