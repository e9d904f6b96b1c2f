"""`dpbench report`: one page, from stored evidence alone, that needs no network."""

from __future__ import annotations

import functools
import itertools
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from stored_report import Elements, document, whole_page

from dpbench.cli.app import run
from dpbench.core.validation import InvalidInput
from dpbench.ledger.verify import all_claims
from dpbench.report.page import page
from dpbench.report.stored import Shown, best, known, of_document


@pytest.fixture(scope="module")
def html():
    return whole_page()


@functools.cache
def elements_of(html):
    return Elements(html)


@pytest.mark.slow
def test_nothing_comes_from_outside(html):
    elements = elements_of(html)
    links = [a.get(key) or "" for _, a in elements.found for key in ("src", "href", "action") if key in a]
    assert links and all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp", html)


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


@pytest.mark.slow
def test_images_say_what_they_show(html):
    images = elements_of(html).all("img")
    assert len(images) > 5
    assert all(len(image["alt"] or "") > 30 and "against" in (image["alt"] or "") for image in images)


@pytest.mark.slow
def test_headings_do_not_skip_a_level(html):
    levels = [int(tag[1]) for tag, _ in elements_of(html).found if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_what_an_unexpected_or_stale_verdict_looks_like():
    claim = all_claims()[0]
    found = dict(document()["claims"][0]["evidence"], notes=["<script>alert(1)</script>"])
    shown = Shown(claim.id, "refuted", "quick", 3, found, True, "2026-01-01T00:00:00Z", {"machine": "<b>"})
    made = page([claim], {claim.id: shown})
    assert "1 with another verdict than the expected one" in made and f"expected {claim.expected}" in made
    assert "1 stale" in made and "seed 3" in made
    assert "<script>alert" not in made and "&lt;b&gt;" in made


@pytest.mark.slow
def test_colours_have_contrast(html):
    """WCAG 2.2 AA, 4.5 to 1, for each text colour on the ground it stands on, light and dark."""
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in re.findall(r":root \{(.*?)\}", html, re.S)
    )
    grounds = {"ink": ("paper", "tint"), "soft": ("paper",), "link": ("paper",), "bad": ("paper", "bad-tint"),
               "good": ("good-tint",), "open": ("open-tint",)}  # fmt: skip
    for theme in (light, dark):
        for ink, behind in grounds.items():
            for ground in behind:
                assert _contrast(theme[ink], theme[ground]) >= 4.5, (ink, ground)
    assert _contrast("#777777", "#ffffff") < 4.5  # the smallest grey that fails does


def _contrast(one, other):
    def luminance(colour):
        parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("report --store nowhere.sqlite", "--store must be an existing file"),
        ("report --ledger nowhere.json", "--ledger must be a file of `dpbench verify --json`"),
        ("report --ledger broken.json", "--ledger must be a file of `dpbench verify --json`"),
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


def test_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("ledger.json").write_text(json.dumps(document()))
    assert run(["report", "glm.thm5.*", "--ledger", "ledger.json"]) == 0
    assert "report.html" in capsys.readouterr().out
    assert "glm.thm5.privacy" in Path("report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_counts_are_links_to_filters(html):
    links = {a["href"] for a in elements_of(html).all("a") if "=" in (a["href"] or "")}
    assert {"#verdict=not%20refuted", "#verdict=proved", "#hurt=use", "#hurt=corner"} <= links


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
