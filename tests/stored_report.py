"""The page of `dpbench report` that is made of the committed evidence: what its tests share."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from dpbench.ledger.evidence import committed
from dpbench.ledger.outcome import SCHEMA
from dpbench.ledger.verify import all_claims
from dpbench.report.page import page
from dpbench.report.stored import of_document

ROOT = Path(__file__).resolve().parent.parent


@cache
def document() -> dict[str, Any]:
    """The committed evidence as one document of ``dpbench verify --json``."""
    found = committed(ROOT / "evidence" / "ledger")
    return {
        "schema": SCHEMA,
        "level": "full",
        "seed": 0,
        "versions": next(iter(found.values()))["environment"],
        "claims": [
            {"id": i, "verdict": one["verdict"], "evidence": {**one["evidence"], "digest": one["code"]["key"]}}
            for i, one in found.items()
        ],
    }


@cache
def whole_page() -> str:
    """The page of every entry."""
    return page(all_claims(), of_document(document()))


class Elements(HTMLParser):
    """Tags with their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]
