"""Entries with several rows: their declaration, evidence, selection, and where each id of the ledger has gone."""

import ast
import copy
import hashlib
from pathlib import Path

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger import entry, verify
from dpbench.ledger import evidence as files
from dpbench.ledger.compare import EXACT, SAMPLED, compare
from dpbench.ledger.paper import Paper
from dpbench.ledger.registry import all_claims
from dpbench.report import latex
from dpbench.report.stored import best, known

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = files.committed(ROOT / "evidence" / "ledger")
CLAIMS = {claim.id: claim for claim in all_claims()}
IDS = "4a7d72a322ab576f"
"""SHA-256 of the sorted ids that the map had when it was made: none of them is ever left out."""
OLD, NEW = "heavytail.lemma7.inequality", "heavytail.lemma4.inequality.theta-below-2"


def bound(context, factor):
    yield {"left": 1.0, "right": factor}


def drawn(context):
    yield {"left": 1.0, "right": 3.0}


def declared(**changes):
    paper = Paper("toy")
    fields = {
        "source": "Lemma 1", "statement": "1 <= 1/2", "expected": "refuted", "because": "b", "quote": "words",
        "weight": "misprint", "hurt": "letter", "consequence": "c", "arguments": {"factor": 0.5},
    }  # fmt: skip
    paper.inequality("lemma1", rows={
        "corrected": {"statement": "1 <= 2", "expected": "not refuted", "arguments": {"factor": 2.0}},
        "drawn": {"measure": drawn, "kind": "floor", "expected": "not refuted", "quote": "other words", **changes},
    }, **fields)(bound)  # fmt: skip
    return paper


def test_a_row_says_what_differs_and_takes_over_what_is_not_said_of_the_first_alone():
    printed, corrected, floor = declared().claims
    assert [one.id for one in (printed, corrected, floor)] == [
        "toy.lemma1.inequality", "toy.lemma1.inequality.corrected", "toy.lemma1.inequality.drawn"]  # fmt: skip
    assert {one.entry for one in (printed, corrected, floor)} == {"toy.lemma1.inequality"}
    assert [one.row for one in (printed, corrected, floor)] == ["printed", "corrected", "drawn"]
    assert (corrected.source, corrected.derivation) == ("Lemma 1", "b") and printed.holds == corrected.id
    assert (corrected.quote, corrected.weight, corrected.hurt, corrected.consequence, corrected.holds) == (
        "", None, "", "", "")  # fmt: skip
    assert (corrected.origin, floor.origin, floor.kind, floor.quote) == ("corrected", "printed", "floor", "other words")
    ledger = verify.verify(declared(), workers=1)
    assert [one.verdict for one in ledger.entries] == ["refuted", "not refuted", "not refuted"] and ledger.as_expected
    assert [(one["entry"], one["row"]) for one in ledger.to_dict()["claims"]][1:] == [
        ("toy.lemma1.inequality", "corrected"), ("toy.lemma1.inequality", "drawn")]  # fmt: skip
    with pytest.raises(InvalidInput, match="row must be a word without a dot"):
        Paper("toy").floor("x", source="s", statement="t", expected="refuted", because="b", rows={"a.b": {}})(drawn)


def test_the_file_of_an_entry_has_its_rows_and_keeps_those_that_were_not_run(tmp_path):
    claims = declared().claims
    documents = [
        files.document_of(one.claim, one.verdict, one.evidence.to_dict(), "full", 0)
        for one in verify.verify(declared(), workers=1).entries
    ]
    with pytest.raises(InvalidInput, match="the evidence of an entry must be with that of its first row"):
        files.write(documents[1:], tmp_path, claims)
    files.write(documents, tmp_path, claims)
    assert [path.name for path in tmp_path.iterdir()] == ["toy.lemma1.inequality.json"]
    assert files.committed(tmp_path) == {one["id"]: one for one in documents}
    assert files.committed(tmp_path, [claims[2].id]).keys() == {one.id for one in claims}
    files.write([documents[1] | {"seed": 7}], tmp_path, claims[:2])
    seeds = {name: one["seed"] for name, one in files.committed(tmp_path).items()}
    assert seeds == {claims[0].id: 0, claims[1].id: 7}, "a row that is none any more goes"


def test_an_entry_is_selected_with_its_rows_and_an_old_id_as_what_it_is_now(monkeypatch):
    rows = ("heavytail.lemma4.inequality", NEW)
    assert tuple(claim.id for claim in verify.select(rows[0])) == rows
    assert [claim.id for claim in verify.select(NEW)] == [claim.id for claim in verify.select(OLD)] == [NEW]
    assert tuple(claim.id for claim in verify.select("heavytail.lemma4.*")) == rows
    monkeypatch.setattr(verify, "moved", lambda: {OLD: "tests/test_x.py::test_y"})
    with pytest.raises(InvalidInput, match=r"is no entry any more: tests/test_x\.py::test_y tests it"):
        verify.select(OLD)


def test_two_ledgers_are_compared_across_the_move():
    old = {OLD: EVIDENCE[NEW] | {"id": OLD}}
    assert [(one.id, one.kind) for one in compare(old, {NEW: EVIDENCE[NEW]}, all_claims())] == [(NEW, "same")]
    assert [one.kind for one in compare(old, {}, all_claims())] == ["missing"]
    other = copy.deepcopy(EVIDENCE[NEW])
    other["evidence"]["value"] += 0.01
    assert [one.kind for one in compare(old, {NEW: other}, all_claims())] == ["differs"]


def test_the_latex_macros_know_old_ids():
    text = latex.latex([CLAIMS[NEW]], best(known(None, ids=[NEW])))
    lines = [line for line in text.splitlines() if line.startswith(rf"\@namedef{{dpclaim@{OLD}}}")]
    assert lines == [rf"\@namedef{{dpclaim@{OLD}}}{{not refuted (sampled)}}"]


def problem(old, place):
    """What is wrong with a line of the map; empty if nothing is."""
    (target,) = place.keys() & set(entry.TARGETS)
    address = place[target]
    if target == "test":
        file, _, name = address.partition("::")
        tree = ast.parse((ROOT / file).read_text()) if (ROOT / file).is_file() else ast.Module([], [])
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        return "" if name in functions else "there is no such test"
    if address not in CLAIMS or address not in EVIDENCE:
        return "there is no such row"
    if target == "errata" and (CLAIMS[address].weight != "misprint" or CLAIMS[address].errata is None):
        return "it is no line of the errata"
    if "verdict" not in place or place.get("changed"):
        return ""
    verdict, found = EVIDENCE[address]["verdict"], EVIDENCE[address]["evidence"]
    if verdict != place["verdict"]:
        return f"its verdict was {place['verdict']} and is {verdict}"
    was, now = float(place["value"]), float(found["value"])
    near = SAMPLED if found["level"] or found["trials"] else EXACT
    low, high = map(float, found["interval"] or (now, now))
    return "" if low <= was <= high or abs(was - now) <= near * max(abs(was), abs(now)) else f"its value {was} is {now}"


def test_every_id_that_the_ledger_had_has_a_row_a_line_of_the_errata_or_a_test():
    """A value that has to change says why in ``changed``."""
    ids = entry.places()
    assert hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()[:16] == IDS, "ids are neither lost nor added"
    wrong = {old: found for old, place in ids.items() if (found := problem(old, dict(place)))}
    assert wrong == {}
