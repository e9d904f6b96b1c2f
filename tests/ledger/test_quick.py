"""Level quick on a few entries of each paper and kind; the whole ledger runs at level full in CI."""

import pytest

from dpbench.ledger.verify import verify

pytestmark = pytest.mark.meta

SOME = (
    "glm.lemma2.inequality",
    "glm.lemma5.stability",
    "glm.lemma1.floor",
    "glm.thm5.privacy",
    "glm.thm5.privacy.exact",
    "glm.thm5.rate",
    "heavytail.thm1.privacy.exact",
    "heavytail.lemma5.inequality.theta-below-2",
    "publicdata.alg2.privacy.mean",
    "publicdata.lemma7.stability",
)


def test_some_entries_reach_their_verdicts_at_level_quick():
    ledger = verify(SOME, level="quick", workers=1)
    other = [(e.claim.id, e.verdict, e.premises, e.evidence.notes) for e in ledger.entries if not e.as_expected]
    assert not other, other
    assert {entry.claim.id for entry in ledger.entries} >= set(SOME) and ledger.as_expected
    assert {entry.claim.kind for entry in ledger.entries} >= {"privacy", "rate", "floor", "inequality", "stability"}


def test_an_unknown_entry_is_refused():
    with pytest.raises(ValueError, match=r"claims must be ids or globs of the ledger"):
        verify([*SOME, "glm.thm5.privacy.prinetd"], level="quick")
