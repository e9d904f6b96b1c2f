"""The ledger as a table: CSV, LaTeX and HTML say what the entries say, whatever their text holds."""

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.outcome import COLUMNS, Entry, Ledger


def entry(name, verdict, evidence):
    claim = Claim(
        id=f"glm.{name}.privacy", paper="glm", source="s", kind="privacy", statement="s", derivation="d",
        expected="proved", run=lambda context: (verdict, evidence),
    )  # fmt: skip
    return Entry(claim, verdict, evidence)


LEDGER = Ledger(
    (
        entry("thm_1", "proved", Evidence(0.123456789)),
        entry("lem<2>", "refuted", Evidence(math.inf, interval=(0.5, math.inf), level=1e-6)),
    ),
    (),
    "quick",
    0,
    1.0,
)
ROWS = [
    ["glm.thm_1.privacy", "proved", "derivation", "proved", "0.123457", "", "exact"],
    ["glm.lem<2>.privacy", "refuted", "derivation", "proved", "inf", "[0.5, inf]", "1e-06"],
]
EMPTY = replace(LEDGER, entries=())


@pytest.mark.parametrize(("ledger", "rows"), [(LEDGER, ROWS), (EMPTY, [])])
def test_html_reads_back(ledger, rows):
    table = ElementTree.fromstring(ledger._repr_html_())
    assert table.tag == "table"
    assert [cell.text for cell in table.iterfind("./thead/tr/th")] == list(COLUMNS)
    assert [[cell.text or "" for cell in row] for row in table.iterfind("./tbody/tr")] == rows


def test_the_budget_is_the_sum_of_the_levels():
    assert LEDGER.error_budget == 1e-6 and EMPTY.error_budget == 0.0
    assert not LEDGER.as_expected and not EMPTY.as_expected
    assert replace(LEDGER, entries=LEDGER.entries[:1]).as_expected


@pytest.mark.parametrize(("reason", "expected"), [("full only: run with --level full", True), ("ValueError: b", False)])
def test_an_entry_that_failed_is_not_as_expected(reason, expected):
    """What stands at level full alone may be missing; what could not run may not."""
    held = replace(LEDGER, entries=LEDGER.entries[:1], not_run=({"id": "glm.b.floor", "reason": reason},))
    assert held.as_expected is expected
