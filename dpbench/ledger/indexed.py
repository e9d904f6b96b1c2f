"""Claims as the index has them (`dpbench.ledger.index`): they say all that is declared, and cannot be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from dpbench.ledger import index
from dpbench.ledger.core import Claim
from dpbench.ledger.correction import Correction
from dpbench.ledger.declaration import Declaration
from dpbench.ledger.evidence import committed
from dpbench.ledger.grades import basis
from dpbench.ledger.measurement import Context
from dpbench.ledger.paper import Paper

_LEFT_OUT = {"run", "space", "formal", "figure", "nuisances", "frequencies", "errata"}
SAID = [part.name for part in fields(Declaration) if part.name not in _LEFT_OUT]
_PAPER = ("name", "title", "authors", "year", "url", "version", "witness", "package")


@dataclass(frozen=True)
class Indexed(Claim):
    """A row of the index.

    Attributes
    ----------
    key, over : str
        Digest and `over_region` of the claim.
    found : dict or None
        Its committed evidence without tables, with the ``grade``.
    """

    key: str = ""
    over: str = ""
    found: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def digest(self) -> str:
        return self.key

    @property
    def over_region(self) -> str:
        return self.over


def unreadable(context: Context) -> None:
    """What an `Indexed` row has for a measurement."""
    raise RuntimeError("a row of the index cannot be measured")


def said() -> Iterator[dict[str, Any]]:
    """What the index holds of each of our papers."""
    from dpbench.ledger.registry import own_papers

    found = committed()
    for paper in own_papers():
        rows = [_said(claim, found.get(claim.id)) for claim in paper.claims]
        yield {name: getattr(paper, name) for name in _PAPER} | {"rows": rows}


def _said(claim: Claim, found: Mapping[str, Any] | None) -> dict[str, Any]:
    if found is not None:
        grade = basis(claim, found["verdict"], found["evidence"]).grade
        brief = {"evidence": {**found["evidence"], "tables": {}}, "code": {"key": found["code"]["key"]}}
        found = {**found, **brief, "grade": grade}
    errata = None if claim.errata is None else asdict(claim.errata)
    declared = {name: getattr(claim, name) for name in SAID}
    return declared | {"errata": errata, "key": claim.digest, "over": claim.over_region, "found": found}


def papers() -> tuple[Paper, ...]:
    """The papers of the index; none where it is not of what is here."""
    made = []
    for one in index.papers():
        given = {name: one[name] for name in _PAPER} | {"authors": tuple(one["authors"])}
        made.append(Paper(**given, known=tuple(map(_claim, one["rows"]))))
    return tuple(made)


def _claim(row: Mapping[str, Any]) -> Indexed:
    given: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    if given["errata"] is not None:
        given["errata"] = Correction(**given["errata"])
    return Indexed(**given, run=unreadable)
