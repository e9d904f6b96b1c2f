"""`dpbench report`: one page, from stored evidence alone, that needs no network."""

from __future__ import annotations

import base64
import functools
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from stored_report import Elements, document, whole_page

from dpbench.cli.app import run
from dpbench.core.validation import InvalidInput
from dpbench.ledger.verify import all_claims
from dpbench.report import figures
from dpbench.report.page import page
from dpbench.report.stored import best, known, of_document


@pytest.fixture(scope="module")
def html():
    return whole_page()


@functools.cache
def elements_of(html):
    return Elements(html)


@pytest.mark.slow
def test_every_claim_has_its_row_and_its_evidence(html):
    elements = elements_of(html)
    ids = [a["id"] for a in elements.all("article")]
    assert ids == [claim.id for claim in all_claims()]
    assert len([a for a in elements.all("tr") if "data-kind" in a]) == len(ids)
    inner = {a["href"] for a in elements.all("a") if "=" not in (a["href"] or "")}  # with one it is a filter
    assert {f"#{i}" for i in ids} <= inner
    named = {f"#{a['id']}" for _, a in elements.found if "id" in a}
    assert inner <= named  # no link leads nowhere
    assert f"{document()['versions']['numba']}" in html


@pytest.mark.slow
def test_refuted_claims_come_first_each_beside_what_holds(html):
    first = html.index('<section aria-labelledby="wrong">')
    assert first < html.index('<table id="ledger">')
    part = html[first : html.index('<table id="ledger">')]
    found = of_document(document())
    for claim in all_claims():
        shown = found.get(claim.id)
        if shown and shown.verdict in ("refuted", "inconsistent"):
            pair = part[part.index(f'<h3><a href="#{claim.id}">') :]
            pair = pair[: pair.index('<div class="pair"')] if '<div class="pair"' in pair else pair
            assert not claim.holds or f'href="#{claim.holds}"' in pair


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("report --store nowhere.sqlite", "--store must be an existing file"),
        ("report --ledger nowhere.json", "--ledger must be a file of `dpbench verify --json` (No such file"),
        ("report --ledger broken.json", "--ledger must be a file of `dpbench verify --json` (Expecting"),
        ("report --ledger other.json", "must be a document of `dpbench verify --json`"),
        ("report --ledger newer.json", "must be a document of schema 3, got 4"),
        ("report --ledger empty.json", "--ledger must be of a run of these claims"),
        ("report --ledger empty.json --store a.sqlite", "--ledger must not be given with --store"),
        ("report --ledger empty.json --out folder", "--out must be a file that can be written"),
        ("report nonsense --ledger empty.json", "claims must be ids or globs"),
    ],
)
def test_bad_use(line, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    Path("broken.json").write_text('{"schema"')
    Path("other.json").write_text("[1, 2]")
    Path("newer.json").write_text('{"schema": 4}')
    Path("empty.json").write_text(json.dumps({**document(), "claims": []}))
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert not Path("report.html").exists()


def test_an_image_says_each_of_its_curves():
    (claim,) = (claim for claim in all_claims() if claim.id == "glm.thm5.privacy")
    found = best(known(None, ids=[claim.id]), [claim.id], with_code=False)
    (image,) = Elements(page([claim], found)).all("img")
    assert base64.b64decode((image["src"] or "").partition("base64,")[2]).startswith(b"<?xml")
    (axes,) = figures.declared([claim])[0].draw(found[claim.id].evidence).axes
    said = [axes.get_title(loc="left"), axes.get_xlabel(), *axes.get_legend_handles_labels()[1]]
    assert len(said) == 5 and all(words.replace("$", "") in (image["alt"] or "") for words in said)


def test_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("ledger.json").write_text(json.dumps(document()))
    line = ["report", "glm.thm5.*", "--ledger", "ledger.json"]
    assert run([*line, "--citation", "refs.bib"]) == 0 and sorted(os.listdir()) == ["ledger.json", "refs.bib"]
    assert run(line) == 0
    assert "report.html" in capsys.readouterr().out
    assert "glm.thm5.privacy" in Path("report.html").read_text(encoding="utf-8")


def test_a_verdict_is_stale_where_its_code_is_another():
    """Of all and of those that are asked for."""
    claims = {claim.id: claim for claim in all_claims() if not claim.rests_on}
    one = next(one for one in known(None) if one.claim in claims)
    claim = claims[one.claim]
    for code, ids in itertools.product((claim.digest, "another"), (None, [claim.id])):
        (shown,) = best([replace(one, code=code)], ids).values()
        assert shown.stale == (code == "another")


def test_a_document_is_checked_and_held_to_the_present_code():
    claims = {claim.id: claim for claim in all_claims() if not claim.rests_on}
    item = next(item for item in document()["claims"] if item["id"] in claims)
    for code in (claims[item["id"]].digest, "another"):
        changed = {**item, "evidence": {**item["evidence"], "digest": code}}
        (shown,) = of_document({**document(), "claims": [changed]}).values()
        assert shown.stale == (code == "another")
    with pytest.raises(InvalidInput, match="verdict"):
        of_document({**document(), "claims": [{**item, "verdict": "perhaps"}]})


def test_the_evidence_of_an_entry_is_read_with_that_of_its_premises():
    """Without them a verdict that rests on a fallen one would be shown; all evidence gives the same."""
    resting = [claim for claim in all_claims() if claim.rests_on]
    assert len(resting) >= 5
    everything = best(known(None), with_code=False)
    for claim in resting:
        mine = known(None, ids=[claim.id])
        assert {one.claim for one in mine} >= {claim.id, *claim.rests_on}
        assert best(mine, [claim.id], with_code=False)[claim.id] == everything[claim.id]
