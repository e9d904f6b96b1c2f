"""Whether what a study measured was measured with the code that is here: a digest of the packages that it rests on.

`stamped` puts the digest into what a study writes, and `fresh` compares: a page says so where it differs. Layout,
comments and docstrings are left out, so that only other code makes evidence stale.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
AUDITOR = ("dpbench/core", "dpbench/privacy", "dpbench/auditing")
HEAVY_TAILED = ("dpbench/core", "dpbench/privacy", "dpbench/papers/heavytail")
RESTS_ON: dict[str, tuple[str, ...]] = {
    "accountants.json": AUDITOR,
    "arrays.json": AUDITOR,
    "audit.json": AUDITOR,
    "bits.json": (*AUDITOR, "dpbench/papers"),
    "dpsgd.json": AUDITOR,
    "faults.json": ("dpbench/core", "dpbench/runs", "dpbench/ledger"),
    "heavytail_real.json": HEAVY_TAILED,
    "heavytail_speed.json": HEAVY_TAILED,
    "one_run.json": AUDITOR,
    "publicdata_risk.json": ("dpbench/core", "dpbench/privacy", "dpbench/papers/publicdata"),
    "search.json": ("checker", "lowerbounds", "dpbench/certificates", "dpbench/ledger", "dpbench/papers"),
    "second_zoo.json": AUDITOR,
}
"""By the file of its evidence: the folders that a study measures."""


@cache
def key(name: str) -> str:
    """The digest of what the evidence of this name rests on."""
    sha = hashlib.sha256()
    for path in sorted(path for folder in RESTS_ON[name] for path in (ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
                node.body = node.body[1:]
        sha.update(f"{path.relative_to(ROOT)} {ast.dump(tree)}\n".encode())
    return sha.hexdigest()[:16]


def stamped(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured now, with the digest."""
    return {**document, "code": key(name)}


def fresh(name: str, measured: Any) -> bool:
    """Whether a document, or each row of a part of one, was measured with the code that is here."""
    if isinstance(measured, Mapping) and "code" in measured:
        return bool(measured["code"] == key(name))
    rows: Iterable[Any] = measured.values() if isinstance(measured, Mapping) else ()
    current = [isinstance(row, Mapping) and row.get("code") == key(name) for row in rows]
    return bool(current) and all(current)
