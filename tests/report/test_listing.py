"""`dpbench list`: the fast layout is that of the table."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dpbench.report.listing import _aligned, _said, _table

LONG = [
    {"id": "toy.one.inequality", "verdict": "refuted", "expected": "refuted"},
    {"id": "toy." + "very-long-name-" * 6 + "rate.n", "verdict": None, "expected": "consistent"},
]
ROWS = {
    3: [(row["id"], _said(row), "hypothesis") for row in LONG],
    5: [(row["id"][:10], _said(row), "", "rate", "Theorem 2 and what follows from it") for row in LONG],
}
TITLES = ("claim", "verdict", "weight", "kind", "source")


def shown(text: object, width: int) -> list[str]:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(text)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize(("columns", "width"), [(3, 60), (3, 80), (3, 119), (5, 75), (5, 200)])
def test_the_fast_layout_is_that_of_the_table(columns: int, width: int) -> None:
    fast = _aligned(TITLES[:columns], ROWS[columns], width)
    assert fast is not None
    assert shown(fast, width) == shown(_table(TITLES[:columns], ROWS[columns]), width)
    assert len(shown(fast, width)) > 3 or width in (119, 200)  # something is wrapped
    assert {str(span.style) for span in fast.spans} == {"bold", "magenta", "yellow"}


@pytest.mark.parametrize("row", [("é", "refuted", ""), ("toy", "refuted, expected proved", "")])
def test_what_the_fast_layout_cannot_show_is_left_to_the_table(row: tuple[str, str, str]) -> None:
    assert _aligned(TITLES[:3], [row], 80) is None
