"""``dpbench errata``: what a paper's authors would be sent, from the ledger and its committed evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpbench.cli.guard import guarded
from dpbench.cli.options import SourcesOption, say, use_sources


@guarded
def errata(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="name of a paper, for example glm")],
    sources: SourcesOption = None,
    html: Annotated[bool, typer.Option("--html", help="one HTML page instead of Markdown")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="a note in LaTeX, with proofs")] = False,
    coverage: Annotated[bool, typer.Option("--coverage", help="every statement of the paper with its entries")] = False,
    evidence: Annotated[
        Path | None, typer.Option("--evidence", metavar="DIR", help="folder of evidence; default the committed one")
    ] = None,
) -> None:
    """Print the errata page of a paper: what does not hold as printed, and what to write instead."""
    from dpbench.core.validation import InvalidInput
    from dpbench.ledger.registry import indexed

    if html + latex + coverage > 1:
        raise InvalidInput("--html, --latex and --coverage must stand alone, got two of them")
    use_sources(sources)
    form = "coverage" if coverage else "latex" if latex else "html" if html else "markdown"
    with indexed():
        made = _made(paper, form, evidence)
    say(made, nl=not made.endswith("\n"))


def _made(paper: str, form: str, evidence: Path | None) -> str:
    """The page of the paper with this name."""
    from dpbench.report import coverage as covered
    from dpbench.report import errata as pages
    from dpbench.report.stored import best, known

    named = pages.paper_named(paper)
    if form == "coverage":
        return covered.coverage(named)
    if form == "latex":
        from dpbench.report.note import latex

        return latex(named)
    return (pages.page if form == "html" else pages.markdown)(named, best(known(None, evidence)))
