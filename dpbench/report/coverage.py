"""What of a paper the ledger looks at: every place of the paper in its order, with its entries.

The list of places is made from the paper's text and lies beside the paper's
package as ``coverage.toml``: tables ``[[place]]`` with ``key``, ``where``, ``kind`` and ``what``. Entries are joined to
it by program: ``[entries]`` gives for a key shell patterns of ids without the paper's name, ``[reading]`` what was
checked by reading, without a program, and ``[untried]`` why nothing was: a place has that reason or one of the others,
and every entry of the paper stands at some place.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import filter as filter_names
from importlib import resources

from dpbench.core import validation
from dpbench.ledger.paper import Paper

KINDS = ("definition", "statement", "display", "remark", "algorithm", "cell", "step")
NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Place:
    """A place of a paper.

    Attributes
    ----------
    key : str
    where, kind, what : str
        Section and number; one of `KINDS`; what stands there, in a few words.
    entries : tuple of str
        Ids of the entries that look at it.
    reading : str
        What was checked by reading, without a program; empty where nothing was.
    reason : str
        Why neither was done; empty where one was.
    """

    key: str
    where: str
    kind: str
    what: str
    entries: tuple[str, ...]
    reading: str = ""
    reason: str = ""


def beside(paper: Paper, name: str) -> str | None:
    """The text of a file beside the paper's package, or None where it has none."""
    if not paper.package:
        return None
    home = importlib.import_module(paper.package.rpartition(".")[0] or paper.package)
    if home.__spec__ is None or not home.__spec__.submodule_search_locations:
        return None
    file = resources.files(home) / name
    return file.read_text(encoding="utf-8") if file.is_file() else None


def text(paper: Paper) -> str | None:
    """The file ``coverage.toml`` of the paper's package, or None where it has none."""
    return beside(paper, "coverage.toml")


def places(paper: Paper) -> tuple[Place, ...]:
    """Every place in the paper's order; empty where no list was made.

    Raises
    ------
    InvalidInput
        If a key stands twice or is unknown, a kind is none of `KINDS`, a pattern matches no entry, a place has neither
        entry nor reading nor reason, or a reason beside one of the others.
    """
    source = text(paper)
    if source is None:
        return ()
    read = tomllib.loads(source)
    ids = [claim.id for claim in paper.claims]
    joined, seen, left = (read.get(name, {}) for name in ("entries", "reading", "untried"))
    keys = [str(place["key"]) for place in read["place"]]
    if len(set(keys)) < len(keys):
        raise validation.invalid("key", "new at each place", next(key for key in keys if keys.count(key) > 1))
    for key in (*joined, *seen, *left):
        validation.choice("a key of coverage.toml", key, keys)
    for key in keys:
        if bool(left.get(key)) == bool(joined.get(key) or seen.get(key)):
            wanted = "either a reason under [untried] or entries or a reading"
            raise validation.invalid(f"place {key}", wanted, "both" if left.get(key) else "neither")
    return tuple(
        Place(
            key, place["where"], validation.choice("kind", place["kind"], KINDS), place["what"],
            _matched(paper, key, joined.get(key, ()), ids), seen.get(key, ""), left.get(key, ""),
        ) for key, place in zip(keys, read["place"], strict=True)
    )  # fmt: skip


def _matched(paper: Paper, key: str, patterns: Sequence[str], ids: list[str]) -> tuple[str, ...]:
    names: list[str] = []
    for pattern in patterns:
        name = f"{paper.name}.{pattern}"
        matched = [name] if name in ids else filter_names(ids, name)
        if not matched:
            raise validation.invalid(f"a pattern at {key}", f"that of an entry of {paper.name}", pattern)
        names += [name for name in matched if name not in names]
    return tuple(names)


def left_out(paper: Paper) -> tuple[str, ...]:
    """Ids of the paper's entries that stand at no place of its list."""
    placed = {name for place in places(paper) for name in place.entries}
    return tuple(claim.id for claim in paper.claims if claim.id not in placed)


def counted(listed: Sequence[Place]) -> str:
    """How many places were tried, read or left, as a sentence."""
    tried, read = sum(bool(place.entries) for place in listed), sum(bool(place.reading) for place in listed)
    alone, left = (sum(bool(p.reading) and not p.entries for p in listed), sum(bool(p.reason) for p in listed))
    return (
        f"{len(listed)} places in the paper's order, listed from its text: {tried} are tried by an entry, "
        f"{read} were read without a program ({alone} of them by that alone), and {left} were not tried, each with the "
        "reason; of those no opinion is offered"
    )


def coverage(paper: Paper) -> str:
    """The list as Markdown.

    Raises
    ------
    InvalidInput
        If the paper has no list.
    """
    listed = places(paper)
    if not listed:
        raise validation.invalid("paper", "one with a file coverage.toml", paper.name)
    lines = [
        f"# What of the paper was looked at: {paper.title}",
        "",
        f"{counted(listed)}.",
        "",
        "| where | kind | what stands there | entries |",
        "|---|---|---|---|",
    ]
    cells = ((p.where, p.kind, p.what, said(p)) for p in listed)
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells]
    return "\n".join(lines) + "\n"


def said(place: Place) -> str:
    """The entries of a place and what was read there, or why nothing was done."""
    if place.reason:
        return f"{NOT_TRIED}: {place.reason}"
    names = ", ".join(f"`{name}`" for name in place.entries)
    return "; ".join(part for part in (names, place.reading and f"by reading: {place.reading}") if part)
