"""What papers say of certificates: in declarations, or in the module that their `Paper` names as ``certificates=``.

A declaration says `no_certificate`, `no_record` and `frequencies` (`dpbench.ledger.declaration.Declaration`). The
module that a paper names, or a package's ``__init__``, may have the same as tables by id of an entry: `REASONS`,
`SAMPLES` and `FREQUENCIES`; and a module of the package a function `attacks` of no arguments, id to
`dpbench.certificates.attack_counts.Attack`.
"""

from __future__ import annotations

from typing import Any

from dpbench.certificates.evidence import claims
from dpbench.ledger import registry

DECLARED = {"REASONS": "no_certificate", "SAMPLES": "no_record", "FREQUENCIES": "frequencies"}


def table(name: str, paper: str = "") -> dict[str, Any]:
    """What declarations say of all papers, or of one, and the tables of this name, as one."""
    ours = [claim for claim in claims().values() if paper in ("", claim.paper)]
    found: dict[str, Any] = {c.id: said for c in ours if (said := getattr(c, DECLARED[name]))}
    for module in registry.certificates(paper):
        found |= getattr(module, name, {})
    return found


def row(name: str, claim: str) -> Any:
    """What the table of an entry's paper says of it, or None."""
    return table(name, claim.partition(".")[0]).get(claim)


def attacks() -> dict[str, Any]:
    """Entry to its attack (`dpbench.certificates.attack_counts.Attack`)."""
    found: dict[str, Any] = {}
    for module in registry.certificates(modules=True):
        if callable(getattr(module, "attacks", None)):
            found |= module.attacks()
    return found
