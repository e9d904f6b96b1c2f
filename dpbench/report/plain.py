"""Tables without frames, for a terminal: this module loads nothing but `rich`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """A table without frames, so that its lines can be cut and searched with the tools of a shell."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        made.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=name == "claim",
            min_width=len("expected proved") if name == "verdict" else None,
        )
    return made
