"""``dpbench errata``: what a paper's authors would be sent, from the ledger and its committed evidence."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from dpbench.cli.guard import guarded
from dpbench.cli.options import (
    JsonOption,
    SourcesOption,
    check_writable,
    is_stdout,
    paper_ids,
    say,
    use_sources,
    write_json,
)


@guarded
def errata(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="name of a paper", autocompletion=paper_ids)],
    sources: SourcesOption = None,
    latex: Annotated[bool, typer.Option("--latex", help="a note in LaTeX, with proofs")] = False,
    coverage: Annotated[bool, typer.Option("--coverage", help="every statement of the paper with its entries")] = False,
    evidence: Annotated[
        Path | None, typer.Option("--evidence", metavar="DIR", help="folder of evidence; default the committed one")
    ] = None,
    json_file: JsonOption = None,
) -> None:
    """Print the errata of a paper. That is what does not hold as printed, and what to write instead.

    dpbench errata glm --latex > errata_glm.tex
    """
    from dpbench.core.validation import InvalidInput
    from dpbench.ledger.registry import indexed

    if latex and coverage:
        raise InvalidInput("--latex must not be given with --coverage")
    if evidence is not None and (latex or coverage):
        raise InvalidInput(f"--evidence must not be given with --latex or --coverage, which read none, got {evidence}")
    check_writable("--json", json_file)
    use_sources(sources)
    with nullcontext() if latex else indexed():  # the note sets formulas, which the index has as text
        from dpbench.report import coverage as covered
        from dpbench.report import errata as pages
        from dpbench.report.stored import best, known

        named, results = pages.paper_named(paper), {}
        if coverage:
            text = covered.coverage(named)
        elif latex:
            from dpbench.report.note import latex as note

            text = note(named)
        else:
            results = best(known(None, evidence))
            text = pages.markdown(named, results)
        if json_file is not None:
            write_json(json_file, pages.to_dict(named, results))
    if not is_stdout(json_file):
        say(text, nl=not text.endswith("\n"))
