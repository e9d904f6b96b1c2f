r"""The errata of a paper as a note in LaTeX that compiles with the packages of a basic installation.

A file ``note.tex`` beside the paper's package is the note's body, written by hand: what changes for a user, corrected
statements, whose formulas are those of the ledger (``\claim``, ``\formula``), and their proofs. After it stand what is
generated: each finding that changes a statement, and one table of steps and misprints. Without the file the note begins
with what is generated. The coverage is a document of its own (``dpbench errata PAPER --coverage``).
"""

from __future__ import annotations

import re

from jinja2 import ChainableUndefined, Environment, PackageLoader

from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.core import Claim
from dpbench.ledger.paper import Paper
from dpbench.report import errata
from dpbench.report.coverage import beside
from dpbench.report.signs import escaped, prose
from dpbench.report.view import NOT_ASKED, NOTE, Part, view

LAST = "% What follows stands last.\n"
"""A line of ``note.tex``: what comes after it, slips for a pencil, stands at the end of the note."""
SMALL = ("step", "misprint")
"""Weights of the one table, in which slips stand too; what fails in use or in a range is an item of its own."""


def quoted(quote: str) -> str:
    """The paper's words as LaTeX where they are whole enough to be set; else empty."""
    pieces = quote.split(" ... ")
    return r" \ldots\ ".join(filter(None, map(_piece, pieces))) if all(map(_piece, pieces)) else ""


def set_caveat(text: str) -> str:
    """What a paper says in its own favour, its words between “ and ” set as `quoted` does; empty if they cannot be."""
    pieces = re.split(r"“([^”]*)”", text)
    words = [quoted(piece) for piece in pieces[1::2]]
    if not all(words):
        return ""
    ours = [prose(piece) for piece in pieces[0::2]]
    return "".join([ours[0], *(f"``{word}''{after}" for word, after in zip(words, ours[1:], strict=True))])


def _piece(text: str) -> str:
    if (
        text.count("{") != text.count("}")
        or text.count("$") % 2
        or len(re.findall(r"\\left\b", text)) != len(re.findall(r"\\right\b", text))
    ):
        return ""
    if any(word in text for word in ("&", "#", "%", "[H]", r"\tag", r"\begin", r"\textit", r"\mathbf")):
        return ""
    outside = "".join(text.split("$")[0::2]) if "$" in text else text
    if "$" not in text and re.search(r"[\\^_]", text):
        return f"${text.strip()}$" if _opens_and_closes(text) else ""
    if re.search(r"[\\^_]", outside):
        return ""
    text = re.sub(r"\$\s*(.*?)\s*\$", lambda found: f"${_words_apart(found[1])}$", text)
    return re.sub(r"(\$[^$]*\$) (?=[-.,;:)])", r"\1", text).replace("“", "``")


def _words_apart(formula: str) -> str:
    r"""Its words (``\text``) outside all groups stand between formulas, so that lines break there."""
    pieces = re.split(r"\\text\{( [^{}\\]* )\}", formula)
    if not all(_opens_and_closes(piece) and piece.count(r"\left") == piece.count(r"\right") for piece in pieces[::2]):
        return formula
    return "$".join(piece.strip() if place % 2 == 0 else piece for place, piece in enumerate(pieces))


def _opens_and_closes(text: str) -> bool:
    depth = 0
    for letter in text.replace(r"\{", "").replace(r"\}", ""):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0


def body(paper: Paper, name: str = "note.tex") -> str:
    """The text written by hand in a file beside the paper's package, or empty."""
    claims = {claim.id: claim for claim in paper.claims}
    text = beside(paper, name) or ""
    text = re.sub(r"\\claim\{([^}]*)\}", lambda match: stated(claims[match[1]]), text)
    return re.sub(r"\\formula\{([^}]*)\}\{(\w+)\}", lambda match: part(claims[match[1]], match[2]), text)


def stated(claim: Claim) -> str:
    """What a row states, its formulas as LaTeX: in a note ``\\claim{ID}`` stands for it."""
    if claim.formal is None or "{claim}" in claim.formal.about:
        return prose(claim.statement)
    known, parts = claim.formal.definitions, re.split(r"\{(\w+)\}", claim.formal.about)
    parts[1::2] = (f"${formula.latex_name(name)} = {formula.latex(known[name])}$" for name in parts[1::2])
    parts[::2] = map(prose, parts[::2])
    return "".join(parts)


def part(claim: Claim, name: str) -> str:
    """A definition, a hypothesis or a side of a row's statement: in a note ``\\formula{ID}{NAME}`` stands for it."""
    if (said := claim.formal) is None:
        raise validation.invalid("the row of a formula", "one with a Statement", claim.id)
    given = {name: node for name, node, _ in said.conditions}
    return formula.latex((said.claim_nodes | given | said.definitions)[name])


def latex(paper: Paper) -> str:
    """The whole note."""
    environment = Environment(
        "[*", "*]", "[[", "]]", "[#", "#]", trim_blocks=True, lstrip_blocks=True, undefined=ChainableUndefined,
        loader=PackageLoader("dpbench.report", "templates"),
    )  # fmt: skip
    environment.filters |= {
        "prose": prose,
        "escaped": escaped,
        "breakable": _breakable,
        "set": _set,
        "quoted": quoted,
        "caveat": set_caveat,
    }
    title, *preface = errata.heading(paper)
    entries, unasked = [], False
    for claim in errata.findings(paper):
        asked = [part for part in view(claim, scope=NOTE) if part.lines != (NOT_ASKED,)]
        unasked |= len(asked) < len(view(claim, scope=NOTE))
        entries.append((claim, asked))
    small = [entry for entry in entries if _small(entry[0])]
    text, _, last = body(paper).partition(LAST)
    source = environment.get_template("note.tex.j2").render(
        title=title, preface=preface, paper=paper, body=text, last=last, unasked=unasked,
        large=[entry for entry in entries if entry not in small], small=small,
    )  # fmt: skip
    return source + "\n"


def _small(claim: Claim) -> bool:
    hurt = claim.hurt.partition(":")[0]
    return hurt == "letter" or (claim.weight in SMALL and hurt not in ("use", "corner"))


def _set(part: Part) -> str:
    """A part of an entry, with its full stop; empty where the paper's words cannot be set."""
    form = {"quotation": quoted, "caveat": set_caveat, "command": lambda line: rf"\texttt{{{escaped(line)}}}"}
    said = "; ".join(map(form.get(part.form, prose), part.lines))
    stop = "." * bool(said and part.form != "command" and not re.search(r"[.,:](”|'')?$", said))
    return f"``{said}''{stop}" if said and part.form == "quotation" else said + stop


def _breakable(name: str) -> str:
    return escaped(name.partition(".")[2]).replace(".", r".\allowbreak ").replace("-", r"-\allowbreak ")
