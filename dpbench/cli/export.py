"""``dpbench export``: an archive of the ledger, ready for a DOI; ``dpbench new-paper``: a repository to begin with."""

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
    say,
    use_sources,
    with_evidence,
)


@guarded
def export(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    kind: KindOption = None,
    sources: SourcesOption = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="the zip file to write")] = Path("ledger.zip"),
    store: StoreOption = DEFAULT_STORE,
    quiet: QuietOption = False,
) -> None:
    """Write the ledger into one zip file, ready for a DOI. It has evidence, certificates, versions, page, table,
    citations and checksums. Nothing is run.

    dpbench export --paper glm
    """
    from dpbench.report.archive import contents
    from dpbench.report.archive import write as write_archive

    check_writable("--out", out)
    use_sources(sources)
    chosen, mine, papers = with_evidence(claims, paper, kind, store)
    files = contents(chosen, mine, papers)
    write_archive(out, files)
    if not quiet:
        say(f"{out}: {len(mine)} of {len(chosen)} entries, {len(files)} files")


@guarded
def new_paper(
    name: Annotated[str, typer.Argument(metavar="NAME", help="of the paper: letters, digits, underscores")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="default NAME, which must not exist", show_default=False),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Make a small repository for a paper of your own. It has a mechanism, claims, tests, a workflow and a README.

    dpbench new-paper mine
    """
    from dpbench.report.template import make

    folder = out or Path(name)
    written = make(name, folder)
    if not quiet:
        say(f"{folder}: {len(written)} files\nnext: cd {folder} && pip install -e '.[test]' && pytest")
