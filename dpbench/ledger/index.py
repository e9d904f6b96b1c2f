"""``index.json``: each row of this package's papers as it is declared and found, for commands that only read.

To import every theorem takes seconds, to read one file does not. The file is written with the committed evidence,
beside it. It is of the sources and the evidence whose digest it has; where these are others, they are read themselves.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from dpbench.core import sources
from dpbench.ledger.core import Claim
from dpbench.ledger.correction import Correction
from dpbench.ledger.evidence import committed
from dpbench.ledger.grades import basis
from dpbench.ledger.measurement import Context
from dpbench.ledger.paper import Paper
from dpbench.ledger.places import folder

SCHEMA = 2
_LEFT_OUT = {"run", "formal", "formulas", "figure", "nuisances", "errata"}
_UNSAID = _LEFT_OUT - {"run", "errata"}
SAID = [part.name for part in fields(Claim) if part.name not in _LEFT_OUT]
_PAPER = ("name", "title", "authors", "year", "url", "version", "witness", "package")


@dataclass(frozen=True, eq=False)
class Indexed(Claim):
    """A row of the index: it says all that is declared, and cannot be run.

    Attributes
    ----------
    key, over, formulas_of : str
        Digest, `over_region` and `in_formulas` of the claim.
    found : dict or None
        Its committed evidence without tables, with the ``grade``.
    """

    key: str = ""
    over: str = ""
    formulas_of: str = ""
    found: Mapping[str, Any] | None = field(default=None, hash=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        """The row was checked where it was declared."""

    def __getattribute__(self, name: str) -> Any:
        if name in _UNSAID:
            raise AttributeError(f"{name} is not in the index: what a document says of every entry is of SAID")
        return super().__getattribute__(name)

    @property
    def digest(self) -> str:
        return self.key

    @property
    def over_region(self) -> str:
        return self.over

    @property
    def in_formulas(self) -> str:
        return self.formulas_of


def unreadable(context: Context) -> None:
    """What an `Indexed` row has for a measurement."""
    raise RuntimeError("a row of the index cannot be measured")


def file() -> Path:
    """Where the index is."""
    return folder().parent / "index.json"


def digest() -> str:
    """Of all that the index can be of: our sources, and the committed evidence."""
    sha = hashlib.sha256(sources.everything().encode())
    for place in (folder(), folder().parent / "certificates"):
        for path in sorted(place.glob("*.json")):
            sha.update(f"{path.name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return sha.hexdigest()


def papers() -> tuple[Paper, ...]:
    """The papers of the index with their claims; none where it is not of what is here."""
    try:
        index = json.loads(file().read_text(encoding="utf-8"))
        listed = index["papers"] if index["schema"] == SCHEMA and index["of"] == digest() else []
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return tuple(
        Paper(**paper | {"authors": tuple(paper["authors"]), "known": tuple(map(_claim, paper["known"]))})
        for paper in listed
    )


def _claim(row: Mapping[str, Any]) -> Indexed:
    given: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    if given["errata"] is not None:
        given["errata"] = Correction(**given["errata"])
    return Indexed(**given, run=unreadable)


def text(own: Iterable[Paper]) -> str:
    """The index of our papers and the evidence that is here, a line a row, so that a change can be read."""
    documents, listed = committed(), []
    for paper in own:
        said = json.dumps({name: getattr(paper, name) for name in _PAPER}, ensure_ascii=False)
        rows = (json.dumps(_said(claim, documents.get(claim.id)), ensure_ascii=False) for claim in paper.claims)
        listed.append(f'{said[:-1]}, "known": [\n' + ",\n".join(rows) + "\n]}")
    head = json.dumps({"schema": SCHEMA, "of": digest()})[:-1]
    return f'{head}, "papers": [\n' + ",\n".join(listed) + "\n]}\n"


def _said(claim: Claim, document: Mapping[str, Any] | None) -> dict[str, Any]:
    if document is not None:
        grade = basis(claim, document["verdict"], document["evidence"]).grade
        brief = {"evidence": {**document["evidence"], "tables": {}}, "code": {"key": document["code"]["key"]}}
        document = {**document, **brief, "grade": grade}
    errata = None if claim.errata is None else asdict(claim.errata)
    declared = {name: getattr(claim, name) for name in SAID}
    shown = {"key": claim.digest, "over": claim.over_region, "formulas_of": claim.in_formulas}
    return declared | {"errata": errata, **shown, "found": document}
