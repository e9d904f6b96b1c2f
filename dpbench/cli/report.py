"""``dpbench report``: the ledger as one HTML page, from stored evidence; nothing is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

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
    given_store,
    is_stdout,
    say,
    use_sources,
    write,
)


@guarded
def report(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    kind: KindOption = None,
    sources: SourcesOption = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="where to write; - for stdout")] = Path(
        "report.html"
    ),
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", metavar="FILE", help="a file of `verify --json`, instead of the store"),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option("--latex", metavar="FILE", help="write a LaTeX table and a macro for each claim, too"),
    ] = None,
    citation: Annotated[
        Path | None,
        typer.Option("--citation", metavar="FILE", help="write the papers and this software as .cff or .bib, too"),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    quiet: QuietOption = False,
) -> None:
    """Write the ledger with its figures as one HTML page. It needs no network.

    dpbench report --paper glm --latex ledger.tex --citation papers.bib
    """
    from dpbench.core.validation import InvalidInput, invalid

    if ledger is not None and store != DEFAULT_STORE:
        raise InvalidInput(f"--ledger must not stand beside --store, got {ledger} and {store}")
    for option, path in (("--out", out), ("--latex", latex), ("--citation", citation)):
        check_writable(option, path)
    if citation is not None and citation.suffix not in (".cff", ".bib"):
        raise invalid("--citation", "a file named .cff or .bib", str(citation))
    use_sources(sources)

    from dpbench.ledger.registry import all_papers
    from dpbench.ledger.verify import select
    from dpbench.report.latex import bibtex, citation_cff
    from dpbench.report.latex import latex as latex_of
    from dpbench.report.page import page
    from dpbench.report.stored import best, known, of_document

    chosen = select(claims or None, paper=paper or None, kind=kind)
    if ledger is None:
        ids = [claim.id for claim in chosen]
        found = best(known(given_store(store), ids=ids), ids)
    else:
        found = of_document(_read(ledger))
    mine = {claim.id: found[claim.id] for claim in chosen if claim.id in found}
    if not mine:
        where = ledger or store
        raise invalid(
            "--ledger" if ledger else "--store", "of a run of these claims (`dpbench verify` makes one)", str(where)
        )
    write(out, page(chosen, mine))
    if latex is not None:
        write(latex, latex_of(chosen, mine))
    if citation is not None:
        names = {claim.paper for claim in chosen}
        cited = [one for one in all_papers() if one.name in names]
        write(citation, (citation_cff if citation.suffix == ".cff" else bibtex)(cited))
    if not quiet and not any(is_stdout(path) for path in (out, latex)):
        say(f"{out}: {len(mine)} of {len(chosen)} entries have evidence")


def _read(path: Path) -> Any:
    from dpbench.core.validation import invalid

    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise invalid("--ledger", f"a file of `dpbench verify --json` ({reason})", str(path)) from error
