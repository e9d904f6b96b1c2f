"""The documentation's page of one entry: printed and corrected, the paper's words, why, evidence, what to run.

Its address is results/claims/ID.html. The pages are in no table of contents; the ledger and the findings link to them.
"""

from __future__ import annotations

import functools
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from dpbench.certificates import shown as certificates
from dpbench.ledger import formula
from dpbench.ledger.core import Claim
from dpbench.ledger.grades import basis
from dpbench.ledger.kinds import Conclusion
from dpbench.ledger.registry import all_papers
from dpbench.ledger.statement import Statement
from dpbench.ledger.verify import all_claims
from dpbench.report.drawings import DRAWINGS, SUMMARIES
from dpbench.report.figures import Drawing, Summary
from dpbench.report.latex import bibtex
from dpbench.report.mathematics import in_markdown, quoted, typeset
from dpbench.report.provenance import digest
from dpbench.report.signs import plain
from dpbench.report.stored import Shown
from dpbench.report.view import ERRATA, MEANING, harm, measured, reproduce, view

FIGURES = "../../../figures"
"""The PNG files of the figures, seen from a page."""
REPORT = "../../made/report.html"
"""The page of `dpbench report`, seen from a page."""


@functools.cache
def addresses() -> dict[str, str]:
    """Of each id the page of its entry, and the place of the row there."""
    return {one.id: f"{one.entry}.html" + f"#{one.row}" * (one.id != one.entry) for one in all_claims()}


def texts(results: Mapping[str, Shown]) -> dict[str, str]:
    """The page of every entry as Markdown, by its id: its rows below each other."""
    known = {claim.id: claim for claim in all_claims()}
    corrected = {claim.holds: claim for claim in known.values() if claim.holds}
    drawn: dict[str, list[str]] = {}
    every: tuple[Drawing | Summary, ...] = (*DRAWINGS, *SUMMARIES)
    for drawing in every:
        for name in drawing.claims:
            drawn.setdefault(name, []).append(drawing.name)
    titles = {paper.name: paper.title or paper.name for paper in all_papers()}
    texts_by_page: dict[str, list[str]] = {}
    for name, claim in known.items():
        title, under = in_markdown(claim.source), claim.id != claim.entry
        whole = f"{title}: {in_markdown(titles[claim.paper])}"
        lines = texts_by_page.setdefault(claim.entry, ["---", "orphan: true", "---", ""])
        lines += [f'<span id="{claim.row}"></span>', "", f"## {claim.row}: {title}"] if under else [f"# {whole}"]
        lines += ["", f"`{name}`", ""]
        lines += [_verdict(claim, results.get(name)), "", *_statements(claim, known.get(claim.holds)), ""]
        for part in view(claim, scope=ERRATA):
            if part.form == "quotation":
                lines += [str(Markup("<blockquote tabindex='0'>{}</blockquote>").format(quoted(claim.quote))), ""]
            elif part.form in ("prose", "caveat") and part.label not in ("Where", "Certificate", "Who is hurt"):
                said = quoted(part.lines[0]) if part.form == "caveat" else in_markdown(part.lines[0])
                lines += [f"**{part.label}.** {said}", ""]
        if name in corrected:
            lines += [f"**What it corrects.** {link(corrected[name].id)}", ""]
        lines += _evidence(claim, results.get(name))
        lines += [f"![{in_markdown(claim.source)}]({FIGURES}/{one}.png)\n" for one in drawn.get(name, ())[:1]]
    return {name: "\n".join(lines) for name, lines in texts_by_page.items()}


def link(name: str) -> str:
    """A link from one page to that of another entry."""
    return f'<a href="{addresses()[name]}"><code>{name.replace(".", ".<wbr>")}</code></a>'


def _verdict(claim: Claim, shown: Shown | None) -> str:
    if shown is None:
        return "Not run."
    said = f"**{shown.verdict.capitalize()}** ({rests_on(claim, shown)}{', stale' * shown.stale})."
    meaning = harm(claim) or (MEANING[claim.weight] if claim.weight else "")
    return f"{said} {in_markdown(meaning)}." if meaning else said


def rests_on(claim: Claim, shown: Shown) -> str:
    """The grade; where a certificate decides and a derivation links it to the paper, both."""
    decided = basis(claim, shown.verdict, shown.evidence).decided
    return f"certificate + {shown.grade}" if decided == "certificate" != shown.grade else shown.grade


def _statements(claim: Claim, corrected: Claim | None) -> list[str]:
    """The statement, or printed and corrected side by side, with the formulas marked that differ."""
    head = "<table class='twins'><tr><th>As printed</th><th>What holds ({})</th></tr>"
    body = "<tr><td>{}</td><td>{}</td></tr></table>"
    if corrected is None:
        return formal(claim.formal) if claim.formal else [in_markdown(claim.statement)]
    title = Markup(head).format(Markup(link(corrected.id)))
    if claim.formal is None or corrected.formal is None:
        return [str(title + Markup(body).format(typeset(claim.statement), typeset(corrected.statement)))]
    mine, other = claim.formal, corrected.formal
    cells = [_sentence(one, compared) + _where(one) for one, compared in ((mine, other), (other, mine))]
    return [str(title + Markup(body).format(*cells)), "", *_symbols(mine, other)]


def formal(statement: Statement) -> list[str]:
    """A `Statement` in mathematics, with its definitions and the meanings of its symbols."""
    return [str(_sentence(statement, statement) + _where(statement)), "", *_symbols(statement)]


_HOLE = re.compile(r"\{(\w+)\}")


def _sentence(statement: Statement, compared: Statement) -> Markup:
    """`about` with its holes as formulas; a definition that differs from that of `compared` is marked."""
    text, *parts = _HOLE.split(statement.about)
    said = [typeset(text)]
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        if name == "claim":
            said.append(typeset(statement.notion) if statement.notion else _claimed(statement.claim))
        elif name in statement.definitions:
            differs = statement.definitions[name] != compared.definitions.get(name)
            said.append(Markup("<mark>{}</mark>" if differs else "{}").format(_defined(statement, name)))
        else:
            said.append(_mathematics(formula.latex_name(name)) if name in statement.symbols else escape(name))
        said.append(typeset(text))
    return Markup("").join(said)


def _claimed(claim: Conclusion) -> Markup:
    """The conclusion, its parts as mathematics."""

    def shown(part: Any) -> str:
        if isinstance(part, tuple):
            return ", ".join(map(shown, part))
        try:
            return f"${formula.latex(formula.parse(part))}$"
        except ValueError:  # a sign, or infinity
            return str(plain(part))

    parts = {name: shown(part) for name, part in claim.parts.items()}
    return quoted(plain(claim.of.sentence(claim.parts)).format(**parts, privacy=claim.privacy, how=""))


def _defined(statement: Statement, name: str) -> Markup:
    return _mathematics(f"{formula.latex_name(name)} = {formula.latex(statement.definitions[name])}")


def _mathematics(latex: str) -> Markup:
    return quoted("$" + latex.replace(r"\mathrm", r"\text") + "$")


def _used(statement: Statement) -> set[str]:
    """Symbols and definitions that the sentence needs, those of its definitions among them."""
    used = set(_HOLE.findall(statement.about)) & {*statement.definitions, *statement.symbols}
    used |= set() if statement.notion else {*statement.definitions, *statement.symbols}
    for _, (_, *sides), _ in statement.conditions:
        used = used.union(*map(formula.names, sides))
    for name in reversed(list(statement.definitions)):
        used |= formula.names(statement.definitions[name]) if name in used else set()
    return used


def _where(statement: Statement) -> Markup:
    """What the sentence leaves out: definitions, then conditions."""
    shown, used = set(_HOLE.findall(statement.about)), _used(statement)
    lines = [_defined(statement, name) for name in statement.definitions if name in used - shown]
    lines += [_mathematics(formula.latex(condition)) for _, condition, _ in statement.conditions]
    return Markup("<p>where {}</p>").format(Markup(", ").join(lines)) if lines else Markup("")


def _symbols(*statements: Statement) -> list[str]:
    """What each symbol is, and its range: that of the last of the statements that has it."""
    meanings = {}
    for one in statements:
        used = _used(one)
        for name in (name for name in one.symbols if name in used):
            within = f", in {one.interval(name)}" if name in one.ranges else ""
            meanings[name] = one.symbols[name].meaning + within
    said = (f"{_mathematics(formula.latex_name(name))}: {in_markdown(what)}" for name, what in meanings.items())
    return [f"**Symbols.** {'; '.join(said)}.", ""] if meanings else []


def _evidence(claim: Claim, shown: Shown | None) -> list[str]:
    lines = []
    if shown is not None:
        what, *notes = shown.evidence["notes"] or ("value",)
        head, _, rest = measured(claim, shown).partition("; ")
        said = f"{head.partition('value ')[2]}, {what.removeprefix('value: ')}. {rest.capitalize()}."
        lines += [f"**Evidence.** {in_markdown(said)}", ""]
        lines += [*(f"- {in_markdown(note)}" for note in notes), ""]
    files = certificates.known().get(claim.id, [])
    for one in files:
        said = in_markdown(one["statement"])
        lines += [f"<details><summary>Certificate ({one['kind']}): what it says</summary>{said}</details>", ""]
    if files:
        names = " ".join(f"{claim.id}.{one['kind']}.json" for one in files)
        lines += [
            f'<a href="{claim.id}.zip" download>Download the certificate and its checker</a>, unpack, and run',
            "",
        ]
        lines += ["```sh", "pip install python-flint", f"python dpbench_check.py {names}", "```", ""]
    else:
        lines += [f"**Certificate.** {in_markdown(text)}" for text in certificates.about(claim.id)[:1]] + [""]
    lines += ["**Run it.**", "", "```sh", reproduce(claim), "```", ""]
    lines += [f'<a href="{REPORT}#{claim.id}">Among all claims</a>, with the columns of its evidence.', ""]
    digested = "" if shown is None else f", evidence {digest(shown.evidence)[:12]}"
    cite = bibtex([]).replace("note = {Software", f"note = {{Claim {claim.id}{digested}. Software")
    return [*lines, "<details><summary>Cite this page</summary>", "", f"```bibtex\n{cite}```", "", "</details>", ""]


def finish(folder: Path, repository: Path) -> None:
    """What lies with the pages: zip files of certificates with their checker.

    Parameters
    ----------
    folder : Path
        Of the pages.
    repository : Path
        Its `checker` and `evidence` are read.
    """
    for name, found in certificates.known().items():
        files = [repository / "evidence" / "certificates" / f"{name}.{one['kind']}.json" for one in found]
        with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for path in (repository / "checker" / "dpbench_check.py", *files):
                archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)  # undated


_ID = re.compile(r'<span class="pre">([\w.-]+)</span>')


def linked(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The id of a claim leads to its page, wherever a guide names it: a listener of Sphinx."""
    folder = context["pathto"]("results/claims", 1)

    def put(match: re.Match[str]) -> str:
        address = addresses().get(match[1])
        return f'<a href="{folder}/{address}">{match[0]}</a>' if address else match[0]

    if "body" in context and not page.startswith("results/"):
        context["body"] = _ID.sub(put, context["body"])


def write(folder: Path, results: Mapping[str, Shown]) -> list[Path]:
    """Write the pages into `folder`; one that would not change is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts(results).items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.append(path)
    for old in set(folder.glob("*.md")) - set(written):
        old.unlink()
    return written
