"""`dpbench list` from what an earlier run kept: the same rows without the claims, and never after an edit."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dpbench.cli import listing
from dpbench.ledger.registry import all_claims

KEPT: list[listing.Row] = [
    ("toy", "toy.one.inequality", "inequality", "refuted", "Lemma 1"),
    ("toy", "toy.two.rate.n", "rate", "consistent", "Theorem 2"),
]
"""Told apart from the ledger: what is kept here cannot come from the claims."""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As in a process that has not loaded the registry, with a cache folder of its own."""
    monkeypatch.delitem(sys.modules, "dpbench.ledger.registry")
    monkeypatch.setattr(listing, "_place", lambda: tmp_path / "deep" / "listing.json")
    monkeypatch.setattr(listing, "_ours_alone", lambda: True)
    return tmp_path / "deep" / "listing.json"


def test_what_was_kept_is_shown(fresh: Path) -> None:
    listing._write(KEPT)
    assert listing.rows(None, None, None) == KEPT
    assert listing.rows(["toy.one.*"], None, None) == KEPT[:1]
    assert listing.rows(None, "toy", "rate") == KEPT[1:]


def test_the_first_run_keeps_every_entry(fresh: Path) -> None:
    found = listing.rows(["publicdata.lemma7.*"], None, None)
    assert [row[1] for row in found] == [c.id for c in all_claims() if c.id.startswith("publicdata.lemma7.")]
    kept = json.loads(fresh.read_text(encoding="utf-8"))["entries"]
    assert [row[1] for row in kept] == [claim.id for claim in all_claims()]


@pytest.mark.parametrize("spoil", ["edited", "damaged", "another package"])
def test_nothing_stale_is_shown(spoil: str, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing._write(KEPT)
    if spoil == "edited":
        monkeypatch.setattr(listing.sources, "state", lambda path: (0, 0, 0))
    elif spoil == "damaged":
        fresh.write_text(fresh.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    else:
        monkeypatch.setattr(listing, "_ours_alone", lambda: False)
    assert {row[0] for row in listing.rows(None, None, None)} == {"glm", "heavytail", "publicdata"}


def test_a_wrong_request_is_refused_as_ever(fresh: Path) -> None:
    listing._write(KEPT)
    with pytest.raises(ValueError, match="claims must be ids or globs"):
        listing.rows(["toy.three"], None, None)
    with pytest.raises(ValueError, match="kind must be one of"):
        listing.rows(None, None, "lemma")
