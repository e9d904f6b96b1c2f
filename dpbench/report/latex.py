r"""For papers: a LaTeX table of claims, a macro for each, and citations of what was checked and with what.

``\dpclaim{id}`` is the verdict of a claim with its grade, as "proved (derivation)", ``\dpverdict{id}`` and
``\dpgrade{id}`` are the two apart, ``\dpvalue{id}`` is the number it rests on, ``\dpclaims`` the table,
as wide as the line; an id that the ledger had once is what it is now, and one that is not there prints as a bold
question mark. Nothing but LaTeX itself is needed, and tabularx for the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from dpbench.core.version import __version__
from dpbench.ledger.core import Claim
from dpbench.ledger.entry import moved
from dpbench.ledger.paper import Paper
from dpbench.report.signs import escaped
from dpbench.report.stored import Shown
from dpbench.report.view import interval, number

TITLE = "dpbench: verification and benchmarking of differentially private learning"
_MACROS = r"""\makeatletter
\newcommand{\dpclaim}[1]{\ifcsname dpclaim@#1\endcsname\csname dpclaim@#1\endcsname\else\textbf{?}\fi}
\newcommand{\dpverdict}[1]{\ifcsname dpverdict@#1\endcsname\csname dpverdict@#1\endcsname\else\textbf{?}\fi}
\newcommand{\dpgrade}[1]{\ifcsname dpgrade@#1\endcsname\csname dpgrade@#1\endcsname\else\textbf{?}\fi}
\newcommand{\dpvalue}[1]{\ifcsname dpvalue@#1\endcsname\csname dpvalue@#1\endcsname\else\textbf{?}\fi}"""
_TABLE = r"""\footnotesize\setlength{\tabcolsep}{3pt}%
\begin{tabularx}{\linewidth}{@{}>{\raggedright\arraybackslash}X>{\raggedright\arraybackslash}p{5.5em}>{\raggedleft\arraybackslash}p{5.5em}@{}}
\hline entry & verdict & value \\ \hline\noalign{\vskip 2pt}"""
# Of this version, as in CITATION.cff; the address is empty until the repository is public.
YEAR, ADDRESS = "2026", ""


def latex(claims: Iterable[Claim], results: Mapping[str, Shown]) -> str:
    """The macros and the table of those claims that have evidence, as a file to ``\\input``."""
    shown = [(claim, results[claim.id]) for claim in claims if claim.id in results]
    lines = [f"% dpbench {__version__}: write it again with `dpbench report --latex FILE`", _MACROS]
    known = {claim.id: one for claim, one in shown}
    for name, one in (known | {old: known[new] for old, new in moved().items() if new in known}).items():
        lines.append(rf"\@namedef{{dpclaim@{name}}}{{{escaped(f'{one.verdict} ({one.grade})')}}}")
        lines.append(rf"\@namedef{{dpverdict@{name}}}{{{escaped(one.verdict)}}}")
        lines.append(rf"\@namedef{{dpgrade@{name}}}{{{escaped(one.grade)}}}")
        lines.append(rf"\@namedef{{dpvalue@{name}}}{{{_value(one)}}}")
    rows = [rf"{_where(claim)} & \dpclaim{{{claim.id}}} & {_value(one)} \\" for claim, one in shown]
    return "\n".join(
        [*lines, r"\newcommand{\dpclaims}{{%", _TABLE, *rows, r"\hline\end{tabularx}}}", r"\makeatother", ""]
    )


def _where(claim: Claim) -> str:
    """Source and id of an entry, in a column that may be narrow."""
    name = re.sub(r"([.-])", r"\1\\allowbreak ", escaped(claim.id))
    return rf"{escaped(claim.source)} {{\ttfamily {name}}}"


def _value(one: Shown) -> str:
    ends = interval(one.evidence["interval"])
    text = number(one.evidence["value"], 3) + (f" {ends}" if ends else "")
    powers = re.sub(r"e([+-]\d+)", lambda match: rf"\times10^{{{int(match[1])}}}", text.replace("inf", r"\infty"))
    return " ".join(rf"\ensuremath{{{word}}}" for word in powers.split())


def bibtex(papers: Sequence[Paper]) -> str:
    """This software and the papers that were checked, as BibTeX."""
    mine = {"year": YEAR, "url": ADDRESS, "note": f"Software, version {__version__}"}
    entries = [_entry("misc", "dpbench", TITLE, ("{The dpbench authors}",), mine)]
    for paper in papers:
        more = {"year": str(paper.year or ""), "url": paper.url, "note": paper.version}
        entries.append(_entry("misc", paper.name, paper.title or paper.name, paper.authors, more))
    return "\n".join(entries)


def _entry(kind: str, key: str, title: str, authors: Sequence[str], more: Mapping[str, str]) -> str:
    fields = {"title": f"{{{title}}}", "author": " and ".join(authors)} | dict(more)
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])
