"""An errata page for a paper, from the ledger and its committed evidence: nothing is run here.

``dpbench errata glm`` prints Markdown, ``--latex`` a note that compiles, and ``--coverage`` every statement of the
paper with its entries. Findings are sorted by who is hurt, and within that by what they change in practice. What a
finding says comes from its claim (quotation, consequence, derivation, the entry that holds) and from its `Correction`:
place, what to write instead, the paper's own caveats, the check of the quotation, the authors' reply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dpbench.core import validation
from dpbench.core.version import __version__
from dpbench.ledger.core import Claim
from dpbench.ledger.paper import Paper
from dpbench.ledger.premises import STANDING
from dpbench.ledger.registry import all_papers
from dpbench.ledger.words import FAILED, HURT, WEIGHTS
from dpbench.report.coverage import counted, places
from dpbench.report.stored import Shown
from dpbench.report.view import ERRATA, HURTS, Part, view
from dpbench.report.view import to_dict as entry_to_dict

UNSAID = "Who is hurt is not said"
Section = tuple[str, list[tuple[str, list[Part]]]]
"""Who is hurt, and the findings: title, and what is said of each."""


def findings(paper: Paper) -> list[Claim]:
    """What is printed, is quoted, and is expected to fail, with a weight: by `gravity`, then as declared.

    Corrected statements, folklore and controls are nobody's errata. Rows with one and the same correction are one
    finding, that of the gravest.
    """
    failed = [c for c in paper.claims if c.expected in FAILED and c.weight and c.origin == "printed" and c.quote]
    listed: list[Claim] = []
    for claim in sorted(failed, key=gravity):
        if claim.errata is None or all(claim.errata != other.errata for other in listed):
            listed.append(claim)
    return listed


def gravity(claim: Claim) -> tuple[int, int, bool, int]:
    """Sorts findings: who is hurt, then what changes in practice, privacy first, then the weight."""
    hurt = HURT.index(claim.hurt.partition(":")[0]) if claim.hurt else len(HURT)
    effect = claim.errata.effect if claim.errata else 0
    return hurt, -effect, claim.kind != "privacy", WEIGHTS.index(claim.weight) if claim.weight else len(WEIGHTS)


def foremost(paper: Paper) -> Claim | None:
    """What a user of the paper has to know first."""
    return next(iter(findings(paper)), None)


def heading(paper: Paper) -> list[str]:
    """Title, and the courtesy with which a list of errors is sent."""
    claims = findings(paper)
    authors, results = ", ".join(paper.authors), len({claim.entry for claim in claims})
    read = f"What was read is {paper.version}. " if paper.version else ""
    return [
        f'Errata proposed for "{paper.title}"',
        f"To {authors}: with thanks for a paper whose statements a program can try. It is dpbench {__version__}, whose "
        f"ledger has an entry for each statement tried. {len(claims)} findings about {results} results disagree with "
        f"what is printed ({harms(claims)}); each names its entry, of which `dpbench show` prints what "
        f"holds instead. {covered(paper)}",
        f"{read}Whether a later version mends a point is not known. Quotations are the paper's words and formulas; "
        '" ... " stands for what is left out. A correction of ours is as welcome as a comment.',
    ]


def harms(claims: Sequence[Claim]) -> str:
    """How many findings hurt whom."""
    count = Counter(HURTS.get(claim.hurt.partition(":")[0], UNSAID) for claim in claims)
    return "; ".join(f"{meaning}: {number}" for meaning, number in count.items())


def covered(paper: Paper) -> str:
    """The last sentence of the preface: what was looked at, and what was not."""
    listed = places(paper)
    if not listed:
        return "What of the paper was not looked at is not listed yet."
    return f"What was looked at is listed by `dpbench errata {paper.name} --coverage`: {counted(listed)}."


def check_twins(paper: Paper, results: Mapping[str, Shown]) -> None:
    """Refuse a page whose "what holds instead" does not hold.

    Raises
    ------
    InvalidInput
        Where a finding names an entry that is not there, is expected to fail, or was found to.
    """
    known = {claim.id: claim for claim in paper.claims}
    for claim in findings(paper):
        twin = known.get(claim.holds)
        verdict = results[claim.holds].verdict if claim.holds in results else twin.expected if twin else "not there"
        if claim.holds and verdict not in STANDING:
            place = f"holds of {claim.id}"
            raise validation.invalid(place, "an entry that holds: no errata are written", f"{claim.holds}, {verdict}")


def sections(paper: Paper, results: Mapping[str, Shown]) -> list[Section]:
    """Those who are hurt in order, each with the findings, numbered; see `check_twins` for what is refused."""
    check_twins(paper, results)
    groups: dict[str, list[tuple[str, list[Part]]]] = {}
    for number, claim in enumerate(findings(paper), 1):
        parts = view(claim, [results[claim.id]] if claim.id in results else (), scope=ERRATA)
        hurt = HURTS.get(claim.hurt.partition(":")[0], UNSAID)
        groups.setdefault(hurt, []).append((f"{number}. {claim.source}", parts))
    return list(groups.items())


def markdown(paper: Paper, results: Mapping[str, Shown]) -> str:
    """The page as Markdown."""
    title, *preface = heading(paper)
    lines = [f"# {title}", "", *(line for text in preface for line in (text, ""))]
    for meaning, entries in sections(paper, results):
        lines += [f"## {meaning}", ""]
        for title, parts in entries:
            lines += [f"### {title}", "", *map(_item, parts), ""]
    return "\n".join(lines)


def _item(part: Part) -> str:
    if part.form == "quotation":
        return f"\n> {part.lines[0]}\n"
    mark = "`" * (part.form in ("ids", "command"))
    return f"- **{part.label}**: " + "; ".join(f"{mark}{line}{mark}" for line in part.lines)


def to_dict(paper: Paper, results: Mapping[str, Shown]) -> dict[str, Any]:
    """The findings as plain types, in the same order."""
    check_twins(paper, results)
    shown = {claim: [results[claim.id]] if claim.id in results else [] for claim in findings(paper)}
    entries = [entry_to_dict(claim, some, scope=ERRATA) for claim, some in shown.items()]
    return {"schema": 1, "paper": paper.name, "title": heading(paper)[0], "entries": entries}


def paper_named(name: str) -> Paper:
    """The paper of this name.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    papers = {paper.name: paper for paper in all_papers()}
    return papers[validation.choice("paper", name, sorted(papers))]
