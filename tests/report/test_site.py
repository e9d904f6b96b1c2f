"""The documentation's own pages: mathematics, gallery, commands; of a site that was built, what a browser shows."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from in_chromium import chromium, serious

from dpbench.cli import manual
from dpbench.ledger.verify import all_claims
from dpbench.report import claim_pages, mathematics, site
from dpbench.report.drawings import DRAWINGS, SUMMARIES

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "index.html", "results/index.html", "results/failures.html", "results/table1.html", "results/auditor.html",
    "results/claims/glm.thm5.privacy.printed.html", "made/glm.html", "made/commands.html", "guide/ci.html", "api.html",
)  # fmt: skip
WIDTHS = (1280, 390)


def test_quotations_become_mathml_and_what_cannot_is_shown_as_written() -> None:
    made = str(mathematics.quoted(r"noise $\sigma^2 = \frac{a}{b}$ for $x < y$"))
    assert made.count("<math") == 2 and "<mfrac>" in made and made.startswith("noise ") and "$" not in made
    assert str(mathematics.quoted("a < b")) == "a &lt; b"
    assert str(mathematics.quoted(r"\eqref{one}")) == r"<code>\eqref{one}</code>"
    assert "<code>" in str(mathematics.quoted(r"$\frac{$"))


def test_plain_mathematics_gets_its_signs_exponents_and_indices() -> None:
    made = str(mathematics.typeset("sigma^2 <= B_1^(2/3) -> `sigma^2` and epsilon"))
    assert made == "σ<sup>2</sup> ≤ B<sub>1</sub><sup>2/3</sup> → <code>sigma^2</code> and ε"
    assert "<b>" not in mathematics.typeset("a <b> c")
    assert mathematics.plain("delta >= 1 - beta") == "δ ≥ 1 − β"


def test_in_markdown_no_sign_of_the_text_is_markup() -> None:
    made = mathematics.in_markdown("|w|_2 <= 2*y_1 `a_b` [x](y) ~ $z$ \n second line")
    assert not set("|*_`[]~$\\\n") & set(made) and "<code>" in made and "second line" in made
    for name, sign in (("&#124;", "|"), ("&#42;", "*")):
        assert name in made and sign not in made


def test_the_gallery_has_every_figure_with_a_caption() -> None:
    made = site.gallery(ROOT / "figures", "there")
    images = re.findall(r"!\[.+?\]\(there/(\w+)\.png\)", made)
    drawn = [drawing.name for group in (DRAWINGS, SUMMARIES) for drawing in group]
    assert sorted(images) == sorted([*drawn, *site.beside(ROOT / "figures")])
    assert {path.stem for path in (ROOT / "figures").glob("*.png")} == set(images), "a figure that the gallery lacks"
    captions = [line for line in made.splitlines() if "*The entry:*" in line]
    assert len(captions) == len(drawn) and all(line.index("*The") > 20 for line in captions)
    assert not any("Columns" in line for line in captions)
    known = {claim.id for claim in all_claims()}
    assert set(re.findall(r"report\.html#([\w.-]+)", made)) <= known
    wide = re.findall(r'<div class="wide">\n\n!\[.+?\]\(there/(\w+)', made)
    assert "table1" in wide and "delta_thm1" not in wide


def test_renamed_entries_are_known_by_their_new_ids_and_their_old_pages_lead_there() -> None:
    known = {claim.id for claim in all_claims()}
    for old, new in claim_pages.renamed().items():
        assert old not in known and new in known
        assert f'content="0; url={new}.html"' in claim_pages.moved(new)


def test_the_help_of_every_command_is_there_in_80_columns() -> None:
    from dpbench.cli.app import homes

    made = manual.commands()
    assert set(re.findall(r"^## ([\w-]+)$", made, re.M)) == set(homes()) == set(manual.COMMANDS)
    helps = "".join(re.findall(r"```text\n(.*?)```", made, re.S))
    assert max(map(len, helps.splitlines())) <= 80 and helps.count("Usage: dpbench ") == len(manual.COMMANDS)


# The site as it was built, where DPBENCH_SITE names its folder (`.ci/run` does, after sphinx-build).


@pytest.fixture(scope="module")
def built() -> Path:
    if "DPBENCH_SITE" not in os.environ:
        pytest.skip("DPBENCH_SITE does not name the folder of a built site")
    return Path(os.environ["DPBENCH_SITE"])


class Links(HTMLParser):
    """Where a page leads, what it loads, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.places |= {str(named[key]) for key in ("id", "name") if named.get(key)}
        if tag == "a":
            self.leads.append(named.get("href") or "")
        elif tag in ("img", "script", "source"):
            self.loads.append(named.get("src") or "")
        elif tag == "link" and named.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(named.get("href") or "")


def lost(folder: Path) -> tuple[list[str], list[str]]:
    """Links within the site that lead nowhere, and what its pages load from elsewhere."""
    pages = {path.resolve(): Links(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    nowhere, outside = [], []
    for path, page in pages.items():
        outside += [f"{path.name}: {link}" for link in page.loads if urlsplit(link).scheme in ("http", "https")]
        for link in page.leads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not link:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if "=" in place:  # a filter of the report, no place
                continue
            if not target.exists() or (place and target in pages and place not in pages[target].places):
                nowhere.append(f"{path.name}: {link}")
    return nowhere, outside


def test_links_that_lead_nowhere_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">x</a><a href="b.html#gone">x</a><a href="c.html">x</a><a href="https://e.org">x</a>'
        '<script src="https://e.org/x.js"></script><img src="data:,">'
    )
    (tmp_path / "b.html").write_text('<p id="here"></p>')
    nowhere, outside = lost(tmp_path)
    assert nowhere == ["a.html: b.html#gone", "a.html: c.html"] and outside == ["a.html: https://e.org/x.js"]


@pytest.mark.process
def test_every_link_within_the_site_leads_somewhere_and_nothing_comes_from_outside(built: Path) -> None:
    for old in claim_pages.renamed():
        assert (built / "results" / "claims" / f"{old}.html").exists()
    assert lost(built) == ([], [])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


def _at(browser: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.mark.process
def test_pages_fit_and_axe_finds_no_serious_violation(built: Path, browser: Any) -> None:
    if "DPBENCH_AXE" not in os.environ:
        pytest.skip("DPBENCH_AXE does not name the file axe.min.js of axe-core")
    browser.set_script_timeout(300)
    for name in PAGES:
        for width in WIDTHS:
            _at(browser, width)
            browser.get((built / name).resolve().as_uri())
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width, (name, width)
            if width == WIDTHS[-1] or name == PAGES[0]:
                assert serious(browser) == [], (name, width)
    browser.execute_script("document.body.append(document.createElement('img'))")
    assert serious(browser) == ["image-alt"], "planted: an image that says nothing"


@pytest.fixture
def walk(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies.walk`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import walk

    return walk


def test_a_step_of_the_walk_that_comes_out_otherwise_ends_it(
    walk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    line = [sys.executable, "-c", "print('refuted'); raise SystemExit(1)"]
    assert walk._run(line, tmp_path, 1, "refuted") > 0.0
    for code, word in ((0, "refuted"), (1, "proved")):
        with pytest.raises(RuntimeError, match="exit 1"):
            walk._run(line, tmp_path, code, word)

    def steps(ends: Callable[[], None]) -> Callable[..., Iterator[tuple[str, float]]]:
        def inner(python: str, folder: Path) -> Iterator[tuple[str, float]]:
            yield "one", 2.0
            ends()

        return inner

    def fails() -> None:
        raise RuntimeError("it broke")

    monkeypatch.setattr(walk, "steps", steps(lambda: None))
    assert walk.main([]) == 0 and "    2.0 s  in all" in capsys.readouterr().out
    monkeypatch.setattr(walk, "steps", steps(fails))
    assert walk.main([]) == 1 and "it broke" in capsys.readouterr().err


@pytest.mark.evidence
def test_the_whole_walk(walk: Any) -> None:
    assert walk.main([]) == 0
