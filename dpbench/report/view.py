"""What is said of an entry, as labelled parts: the terminal, the pages, the errata and the note are templates of them.

To say one more thing of every entry, add a `Part` to `view`: it then stands wherever its `scope` allows. What it reads
of a claim must be in `index.json` (`dpbench.ledger.index.SAID`), which the terminal reads in the place of the claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dpbench.certificates.shown import about
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim
from dpbench.ledger.grades import basis
from dpbench.ledger.registry import all_papers, source
from dpbench.report.stored import Shown

MEANING = {
    "statement": "The statement is false",
    "range": "True in a stated range, not beyond it",
    "constant": "The rate is right, a constant is not",
    "step": "A step of a proof fails; the conclusion stands or is open",
    "hypothesis": "Holds with a usual assumption that is not stated",
    "misprint": "Misprints and slips of the pen",
}
HURTS = {
    "use": "Less private than claimed, in ordinary use",
    "corner": "Fails in a stated range",
    "proof": "A proof or a constant fails, no result in use",
    "letter": "Slips, which hurt only who takes them to the letter",
}
WHO = {"use": "users", "corner": "users in a range", "proof": "a proof", "letter": "who copies it"}
NOT_ASKED = "not yet asked"
"""In the place of a reply; silence is said of nobody who was not asked."""
NOTE, ERRATA, ENTRY = "note", "errata", "entry"
"""Scopes: what has one stands in the documents of that name and of the later ones."""


@dataclass(frozen=True)
class Part:
    """Something that is said of an entry.

    Attributes
    ----------
    label : str
    lines : tuple of str
        As the ledger types text; a quotation is the paper's LaTeX.
    form : str
        How it is set: "prose"; "quotation", of the paper; "caveat", prose with quotations between “ and ”; "ids" of
        entries; "command".
    scope : str
        "note": wherever the entry stands; "errata": not in the note, which is short; "entry": only on its own page.
    """

    label: str
    lines: tuple[str, ...]
    form: str = "prose"
    scope: str = ENTRY


def view(claim: Claim, results: Sequence[Shown] = (), *, scope: str = ENTRY) -> list[Part]:
    """The parts of an entry in their order, without those that say nothing.

    Parameters
    ----------
    claim : Claim
    results : sequence of Shown
        Verdicts of it; each gives its evidence.
    scope : str
        That of the document.
    """
    errata = claim.errata
    paper = next((paper for paper in all_papers() if paper.name == claim.paper), None)
    version = f"{paper.version}; what later versions or venues print of this: not known" if paper else ""
    corrected = [other.id for other in ledger.all_claims() if other.holds == claim.id]
    evidence = [line for one in results for line in _evidence(claim, one, scope)]
    parts = [
        Part("Row", (f"{claim.row} of {claim.entry}" if claim.id != claim.entry else "",)),
        Part("Where", (errata.place if errata else claim.source,), scope=ERRATA),
        Part("Kind", (_kind(claim),)),
        Part("Statement", (claim.statement,)),
        Part("In formulas", (claim.in_formulas,)),
        Part("As printed", (claim.quote,), "quotation", NOTE),
        Part("The paper itself", (errata.caveat if errata else "",), "caveat", NOTE),
        Part("What it means", (claim.consequence,), scope=NOTE),
        Part("Who is hurt", (harm(claim),), scope=NOTE),
        Part("Weight", (f"{claim.weight}: {MEANING[claim.weight]}" if claim.weight else "",)),
        Part("What to write instead", (errata.change if errata else "",), scope=NOTE),
        Part("Why", (claim.derivation,), scope=ERRATA),
        Part("Expected", (claim.expected,)),
        Part("Measured", tuple(evidence), scope=ERRATA),
        Part("What holds instead", (claim.holds,), "ids", ERRATA),
        Part("What it corrects", tuple(corrected), "ids"),
        Part("Certificate", about(claim.id), scope=ERRATA),
        Part("Quotation checked", (errata.witness if errata else "",), scope=ERRATA),
        Part("Version read", (version if paper and paper.version else "",)),
        Part("Reply of the authors", (_reply(claim),), scope=NOTE),
        Part("Shown by", (reproduce(claim),), "command", NOTE),
    ]
    order = (NOTE, ERRATA, ENTRY)
    return [part for part in parts if any(part.lines) and order.index(part.scope) <= order.index(scope)]


def to_dict(claim: Claim, results: Sequence[Shown] = (), *, scope: str = ENTRY) -> dict[str, Any]:
    """The same as plain types, for ``--json``."""
    verdicts = [{"verdict": one.verdict, "value": one.evidence["value"], "level": one.level} for one in results]
    parts = [
        {"label": part.label, "form": part.form, "lines": list(part.lines)}
        for part in view(claim, results, scope=scope)
    ]
    return {"id": claim.id, "source": claim.source, "expected": claim.expected, "verdicts": verdicts, "parts": parts}


def harm(claim: Claim) -> str:
    """Who is hurt, in words, with the range."""
    who, _, where = claim.hurt.partition(": ")
    return HURTS[who] + f": {where}" * bool(where) if who else ""


def reproduce(claim: Claim) -> str:
    """The command that finds the verdict again."""
    level = " --level full" if claim.full_only else ""
    return f"dpbench verify {claim.id}{level}" + (f" --claims {given}" if (given := source(claim.paper)) else "")


def number(value: float | str, digits: int = 4) -> str:
    """That many digits; text stands for what is not finite."""
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def interval(ends: Iterable[float | str] | None) -> str:
    """[low, high], or nothing where the value is exact."""
    return "" if ends is None else f"[{', '.join(number(end, 3) for end in ends)}]"


def _kind(claim: Claim) -> str:
    side = f", side {claim.side}" if claim.side else ""
    sampled = f"error level {claim.level:.0e}" if claim.level else "no error level"
    return f"{claim.kind}{side}; {claim.origin}; {sampled}"


def _reply(claim: Claim) -> str:
    return (claim.errata.reply if claim.errata else "") or (NOT_ASKED if claim.weight else "")


def _evidence(claim: Claim, shown: Shown, scope: str) -> tuple[str, ...]:
    """What was measured, then the notes, of which the errata have the first."""
    return (measured(claim, shown), *shown.evidence["notes"][: 1 if scope == ERRATA else None])


def measured(claim: Claim, shown: Shown) -> str:
    """Verdict and value with what they rest on."""
    evidence, rests = shown.evidence, basis(claim, shown.verdict, shown.evidence)
    value = f"{number(evidence['value'])} {interval(evidence['interval'])}".strip()
    run = [f"level {shown.level}", f"seed {shown.seed}"]
    run += [f"{evidence['trials']:,} trials"] if evidence["trials"] else []
    run += [f"error level {evidence['level']:.0e}"] if evidence["level"] else ["nothing rests on sampling"]
    run += [f"{evidence['seconds']:.1f} s", *([shown.recorded] if shown.recorded else [])]
    run += ["stale: the code has changed since"] if shown.stale else []
    grade = f"grade {rests.grade} (decided: {rests.decided}; link: {rests.link})"
    return f"{shown.verdict}, value {value}; {grade}; {', '.join(run)}"
