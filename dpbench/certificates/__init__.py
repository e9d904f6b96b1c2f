"""Certificates of exact verdicts: written here, verified by `checker/dpbench_check.py` without anything of ours.

A certificate decides something exactly (`shown.DECIDES`); what was sampled or fitted is a record (`tools.records`),
which decides nothing. They follow from the statements of their entry (`certified`).
`write(folder)` writes one JSON file for each certificate; ``python -m dpbench.certificates FOLDER`` does the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbench.ledger.words import FAILED

if TYPE_CHECKING:
    from dpbench.certificates.build import Draft, Maker
    from dpbench.ledger.statement import Statement


def makers() -> list[Maker]:
    """All makers, in order of id and kind: of statements with witnesses, or with a proof on their region."""
    from dpbench.certificates.build import Maker
    from dpbench.ledger.registry import by_id

    every = [
        Maker(claim.id, *certified(one, claim.expected))
        for claim in by_id().values()
        for one in claim.stated
        if one.cells or one.witness is not None
    ]
    return sorted(every, key=lambda maker: (maker.id, maker.kind))


def certified(statement: Statement, expected: str) -> tuple[str, Callable[[], Draft]]:
    """Kind and draft of the certificate of a statement whose verdict is expected."""
    from dpbench.certificates.judge_pieces import pieces
    from dpbench.certificates.proofs import guarantee, proof
    from dpbench.certificates.search.hunt import question

    if statement.cells:
        return "region", partial(proof, statement)
    if expected not in FAILED and not statement.claim.of.path:
        return "guarantee", partial(guarantee, statement)
    piece = pieces(statement)[0]  # of laws that are held both ways, the first against the second
    return piece.kind, question(statement, piece).witnessed


def make(of: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
    """The certificates of these entries, or of all, by file name ("ID.KIND.json")."""
    from dpbench.certificates.build import sealed

    return {f"{m.id}.{m.kind}.json": sealed(m) for m in makers() if of is None or m.id in of}


def write(folder: str | Path, of: Collection[str] | None = None) -> list[Path]:
    """Write certificates into `folder`, one file each.

    Parameters
    ----------
    folder : path
    of : collection of str, optional
        Ids of entries. None: of every entry, and files of certificates that are no longer made are removed.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    certificates = make(of)
    for old in target.glob("*.json") if of is None else ():
        if old.name not in certificates:
            old.unlink()
    paths = []
    for name, certificate in certificates.items():
        path = target / name
        path.write_text(json.dumps(certificate, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        paths.append(path)
    return paths
