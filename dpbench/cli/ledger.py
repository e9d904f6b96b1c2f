"""``dpbench list`` and ``dpbench show``: read the ledger, run nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpbench.cli.guard import guarded
from dpbench.cli.options import (
    DEFAULT_STORE,
    ClaimsArgument,
    JsonOption,
    KindOption,
    PaperOption,
    SourcesOption,
    StoreOption,
    check_writable,
    claim_ids,
    console,
    given_store,
    is_stdout,
    use_sources,
    write_json,
)

if TYPE_CHECKING:
    from rich.console import Console


SORTS = ("ledger", "claim", "kind", "verdict", "weight", "hurt", "seconds")
"""Names of `dpbench.report.listing.ORDERS`, which this module must not load."""


def sorts(incomplete: str) -> list[str]:
    """Orders that begin so."""
    return [name for name in SORTS if name.startswith(incomplete)]


@guarded
def list_claims(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    kind: KindOption = None,
    sources: SourcesOption = None,
    sort: Annotated[
        str, typer.Option("--sort", help=", ".join(SORTS), metavar="ORDER", autocompletion=sorts)
    ] = "ledger",
    store: StoreOption = DEFAULT_STORE,
    json_file: JsonOption = None,
) -> None:
    """List the entries with their stored verdicts. In 120 columns or more with kind and source too.

    dpbench list --paper glm --sort hurt
    """
    from dpbench.core.validation import choice
    from dpbench.report.listing import ORDERS, listed, print_list

    choice("--sort", sort, ORDERS)
    check_writable("--json", json_file)
    use_sources(sources)
    rows = sorted(listed(claims, paper, kind, given_store(store)), key=ORDERS[sort])
    if json_file is not None:
        write_json(json_file, {"schema": 1, "claims": rows})
    if not is_stdout(json_file):
        print_list(rows, console())


@guarded
def show(
    claims: Annotated[list[str], typer.Argument(metavar="CLAIM", help="ids or globs", autocompletion=claim_ids)],
    sources: SourcesOption = None,
    store: StoreOption = DEFAULT_STORE,
    json_file: JsonOption = None,
) -> None:
    """Show all that is known of an entry. That is its statement, derivation, evidence, and what holds instead.

    dpbench show glm.thm5.privacy
    """
    from dpbench.ledger.registry import indexed

    check_writable("--json", json_file)
    use_sources(sources)
    with indexed():
        _show(claims, given_store(store), console(stderr=is_stdout(json_file)), json_file)


def _show(claims: list[str], store: Path | None, out: Console, json_file: Path | None) -> None:
    from dpbench.ledger.entry import by_entry, moved
    from dpbench.ledger.verify import select
    from dpbench.report.stored import best, known, shown
    from dpbench.report.tables import print_entry, print_rows
    from dpbench.report.view import to_dict

    chosen = select(claims)
    verdicts = known(store, ids=[claim.id for claim in chosen])
    documents = {
        claim: [shown(one, stale=one.code != claim.digest) for one in verdicts if one.claim == claim.id]
        for claim in chosen
    }
    if json_file is not None:
        write_json(json_file, {"schema": 1, "entries": [to_dict(claim, some) for claim, some in documents.items()]})
    if is_stdout(json_file):
        return
    for old in filter(moved().__contains__, claims):
        out.print(f"{old} is now {moved()[old]}\n", soft_wrap=True)
    for entry, rows in by_entry(chosen).items():
        if len(rows) > 1:
            out.print(f"[bold]{entry}[/]: {len(rows)} rows")
            print_rows(rows, best(verdicts, [claim.id for claim in rows], with_code=False), out)
            out.print()
        for claim in rows:
            print_entry(claim, documents[claim], out)
            out.print()
