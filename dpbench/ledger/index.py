"""``index.json``: each row of this package's papers as it is declared and found, for commands that only read.

To import every theorem takes seconds, to read one file does not. The file is written with the committed evidence,
beside it. It is of the sources and the evidence whose digest it has; where these are others, they are read themselves.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from dpbench.core import sources
from dpbench.ledger.evidence import folder

SCHEMA = 2


def file() -> Path:
    """Where the index is."""
    return folder().parent / "index.json"


def digest() -> str:
    """Of all that the index can be of: our sources, and the committed evidence."""
    found = hashlib.sha256(sources.everything().encode())
    for place in (folder(), folder().parent / "certificates"):
        for path in sorted(place.glob("*.json")):
            found.update(f"{path.name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def papers() -> list[dict[str, Any]]:
    """What is said of each paper and of its ``rows``; nothing where the index is not of what is here."""
    try:
        made = json.loads(file().read_text(encoding="utf-8"))
        return list(made["papers"]) if made["schema"] == SCHEMA and made["of"] == digest() else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def write() -> None:
    """Write the index of the claims and the evidence that are here."""
    file().write_text(text(), encoding="utf-8")


def text() -> str:
    """The index, a line a row, so that a change can be read."""
    from dpbench.ledger import indexed

    listed = []
    for paper in indexed.said():
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in paper.pop("rows"))
        listed.append(f'{json.dumps(paper, ensure_ascii=False)[:-1]}, "rows": [\n{rows}\n]}}')
    head = json.dumps({"schema": SCHEMA, "of": digest()})[:-1]
    return f'{head}, "papers": [\n' + ",\n".join(listed) + "\n]}\n"
