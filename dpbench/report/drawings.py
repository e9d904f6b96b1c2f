"""Every figure of the ledger: those of one entry, declared beside it, and those of many, which a paper's modules list.

A claim of another package that no module of its paper draws is drawn by its kind.
"""

from __future__ import annotations

from dpbench.ledger import registry
from dpbench.report import by_kind, figures

DRAWINGS: tuple[figures.Drawing, ...] = (*figures.declared(registry.own_claims()), *registry.drawings("DRAWINGS"))
SUMMARIES: tuple[figures.Summary, ...] = registry.drawings("SUMMARIES")


def of_one() -> tuple[figures.Drawing, ...]:
    """The figures of one entry each: ours, and those of other packages' papers."""
    theirs = list(registry.drawings("DRAWINGS", outside=True))
    for claim in registry.outside_claims():
        with registry.left_out(f"figure of {claim.id}"):
            theirs += figures.declared([claim])
    drawn = {drawing.claim for drawing in theirs}
    rest = (by_kind.drawing(c) for c in registry.outside_claims() if c.id not in drawn)
    return (*(DRAWINGS if registry.named() is None else ()), *theirs, *rest)


def of_many() -> tuple[figures.Summary, ...]:
    """The figures of many entries: ours, and those of other packages' papers."""
    return (*(SUMMARIES if registry.named() is None else ()), *registry.drawings("SUMMARIES", outside=True))
