"""``dpbench audit-library LIBRARY``: audits of a released library's mechanisms at the claims it makes for them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from dpbench.cli.guard import UNEXPECTED, guarded
from dpbench.cli.options import (
    NUMBER,
    WHOLE,
    JsonOption,
    QuietOption,
    SeedOption,
    check_writable,
    console,
    is_stdout,
    write_json,
)
from dpbench.core.printable import printable


@guarded
def audit_library(
    libraries: Annotated[
        list[str],
        typer.Argument(metavar="LIBRARY...", help="opendp, diffprivlib, pydp, jax_privacy, datasynthesizer or flower"),
    ],
    mechanisms: Annotated[
        list[str] | None,
        typer.Option("--mechanism", help="only this one; may be given again", metavar="NAME", show_default=False),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="name the mechanisms, audit nothing")] = False,
    trials: Annotated[
        int | None, typer.Option("--trials", help="runs a side; default each case's own", show_default=False, **WHOLE)
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="of each row", **NUMBER)] = 1.0 - 1e-6,
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            help="an interpreter with the library; default: an environment is made for it",
            metavar="PYTHON",
            show_default=False,
        ),
    ] = None,
    seed: SeedOption = 0,
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Audit a released library at the claims it makes; exit 1 if a claim is refuted and nothing is known of it.

    A library whose requirements exclude those of this package is installed, once, in a virtual environment in the
    user's cache folder. Claims, relations and what is known of a refutation are read from the library and its
    documentation: see the guide on libraries.

    dpbench audit-library diffprivlib --mechanism tools.mean
    """
    check_writable("--json", json_file)
    from dpbench.auditing.audit import MOST_RUNS
    from dpbench.core import validation
    from dpbench.runs.progress import on_stderr
    from dpbench_libraries.printed import print_cases, print_rows
    from dpbench_libraries.table import Row, check_python, rows, select

    if trials is not None:
        validation.integer("trials", trials, at_least=100, at_most=MOST_RUNS)
    validation.fraction("confidence", confidence)
    validation.integer("seed", seed, at_least=0)
    for library in libraries:
        check_python(library, python)
    wanted = {library: select(library, mechanisms or ()) for library in dict.fromkeys(libraries)}
    if listed:
        print_cases(wanted, console())
        return
    results: list[Row] = []
    progress = on_stderr(quiet)

    def say(text: str) -> None:
        if not quiet:
            print(f"dpbench: {printable(text)}", file=sys.stderr, flush=True)

    try:
        for library in wanted:
            audited = rows(
                library,
                mechanisms or (),
                trials=trials,
                confidence=confidence,
                seed=seed,
                python=python,
                say=say,
                started=progress.claim,
                progress=progress.blocks,
            )
            for row in audited:
                results.append(row)  # noqa: PERF402  one by one: what an error comes after is kept
    finally:
        progress.close()
        if json_file is not None and results:
            write_json(json_file, _document(results))
    if not quiet:
        print_rows(results, console(stderr=is_stdout(json_file)))
    raise typer.Exit(UNEXPECTED if any(row.unexpected for row in results) else 0)


def _document(rows: list[Any]) -> dict[str, Any]:
    """The rows as strict JSON, with what they were made by."""
    from dpbench.runs.environment import machine, versions

    documents = [{**row.to_dict(), "unexpected": row.unexpected} for row in rows]
    return {"schema": 1, "machine": machine(), "versions": versions(), "rows": documents}
