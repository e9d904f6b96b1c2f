"""Pages of the documentation made from what is there: the gallery of figures, and the help of every command."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from unittest import mock

from dpbench.ledger.verify import all_claims
from dpbench.report.drawings import DRAWINGS, SUMMARIES
from dpbench.report.figures import Drawing, Summary
from dpbench.report.measured import escaped

COMMANDS = ("verify", "list", "show", "bench", "audit", "figures", "report", "evidence", "compare", "hunt", "export",
            "new-paper")  # fmt: skip


def gallery(folder: str) -> str:
    """Every figure of the ledger with a caption: what its entry states, and how to draw it.

    Parameters
    ----------
    folder : str
        Where the PNG files are, seen from the page.
    """
    known = {claim.id: claim for claim in all_claims()}
    parts = ["# Figures", "Each is drawn from stored evidence by `dpbench figures NAME`, as PDF, PNG or SVG."]
    every: tuple[Drawing | Summary, ...] = (*DRAWINGS, *SUMMARIES)
    for drawing in sorted(every, key=lambda one: (one.claims[0].partition(".")[0], one.name)):
        first = known[drawing.claims[0]]
        more = f" and {len(drawing.claims) - 1} more entries" if len(drawing.claims) > 1 else ""
        parts.append(
            f"## {drawing.name.replace('_', ' ')}\n\n![{escaped(first.source)} of {first.paper}]"
            f"({folder}/{drawing.name}.png)\n\n*{first.paper}, {escaped(first.source)}.* {escaped(first.statement)} "
            f"`{first.id}`{more}."
        )
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    """The help of every command, as the terminal shows it in 100 columns."""
    from dpbench.cli.app import app, run

    there = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    there |= {group.name for group in app.registered_groups if group.name}
    parts = ["# The command line", "`dpbench --install-completion` completes commands, options and ids in your shell."]
    for name in (name for name in COMMANDS if name in there):
        with mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                run([name, "--help"])
        parts.append(f"## {name}\n\n```text\n{said.getvalue().rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def write(folder: Path, figures: str) -> None:
    """Write both pages."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gallery.md").write_text(gallery(figures), encoding="utf-8")
    (folder / "commands.md").write_text(commands(), encoding="utf-8")
