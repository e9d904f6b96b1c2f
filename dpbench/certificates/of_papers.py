"""What papers bring to certificates, in the module or package that their `Paper` names as ``certificates=``.

Its modules register makers (`dpbench.certificates.build.certificate`); one may have a function `attacks` of no
arguments, of what is run once for its counts (`dpbench.certificates.attack_counts`). The module itself, or the
package's ``__init__``, may have tables by id of an entry:

- `REASONS`: why a decided entry has no certificate, and `SAMPLES`: why a sampled one has no record;
- `FREQUENCIES`: where older columns of evidence keep their counts (`dpbench.certificates.sampled`).
"""

from __future__ import annotations

from typing import Any

from dpbench.ledger import registry


def table(name: str, paper: str = "") -> dict[str, Any]:
    """The tables of this name of all papers, or of one, as one."""
    found: dict[str, Any] = {}
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
        if hasattr(module, "attacks"):
            found |= module.attacks()
    return found
