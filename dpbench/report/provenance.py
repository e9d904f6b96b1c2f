"""What a figure was made from: in its metadata, and beside it as a LaTeX caption and as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpbench.report.latex import escaped

FEW = 3
"""Entries that a caption names."""
_OF_THE_RUN = ("made_with", "commit", "seconds")


def digest(evidence: Mapping[str, Any]) -> str:
    """SHA-256 of what was measured; the machine, the commit and the seconds are left out."""
    kept = {name: value for name, value in evidence.items() if name not in _OF_THE_RUN}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()


def about(name: str, found: Mapping[str, Any]) -> dict[str, str]:
    """The figure's name, its entries, the digest of their evidence, their commits and seeds, and the command.

    Parameters
    ----------
    name : str
    found : mapping
        From the id of each of its entries to something with `evidence`, `seed` and `verdict`.
    """
    digests = [digest(one.evidence) for one in found.values()]
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    commits = dict.fromkeys(str(one.evidence.get("commit", "")) for one in found.values())
    return {
        "figure": name,
        "entries": " ".join(found),
        "evidence": whole,
        "commit": " ".join(commit for commit in commits if commit) or "of a store of runs",
        "seed": " ".join(map(str, dict.fromkeys(one.seed for one in found.values()))),
        "command": f"dpbench figures {name}",
    }


def caption(said: str, made_from: Mapping[str, str], verdicts: Mapping[str, str]) -> str:
    """A ``\\caption`` to ``\\input``: what is drawn, the verdicts where they are few, and what it was drawn from."""
    ids = made_from["entries"].split()
    which = [rf"\texttt{{{escaped(name)}}} ({escaped(verdicts[name])})" for name in ids]
    of = ", ".join(which) if len(ids) <= FEW else f"{len(ids)} entries"
    commit = made_from["commit"].split()[0][:12] if len(made_from["commit"].split()) == 1 else "several commits"
    line = (
        f"{escaped(said.strip())} Evidence of {of}: sha256 \\texttt{{{made_from['evidence'][:12]}}}, "
        f"seed {made_from['seed']}, {commit if commit.startswith('several') else 'commit ' + commit}."
    )
    comment = "\n".join(f"% {name}: {value}" for name, value in made_from.items())
    return f"{comment}\n\\caption{{{line}}}%\n"


def write(beside: Path, said: str, made_from: Mapping[str, str], found: Mapping[str, Any]) -> None:
    """The caption and the JSON beside a figure whose path without its ending is `beside`."""
    verdicts = {name: one.verdict for name, one in found.items()}
    document = {"schema": 1, **made_from, "entries": verdicts}
    beside.with_suffix(".tex").write_text(caption(said, made_from, verdicts), encoding="utf-8")
    beside.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
