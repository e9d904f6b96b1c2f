"""Which entries of the GLM paper rest on which: the proved guarantees on sensitivities, composition and each other.

The entries of `dpbench.papers.glm.theorems.premises` test what the guarantees use.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpbench.papers.glm.theorems import paper

GRADIENTS = "glm.sensitivity.inequality.gradients"
MINIMISERS = "glm.sensitivity.inequality.minimisers"
LOSSES = "glm.sensitivity.inequality.losses"
NOISY_MAX = "glm.noisy-max.inequality"
COMPOSITION = "glm.composition.inequality"


def _rests() -> Iterator[tuple[str, tuple[str, ...]]]:
    descent = (GRADIENTS, COMPOSITION)
    selected = (LOSSES, "glm.thm12.privacy.exact")
    yield "glm.thm1.privacy.exact", descent
    yield "glm.thm2.privacy.exact", descent
    yield "glm.thm10.privacy.exact", descent
    yield "glm.thm2.privacy.moderate", descent
    yield "glm.thm10.privacy.moderate", descent
    yield "glm.thm3.privacy.exact", (GRADIENTS, MINIMISERS)
    yield "glm.thm5.privacy.exact", (GRADIENTS, MINIMISERS)
    yield "glm.thm7.privacy.exact", (*selected, "glm.thm1.privacy.exact", "glm.thm5.privacy.exact")
    yield "glm.thm8.privacy.exact", (*selected, NOISY_MAX, "glm.thm5.privacy.exact")
    yield "glm.thm13.privacy.exact", (LOSSES, NOISY_MAX, "glm.thm1.privacy.exact", "glm.thm5.privacy.exact")
    yield "glm.thm14.privacy.exact", (LOSSES, NOISY_MAX, "glm.thm10.privacy.exact")
    yield "glm.alg4.privacy.printed", (*selected, "glm.lemma9.inequality.corrected", "glm.thm1.privacy.exact")


for _name, _premises in _rests():
    paper.finding(_name, rests_on=_premises)
