"""The ledger as a list: a line for each entry, with its stored verdict and weight; as text or as plain types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from dpbench.ledger.grades import counts
from dpbench.ledger.words import HURT, KINDS, WEIGHTS
from dpbench.report.plain import graded, verdict_text

if TYPE_CHECKING:
    from dpbench.ledger.core import Claim
    from dpbench.report.stored import Shown

NOT_RUN = "not run"
_WIDE = 120  # characters from which the kind and the source stand beside
_VERDICTS = ("inconsistent", "refuted", "vacuous", "undecided", "not refuted", "consistent", "proved", NOT_RUN)
_SHORT = (0, len("inconsistent"), len("corner"))
"""The least room for each of the first three columns."""
_LEAST = 20  # characters of the column that is cut
ORDERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "ledger": lambda row: 0,
    "claim": lambda row: row["id"],
    "kind": lambda row: KINDS.index(row["kind"]),
    "verdict": lambda row: _VERDICTS.index(row["verdict"] or NOT_RUN),
    "weight": lambda row: WEIGHTS.index(row["weight"]) if row["weight"] else len(WEIGHTS),
    "hurt": lambda row: HURT.index(row["hurt"].partition(":")[0]) if row["hurt"] else len(HURT),
    "seconds": lambda row: -(row["seconds"] or 0.0),
}
"""Orders of `--sort`; equal entries stay in the order of the ledger."""


def listed(
    patterns: Sequence[str] | None, papers: Sequence[str] | None, kind: str | None, store: Path | None
) -> list[dict[str, Any]]:
    """The rows that fit, those of our papers from the index where it is of what is here.

    Raises
    ------
    InvalidInput
        For a selection that fits nothing.
    """
    from dpbench.ledger.registry import indexed
    from dpbench.ledger.verify import select
    from dpbench.report.stored import best, known

    with indexed():
        chosen = select(list(patterns) if patterns else None, paper=papers or None, kind=kind)
        return rows(chosen, best(known(store), [claim.id for claim in chosen], with_code=False))


def rows(claims: Iterable[Claim], results: Mapping[str, Shown], order: str = "ledger") -> list[dict[str, Any]]:
    """What is listed of each claim, in plain types; `None` where it was not run, or has no weight.

    Parameters
    ----------
    claims : iterable of Claim
    results : mapping of str to Shown
        Stored verdicts by id.
    order : str
        One of `ORDERS`.
    """
    return sorted((_row(claim, results.get(claim.id)) for claim in claims), key=ORDERS[order])


_DECLARED = (
    "id", "entry", "row", "paper", "source", "kind", "statement", "expected", "weight", "hurt", "origin", "full_only"
)  # fmt: skip


def _row(claim: Claim, shown: Shown | None) -> dict[str, Any]:
    declared = {name: getattr(claim, name) for name in _DECLARED}
    said = {name: getattr(shown, name, None) for name in ("verdict", "grade", "level")}
    return declared | said | {"seconds": None if shown is None else shown.evidence["seconds"]}


def print_list(listed: Sequence[Mapping[str, Any]], console: Console) -> None:
    """A line for each entry, within the width of the terminal, and the counts of verdicts and of who is hurt."""
    wide = console.width >= _WIDE
    titles = ("claim", "verdict", "hurt", *(("kind", "source") if wide else ()))
    cells = [
        (row["id"], _said(row), (row["hurt"] or "").partition(":")[0], *((row["kind"], row["source"]) if wide else ()))
        for row in listed
    ]
    console.print(aligned(titles, cells, console.width))
    verdicts = Counter(row["verdict"] or NOT_RUN for row in listed)
    grades = counts((row["verdict"], row["grade"]) for row in listed if row["verdict"])
    hurt = Counter(row["hurt"].partition(":")[0] for row in listed if row["hurt"])
    said = ", ".join(f"{verdicts[name]} {name}" for name in _VERDICTS if verdicts[name])
    entries = len({row["entry"] for row in listed})
    what = f"{entries} entries" if entries != 1 else "1 entry"
    rows = f" of {len(listed)} rows" if len(listed) != entries else ""
    console.print(f"{what}{rows}: {said}")
    if grades:
        console.print(f"grades: {graded(grades)}")
    if hurt:
        console.print("hurt by what does not hold: " + ", ".join(f"{name} {hurt[name]}" for name in HURT if hurt[name]))
    console.print("Stored verdicts; `dpbench evidence status` says which are of other code than the present.")


def _said(row: Mapping[str, Any]) -> Text:
    if row["verdict"] is None:
        return Text(NOT_RUN, style="yellow")
    return verdict_text(row["verdict"], row["expected"])


def aligned(titles: Sequence[str], cells: Sequence[Sequence[str | Text]], width: int) -> Text:
    """A table as text: of a wide one the last column is wrapped, else ids are cut into lines and verdicts wrapped.

    rich's own `Table` takes ten times as long for some hundred rows.
    """
    wide = len(titles) > 3
    widths = [max(cell_len(str(cell)) for cell in column) for column in zip(titles, *cells, strict=True)]
    widths[1] = max(widths[1], len("expected proved")) if wide else _SHORT[1]
    widths[2] = max(widths[2], _SHORT[2])
    for flexible in (len(widths) - 1, 0) if wide else (0,):
        others = sum(widths) - widths[flexible] + 2 * (len(widths) - 1)
        widths[flexible] = min(widths[flexible], max(_LEAST, width - others))
    lines = []
    for row in [[Text(title, style="bold") for title in titles], *cells]:
        styles = [cell.style if isinstance(cell, Text) else "" for cell in row]
        parts = [wrap(str(cell), room, break_on_hyphens=False) for cell, room in zip(row, widths, strict=True)]
        for line in zip_longest(*parts, fillvalue=""):
            padded = (set_cell_size(part, room) for part, room in zip(line, widths, strict=True))
            lines.append(Text("  ").join(map(Text, padded, styles)))
            lines[-1].rstrip()
    return Text("\n", no_wrap=True).join(lines)
