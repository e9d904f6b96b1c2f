"""Committed evidence: one file an entry, written by `refresh` alone, and how it stands to the code that is here.

A file says of each row of the entry, the first row first, what was found, of what code (the key of the modules that the
row rests on, and the digest of each), and where: processor, versions, seed, seconds, the commit it was run at and
whether its tree was clean. The folder is ``evidence/ledger`` of a checkout, or the copy that an installed package has.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbench.core.validation import InvalidInput, invalid
from dpbench.ledger.grades import outdated
from dpbench.ledger.places import checkout, folder
from dpbench.ledger.premises import STANDING
from dpbench.runs.environment import machine, made_with, processor_type, versions
from dpbench.runs.store import StoredVerdict

if TYPE_CHECKING:
    from dpbench.ledger.declaration import Declaration

SCHEMA = 3
NONE = "no evidence"
"""Why an entry is stale that nothing is committed of."""
_PLACE = {"id", "entry", "row"}
_FIELDS = {"verdict", "level", "seed", "evidence", "code", "environment", "commit", "clean"}


@dataclass(frozen=True)
class Status:
    """How the committed evidence of an entry stands to the present code and machine.

    Attributes
    ----------
    id : str
    code : {"current", "stale"}
    because : tuple of str
        Names of the modules that differ, or `NONE` where there is no evidence; empty where the code is current.
    environment : {"same", "other"}
        Whether versions and type of processor are the present ones.
    """

    id: str
    code: str
    because: tuple[str, ...]
    environment: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return {"id": self.id, "code": self.code, "because": list(self.because), "environment": self.environment}


def committed(place: Path | None = None, ids: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """The committed evidence of each row, by its address; empty where there is none.

    Parameters
    ----------
    place : Path, optional
        A folder of such files; default `folder()`.
    ids : iterable of str, optional
        The rows and entries whose files are read, those that have one; default all.

    Raises
    ------
    InvalidInput
        If `place` is no folder, or a file in it is not such evidence.
    """
    if place is not None and not place.is_dir():
        raise invalid("evidence", "an existing folder", str(place))
    place = place or folder()
    documents: dict[str, dict[str, Any]] = {}
    for path in sorted(place.glob("*.json") if ids is None else {file for name in ids for file in _files(name, place)}):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{path} must be evidence of an entry, got what cannot be read: {error}") from error
        rows = document.get("rows") if isinstance(document, dict) and document.get("schema") == SCHEMA else None
        if not isinstance(rows, dict) or not rows or not all(row.keys() >= _FIELDS for row in rows.values()):
            raise invalid(f"{path}", f"evidence of an entry, of schema {SCHEMA}", document)
        entry = document["id"]
        if path.name != f"{entry}.json":
            raise invalid(f"{path}", "named by the entry's id", entry)
        for number, (name, row) in enumerate(rows.items()):
            address = f"{entry}.{name}" if number else entry
            documents[address] = {"id": address, "entry": entry, "row": name, **row}
    return documents


def _files(address: str, place: Path) -> list[Path]:
    """The file that has this row, if there is one."""
    paths = (place / f"{name}.json" for name in (address, address.rpartition(".")[0]))
    return [*filter(Path.is_file, paths)][:1]


def document_of(claim: Declaration, verdict: str, evidence: Mapping[str, Any], level: str, seed: int) -> dict[str, Any]:
    """What the file of an entry holds of a row after a run of the present code in the present environment.

    Parameters
    ----------
    claim : Declaration
    verdict : str
    evidence : dict
        `Evidence.to_dict()`.
    level : {"quick", "full"}
    seed : int
    """
    commit, clean = commit_now()
    return {
        "id": claim.id,
        "entry": claim.entry,
        "row": claim.row,
        "verdict": verdict,
        "level": level,
        "seed": seed,
        "evidence": {name: part for name, part in evidence.items() if name != "made_with"},
        "code": {"key": claim.digest, "modules": claim.code.modules},
        "environment": environment_now(),
        "commit": commit,
        "clean": clean,
    }


def finished(claims: Iterable[Declaration], stored: Iterable[StoredVerdict]) -> dict[str, StoredVerdict]:
    """Verdicts at full level, seed 0, that a run of the present code in the present environment left in a store."""
    known = {claim.id: claim for claim in claims}
    now = made_with()
    return {
        one.claim: one
        for one in stored
        if one.claim in known
        and known[one.claim].digest == one.code
        and not outdated(known[one.claim], one.verdict)
        and (one.level, one.seed) == ("full", 0)
        and one.evidence.get("made_with") == now
    }


def environment_now() -> dict[str, str]:
    """Versions, type of processor and machine."""
    return {**versions(), "processor": processor_type(), "machine": machine()}


def write(documents: Iterable[Mapping[str, Any]], place: Path, claims: Iterable[Declaration]) -> None:
    """Put the evidence of rows into the files of their entries, each whole or not at all.

    Parameters
    ----------
    documents : iterable of dict
        Of `document_of`.
    place : Path
        The folder, whose evidence of the other rows of these entries is kept.
    claims : iterable of Declaration
        All rows of these entries, in order: of others nothing is kept.
    """
    new = {document["id"]: document for document in documents}
    entries = {document["entry"] for document in new.values()}
    rows = [claim for claim in claims if claim.entry in entries]
    known = committed(place, entries) | new
    for entry in entries:
        kept = [known[claim.id] for claim in rows if claim.entry == entry and claim.id in known]
        if kept[0]["id"] != entry:
            raise invalid("the evidence of an entry", "with that of its first row", kept[0]["id"])
        own = {one["row"]: {name: part for name, part in one.items() if name not in _PLACE} for one in kept}
        path = place / f"{entry}.json"
        part = path.with_name(f".{path.name}.part")
        try:
            part.write_text(_text({"schema": SCHEMA, "id": entry, "rows": own}), encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def status(claims: Iterable[Declaration], documents: Mapping[str, Mapping[str, Any]]) -> list[Status]:
    """How the evidence in `found` stands, entry by entry; computes nothing.

    Parameters
    ----------
    claims : iterable of Declaration
    documents : mapping of str to dict
        `committed()`.
    """
    now = {name: text for name, text in environment_now().items() if name not in ("dpbench", "machine")}
    rows = []
    for claim in claims:
        document = documents.get(claim.id)
        if document is None:
            rows.append(Status(claim.id, "stale", (NONE,), "other"))
            continue
        same = all(document["environment"].get(name) == text for name, text in now.items())
        current = document["code"]["key"] == claim.digest
        differing = claim.code.modules.items() ^ document["code"]["modules"].items()
        because = () if current else tuple(sorted({name for name, _ in differing}) or ["declaration"])
        rows.append(Status(claim.id, "current" if current else "stale", because, "same" if same else "other"))
    return rows


def _text(document: Mapping[str, Any]) -> str:
    """JSON with one line a column, so that a change can be read."""
    inline: dict[str, str] = {}

    def shorten(value: Any) -> Any:
        if isinstance(value, list):
            mark = f"@{len(inline)}@"
            inline[f'"{mark}"'] = json.dumps(value, allow_nan=False, ensure_ascii=False)
            return mark
        if isinstance(value, Mapping):
            return {key: shorten(part) for key, part in value.items()}
        return value

    text = json.dumps(shorten(document), indent=1, allow_nan=False, ensure_ascii=False)
    for mark, line in inline.items():
        text = text.replace(mark, line, 1)
    return text + "\n"


def commit_now() -> tuple[str, bool]:
    """The commit of the checkout that the code is of, and whether nothing of the code differs from it."""
    git = ["git", "-C", str(checkout())]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changes = subprocess.run(
            [*git, "status", "--porcelain", "--", "dpbench", "lowerbounds"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "", False
    return head, not changes.stdout.strip()


def unsupported(rests_on: Iterable[str], documents: Mapping[str, Any] | None = None) -> str:
    """Which of these entries do not support a proof by the committed evidence, with their verdicts; empty if all do."""
    names = [*rests_on]
    known = committed(ids=names) if documents is None else documents
    verdicts = {name: known[name]["verdict"] if name in known else "no evidence" for name in names}
    return ", ".join(f"{name}: {verdict}" for name, verdict in verdicts.items() if verdict not in STANDING)
