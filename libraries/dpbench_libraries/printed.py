"""The audits of released libraries in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from dpbench.report.plain import table

STYLES = {"refuted": "bold red", "blind": "bold yellow", "not refuted": "green"}
RELATIONS = {"replace": "replace", "add_remove": "add/remove", "add": "add", "remove": "remove", None: "values"}


def print_cases(cases: Mapping[str, Iterable[Any]], console: Console) -> None:
    """What would be audited, a line each."""
    grid = table("library", "mechanism", "relation", "runs a side")
    for library, some in cases.items():
        for case in some:
            grid.add_row(library, Text(case.name), RELATIONS[case.relation], f"{case.trials:,}")
    console.print(grid)


def print_rows(rows: Iterable[Any], console: Console) -> None:
    """A row each, and what is known of those that are refuted."""
    rows = list(rows)
    grid = table(
        "mechanism",
        "relation",
        "claim",
        "bound",
        "would detect",
        "verdict",
        "runs",
        "s",
        right=("bound", "would detect", "runs", "s"),
    )
    for row in rows:
        grid.add_row(
            Text(row.name),
            RELATIONS[row.relation],
            Text(row.claim),
            f"{row.bound:.3g}",
            "" if row.detectable is None else f"{row.detectable:.3g}",
            Text(row.verdict, style=STYLES[row.verdict]),
            f"{row.runs:,}",
            f"{row.seconds:.1f}",
        )
    console.print(grid)
    for row in rows:
        if row.verdict != "not refuted":
            said = "nothing is known of it" if row.known is None else f"{row.known.reading}: {row.known.why}"
            console.print(Text(f"{row.library} {row.version} {row.name}: {said}"))
