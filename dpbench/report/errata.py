"""An errata page for a paper, from the ledger and its committed evidence: nothing is run here.

``dpbench errata glm`` prints Markdown, ``--html`` one self-contained HTML page, ``--latex`` a note that compiles, and
``--coverage`` every statement of the paper with its entries. Findings stand by who is hurt, and
within that by what they change in practice. What a finding says comes from its claim
(quotation, consequence, derivation, the entry that holds) and from its `Correction`: place, what to write instead, the
paper's own caveats, the check of the quotation, the authors' reply. All of it stands in the claim's declaration.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from dpbench.certificates.shown import about
from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.correction import Correction
from dpbench.ledger.grades import basis
from dpbench.ledger.paper import Paper
from dpbench.ledger.premises import STANDING
from dpbench.ledger.registry import all_papers
from dpbench.ledger.words import FAILED, HURT, WEIGHTS
from dpbench.report.coverage import counted, places
from dpbench.report.policy import content_policy

MEANING = {
    "statement": "The statement is false",
    "range": "True in a stated range, not beyond it",
    "constant": "The rate is right, a constant is not",
    "step": "A step of a proof fails; the conclusion stands or is open",
    "hypothesis": "Holds with a usual assumption that is not stated",
    "misprint": "Misprints and slips of the pen",
}
HURTS = {
    "use": "Privacy is broken in ordinary use",
    "corner": "Fails in a stated range",
    "proof": "A proof or a constant fails, no result in use",
    "letter": "Slips, which hurt only who takes them to the letter",
}
UNSAID = "Who is hurt is not said"
NOT_ASKED = "not yet asked"
"""In the place of a reply; silence is said of nobody who was not asked."""
LINES, WIDTH = 5, 118
Field = tuple[str, str]
"""A label and its text; the label is empty for a quotation."""
Section = tuple[str, list[tuple[str, list[Field]]]]
"""Who is hurt, and the findings: title and fields."""


def findings(paper: Paper) -> list[Claim]:
    """What is printed, is quoted, and is expected to fail, with a weight: by `gravity`, then as declared.

    Corrected statements, folklore and controls are nobody's errata.
    """
    failed = [c for c in paper.claims if c.expected in FAILED and c.weight and c.origin == "printed" and c.quote]
    return sorted(failed, key=gravity)


def gravity(claim: Claim) -> tuple[int, int, bool, int]:
    """Sorts findings: who is hurt, then what changes in practice, privacy first, then the weight."""
    hurt = HURT.index(claim.hurt.partition(":")[0]) if claim.hurt else len(HURT)
    effect = claim.errata.effect if claim.errata else 0
    return hurt, -effect, claim.kind != "privacy", WEIGHTS.index(claim.weight) if claim.weight else len(WEIGHTS)


def harm(claim: Claim) -> str:
    """Who is hurt, in words, with the range."""
    who, _, where = claim.hurt.partition(": ")
    return HURTS[who] + f": {where}" * bool(where) if who else ""


def foremost(paper: Paper) -> Claim | None:
    """What a user of the paper has to know first."""
    return next(iter(findings(paper)), None)


def corrections(paper: Paper) -> dict[str, Correction]:
    """What declarations record, by id."""
    return {claim.id: claim.errata for claim in paper.claims if claim.errata is not None}


def fields(claim: Claim, correction: Correction | None, item: Mapping[str, Any] | None) -> list[Field]:
    """What is said of one finding, in order."""
    place = claim.source if correction is None else correction.place
    said: list[Field] = [("Where", place)]
    if claim.quote:
        said.append(("", claim.quote))
    if correction is not None and correction.caveat:
        said.append(("What the paper says of it itself", correction.caveat))
    said.append(("What it means", claim.consequence))
    said.append(("Who is hurt", harm(claim)))
    if correction is not None:
        said.append(("In a copy", correction.change))
    said.append(("Why", shortened(claim.derivation)))
    if item is not None:
        said.append(("Measured", measured(claim, item)))
    if claim.holds:
        said.append(("What holds instead", f"`{claim.holds}`"))
    said.append(("Shown by", f"`dpbench verify {claim.id}`"))
    said += [("Certificate", text) for text in about(claim.id)]
    if correction is not None and correction.witness:
        said.append(("Quotation checked", correction.witness))
    said.append(("The authors' reply", (correction.reply if correction else "") or NOT_ASKED))
    return [(label, text) for label, text in said if text]


def reading(claim: Claim) -> list[Field]:
    """Which version of the paper an entry speaks of, and, where it does not hold, what else is said of that."""
    paper = next((paper for paper in all_papers() if paper.name == claim.paper), None)
    if paper is None or not paper.version:
        return []
    said = [("version read", f"{paper.version}; what later versions or venues print of this: not known")]
    correction = corrections(paper).get(claim.id)
    if claim.weight:
        caveat, reply = (correction.caveat, correction.reply) if correction else ("", "")
        said += [("what the paper says of it itself", caveat), ("the authors' reply", reply or NOT_ASKED)]
    return [(label, text) for label, text in said if text]


def measured(claim: Claim, item: Mapping[str, Any]) -> str:
    """Value, verdict and what the value is, of committed evidence; evidence of older code says so."""
    value, notes = item["evidence"]["value"], item["evidence"]["notes"]
    number = value if isinstance(value, str) else f"{value:.4g}"
    older = "" if item["code"]["key"] == claim.digest else ", of an older version of the entry"
    grade = basis(claim, item["verdict"], item["evidence"]).grade
    return f"{number} ({item['verdict']}, {grade}{older})" + (f"; {notes[0]}" if notes else "")


def shortened(text: str) -> str:
    """At most `LINES` lines of `WIDTH` characters, cut at the end of a sentence where there is one."""
    lines = textwrap.wrap(text, WIDTH)
    if len(lines) <= LINES:
        return text
    cut = " ".join(lines[:LINES])
    end = cut.rfind(". ")
    return cut[: end + 1] if end > 0 else cut + " ..."


def heading(paper: Paper, count: int) -> list[str]:
    """Title, and the courtesy with which a list of errors is sent."""
    authors, results = ", ".join(paper.authors), len({claim.entry for claim in findings(paper)})
    read = f" What was read is {paper.version}." if paper.version else ""
    return [
        f'Errata proposed for "{paper.title}"',
        f"To {authors}: with thanks for a paper whose statements a program can try. What follows are {count} findings "
        f"about {results} of its results, where the program disagrees with what is printed; most are slips without "
        "effect on the results, and each names the entry of the ledger that states what holds instead. "
        + covered(paper),
        f'{read} Whether a later version mends a point is not known. Quotations are the paper\'s LaTeX, " ... " where '
        "words are left out. Each point has the command that shows it, and a place for your reply: a correction of "
        "ours is as welcome as a comment.".strip(),
    ]


def covered(paper: Paper) -> str:
    """The last sentence of the preface: what was looked at, and what was not."""
    found = places(paper)
    if not found:
        return "What of the paper was not looked at is not listed yet."
    return f"What was looked at is listed by `dpbench errata {paper.name} --coverage`: {counted(found)}."


def check_twins(paper: Paper, evidence: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a page whose "what holds instead" does not hold.

    Raises
    ------
    InvalidInput
        Where a finding names an entry that is not there, is expected to fail, or has another verdict in the evidence.
    """
    known = {claim.id: claim for claim in paper.claims}
    for claim in findings(paper):
        twin = known.get(claim.holds)
        if not claim.holds:
            continue
        found = evidence.get(claim.holds, {}).get("verdict") or (twin.expected if twin else "not there")
        if found not in STANDING:
            place = f"holds of {claim.id}"
            raise validation.invalid(place, "an entry that holds: no errata are written", f"{claim.holds}, {found}")


def sections(paper: Paper, evidence: Mapping[str, Mapping[str, Any]]) -> list[Section]:
    """Those who are hurt in order, each with the findings; see `check_twins` for what is refused."""
    check_twins(paper, evidence)
    known, claims = corrections(paper), findings(paper)
    made: list[Section] = []
    for who in (*HURT, ""):
        here = [c for c in claims if c.hurt.partition(":")[0] == who]
        if here:
            listed = [(c.source, fields(c, known.get(c.id), evidence.get(c.id))) for c in here]
            made.append((HURTS.get(who, UNSAID), listed))
    return made


def markdown(paper: Paper, evidence: Mapping[str, Mapping[str, Any]]) -> str:
    """The page as Markdown."""
    title, *texts = heading(paper, len(findings(paper)))
    lines = [f"# {title}", "", *(line for text in texts for line in (text.strip(), ""))]
    number = 0
    for meaning, listed in sections(paper, evidence):
        lines += [f"## {meaning}", ""]
        for name, said in listed:
            number += 1
            lines += [f"### {number}. {name}", ""]
            for label, text in said:
                lines += [f"- **{label}**: {text}"] if label else ["", f"> {text}", ""]
            lines.append("")
    return "\n".join(lines)


def page(paper: Paper, evidence: Mapping[str, Mapping[str, Any]]) -> str:
    """The page as one HTML file that loads nothing."""
    title, *texts = (html.escape(text.strip()) for text in heading(paper, len(findings(paper))))
    body = [f"<h1>{title}</h1>", *(f"<p>{text}</p>" for text in texts)]
    number = 0
    for meaning, listed in sections(paper, evidence):
        body.append(f"<h2>{html.escape(meaning)}</h2>")
        for name, said in listed:
            number += 1
            body += [f"<h3>{number}. {html.escape(name)}</h3>", *_items(said)]
    style = "body{max-width:46em;margin:2em auto;font-family:serif;line-height:1.45}blockquote{font-family:monospace}"
    policy = f'<meta http-equiv="Content-Security-Policy" content="{content_policy(style=style)}">'
    head = f'<meta charset="utf-8">{policy}<title>{title}</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'


def _items(said: Iterable[Field]) -> list[str]:
    return [
        f"<p><b>{html.escape(label)}.</b> {html.escape(text)}</p>"
        if label
        else f"<blockquote>{html.escape(text)}</blockquote>"
        for label, text in said
    ]


def paper_named(name: str) -> Paper:
    """The paper of this name.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    papers = {paper.name: paper for paper in all_papers()}
    return papers[validation.choice("paper", name, sorted(papers))]
