"""Kinds of certificates: what each decides, and the verdict words that it can carry. Data alone; nothing is imported.

A word that a kind cannot decide is refused by the checker: no "proved" or "refuted" out of samples, no "refuted" out of
a growth that is seen on a finite range.
"""

from __future__ import annotations

DECIDES = {
    "pair-discrete": "two finite laws and an event: P(E) - e^ε Q(E) is above δ",
    "pair-shift": "two Gaussian or Laplace laws a shift apart: their δ(ε) is above δ",
    "guarantee": "sensitivity and noise: δ(ε), or the log-ratio, is within the claim at each instance listed",
    "inequality": "both sides at the values listed: the opposite of what is claimed",
    "region": "an inequality on a region, infinite ends allowed: intervals with slopes on the cells of a tree",
    "growth": "a quantity that exceeds c t^a log(t)^b for all t from some t on: no constant bounds it",
}
"""Kind to what its check decides."""

WORDS = {
    "pair-discrete": ("refuted",),
    "pair-shift": ("refuted",),
    "guarantee": ("proved",),
    "inequality": ("refuted",),
    "region": ("proved",),
    "growth": ("refuted",),
}
"""Kind to the verdict words that it decides."""

RECORDED = {
    "sample": "counts of an event on two data sets, and the lower bound on ε that they give",
    "sample-mean": "counts, or sums in a range, and the one-sided bound that they give, beside what is claimed",
    "rate": "means with standard errors: the interval of their log-log slope, beside the slope claimed",
}
"""Kinds of records of samples and fits: they decide nothing, and are no certificates."""
