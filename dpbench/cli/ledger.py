"""``dpbench list`` and ``dpbench show``: read the ledger, run nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from dpbench.cli.guard import guarded
from dpbench.cli.options import (
    DEFAULT_STORE,
    KindOption,
    PaperOption,
    SourcesOption,
    StoreOption,
    console,
    given_store,
    use_sources,
)


@guarded
def list_claims(
    claims: Annotated[list[str] | None, typer.Argument(metavar="[CLAIM]...", help="ids or globs")] = None,
    paper: PaperOption = None,
    kind: KindOption = None,
    sources: SourcesOption = None,
) -> None:
    """List the entries of the ledger: id, kind, expected verdict, source."""
    from dpbench.cli.listing import rows
    from dpbench.report.plain import table

    if sources:
        use_sources(sources)
    made = table("claim", "kind", "expected", "source")
    for _, *cells in rows(claims, paper, kind):
        made.add_row(*cells)
    console().print(made)


@guarded
def show(
    claims: Annotated[list[str], typer.Argument(metavar="CLAIM...", help="ids or globs")],
    sources: SourcesOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Show an entry: statement, source, derivation, evidence (committed and stored), corrected twin, how to run it."""
    from dpbench.ledger.verify import all_claims, select
    from dpbench.report.stored import known
    from dpbench.report.tables import print_claim

    use_sources(sources)
    chosen = select(claims)
    verdicts = known(given_store(store))
    out = console()
    for number, claim in enumerate(chosen):
        if number:
            out.print()
        corrects = [other.id for other in all_claims() if other.holds == claim.id]
        print_claim(claim, [v for v in verdicts if v.claim == claim.id], corrects, out)
