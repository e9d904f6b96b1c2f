"""The audits of released libraries as Markdown, and letters to maintainers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from dpbench.report.markdown import escaped
from dpbench.report.markdown import table as markdown

RELATIONS = {"replace": "replace", "add_remove": "add/remove", "add": "add", "remove": "remove", None: "values"}


def _name(mechanism: str, about: str) -> str:
    return f"{mechanism} ({about})" if about else mechanism


MEANING = {
    "bug": "reads as an error of the code",
    "documented": "a limit that its documentation states",
    "convention": "a claim for other neighbours",
    "floating point": "a rounded sum of value and noise",
}
"""Of the readings of a refutation."""


def audits(document: dict[str, Any]) -> str:
    """What ``dpbench audit-library ... --json`` wrote: a table a library, and below it the command of each row."""
    parts = []
    for (library, version), found in groupby(
        sorted(document["rows"], key=_library), lambda row: (row["library"], row["version"])
    ):
        rows = list(found)
        shown = markdown(
            ("mechanism", "relation", "claim", "bound", "would detect from", "verdict", "date", "runs a side"),
            (
                (
                    escaped(_name(row["mechanism"], row["about"])),
                    RELATIONS[row["relation"]],
                    escaped(row["claim"]),
                    f"{row['bound']:.3g}",
                    "" if row["detectable"] is None else f"{row['detectable']:.3g}",
                    row["verdict"] + ("" if row["known"] is None else f" ({row['known']['reading']})"),
                    row["date"],
                    f"{row['runs']:,}",
                )
                for row in rows
            ),
        )
        commands = "\n".join(row["command"] for row in rows)
        parts.append(f"**{library} {version}**\n\n{shown}\n\n```text\n{commands}\n```")
    return "\n\n".join(parts)


def findings(document: dict[str, Any]) -> str:
    """The refuted rows, how each reads, and a letter to each library of which one reads as an error of the code."""
    refuted = [row for row in sorted(document["rows"], key=_library) if row["verdict"] == "refuted"]
    shown = markdown(
        ("library", "mechanism", "by the relation", "claim", "bound", "twice the claim", "reading", "why", "spoken of"),
        (
            (
                f"{row['library']} {row['version']}",
                escaped(_name(row["mechanism"], row["about"])),
                RELATIONS[row["relation"]],
                escaped(row["claim"]),
                f"{row['bound']:.3g}",
                _twice(row),
                "not known" if row["known"] is None else MEANING[row["known"]["reading"]],
                "" if row["known"] is None else escaped(row["known"]["why"]),
                "" if row["known"] is None or not row["known"]["url"] else f"[issue]({row['known']['url']})",
            )
            for row in refuted
        ),
    )
    found = [row for row in refuted if row["known"] is None or row["known"]["reading"] == "bug"]
    letters = [letter(name, list(rows)) for name, rows in groupby(found, key=_library)]
    return "\n\n".join([shown, *letters])


def _library(row: Mapping[str, Any]) -> str:
    return str(row["library"])


def _twice(row: Mapping[str, Any]) -> str:
    if row["claimed"] is None:
        return ""
    return "refuted too" if row["bound"] > 2.0 * row["claimed"] else "not refuted"


def letter(library: str, rows: list[Mapping[str, Any]]) -> str:
    """To the maintainers of a library, of rows that read as errors of its code; Markdown."""
    lines = [
        f"## To the maintainers of {library}",
        "",
        f"> Dear maintainers of {library},",
        ">",
        "> we audit released libraries by sampling: each mechanism runs many times on two neighbouring data sets, and "
        f"an exact test bounds its privacy loss from below. In {library} {rows[0]['version']} we found what seems to "
        f"exceed the claim; each bound holds with probability {rows[0]['confidence']:.6f}, and each command draws it "
        "again.",
        ">",
    ]
    for row in rows:
        why = "we do not know the cause" if row["known"] is None else row["known"]["why"]
        where = f" (spoken of in {row['known']['url']})" if row["known"] is not None and row["known"]["url"] else ""
        name = escaped(_name(row["mechanism"], row["about"]))
        lines.append(
            f"> - {name}, {RELATIONS[row['relation']]}: {escaped(row['claim'])} claimed, "
            f"{row['unit']} at least {row['bound']:.3g} on {escaped(row['pair'])}; {escaped(why)}{where}. "
            f"`{row['command']}`"
        )
    lines += [
        ">",
        "> We may have read another relation of neighbours than you mean, or data that you do not allow; please tell "
        "us if so, and we correct the row. We make nothing of this public before you have had time to answer, and "
        "gladly test a change. Thank you for the library.",
    ]
    return "\n".join(lines)
