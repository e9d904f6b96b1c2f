r"""The errata of a paper as a note in LaTeX that compiles with the packages of a basic installation.

A file ``note.tex`` beside the paper's package is the note's body, written by hand: what changes for a user, corrected
statements with their proofs. After it stand what is generated from the ledger: each finding that changes a statement,
one table of steps and misprints, and the coverage. Without the file the note begins with what is generated.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from importlib import resources

from dpbench.ledger.core import Claim
from dpbench.ledger.paper import Paper
from dpbench.report import coverage, errata

SMALL = ("step", "misprint")
"""Weights of the one table; the others are items of their own."""
PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage[a4paper,margin=26mm]{geometry}
\usepackage{amsmath,amssymb,amsthm,array,longtable}
\newtheorem*{statement}{Statement}
\newcommand{\X}{\|\mathcal{X}\|}
\newcommand{\Y}{\|\mathcal{Y}\|}
\newcommand{\eps}{\epsilon}
\newcommand{\E}{\mathbb{E}}
\renewcommand{\P}{\mathbb{P}}
\newcommand{\ERR}{\mathsf{ERR}}
\newcommand{\room}{\par\ifdim\dimexpr\pagegoal-\pagetotal\relax<14\baselineskip\clearpage\fi}
\setlength{\parindent}{0pt}\setlength{\parskip}{5pt plus 2pt}
\sloppy
"""
_GREEK = (
    "epsilon|eps|delta|beta|sigma|eta|lambda|gamma|tau|alpha|kappa|mu|xi|rho|theta|phi|pi|iota|zeta|psi|nu|omega"
    "|Lambda|Delta|Phi|Omega|Theta|Sigma"
)
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\^{}", "~": r"\textasciitilde{}", "“": "``", "”": "''", "−": "$-$", "×": r"$\times$", "‖": r"$\|$",
    "…": "...",
    "≤": r"$\le$", "≥": r"$\ge$", "√": r"$\surd$", "²": "$^2$", "ε": r"$\epsilon$", "δ": r"$\delta$", "σ": r"$\sigma$",
}  # fmt: skip
_MARKS = re.compile(
    rf"`(?P<code>[^`]*)`|(?P<root>\bsqrt\()|\b(?P<greek>{_GREEK})(?![A-Za-z])(?P<squiggle>~?)"
    r"|(?<![A-Za-z])(?P<tilde>[A-Za-z])~|(?<![A-Za-z])(?P<hat>[LwvGf])\^(?=[ ,;:.()\];/_'|]|$)"
    r"|(?<![A-Za-z])(?P<star>[wB])\*"
    r"|(?<![A-Za-z])(?P<bar>f)_?bar(?![A-Za-z])|<(?P<inner>\w\*?, ?\w\*?)>"
    r"|\^(?P<power>\((?:[^()]|\([^()]*\))*\)|-?\d+(?:\.\d+)?|-?[A-Za-z]\w*)"
    r"|(?<=[A-Za-z|'~^*])_(?P<index>\{[^}]*\}|\w+\*?)"
    r"|(?P<relation><=|>=|<<|>>|!=|\+-)"
)
_RELATIONS = {"<=": r"\le", "<<": r"\ll", ">>": r"\gg", ">=": r"\ge", "!=": r"\ne", "+-": r"\pm"}


def escaped(text: str) -> str:
    """Text in which no character means anything to LaTeX."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def prose(text: str) -> str:
    r"""A sentence of the ledger, in which formulas are typed plainly ("sqrt(k) sigma^2 <= n"), as LaTeX.

    >>> print(prose("for n epsilon read sqrt(n) epsilon^2, w* in L^(w)"))
    for n $\epsilon$ read $\sqrt{\mbox{n}}$ $\epsilon$$^{2}$, $w^*$ in $\hat{L}$(w)
    """
    text = re.sub(r'"([^"]*)"', r"“\1”", text)
    made, at = [], 0
    while found := _MARKS.search(text, at):
        made.append(escaped(text[at : found.start()]))
        at = found.end()
        if found["root"]:
            end = _closing(text, at)
            made.append(rf"$\sqrt{{\mbox{{{prose(text[at:end])}}}}}$")
            at = min(len(text), end + 1)
        else:
            made.append(_mark(found))
    return "".join((*made, escaped(text[at:])))


def _mark(found: re.Match[str]) -> str:
    given = {name: value for name, value in found.groupdict().items() if value}
    if "code" in given:
        return rf"\texttt{{{escaped(given['code']).replace('--', '-{}-')}}}"
    if "greek" in given:
        letter = f"\\{given['greek']}"
        return rf"$\tilde{{{letter}}}$" if "squiggle" in given else f"${letter}$"
    if "tilde" in given:
        return rf"$\tilde{{{given['tilde']}}}$"
    if "hat" in given:
        return rf"$\hat{{{given['hat']}}}$"
    if "bar" in given:
        return rf"$\bar{{{given['bar']}}}$"
    if "inner" in given:
        return rf"$\langle {given['inner'].replace('*', '^*')}\rangle$"
    if "star" in given:
        return f"${given['star']}^*$"
    if "relation" in given:
        return f"${_RELATIONS[given['relation']]}$"
    mark, inner = ("_", given["index"].strip("{}")) if "index" in given else ("^", given["power"])
    inner = inner[1:-1] if inner.startswith("(") else inner
    return f"${mark}{{{_plain_math(inner)}}}$"


def _plain_math(text: str) -> str:
    return re.sub(rf"\b({_GREEK})\b", lambda m: f"\\{m[1]} ", escaped(text).replace(r"\^{}", "^").replace(r"\_", "_"))


def _closing(text: str, start: int) -> int:
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


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
    return "" if re.search(r"[\\^_]", outside) else re.sub(r"\$\s*(.*?)\s*\$", r"$\1$", text).replace("“", "``")


def _opens_and_closes(text: str) -> bool:
    depth = 0
    for letter in text.replace(r"\{", "").replace(r"\}", ""):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0


def body(paper: Paper) -> str:
    """The text written by hand, or empty."""
    if not paper.package:
        return ""
    home = importlib.import_module(paper.package.rpartition(".")[0] or paper.package)
    if home.__spec__ is None or not home.__spec__.submodule_search_locations:
        return ""
    file = resources.files(home) / "note.tex"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def latex(paper: Paper) -> str:
    """The whole note."""
    found = errata.findings(paper)
    title, greeting, method = errata.heading(paper, len(found))
    parts = [
        PREAMBLE, rf"\title{{{prose(title)}}}", rf"\author{{}}\date{{{escaped(paper.version)}}}",
        r"\begin{document}", r"\maketitle", prose(greeting), "", prose(method.strip()), "", body(paper),
        r"\section*{Each statement that needs a change}", *_items(paper, [c for c in found if c.weight not in SMALL]),
        r"\room\section*{Steps of proofs, and misprints}", *_table(paper, [c for c in found if c.weight in SMALL]),
        *_coverage(paper), r"\end{document}", "",
    ]  # fmt: skip
    return "\n".join(parts)


def _items(paper: Paper, found: Iterable[Claim]) -> list[str]:
    known = errata.corrections(paper)
    lines = [r"\begin{enumerate}\raggedright"]
    for claim in found:
        said = known.get(claim.id)
        words = quoted(claim.quote)
        lines.append(rf"\item \textbf{{{prose(said.place if said else claim.source)}}} ({claim.weight}).")
        if words:
            lines.append(rf"Printed: ``{words}''.")
        lines.append(prose(claim.consequence))
        if said is not None and (caveat := set_caveat(said.caveat)):
            lines.append(rf"\emph{{The paper itself:}} {caveat}")
        if said is not None:
            lines.append(rf"\emph{{In a copy:}} {prose(said.change)}.")
        reply = (said.reply if said else "") or errata.NOT_ASKED
        lines.append(rf"\emph{{Shown by}} \texttt{{dpbench verify {escaped(claim.id)}}}; \emph{{reply:}} {reply}.")
    return [*lines, r"\end{enumerate}"]


def _table(paper: Paper, found: Iterable[Claim]) -> list[str]:
    known = errata.corrections(paper)
    rows = []
    for claim in found:
        said = known.get(claim.id)
        place, change = (said.place, said.change) if said else (claim.source, claim.consequence)
        rows.append(rf"{prose(place)} & {prose(change)} & \texttt{{{_breakable(claim)}}} \\")
    return _long(("place", "in a copy", "entry"), (0.27, 0.40, 0.25), rows)


def _breakable(claim: Claim) -> str:
    return escaped(claim.id.partition(".")[2]).replace(".", r".\allowbreak ").replace("-", r"-\allowbreak ")


def _coverage(paper: Paper) -> list[str]:
    found = coverage.places(paper)
    if not found:
        return []
    rows = []
    for place in found:
        names = sorted({name.split(".")[1] + "." + name.split(".")[2] for name in place.entries})
        said = f"{len(place.entries)} ({', '.join(names)})" if names else ""
        read = f"by reading: {place.reading}" if place.reading else ""
        left = rf"\emph{{{coverage.NOT_TRIED}:}} {prose(place.reason)}"
        looked = left if place.reason else "; ".join(filter(None, (escaped(said), prose(read))))
        rows.append(rf"{prose(place.where)} & {prose(place.what)} & {looked} \\")
    return [
        r"\room\section*{Coverage}",
        f"{coverage.counted(found)}. In the last column: number of entries, and their kinds.",
        *_long(("place", "what stands there", "looked at by"), (0.27, 0.36, 0.29), rows),
    ]


def _long(heads: tuple[str, ...], widths: tuple[float, ...], rows: list[str]) -> list[str]:
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{width}\textwidth}}" for width in widths)
    head = " & ".join(rf"\textbf{{{name}}}" for name in heads) + r" \\ \hline \endhead"
    return [r"{\small", rf"\begin{{longtable}}{{{columns}}}", head, *rows, r"\end{longtable}}"]
