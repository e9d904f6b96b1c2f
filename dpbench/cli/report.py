"""``dpbench report``: the ledger as one HTML page, from stored evidence; nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpbench.cli.guard import guarded
from dpbench.cli.options import (
    DEFAULT_STORE,
    ClaimsArgument,
    KindOption,
    PaperOption,
    QuietOption,
    SourcesOption,
    StoreOption,
    check_writable,
    is_stdout,
    say,
    use_sources,
    with_evidence,
    write,
)


@guarded
def report(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    kind: KindOption = None,
    sources: SourcesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="the page; - for stdout; default report.html unless --latex or --citation is given",
            show_default=False,
        ),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", metavar="FILE", help="a file of `verify --json`, instead of the store"),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option("--latex", metavar="FILE", help="write a LaTeX table and a macro for each claim"),
    ] = None,
    citation: Annotated[
        Path | None,
        typer.Option("--citation", metavar="FILE", help="write the papers and this software as BibTeX"),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    quiet: QuietOption = False,
) -> None:
    """Write the ledger with its figures as one HTML page. It needs no network.

    dpbench report --paper glm --latex ledger.tex --citation papers.bib
    """
    from dpbench.core.validation import InvalidInput

    if ledger is not None and store != DEFAULT_STORE:
        raise InvalidInput(f"--ledger must not be given with --store, got {ledger} and {store}")
    if out is None and latex is None and citation is None:
        out = Path("report.html")
    for option, path in (("--out", out), ("--latex", latex), ("--citation", citation)):
        check_writable(option, path)
    use_sources(sources)

    from dpbench.report.latex import bibtex
    from dpbench.report.latex import latex as latex_of
    from dpbench.report.page import page

    chosen, mine, papers = with_evidence(claims, paper, kind, store, ledger)
    if out is not None:
        write(out, page(chosen, mine))
    if latex is not None:
        write(latex, latex_of(chosen, mine))
    if citation is not None:
        write(citation, bibtex(papers))
    if not quiet and not any(is_stdout(path) for path in (out, latex)):
        written = ", ".join(str(path) for path in (out, latex, citation) if path is not None)
        say(f"{written}: {len(mine)} of {len(chosen)} entries have evidence")
