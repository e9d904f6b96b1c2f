"""What certificates take from the evidence: the one place that knows where it lies and how it is laid out."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from dpbench.ledger.core import Claim
from dpbench.ledger.evidence import committed, folder
from dpbench.ledger.registry import by_id


def claims() -> dict[str, Claim]:
    """The ledger's claims by id."""
    return by_id()


@lru_cache(maxsize=1)
def entries() -> dict[str, dict[str, Any]]:
    """Claim id to the committed evidence of it."""
    return committed()


def counts() -> dict[str, dict[str, Any]]:
    """Claim id to the counts of an attack (`attack_counts.py`), or nothing where there is no such file."""
    path = folder().parent / "attack_counts.json"
    return json.loads(path.read_text(encoding="utf-8"))["attacks"] if path.is_file() else {}
