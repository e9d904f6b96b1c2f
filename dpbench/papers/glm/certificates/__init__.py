"""Certificates of the GLM paper that follow from no statement of its entries, and why others have none."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "glm.alg4.privacy.printed": "the whole is the base's guarantee, taken as a premise, and a choice that is nearly "
    "uniform",
    "glm.alg5.privacy.printed": "its pair's profile is an integral over m noises: a Laplace maximum, which the grammar "
    "does not have",
    "glm.cor2.inequality.step": "the excess is a closed form over hardest scales found by search",
    "glm.cor2.inequality.units": "the excess is a closed form over hardest scales found by search",
    "glm.lemma6.inequality.printed": "the excess is a closed form over hardest scales found by search",
    "glm.lemma8.inequality.steps": "the entry's module decides it along its sizes; none has been sealed yet",
    "glm.lemma11.inequality.direction": "the entry's module decides it for one law; none has been sealed yet",
    "glm.thm10.inequality.step": "the entry's module decides it along its sizes; none has been sealed yet",
    "glm.lemma7.inequality": "no constant is stated: sampled lower bounds need constants that grow",
    "glm.thm2.inequality.dimension": "the excess is a closed form over hardest scales found by search",
    "glm.thm2.inequality.step": "the excess is a closed form over scales found by search",
    "glm.thm2.privacy.moderate": "as for Theorem 10, with the gradients of each loss at radius 2B, which would be "
    "premises",
    "glm.thm2.privacy.printed": "its targets have k below log(2n/delta), outside the proof's conditions",
    "glm.thm8.privacy.exact": "a composition of compositions: its parts are those of Theorems 7 and 13",
}
"""Of decided entries without a certificate."""

SAMPLES: dict[str, str] = {
    "glm.lemma6.inequality": "of hundreds of sampled worlds the evidence keeps the smallest margin alone",
    "glm.lemma9.inequality": "decided exactly; what was sampled beside it is one maximum",
}
"""Of sampled entries without a record of counts or sums, where the default reason is not all."""

FREQUENCIES: dict[str, tuple[str, float | str, int]] = {
    "glm.thm13.inequality": ("failures", "allowed", 4),
    "glm.thm9.inequality.corrected": ("failures", "beta", 36),
}
"""Entry to the column of its frequencies, what is allowed (or its column), and the sets of runs in `trials`."""
