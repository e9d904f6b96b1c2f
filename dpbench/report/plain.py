"""Tables without frames, for a terminal: this module loads little but `rich`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.table import Table
from rich.text import Text

from dpbench.ledger.words import GRADES


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """A table without frames, so that its lines can be cut and searched with the tools of a shell."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        grid.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=name == "claim",
            min_width=len("expected proved") if name == "verdict" else None,
        )
    return grid


def verdict_text(verdict: str, expected: str) -> Text:
    """A verdict in its colour; one that is not expected in bold red, with the expected one beside it."""
    if verdict == expected:
        return Text(verdict, style=_COLOURS.get(verdict, "green"))
    return Text(f"{verdict}, expected {expected}", style="bold red")


_COLOURS = {"refuted": "magenta", "inconsistent": "magenta", "undecided": "yellow", "vacuous": "yellow"}


def graded(counts: Mapping[str, Mapping[str, int]]) -> str:
    """ "proved 32 derivation; refuted 51 derivation, 3 sampled": counts by verdict and grade."""
    said = []
    for verdict, of_one in sorted(counts.items()):
        ordered = ", ".join(f"{of_one[grade]} {grade}" for grade in GRADES if grade in of_one)
        said.append(f"{verdict} {ordered}")
    return "; ".join(said)
