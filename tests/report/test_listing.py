"""`dpbench list`: columns within the width, nothing cut away."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dpbench.report.listing import aligned, listed

TITLES = ("claim", "verdict", "hurt", "kind", "source")
LONG = "toy." + "very-long-name-" * 6 + "rate.n"
ROWS = [
    (
        "toy.one.inequality",
        Text("refuted", style="magenta"),
        "hypothesis",
        "rate",
        "Theorem 2 and what follows from it",
    ),
    (LONG, Text("refuted, expected proved", style="bold red"), "", "rate", "Satz 3 über 完全 and what follows from it"),
]


def shown(text, width):
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(text)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize(("columns", "width"), [(3, 60), (3, 80), (3, 119), (5, 150), (5, 250)])
def test_columns_stand_below_each_other_and_nothing_is_lost(columns, width):
    text = aligned(TITLES[:columns], [row[:columns] for row in ROWS], width)
    lines = shown(text, width)
    assert max(map(cell_len, lines)) <= width
    starts = [lines[0].index(title) for title in TITLES[1:columns]]
    assert [lines[1].index(word) for word in ("refuted", "hypothesis", "rate")[: columns - 1]] == starts[:3]
    first = "".join(line[: starts[0]].strip() for line in lines[2:])
    assert first == LONG  # over as many lines as it takes
    rest = " ".join(line[starts[0] : starts[1]].strip() for line in lines[2:])
    assert re.sub(" +", " ", rest).strip() == "refuted, expected proved"
    if columns == 5:
        cut = [line[cell_len(line[: starts[3]]) :] for line in lines[1:]]
        assert " ".join(map(str.strip, cut)).split()[:4] == ["Theorem", "2", "and", "what"]


def test_the_rows_are_of_the_papers_that_are_asked_for():
    for papers in (["heavytail"], ["heavytail", "publicdata"]):
        assert {row["id"].partition(".")[0] for row in listed(["*.privacy*"], papers, None, None)} == set(papers)
