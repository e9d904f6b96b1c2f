"""Certificates of the public-data paper that follow from no statement of its entries, and why others have none."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "publicdata.thm7.inequality.sample-size.laplace": "tails of a sum of m Laplace variables, which the grammar "
    "does not have",
    "publicdata.thm2.privacy.one-call": "its shift is a least-squares norm found by enumeration",
    "publicdata.thm4.inequality.confidence": "the proof for every log(1/beta) is in the entry's module",
    "publicdata.thm4.privacy.gaussian-drawn": "given public points that are drawn: a product over 65,536 counts",
    "publicdata.lemma10.privacy": "the side condition (103) is not met by all its settings",
}
"""Of decided entries without a certificate."""

SAMPLES: dict[str, str] = {
    "publicdata.lemma7.stability": "decided exactly; beside it, the worst of many mean squares is kept alone",
    "publicdata.lemma7.stability.as-proved": "the worst of many sampled mean squares is kept alone",
    "publicdata.lemma7.stability.sharp": "the worst of many sampled mean squares is kept alone",
}
"""Of sampled entries without a record of counts or sums, where the default reason is not all."""
