"""What commands of this folder share: options, tables on the terminal, JSON with its machine, a figure of it."""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dpbench.ledger.evidence import commit_now
from dpbench.report.provenance import draw_file
from dpbench.runs.environment import machine, versions
from tools.code_key import stamped

Measured = tuple[Mapping[str, Any], Iterable[Table], bool]
"""The document, its tables, and whether every promise is kept."""
Drawing = tuple[str, Callable[[], Any], str, Mapping[str, Any]]
"""Of a figure: what stands after PREFIX, what draws it, what it shows, and the numbers it is drawn from."""


def command(
    program: str,
    said: str | None,
    arguments: list[str] | None,
    measure: Callable[[], Measured],
    draw: Mapping[str, tuple[Callable[..., Any], str]],
    paper: str = "",
    *,
    evidence: str,
) -> int:
    """Measure, print, write JSON if asked, or draw what was written; 1 if a promise is missed.

    `draw` has, by ending of PREFIX, a figure's function and what the figure shows; `paper` is named above the figure.
    `evidence` is the name of the file under evidence/, by which `tools.code_key` knows the code that was measured.
    """
    parser = options(program, said)
    given = parser.parse_args(arguments)
    if given.figure is not None:
        draw_measured(
            parser,
            given,
            lambda document: (
                (ending, functools.partial(_named, drawing, document, paper), shown, document)
                for ending, (drawing, shown) in draw.items()
            ),
        )
        return 0
    document, tables, kept = measure()
    for table in tables:
        Console().print(table, soft_wrap=True)
    if given.json is not None:
        document = {**document, "commit": commit_now()[0], "machine": machine(), "versions": versions()}
        given.json.write_text(json.dumps(stamped(evidence, document), indent=2) + "\n", encoding="utf-8")
    return 0 if kept else 1


def options(program: str, said: str | None) -> argparse.ArgumentParser:
    """A parser with --json and --figure."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=said)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    parser.add_argument("--figure", type=Path, metavar="PREFIX", help="draw PREFIX.pdf and PREFIX.png from --json FILE")
    return parser


def draw_measured(
    parser: argparse.ArgumentParser,
    given: argparse.Namespace,
    figures: Callable[[dict[str, Any]], Iterable[Drawing]],
) -> None:
    """Draw the figures of what --json FILE holds, each with the command that draws it beside it."""
    if given.json is None or not given.json.is_file():
        parser.error("--figure draws what --json FILE holds: measure first")
    line = f"{parser.prog} --json {given.json.name} --figure {given.figure.name}"
    for ending, drawing, shown, numbers in figures(json.loads(given.json.read_text(encoding="utf-8"))):
        draw_file(drawing, given.figure.with_name(given.figure.name + ending), shown, numbers, line)


def _named(drawing: Callable[..., Any], document: Mapping[str, Any], paper: str) -> Any:
    from dpbench.report.figures import named

    return named(drawing(document), paper) if paper else drawing(document)


def keep(path: Path, document: Mapping[str, Any], evidence: str) -> None:
    """Write rows into a JSON file by the names of their parts, each with its code, beside the rows that are there."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for part, rows in document.items():
        stamps = {name: stamped(evidence, row) for name, row in rows.items()}
        kept[part] = {**kept.get(part, {}), **stamps}
    path.write_text(json.dumps(kept, indent=1, allow_nan=False) + "\n", encoding="utf-8")
