"""What a figure was made from: in its metadata, and beside it as a LaTeX caption and as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbench.ledger.registry import all_papers
from dpbench.report.signs import escaped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 3
"""Entries that a caption names."""
_OF_THE_RUN = ("made_with", "commit", "seconds", "machine", "versions")


def digest(evidence: Mapping[str, Any]) -> str:
    """SHA-256 of what was measured; the machine, the commit and the seconds of the whole run are left out."""
    kept = {name: value for name, value in evidence.items() if name not in _OF_THE_RUN}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()


def about(name: str, results: Mapping[str, Any], options: Sequence[str] = ()) -> dict[str, str]:
    """The figure's name, its entries, the digest of their evidence, their commits and seeds, and the command.

    Parameters
    ----------
    name : str
    results : mapping
        From the id of each of its entries to something with `evidence`, `seed` and `verdict`.
    options : sequence of str
        Of the command, with their values.
    """
    digests = [digest(one.evidence) for one in results.values()]
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    commits = dict.fromkeys(str(one.evidence.get("commit", "")) for one in results.values())
    return {
        "figure": name,
        "entries": " ".join(results),
        "evidence": whole,
        "commit": " ".join(commit for commit in commits if commit) or "of a store of runs",
        "seed": " ".join(map(str, dict.fromkeys(one.seed for one in results.values()))),
        "command": " ".join(["dpbench figures", name, *options]),
    }


def about_file(name: str, document: Mapping[str, Any], command: str) -> dict[str, str]:
    """The same of a figure whose numbers are in the JSON file of a command, not in entries.

    Parameters
    ----------
    name : str
    document : mapping
        What the command wrote; its `commit` and `seed` are given where it has them.
    command : str
        What draws the figure from the file.
    """
    return {
        "figure": name,
        "evidence": digest(document),
        "commit": str(document.get("commit") or "not recorded"),
        "seed": str(document.get("seed", "fixed by the program")),
        "command": command,
    }


def caption(said: str, made_from: Mapping[str, str], verdicts: Mapping[str, str]) -> str:
    """A ``\\caption`` with its ``\\label``, to ``\\input``: what is drawn, and the verdicts where they are few.

    The digest of what it was drawn from and the command stand in comments, all else in the JSON file beside.
    """
    ids = made_from.get("entries", "").split()
    titles = {paper.name: paper.title or paper.name for paper in all_papers()}
    which = ", ".join(rf"\texttt{{{escaped(name)}}}, {escaped(verdicts[name])}" for name in ids)
    title = escaped(titles.get(ids[0].partition(".")[0], "")) if ids else ""
    line = escaped(said.strip()) + (f" Of ``{title}'': {which}." if 0 < len(ids) <= FEW else "")
    comment = "\n".join(f"% {name}: {made_from[name]}" for name in ("evidence", "command"))
    return f"{comment}\n\\caption{{{line}}}\\label{{fig:{made_from['figure']}}}%\n"


def write(beside: Path, said: str, made_from: Mapping[str, str], results: Mapping[str, Any]) -> None:
    """The caption and the JSON beside a figure whose path without its ending is `beside`."""
    verdicts = {name: one.verdict for name, one in results.items()}
    document = {"schema": 1, **made_from} | ({"entries": verdicts} if verdicts else {"said": said})
    tex, made = (beside.with_name(f"{beside.name}.{ending}") for ending in ("tex", "json"))
    tex.write_text(caption(said, made_from, verdicts), encoding="utf-8")
    made.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def images(beside: Path) -> list[Path]:
    """The files of a figure that is drawn from a file of numbers: PDF and PNG."""
    return [beside.with_name(f"{beside.name}.{kind}") for kind in ("pdf", "png")]


def draw_file(draw: Callable[[], Figure], beside: Path, said: str, document: Mapping[str, Any], command: str) -> None:
    """Draw numbers of a file as PDF and PNG, with what they were made from in the images and beside them.

    Parameters
    ----------
    draw : callable
        Makes the figure.
    beside : Path
        Of the figure, without an ending; its last part is the figure's name.
    said : str
        What is drawn, for the caption and the gallery.
    document : mapping
        The numbers, as they are in the file.
    command : str
        What draws the figure from the file.
    """
    from dpbench.report.figures import save

    made_from = about_file(beside.name, document, command)
    save(draw(), images(beside), about=made_from)
    write(beside, said, made_from, {})
