"""The page of `dpbench report` in Chromium: filters, sorting, images, accessibility."""

import importlib
import os

import pytest
from in_chromium import chromium, serious
from stored_report import document, whole_page

from dpbench.ledger.verify import all_claims
from dpbench.ledger.words import FAILED
from dpbench.report.page import page
from dpbench.report.stored import of_document


@pytest.fixture(scope="module")
def html():
    return whole_page()


@pytest.fixture(scope="module")
def browser():
    yield from chromium()


@pytest.fixture
def opened(browser, html, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    browser.get(path.as_uri())
    ready = "return document.readyState === 'complete' && [...document.images].every(i => i.complete)"
    _wait(browser).until(lambda b: b.execute_script(ready) and b.execute_script("return document.images.length"))
    return browser


def _wait(browser):
    return importlib.import_module("selenium.webdriver.support.ui").WebDriverWait(browser, 30)


def _visible(browser, selector):
    found = "[...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent)"
    return list(browser.execute_script(f"return {found}.map(e => e.id || e.dataset.text)", selector))


@pytest.mark.process
def test_filters_work_in_chromium(opened):
    claims = all_claims()
    shown = of_document(document())
    assert len(_visible(opened, "article")) == len(claims)
    expected = list(claims)  # the filters add up: each leaves what it and all before it admit
    for field, value, fits in (
        ("kind", "privacy", lambda c: c.kind == "privacy"),
        ("paper", "glm", lambda c: c.paper == "glm"),
        ("verdict", "refuted", lambda c: c.id in shown and shown[c.id].verdict == "refuted"),
        ("text", "Thm5", lambda c: c.id == "glm.thm5.privacy"),
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


@pytest.mark.process
def test_filters_stand_in_the_address_and_counts_set_them(opened):
    claims = all_claims()
    opened.find_element("css selector", 'a[href="#hurt=corner"]').click()
    ranged = [claim.id for claim in claims if claim.hurt.startswith("corner") and claim.expected in FAILED]
    _wait(opened).until(lambda b: _visible(b, "article") == ranged)
    assert 0 < len(ranged) < len(claims)
    opened.find_element("id", "paper").send_keys("glm")
    assert opened.execute_script("return location.hash") == "#paper=glm&hurt=corner"
    opened.refresh()  # the address alone brings the same entries
    expected = [name for name in ranged if name.startswith("glm.")]
    _wait(opened).until(lambda b: _visible(b, "article") == expected)
    opened.execute_script("location.hash = arguments[0]", claims[-1].id)  # a link to an entry that is filtered away
    _wait(opened).until(lambda b: len(_visible(b, "article")) == len(claims))
    assert opened.execute_script(
        "return document.getElementById(arguments[0]).querySelector('details').open", claims[-1].id
    )


@pytest.mark.process
def test_headings_of_the_ledger_sort_it(opened):
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
def test_axe_finds_no_serious_violation(browser, tmp_path):
    """On the page of two theorems, which has every kind of element; CI installs axe-core in a Python package."""
    if "DPBENCH_AXE" not in os.environ:
        pytest.skip("DPBENCH_AXE does not name the file axe.min.js of axe-core")
    chosen = [claim for claim in all_claims() if claim.id.startswith(("glm.thm1.", "glm.thm5."))]
    assert {"refuted", "consistent"} <= {claim.expected for claim in chosen}
    path = tmp_path / "small.html"
    path.write_text(page(chosen, of_document(document())), encoding="utf-8")
    browser.get(path.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert serious(browser) == []
    browser.execute_script("document.querySelector('img').removeAttribute('alt')")  # planted
    assert serious(browser) == ["image-alt"]


@pytest.mark.process
def test_images_load_and_the_console_is_silent(opened):
    sizes = opened.execute_script("return [...document.images].map(i => i.complete && i.naturalWidth)")
    assert sizes and all(sizes)
    assert opened.get_log("browser") == []
    opened.execute_script("console.error('planted')")
    assert len(opened.get_log("browser")) == 1
