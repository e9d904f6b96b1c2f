"""A whole certificate around a claim, and what the checker says of one."""

from __future__ import annotations

import json
from typing import Any

import dpbench_check

from dpbench.certificates.build import seal


def certificate(kind: str, claim: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A whole certificate of the present schema, sealed; `values` and `shows` are of its one instance."""
    values, shows = parts.pop("values", {}), parts.pop("shows", {})
    made = {
        "schema": 3, "kind": kind, "id": "demo", "verdict": "refuted", "statement": "s", "inert": {}, "definitions": [],
        "quote": {"text": "q", "place": "p",
                  "sha256": "8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf"},
        "symbols": dict.fromkeys({**values, **parts.get("free", {})}, "s"), "assumptions": [], "claim": claim,
        "instances": [{"values": values, "shows": shows}],
        "derivation": [{"says": "by definition", "needs": []}],
    } | {name: part for name, part in parts.items() if name != "free"}  # fmt: skip
    return made | {"digest": seal(made)}


def report(certificate: dict[str, Any]) -> dict[str, Any]:
    """What the checker says of a certificate."""
    return dict(dpbench_check.report_on(json.dumps(certificate)))
