"""Slips of formulas that other statements of the paper have right: Theorem 4's counts and rescaling, Algorithm 4."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Integer, Real, Space

BLOCKS = Space(
    "the blocks of the packing, any sizes",
    {
        "n": Integer("records", 1, 10**9),
        "p": Real("fraction", 1e-3, 1.0),
        "d": Integer("dimension", 1, 10**6),
        "active": Integer("d', the active coordinates", 1, 10**6),
        "b": Real("bias of the labels", 0.0, 1.0),
    },
    definitions={"features": "p*n/active"},
    conditions={"active": ("active <= d", "no more active coordinates than dimensions")},
)
_BLOCKS = ("Each feature of a block needs a label.",)


def _labels(blocks: str) -> str:
    """Labels of both signs for so many blocks."""
    return f"p*n/(2*{blocks})*(1 + b) + p*n/(2*{blocks})*(1 - b)"


SCALED = Space(
    "the rescaled squared loss at w = 0, any label",
    {
        "H": Real("smoothness", 1e-3, 1e3),
        "Y": Real("bound on the labels", 1e-3, 1e3),
        "b": Real("label over Y", -1.0, 1.0),
    },
    conditions={"some": ("b^2 > 0", "a label")},
)
_SCALED = ("The loss (H/2)(<w, x> - scale y)^2 at w = 0.",)

QUESTIONS: dict[str, Any] = {
    "glm.thm4.inequality.counts": inequality(
        BLOCKS, "features", _labels("d"), derivation=_BLOCKS,
        witness={"n": 1000, "p": 1, "d": 40, "active": 10, "b": Fraction(1, 2)},
    ),
    "glm.thm4.inequality.counts.corrected": inequality(
        BLOCKS, "features", _labels("active"), derivation=_BLOCKS
    ),
    "glm.thm4.inequality.rescaling": inequality(
        SCALED, "H/2*(scale*b*Y)^2", "Y^2", definitions={"scale": "2/sqrt(H)"}, derivation=_SCALED,
        witness=({"H": 4, "Y": 1, "b": 1}, {"H": 9, "Y": 1, "b": 1}),
    ),
    "glm.thm4.inequality.rescaling.corrected": inequality(
        SCALED, "H/2*(scale*b*Y)^2", "Y^2", definitions={"scale": "sqrt(2/H)"}, derivation=_SCALED
    ),
}  # fmt: skip
