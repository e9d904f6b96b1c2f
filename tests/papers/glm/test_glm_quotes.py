"""Rows of the GLM paper that hold: each has the paper's own words, or stands beside or corrects a row that has them."""

import pytest

from dpbench.papers.glm.theorems import paper

pytestmark = pytest.mark.meta


def test_rows_that_hold_have_the_papers_words():
    """A quotation in their entry, or they correct a row that has one."""
    quoted = {name for claim in paper.claims if claim.quote for name in (claim.holds, claim.entry)}
    failing = ("refuted", "inconsistent")
    assert not {c.id for c in paper.claims if not {c.id, c.entry} & quoted and c.expected not in failing}
