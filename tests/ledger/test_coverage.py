"""Every place of a paper has an entry, a reading or a reason, and every entry of the ledger stands at some place."""

import re

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.paper import Paper
from dpbench.report import coverage, errata

PAPERS = ("glm", "heavytail", "publicdata")
NUMBERED = {  # of the papers' texts, counted there: theorems, lemmas, corollaries, propositions, algorithms
    "glm": ("thm", 17, "lemma", 12, "cor", 5, "alg", 5),
    "heavytail": ("thm", 2, "lemma", 10, "cor", 0, "alg", 2),
    "publicdata": ("thm", 10, "lemma", 23, "cor", 1, "alg", 5),
}
SMALL = """
[[place]]
key = "a"
where = "Lemma 1"
kind = "statement"
what = "|x| <= 1"

[[place]]
key = "b"
where = "Section 2"
kind = "remark"
what = "a remark"

[entries]
"a" = ["one.*"]

[reading]

[untried]
"b" = "a definition"
"""


@pytest.fixture
def small(monkeypatch):
    """A made-up paper of two entries, and its list, which a test may edit."""
    paper, held = Paper("made", title="A made-up paper"), [SMALL]
    for name in ("one", "two"):
        paper.inequality(name, source="Lemma 1", statement="s", expected="not refuted", because="It is so.")(
            lambda run: [{"left": 1.0, "right": 2.0}]
        )
    monkeypatch.setattr(coverage, "text", lambda paper: held[0])
    return paper, held


@pytest.mark.parametrize("name", PAPERS)
def test_no_entry_is_left_out_and_no_place_is_without_a_word(name):
    paper = errata.paper_named(name)
    found = coverage.places(paper)
    assert coverage.left_out(paper) == ()
    known = {claim.id for claim in paper.claims}
    for place in found:
        assert set(place.entries) <= known and place.where and place.what
        assert bool(place.reason) != bool(place.entries or place.reading), place.key
        assert coverage.said(place)


@pytest.mark.parametrize("name", PAPERS)
def test_every_number_of_the_paper_has_a_place(name):
    """Theorems, lemmas, corollaries and algorithms are numbered without a gap, so that one that is missing is seen."""
    keys = [place.key for place in coverage.places(errata.paper_named(name))]
    counts = NUMBERED[name]
    for kind, last in zip(counts[::2], counts[1::2], strict=True):
        found = {int(number) for key in keys if (number := re.sub(rf"^{kind}(\d+).*$", r"\1", key)).isdigit()}
        assert found >= set(range(1, int(last) + 1)), (kind, sorted(set(range(1, int(last) + 1)) - found))


def test_a_missing_entry_one_left_out_and_a_place_without_a_word_are_caught(
    small,
):
    paper, held = small
    assert [place.entries for place in coverage.places(paper)] == [("made.one.inequality",), ()]
    assert coverage.left_out(paper) == ("made.two.inequality",)
    planted = {
        "that of an entry of made": SMALL.replace("one.*", "three.*"),
        "neither": SMALL.replace('"b" = "a definition"', ""),
        "both": SMALL.replace("[reading]", '[reading]\n"b" = "read"'),
        "a key of coverage.toml must be": SMALL.replace('"a" = [', '"c" = ['),
        "new at each place": SMALL.replace('key = "b"', 'key = "a"'),
        "kind must be": SMALL.replace('"remark"', '"theorem"'),
    }
    for message, text in planted.items():
        held[0] = text
        with pytest.raises(InvalidInput, match=message):
            coverage.places(paper)
    held[0] = SMALL.replace("one.*", "*.inequality")
    assert coverage.left_out(paper) == ()


def test_the_page_counts_what_it_lists(small):
    paper, held = small
    page = coverage.coverage(paper)
    assert "2 places" in page and "1 are tried by an entry" in page and "1 were not tried" in page
    assert r"| Lemma 1 | statement | \|x\| <= 1 | `made.one.inequality` |" in page
    assert "not tried: a definition" in page
    with pytest.raises(InvalidInput, match=r"paper must be one with a file coverage\.toml"):
        held[0] = None
        coverage.coverage(paper)
    held[0] = SMALL.replace("[reading]", '[reading]\n"a" = "a slip"')
    assert "`made.one.inequality`; by reading: a slip" in coverage.coverage(paper)
