"""The ledger as a list: a line for each entry, with its stored verdict and weight; as text or as plain types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from dpbench.ledger.words import KINDS, WEIGHTS
from dpbench.report.plain import table, verdict_text

if TYPE_CHECKING:
    from dpbench.ledger.core import Claim
    from dpbench.report.stored import Shown

NOT_RUN = "not run"
_WIDE = 120  # characters from which the kind and the source stand beside
_VERDICTS = ("inconsistent", "refuted", "undecided", "not refuted", "consistent", "proved", NOT_RUN)
ORDERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "ledger": lambda row: 0,
    "claim": lambda row: row["id"],
    "kind": lambda row: KINDS.index(row["kind"]),
    "verdict": lambda row: _VERDICTS.index(row["verdict"] or NOT_RUN),
    "weight": lambda row: WEIGHTS.index(row["weight"]) if row["weight"] else len(WEIGHTS),
    "seconds": lambda row: -(row["seconds"] or 0.0),
}
"""Orders of `--sort`; equal entries stay in the order of the ledger."""


def rows(claims: Iterable[Claim], found: Mapping[str, Shown], order: str = "ledger") -> list[dict[str, Any]]:
    """What is listed of each claim, in plain types; `None` where it was not run, or has no weight.

    Parameters
    ----------
    claims : iterable of Claim
    found : mapping of str to Shown
        Stored verdicts by id.
    order : str
        One of `ORDERS`.
    """
    return sorted((_row(claim, found.get(claim.id)) for claim in claims), key=ORDERS[order])


def _row(claim: Claim, shown: Shown | None) -> dict[str, Any]:
    return {
        "id": claim.id,
        "paper": claim.paper,
        "source": claim.source,
        "kind": claim.kind,
        "statement": claim.statement,
        "expected": claim.expected,
        "weight": claim.weight,
        "verdict": None if shown is None else shown.verdict,
        "level": None if shown is None else shown.level,
        "seconds": None if shown is None else shown.evidence["seconds"],
        "full_only": claim.full_only,
    }


def print_list(listed: Sequence[Mapping[str, Any]], console: Console) -> None:
    """A line for each entry, within the width of the terminal, and the counts of verdicts and weights."""
    wide = console.width >= _WIDE
    made = table("claim", "verdict", "weight", *(("kind", "source") if wide else ()))
    narrow = made.columns[0]
    narrow.no_wrap, narrow.overflow = False, "fold"  # an id that is too long goes on in the next line, uncut
    if not wide:
        made.columns[1].min_width = made.columns[1].max_width = len("inconsistent")
    made.columns[2].min_width = len("hypothesis")
    for row in listed:
        verdict = Text(NOT_RUN, style="yellow") if row["verdict"] is None else None
        verdict = verdict or verdict_text(row["verdict"], row["expected"])
        made.add_row(row["id"], verdict, row["weight"] or "", *((row["kind"], row["source"]) if wide else ()))
    console.print(made)
    verdicts = Counter(row["verdict"] or NOT_RUN for row in listed)
    weights = Counter(row["weight"] for row in listed if row["weight"])
    said = ", ".join(f"{verdicts[name]} {name}" for name in _VERDICTS if verdicts[name])
    what = f"{len(listed)} entries" if len(listed) != 1 else "1 entry"
    console.print(f"{what}: {said}")
    if weights:
        told = ", ".join(f"{name} {weights[name]}" for name in WEIGHTS if weights[name])
        console.print(f"weights of what does not hold: {told}")
    console.print("Stored verdicts; `dpbench evidence status` says which are of other code than the present.")
