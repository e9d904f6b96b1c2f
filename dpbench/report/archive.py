"""An archive of a ledger, ready for a DOI: evidence, certificates, versions, a page, citations, checksums."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dpbench.certificates import make
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import plain
from dpbench.ledger.paper import Paper
from dpbench.report.latex import TITLE, bibtex, latex
from dpbench.report.page import page
from dpbench.report.stored import Shown
from dpbench.runs.environment import machine, versions

SCHEMA = 1
SUMS = "SHA256SUMS"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say: equal contents give equal bytes
_README = """{title}

{count} claims of {papers}.

ledger.json          every claim: statement, source, expected verdict, verdict, and whether the code is the present one
evidence/ID.json     what was measured, with versions and machine
certificates/        numbers that the checker verifies alone: python -m dpbench_check certificates/*.json
report.html          the same as a page; ledger.tex as a LaTeX table with a macro for each claim
references.bib       the papers, and this software
{sums}           of every file: sha256sum -c {sums}
"""


def contents(claims: Sequence[Claim], results: Mapping[str, Shown], papers: Sequence[Paper]) -> dict[str, bytes]:
    """The files of the archive, by name, the checksums last.

    Parameters
    ----------
    claims : sequence of Claim
    results : mapping of str to Shown
        Their verdicts; a claim without one is named in ``ledger.json`` as not run.
    papers : sequence of Paper
        Those that the claims are of.
    """
    texts: dict[str, str] = {}
    shown = {claim.id: results[claim.id] for claim in claims if claim.id in results}
    texts["ledger.json"] = _json(
        {
            "schema": SCHEMA,
            "claims": [_entry(claim, shown[claim.id]) for claim in claims if claim.id in shown],
            "not_run": [claim.id for claim in claims if claim.id not in shown],
            "papers": [_paper(paper) for paper in papers],
            "versions": versions(),
            "machine": machine(),
        }
    )
    texts |= {f"evidence/{name}.json": _json(plain(asdict(one))) for name, one in shown.items()}
    texts |= {f"certificates/{name}": _json(one) for name, one in make(shown).items()}
    texts["report.html"] = page(claims, results)
    texts["ledger.tex"] = latex(claims, results)
    texts["references.bib"] = bibtex(papers)
    names = ", ".join(paper.title or paper.name for paper in papers)
    texts["README.txt"] = _README.format(title=TITLE, count=len(claims), papers=names, sums=SUMS)
    files = {name: text.encode() for name, text in texts.items()}
    files[SUMS] = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()).encode()
    return files


def write(place: Path, files: Mapping[str, bytes]) -> None:
    """Write the archive, whole or not at all."""
    part = place.with_name(f".{place.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, _DATE)
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, data)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _entry(claim: Claim, one: Shown) -> dict[str, Any]:
    said = ("id", "paper", "source", "kind", "statement", "derivation", "expected", "quote", "weight", "consequence")
    fields = {name: getattr(claim, name) for name in (*said, "holds", "rests_on")}
    return plain(fields | {"verdict": one.verdict, "level": one.level, "seed": one.seed, "stale": one.stale})


def _paper(paper: Paper) -> dict[str, Any]:
    fields = "name", "title", "authors", "year", "url", "version"
    return plain({name: getattr(paper, name) for name in fields})


def _json(document: Any) -> str:
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
