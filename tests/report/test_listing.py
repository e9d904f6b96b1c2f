"""`dpbench list` from what an earlier run kept: the same rows without the claims, and never after an edit."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from rich.console import Console

from dpbench.cli import answers, listing
from dpbench.ledger.registry import all_claims
from dpbench.report.listing import _aligned, _said, _table

KEPT: list[listing.Row] = [
    {"paper": "toy", "id": "toy.one.inequality", "kind": "inequality", "expected": "refuted", "source": "Lemma 1"},
    {"paper": "toy", "id": "toy.two.rate.n", "kind": "rate", "expected": "consistent", "source": "Theorem 2"},
]
"""Told apart from the ledger: what is kept here cannot come from the claims."""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As in a process that has not loaded the registry, with a cache folder of its own."""
    monkeypatch.delitem(sys.modules, "dpbench.ledger.registry")
    monkeypatch.setattr("dpbench.cli.answers.platformdirs.user_cache_dir", lambda name: str(tmp_path / "deep"))
    return tmp_path / "deep" / "answers" / "list.json"


def keep(rows: list[listing.Row]) -> None:
    assert answers.answer("list", "rows", None, lambda: json.dumps(rows)) == json.dumps(rows)


def test_what_was_kept_is_shown(fresh: Path) -> None:
    keep(KEPT)
    assert listing.listed(None, None, None, None) == KEPT
    assert listing.listed(["toy.one.*"], None, None, None) == KEPT[:1]
    assert listing.listed(None, ["toy"], "rate", None) == KEPT[1:]


def test_the_first_run_keeps_every_entry(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = listing.listed(["publicdata.lemma7.*"], None, None, None)
    assert [row["id"] for row in found] == [c.id for c in all_claims() if c.id.startswith("publicdata.lemma7.")]
    kept = json.loads(json.loads(fresh.read_text(encoding="utf-8"))["texts"]["rows"])
    assert [row["id"] for row in kept] == [claim.id for claim in all_claims()]
    monkeypatch.delitem(sys.modules, "dpbench.ledger.registry", raising=False)
    assert listing.listed(["publicdata.lemma7.*"], None, None, None) == found


@pytest.mark.parametrize("spoil", ["damaged", "another package", "another store"])
def test_nothing_stale_is_shown(spoil: str, fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep(KEPT)
    store = tmp_path / "runs.sqlite" if spoil == "another store" else None
    if store is not None:
        store.write_text("x")
    elif spoil == "damaged":
        fresh.write_text(fresh.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    else:
        theirs = EntryPoint("svt", "svt.claims:paper", "dpbench.papers")
        monkeypatch.setattr(answers, "entry_points", lambda group: (theirs,))
        monkeypatch.setattr("dpbench.ledger.verify.select", lambda *given, **more: [Named("toy.anew.inequality")])
    monkeypatch.setattr(listing, "_rows", lambda store: [{**KEPT[0], "id": "toy.anew.inequality"}])
    assert [row["id"] for row in listing.listed(None, None, None, store)] == ["toy.anew.inequality"]


def test_a_wrong_request_is_refused_as_ever(fresh: Path) -> None:
    keep(KEPT)
    with pytest.raises(ValueError, match="claims must be ids or globs"):
        listing.listed(["toy.three"], None, None, None)
    with pytest.raises(ValueError, match="kind must be one of"):
        listing.listed(None, None, "lemma", None)


@dataclass
class Named:
    """A claim, as far as a list selects it."""

    id: str


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
