"""The page of one entry: what it has, where its links lead, what is marked between printed and corrected."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from dpbench.ledger.registry import all_claims
from dpbench.report import claim_pages, stored
from dpbench.report.mathematics import typeset

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return claim_pages.texts(stored.best(stored.known(None, ROOT / "evidence" / "ledger")))


def bare(text: object) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", str(text)))


def test_every_entry_has_a_page_and_every_link_a_target(made: dict[str, str]) -> None:
    claims = {claim.id: claim for claim in all_claims() if not claim.outside}
    assert set(made) == set(claims)
    for name, text in made.items():
        assert set(re.findall(r'href="([\w.-]+)\.html"', text)) <= set(claims), name
        assert all((ROOT / file).exists() for file in re.findall(r"evidence/certificates/[\w.-]+\.json", text)), name
        assert all((ROOT / "figures" / f"{one}.png").exists() for one in re.findall(r"figures/(\w+)\.png", text)), name
        assert f"dpbench verify {name}" in text and "{level}" not in text


def test_a_finding_has_printed_beside_corrected_words_weight_and_what_to_run(made: dict[str, str]) -> None:
    text = made["glm.thm5.privacy.printed"]
    for part in ("**Refuted** (derivation", "The rate is right, a constant is not.", "<blockquote", "<math", "<mark>",
                 "As printed", "glm.thm5.privacy.exact.html", "**What it means.**", "**In a copy.**", "delta_thm5.png",
                 "dpbench_check.py evidence/certificates/glm.thm5.privacy.printed.pair-shift.json"):  # fmt: skip
        assert part in text, part
    assert "**What it corrects.**" in made["glm.thm5.privacy.exact"]


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        ("sigma >= 4*B", "sigma >= 8*B", (["4"], ["8"])),
        ("x <= y + z", "x <= y", ([" + z"], [])),
        ("a b", "a b", ([], [])),
    ],
)
def test_words_that_differ_are_marked(a: str, b: str, apart: tuple[list[str], list[str]]) -> None:
    sides = claim_pages.marked(a, b)
    for side, text, words in zip(sides, (a, b), apart, strict=True):
        assert bare(side) == bare(typeset(text))
        assert [bare(word) for word in re.findall(r"<mark>(.*?)</mark>", str(side))] == words


def test_texts_with_little_in_common_are_not_marked_and_nothing_is_markup() -> None:
    sides = claim_pages.marked("<script>alert(1)</script> of one", "all else that could be said here")
    assert "<mark>" not in sides[0] + sides[1] and "<script>" not in sides[0]
    assert "<script" not in claim_pages.marked("<script>x</script> a b", "<script>x</script> a c")[0]


def test_pages_of_entries_that_are_gone_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "glm.gone.md").write_text("old", encoding="utf-8")
    written = claim_pages.write(tmp_path, {})
    assert {path.stem for path in tmp_path.glob("*.md")} == {path.stem for path in written} and len(written) > 300
    assert "Not run." in written[0].read_text(encoding="utf-8")
