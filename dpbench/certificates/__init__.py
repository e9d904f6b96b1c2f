"""Certificates of exact verdicts: written here, verified by `checker/dpbench_check.py` without anything of ours.

A certificate decides something exactly (`kinds`); what was sampled or fitted is a record (`records`), which decides
nothing. Most certificates follow from a `Statement` or from the witness of a searched space; the others are written
beside the declaration of their entry, one function with the decorator `build.certificate` each.
`write(folder)` writes one JSON file for each certificate; ``python -m dpbench.certificates FOLDER`` does the same.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

from dpbench.certificates.build import MAKERS, Maker, sealed
from dpbench.ledger import registry


def makers() -> list[Maker]:
    """All makers, in order of id and kind: those of the papers' own modules, and what follows from a statement."""
    modules = registry.certifying()
    made = [maker for group in MAKERS.values() for maker in group if maker.draft.__module__ in modules]
    return sorted((*made, *_witnessed(), *_stated()), key=lambda m: (m.id, m.kind))


def _witnessed() -> list[Maker]:
    """Of entries whose space has a witness."""
    from dpbench.certificates.search.known import questions

    asked = [(name, one) for name, one in questions().items() if getattr(one, "witness", ())]
    return [Maker(name, one.kind, one.witnessed) for name, one in asked]


def _stated() -> list[Maker]:
    """Of entries whose statement is formulas with witnesses, or with a proof over their region.

    An order's witness is a path, which its question shows (`_witnessed`).
    """
    from dpbench.certificates.evidence import claims
    from dpbench.certificates.judge_pieces import shown
    from dpbench.certificates.proofs import proof

    stated = [(c.id, c.formal) for c in claims().values() if c.formal is not None]
    points = [(name, f) for name, f in stated if f.witness is not None and not f.claim.of.path]
    made = [Maker(n, shown(f)[0], lambda f=f: shown(f)[1]) for n, f in points]  # type: ignore[misc]
    return made + [Maker(n, "region", partial(proof, f)) for n, f in stated if f.cells]


def make() -> dict[str, dict[str, Any]]:
    """All certificates, by file name ("ID.KIND.json")."""
    return {f"{m.id}.{m.kind}.json": sealed(m) for m in makers()}


def write(folder: str | Path, claims: Collection[str] | None = None) -> list[Path]:
    """Write certificates into `folder`, one file each.

    Parameters
    ----------
    folder : path
    claims : collection of str, optional
        Ids of entries. None: of every entry, and files of certificates that are no longer made are removed.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    made = {name: one for name, one in make().items() if claims is None or one["id"] in claims}
    for old in target.glob("*.json") if claims is None else ():
        if old.name not in made:
            old.unlink()
    paths = []
    for name, certificate in made.items():
        path = target / name
        path.write_text(json.dumps(certificate, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        paths.append(path)
    return paths
