"""The documentation's page of one entry: printed beside corrected, the paper's words, why, evidence, what to run.

Its address is results/claims/ID.html. The pages are in no table of contents; the ledger and the findings link to them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from dpbench.certificates import shown as certificates
from dpbench.ledger.core import Claim
from dpbench.ledger.entry import is_test, moved
from dpbench.ledger.verify import all_claims
from dpbench.report.drawings import DRAWINGS, SUMMARIES
from dpbench.report.figures import Drawing, Summary
from dpbench.report.mathematics import in_markdown, quoted, typeset
from dpbench.report.stored import Shown
from dpbench.report.view import ERRATA, MEANING, view

FIGURES = "../../../figures"
"""The PNG files of the figures, seen from a page."""
REPORT = "../../made/report.html"
"""The page of `dpbench report`, seen from a page."""
_ALIKE = 0.5
"""From this share of common words on, two statements differ in symbols, and these are marked."""
_WORD = re.compile(r"\s+|[\w.]+|.")


def old_addresses() -> dict[str, str]:
    """Ids that have no page any more, and the address of the row that they are now, beside their own."""
    known = {claim.id: claim for claim in all_claims()}
    here = {name: address_of(claim) for name, claim in known.items() if name != claim.entry}
    return here | {old: address_of(known[new]) for old, new in moved().items() if not is_test(new)}


def address_of(claim: Claim) -> str:
    """The page of its entry, and the place of the row there."""
    return f"{claim.entry}.html" + f"#{claim.row}" * (claim.id != claim.entry)


def redirect(new: str) -> str:
    """The page at an old address: it sends its reader to the new one, beside it."""
    refresh = f'<meta http-equiv="refresh" content="0; url={new}">'
    canonical = f'<link rel="canonical" href="{new}">'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{new}</title>{refresh}{canonical}</head>'
        f'<body><main><h1>Moved</h1><p>This entry is now <a href="{new}">{new}</a>.</p></main></body></html>\n'
    )


def texts(found: Mapping[str, Shown]) -> dict[str, str]:
    """The page of every entry as Markdown, by its id: its rows below each other."""
    known = {claim.id: claim for claim in all_claims()}
    corrected = {claim.holds: claim for claim in known.values() if claim.holds}
    drawn: dict[str, list[str]] = {}
    every: tuple[Drawing | Summary, ...] = (*DRAWINGS, *SUMMARIES)
    for drawing in every:
        for name in drawing.claims:
            drawn.setdefault(name, []).append(drawing.name)
    made: dict[str, list[str]] = {}
    for name, claim in known.items():
        title, under = in_markdown(claim.source), claim.id != claim.entry
        lines = made.setdefault(claim.entry, ["---", "orphan: true", "---", ""])
        lines += [f'<span id="{claim.row}"></span>', "", f"## {claim.row}: {title}"] if under else [f"# {title}"]
        lines += ["", f"`{name}`, {claim.paper}", ""]
        lines += [_verdict(claim, found.get(name)), "", *_statements(claim, known.get(claim.holds)), ""]
        for part in view(claim, scope=ERRATA):
            if part.form == "quotation":
                lines += [str(Markup("<blockquote tabindex='0'>{}</blockquote>").format(quoted(claim.quote))), ""]
            elif part.form in ("prose", "caveat") and part.label not in ("Where", "Certificate"):
                said = quoted(part.lines[0]) if part.form == "caveat" else in_markdown(part.lines[0])
                lines += [f"**{part.label}.** {said}", ""]
        if name in corrected:
            lines += [f"**What it corrects.** {link(corrected[name].id)}", ""]
        lines += _evidence(claim, found.get(name))
        lines += [f"![{in_markdown(claim.source)}]({FIGURES}/{one}.png)\n" for one in drawn.get(name, ())[:1]]
    return {name: "\n".join(lines) for name, lines in made.items()}


def link(name: str) -> str:
    """A link from one page to that of another entry."""
    return f'<a href="{name}.html"><code>{name.replace(".", ".<wbr>")}</code></a>'


def _verdict(claim: Claim, shown: Shown | None) -> str:
    if shown is None:
        return "Not run."
    said = f"**{shown.verdict[:1].upper() + shown.verdict[1:]}** ({shown.grade}{', stale' if shown.stale else ''})."
    return f"{said} {MEANING[claim.weight]}." if claim.weight else said


def _statements(claim: Claim, twin: Claim | None) -> list[str]:
    """The statement, or printed and corrected beside each other with the words marked in which they differ."""
    if twin is None:
        return [in_markdown(claim.statement)]
    mine, other = marked(claim.statement, twin.statement)
    head = Markup("<table class='twins'><tr><th>As printed</th><th>What holds ({})</th></tr>")
    body = Markup("<tr><td>{}</td><td>{}</td></tr></table>")
    return [str(head.format(Markup(link(twin.id))) + body.format(mine, other))]


def marked(a: str, b: str) -> tuple[Markup, Markup]:
    """Both texts, with what differs in <mark>; untouched and typeset where they have little in common."""
    words = _WORD.findall(a), _WORD.findall(b)
    match = difflib.SequenceMatcher(None, *words, autojunk=False)
    if match.ratio() < _ALIKE:
        return typeset(a), typeset(b)
    sides: tuple[list[Markup], list[Markup]] = ([], [])
    for kind, first, last, begin, end in match.get_opcodes():
        for side, part in ((sides[0], words[0][first:last]), (sides[1], words[1][begin:end])):
            text = typeset("".join(part))
            if text:
                side.append(text if kind == "equal" or not text.strip() else Markup("<mark>{}</mark>").format(text))
    return Markup("").join(sides[0]), Markup("").join(sides[1])


def _evidence(claim: Claim, shown: Shown | None) -> list[str]:
    lines = []
    if shown is not None:
        value, interval = shown.evidence["value"], shown.evidence["interval"]
        number = value if isinstance(value, str) else f"{value:.6g}"
        ends = "" if interval is None else f", interval {interval[0]:.4g} to {interval[1]:.4g}"
        lines += [f"**Evidence.** {number}{ends}, level of error {shown.evidence['level']:g}.", ""]
        lines += [*(f"- {in_markdown(note)}" for note in shown.evidence["notes"]), ""]
    files = certificates.known().get(claim.id, [])
    for one in files:
        file = f"evidence/certificates/{claim.id}.{one['kind']}.json"
        how = "Check it with nothing of this project but one file:"
        run = "```sh", "pip install python-flint", f"python checker/dpbench_check.py {file}", "```"
        lines += [f"**Certificate.** {in_markdown(one['statement'])}", "", how, "", *run, ""]
    if not files:
        lines += [f"**Certificate.** {in_markdown(text)}" for text in certificates.about(claim.id)[:1]] + [""]
    level = " --level full" if claim.full_only else ""
    lines += ["**Run it.**", "", "```sh", f"dpbench verify {claim.id}{level}", "```", ""]
    return [*lines, f'<a href="{REPORT}#{claim.id}">Among all entries</a>, with the columns of its evidence.', ""]


def write(folder: Path, found: Mapping[str, Shown]) -> list[Path]:
    """Write the pages into `folder`; one that would not change is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts(found).items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.append(path)
    for old in set(folder.glob("*.md")) - set(written):
        old.unlink()
    return written
