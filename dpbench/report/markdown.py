"""Tables of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = tuple(header)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def escaped(text: str) -> str:
    """Plain text as Markdown that shows it, for a cell of a table."""
    return re.sub(r"([\\|*_<\[\]`~])", r"\\\1", " ".join(text.split()))
