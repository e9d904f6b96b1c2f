"""`dpbench report`: one page, from stored evidence alone, that needs no network; in Chromium its filters work."""

from __future__ import annotations

import base64
import functools
import importlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dpbench.cli.app import run
from dpbench.ledger.evidence import committed
from dpbench.ledger.verify import all_claims
from dpbench.report.page import page
from dpbench.report.stored import Shown, of_document

ROOT = Path(__file__).resolve().parent.parent


def document() -> dict[str, Any]:
    """The committed evidence as one document of ``dpbench verify --json``."""
    found = committed(ROOT / "evidence" / "ledger")
    return {
        "schema": 1,
        "level": "full",
        "seed": 0,
        "versions": next(iter(found.values()))["environment"],
        "claims": [
            {"id": i, "verdict": one["verdict"], "evidence": {**one["evidence"], "digest": one["code"]["key"]}}
            for i, one in found.items()
        ],
    }


DOCUMENT = document()
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def html() -> str:
    return page(all_claims(), of_document(DOCUMENT))


class Elements(HTMLParser):
    """Tags with their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@functools.cache
def elements_of(html: str) -> Elements:
    return Elements(html)


def test_nothing_comes_from_outside(html: str) -> None:
    elements = elements_of(html)
    links = [a.get(key) or "" for _, a in elements.found for key in ("src", "href", "action") if key in a]
    assert links and all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp", html)


def test_every_claim_has_its_row_and_its_evidence(html: str) -> None:
    elements = elements_of(html)
    ids = [a["id"] for a in elements.all("article")]
    assert ids == [claim.id for claim in all_claims()]
    assert len([a for a in elements.all("tr") if "data-kind" in a]) == len(ids)
    inner = {a["href"] for a in elements.all("a") if "=" not in (a["href"] or "")}  # with one it is a filter
    assert {f"#{i}" for i in ids} <= inner
    named = {f"#{a['id']}" for _, a in elements.found if "id" in a}
    assert inner <= named  # no link leads nowhere
    assert f"{DOCUMENT['versions']['numba']}" in html


def test_refuted_claims_come_first_each_beside_what_holds(html: str) -> None:
    first = html.index('<section aria-labelledby="wrong">')
    assert first < html.index('<table id="ledger">')
    part = html[first : html.index('<table id="ledger">')]
    found = of_document(DOCUMENT)
    for claim in all_claims():
        shown = found.get(claim.id)
        if shown and shown.verdict in ("refuted", "inconsistent"):
            pair = part[part.index(f'<h3><a href="#{claim.id}">') :]
            pair = pair[: pair.index('<div class="pair"')] if '<div class="pair"' in pair else pair
            assert not claim.holds or f'href="#{claim.holds}"' in pair


def test_images_say_what_they_show(html: str) -> None:
    images = elements_of(html).all("img")
    assert len(images) > 5
    assert all(len(image["alt"] or "") > 30 and "against" in (image["alt"] or "") for image in images)


def test_headings_do_not_skip_a_level(html: str) -> None:
    levels = [int(tag[1]) for tag, _ in elements_of(html).found if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_what_an_unexpected_or_stale_verdict_looks_like() -> None:
    claim = all_claims()[0]
    found = dict(DOCUMENT["claims"][0]["evidence"], notes=["<script>alert(1)</script>"])
    shown = Shown(claim.id, "refuted", "quick", 3, found, True, "2026-01-01T00:00:00Z", {"machine": "<b>"})
    made = page([claim], {claim.id: shown})
    assert "1 with another verdict than the expected one" in made and f"expected {claim.expected}" in made
    assert "1 stale" in made and "seed 3" in made
    assert "<script>alert" not in made and "&lt;b&gt;" in made


def test_colours_have_contrast(html: str) -> None:
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


def _contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
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
        ("report --ledger newer.json", "must be a document of schema 1, got 2"),
        ("report --ledger empty.json", "--ledger must be of a run of these claims"),
        ("report --ledger empty.json --store a.sqlite", "--ledger must not stand beside --store"),
        ("report --ledger empty.json --out folder", "--out must be a file that can be written"),
        ("report nonsense --ledger empty.json", "claims must be ids or globs"),
    ],
)
def test_bad_use(line: str, words: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    Path("broken.json").write_text('{"schema"')
    Path("other.json").write_text("[1, 2]")
    Path("newer.json").write_text('{"schema": 2}')
    Path("empty.json").write_text(json.dumps({**DOCUMENT, "claims": []}))
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert not Path("report.html").exists()


def test_from_the_command_line(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ledger.json").write_text(json.dumps(DOCUMENT))
    assert run(["report", "glm.thm5.*", "--ledger", "ledger.json"]) == 0
    assert "report.html" in capsys.readouterr().out
    assert "glm.thm5.privacy.printed" in Path("report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (extra docs)")
    if not (CHROMIUM and DRIVER):
        pytest.skip("Chromium and its driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield opened
    opened.quit()


@pytest.fixture
def opened(browser: Any, html: str, tmp_path: Path) -> Any:
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    browser.get(path.as_uri())
    ready = "return document.readyState === 'complete' && [...document.images].every(i => i.complete)"
    _wait(browser).until(lambda b: b.execute_script(ready) and b.execute_script("return document.images.length"))
    return browser


def _wait(browser: Any) -> Any:
    return importlib.import_module("selenium.webdriver.support.ui").WebDriverWait(browser, 30)


def _visible(browser: Any, selector: str) -> list[str]:
    found = "[...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent)"
    return list(browser.execute_script(f"return {found}.map(e => e.id || e.dataset.text)", selector))


@pytest.mark.process
def test_filters_work_in_chromium(opened: Any) -> None:
    claims = all_claims()
    shown = of_document(DOCUMENT)
    assert len(_visible(opened, "article")) == len(claims)
    expected = list(claims)  # the filters add up: each leaves what it and all before it admit
    for field, value, fits in (
        ("kind", "privacy", lambda c: c.kind == "privacy"),
        ("paper", "glm", lambda c: c.paper == "glm"),
        ("verdict", "refuted", lambda c: c.id in shown and shown[c.id].verdict == "refuted"),
        ("text", "Thm5", lambda c: c.id == "glm.thm5.privacy.printed"),
    ):
        before = len(expected)
        opened.find_element("id", field).send_keys(value)
        expected = [claim for claim in expected if fits(claim)]
        assert 0 < len(expected) < before, field
        assert _visible(opened, "article") == [claim.id for claim in expected], field
        assert len(_visible(opened, "#ledger tbody tr")) == len(expected)
        assert opened.find_element("id", "count").text == f"{len(expected)} of {len(claims)} entries"
    opened.find_element("css selector", "button[type=reset]").click()
    _wait(opened).until(lambda b: len(_visible(b, "article")) == len(claims))  # the page acts after the form has


def test_counts_are_links_to_filters(html: str) -> None:
    links = {a["href"] for a in elements_of(html).all("a") if "=" in (a["href"] or "")}
    assert {"#verdict=not%20refuted", "#verdict=proved", "#weight=range", "#weight=misprint"} <= links


@pytest.mark.process
def test_filters_stand_in_the_address_and_counts_set_them(opened: Any) -> None:
    claims = all_claims()
    opened.find_element("css selector", 'a[href="#weight=range"]').click()
    ranged = [claim.id for claim in claims if claim.weight == "range"]
    _wait(opened).until(lambda b: _visible(b, "article") == ranged)
    assert 0 < len(ranged) < len(claims)
    opened.find_element("id", "paper").send_keys("glm")
    assert opened.execute_script("return location.hash") == "#paper=glm&weight=range"
    opened.refresh()  # the address alone brings the same entries
    expected = [name for name in ranged if name.startswith("glm.")]
    _wait(opened).until(lambda b: _visible(b, "article") == expected)
    opened.execute_script("location.hash = arguments[0]", claims[-1].id)  # a link to an entry that is filtered away
    _wait(opened).until(lambda b: len(_visible(b, "article")) == len(claims))
    assert opened.execute_script(
        "return document.getElementById(arguments[0]).querySelector('details').open", claims[-1].id
    )


@pytest.mark.process
def test_headings_of_the_ledger_sort_it(opened: Any) -> None:
    texts = "return [...document.querySelectorAll('#ledger tbody tr')].map(r => r.cells[arguments[0]].textContent)"
    numbers = (
        "return [...document.querySelectorAll('#ledger tbody td[data-value]')].map(c => parseFloat(c.dataset.value))"
    )
    claim, _, _, _, value = opened.find_elements("css selector", "#ledger .sort")
    before = opened.execute_script(texts, 0)
    opened.execute_script("arguments[0].click()", claim)
    assert opened.execute_script(texts, 0) == sorted(before) != before
    opened.execute_script("arguments[0].click()", claim)
    assert opened.execute_script(texts, 0) == sorted(before, reverse=True)
    opened.execute_script("arguments[0].click()", value)
    found = [one for one in opened.execute_script(numbers) if one is not None]
    assert found == sorted(found) and len(found) > 300


@pytest.mark.process
def test_print_is_a_summary_of_two_pages(opened: Any) -> None:
    def pages() -> int:
        data = base64.b64decode(opened.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
        return len(re.findall(rb"/Type\s*/Page\b", data))

    assert pages() == 2
    opened.execute_script("document.body.classList.add('whole')")
    assert pages() > 10


@pytest.mark.process
def test_axe_finds_no_serious_violation(browser: Any, tmp_path: Path) -> None:
    """On the page of two theorems, which has every kind of element; CI installs axe-core in a Python package."""
    if "DPBENCH_AXE" not in os.environ:
        pytest.skip("DPBENCH_AXE does not name the file axe.min.js of axe-core")
    chosen = [claim for claim in all_claims() if claim.id.startswith(("glm.thm1.", "glm.thm5."))]
    assert {"refuted", "consistent"} <= {claim.expected for claim in chosen}
    path = tmp_path / "small.html"
    path.write_text(page(chosen, of_document(DOCUMENT)), encoding="utf-8")
    browser.get(path.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert serious(browser) == []
    browser.execute_script("document.querySelector('img').removeAttribute('alt')")  # planted
    assert serious(browser) == ["image-alt"]


def serious(browser: Any) -> list[str]:
    """The rules of axe that the page breaks, of those it calls serious or critical."""
    browser.execute_script(Path(os.environ["DPBENCH_AXE"]).read_text(encoding="utf-8"))
    return list(
        browser.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations"
            ".filter(v => ['serious', 'critical'].includes(v.impact)).map(v => v.id)))"
        )
    )


@pytest.mark.process
def test_images_load_and_the_console_is_silent(opened: Any) -> None:
    sizes = opened.execute_script("return [...document.images].map(i => i.complete && i.naturalWidth)")
    assert sizes and all(sizes)
    assert opened.get_log("browser") == []
    opened.execute_script("console.error('planted')")
    assert len(opened.get_log("browser")) == 1


@pytest.mark.process
def test_nothing_is_wider_than_a_phone(opened: Any) -> None:
    phone = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        width = "return document.documentElement.scrollWidth"
        assert opened.execute_script(width) <= 360
        opened.execute_script("document.querySelector('h1').style.whiteSpace = 'nowrap'")
        opened.execute_script("document.querySelector('h1').textContent += ' planted'.repeat(20)")
        assert opened.execute_script(width) > 360
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
