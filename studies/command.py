"""What commands of this folder share: options, tables on the terminal, JSON with its machine, a figure of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dpbench.runs.environment import machine, versions

Measured = tuple[Mapping[str, Any], Iterable[Table], bool]
"""The document, its tables, and whether every promise is kept."""


def command(
    program: str,
    said: str | None,
    arguments: list[str] | None,
    measure: Callable[[], Measured],
    draw: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    paper: str = "",
) -> int:
    """Measure, print, write JSON if asked, or draw what was written; 1 if a promise is missed.

    `draw` is the figure's function, or one for each of several endings of PREFIX; `paper` is named above the figure.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=said)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    parser.add_argument("--figure", type=Path, metavar="PREFIX", help="draw PREFIX.pdf and PREFIX.png from --json FILE")
    given = parser.parse_args(arguments)
    if given.figure is not None:
        if given.json is None or not given.json.is_file():
            parser.error("--figure draws what --json FILE holds: measure first")
        from dpbench.report.figures import named, save

        document = json.loads(given.json.read_text(encoding="utf-8"))
        for ending, drawing in draw.items() if isinstance(draw, Mapping) else [("", draw)]:
            name = given.figure.name + ending
            figure = named(drawing(document), paper) if paper else drawing(document)
            save(figure, [given.figure.with_name(f"{name}.{k}") for k in ("pdf", "png")])
        return 0
    document, tables, kept = measure()
    for table in tables:
        Console().print(table, soft_wrap=True)
    if given.json is not None:
        document = {**document, "machine": machine(), "versions": versions()}
        given.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0 if kept else 1
