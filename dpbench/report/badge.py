"""A badge: what was audited, from which loss on it would have been found, and when; an SVG without scripts."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

COLOURS = {
    "refuted": "#b3261e",
    "blind": "#8a6100",
    "incomplete": "#8a6100",
    "not refuted": "#1b6e3c",
    "not audited": "#555555",
}
LINE, WIDTH = 18, 7.2
"""Pixels of a line, and of a character at the size of the text."""


def svg(audits: Sequence[Mapping[str, Any]], date: datetime.date | None = None, *, incomplete: bool = False) -> str:
    """The audits of a run: the worst verdict and the date above, a line for each claim.

    Parameters
    ----------
    audits : sequence of mapping
        Each with ``name``, ``claim``, ``unit``, ``detectable`` (a number or None) and ``verdict``.
    date : datetime.date, optional
        By default today.
    incomplete : bool
        Further audits were asked for and did not come to a verdict.
    """
    verdicts = [str(audit["verdict"]) for audit in audits] + ["incomplete"] * incomplete
    worst = next((verdict for verdict in COLOURS if verdict in verdicts), "not audited")
    head = f"privacy audit: {worst} · {(date or datetime.date.today()).isoformat()}"
    lines = [head, *map(_line, audits)]
    width, height = round(WIDTH * max(map(len, lines)) + 20), LINE * len(lines) + 8
    texts = "".join(
        f'<text x="10" y="{LINE * (k + 1)}" fill="{"#fff" if k == 0 else "#222"}">{escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" font-size="12" '
        f'font-family="ui-monospace,monospace"><title>{escape(head)}</title>'
        f'<rect width="{width}" height="{height}" rx="4" fill="#f4f4f4"/>'
        f'<rect width="{width}" height="{LINE + 6}" rx="4" fill="{COLOURS[worst]}"/>{texts}</svg>\n'
    )


def _line(audit: Mapping[str, Any]) -> str:
    detectable = audit["detectable"]
    limit = "" if detectable is None else f", detectable from {audit['unit']} {detectable:.3g}"
    return f"{audit['name']}: {audit['claim']}, {audit['verdict']}{limit}"
