"""What `verify` prints: a row for each of few entries; of many counts, what to know first, and what is not expected."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from dpbench.ledger.evidence import Status, committed
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.outcome import Entry, Ledger
from dpbench.ledger.registry import all_claims, all_papers
from dpbench.report.errata import foremost
from dpbench.report.tables import FEW, print_ledger, print_status


@pytest.fixture(scope="module")
def ledger():
    """The committed verdicts as if they had been found at level quick."""
    found, entries, later = committed(), [], []
    for claim in (one for one in all_claims() if not one.outside):
        if claim.full_only:
            later.append({"id": claim.id, "reason": "full only (--level full)"})
            continue
        entries.append(Entry(claim, found[claim.id]["verdict"], Evidence.from_dict(found[claim.id]["evidence"])))
    return Ledger(tuple(entries), tuple(later), "quick", 0, 20.0)


def printed(ledger, *, every=False, width=100):
    out = io.StringIO()
    print_ledger(ledger, Console(file=out, width=width), every=every)
    return out.getvalue().splitlines()


@pytest.mark.few(1)
@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_whole_ledger_is_fifteen_lines(ledger, width):
    lines = printed(ledger, width=width)
    text = "\n".join(lines)
    assert len(lines) <= 15 and max(map(len, lines)) <= width
    assert f"same verdict in {len(ledger.entries)} of {len(ledger.entries)}" in text and "all as expected" in text
    assert f"{len(ledger.not_run)} more take minutes" in text and "next: dpbench show" in text
    for paper in all_papers():
        first = foremost(paper)
        assert first is None or f"{first.id}: {first.consequence[:9]}" in text
    counted = next(line for line in lines if line.startswith("glm "))
    assert sum(int(word) for word in counted.split() if word.isdigit()) == sum(
        entry.claim.paper == "glm" for entry in ledger.entries
    )


def test_of_modules_that_differ_the_first_are_named_and_the_others_counted():
    out = io.StringIO()
    rows = [Status("a.b", "stale", tuple("pqrstuv"), "other"), Status("a.c", "stale", tuple("wxyz"), "same")]
    print_status(rows, {"current": 3, "stale": 2}, Console(file=out, width=160))
    said = out.getvalue()
    assert "p, q, r, s and 3 more" in said and "w, x, y, z  " in said and "3 current, 2 stale; 1 of another" in said


def test_counts_have_a_column_for_each_verdict_that_occurs(ledger):
    refuted = tuple(entry for entry in ledger.entries if entry.verdict == "refuted")
    assert len(refuted) > FEW
    heads = [line.split() for line in printed(replace(ledger, entries=refuted)) if line.startswith("paper")]
    assert heads == [["paper", "refuted"]]


def test_what_is_not_expected_has_its_row_and_differs_from_the_evidence(ledger):
    first = next(entry for entry in ledger.entries if entry.claim.id == "glm.lemma1.floor")
    rest = [entry for entry in ledger.entries if entry is not first]
    wrong = "refuted" if first.verdict != "refuted" else "not refuted"
    lines = printed(replace(ledger, entries=(replace(first, verdict=wrong), *rest)), width=160)
    assert any(line.startswith(first.claim.id) and f"{wrong}, expected" in line for line in lines)
    assert any(f"another in {first.claim.id}" in line for line in lines) and any(
        "1 unexpected" in line for line in lines
    )


def test_every_entry_has_its_row_where_they_are_few_or_asked_for(ledger):
    few = replace(ledger, entries=ledger.entries[:FEW], not_run=())
    for lines, of in ((printed(few), few), (printed(ledger, every=True), ledger)):
        assert all(any(line.startswith(entry.claim.id) for line in lines) for entry in of.entries)
