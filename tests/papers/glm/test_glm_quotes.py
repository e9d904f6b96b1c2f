"""Rows of the GLM paper that hold: each has the paper's own words, or stands beside or corrects a row that has them."""

from dataclasses import replace

import pytest

from dpbench.papers.glm.theorems import paper

pytestmark = pytest.mark.meta


def without_words(claims):
    """Rows expected to hold without a quotation in their entry, which correct no row that has one."""
    quoted = {name for claim in claims if claim.quote for name in (claim.holds, claim.entry)}
    failing = ("refuted", "inconsistent")
    return {c.id for c in claims if not {c.id, c.entry} & quoted and c.expected not in failing}


def test_rows_that_hold_have_the_papers_words():
    assert without_words(paper.claims) == set()


def test_a_row_that_lost_its_words_is_seen():
    stripped = tuple(replace(c, quote="") if c.id == "glm.lemma3.inequality" else c for c in paper.claims)
    assert without_words(stripped) == {"glm.lemma3.inequality"}
