"""Certificates of the heavy-tailed paper that follow from no statement of its entries, and why others have none."""

from __future__ import annotations

SAMPLES: dict[str, str] = {
    "heavytail.thm1.inequality.value": "a ratio of a mean to its limit, whose interval is that of a slope",
    "heavytail.thm2.inequality.value": "a ratio of a mean to its limit, whose interval is that of a slope",
}
"""Of sampled entries without a record of counts or sums, where the default reason is not all."""

FREQUENCIES: dict[str, tuple[str, float | str, int]] = {
    "heavytail.lemma4.inequality": ("frequency", 0.05, 1),
    "heavytail.lemma5.inequality": ("frequency", 0.05, 1),
    "heavytail.lemma6.inequality": ("frequency", 0.1, 1),
    "heavytail.lemma7.inequality": ("frequency", 0.05, 3),
    "heavytail.lemma8.inequality": ("frequency", 0.05, 3),
    "heavytail.lemma9.inequality": ("frequency", 0.05, 3),
    "heavytail.lemma10.inequality": ("frequency", 0.05, 3),
}
"""Entry to the column of its frequencies, what is allowed (or its column), and the sets of runs in `trials`."""
