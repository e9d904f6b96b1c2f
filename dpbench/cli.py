"""The command line: ``dpbench verify | list | show``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def verify(
    claims: Annotated[list[str] | None, typer.Argument(help="ids or globs of claims; default all")] = None,
    paper: Annotated[str | None, typer.Option(help="only this paper")] = None,
    kind: Annotated[str | None, typer.Option(help="only this kind of claim")] = None,
    level: Annotated[str, typer.Option(help="quick or full")] = "quick",
    seed: Annotated[int, typer.Option(help="seed of all sampling")] = 0,
    workers: Annotated[int | None, typer.Option(help="threads; default one a core")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="write strict JSON here; - for stdout")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress, no table")] = False,
) -> None:
    """Run entries of the ledger; exit 1 if a verdict is not the expected one."""
    from dpbench.claims.ledger import COLUMNS
    from dpbench.claims.ledger import verify as run

    ledger = run(claims or None, paper=paper, kind=kind, level=level, seed=seed, workers=workers)
    document = json.dumps(ledger.to_dict(), indent=1, allow_nan=False)
    if json_file is not None and str(json_file) == "-":
        typer.echo(document)
    elif json_file is not None:
        json_file.write_text(document + "\n")
    if not quiet and str(json_file) != "-":
        for row in (COLUMNS, *ledger.rows()):
            typer.echo("  ".join(row))
    raise typer.Exit(0 if ledger.as_expected else 1)


@app.command("list")
def list_claims() -> None:
    """The entries of the ledger."""
    from dpbench.claims.ledger import all_claims

    for claim in all_claims():
        typer.echo(f"{claim.id}  {claim.source}")


def main() -> None:
    """Entry point: one line for bad use (exit 2), no traceback."""
    from dpbench.validation import InvalidInput, MissingExtra

    try:
        app()
    except (InvalidInput, MissingExtra) as error:
        print(f"dpbench: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
