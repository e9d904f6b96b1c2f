"""Tables of the ledger for a terminal: they read well in 80 columns, and what is unexpected comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from dpbench.ledger.core import Claim
from dpbench.ledger.outcome import Entry, Ledger
from dpbench.ledger.registry import all_papers
from dpbench.report.plain import graded, table, verdict_text
from dpbench.report.view import interval, number, view

if TYPE_CHECKING:
    from dpbench.ledger.compare import Difference
    from dpbench.ledger.evidence import Status
    from dpbench.report.stored import Shown


ORDER = ("proved", "consistent", "not refuted", "undecided", "vacuous", "inconsistent", "refuted")
"""Of the columns of verdicts."""
FEW = 25
"""Entries of which each has its row; of more the table is asked for."""


def print_ledger(ledger: Ledger, console: Console, *, every: bool = False) -> None:
    """Verdicts, unexpected ones first, and one line that sums up; of many entries counts and what differs, unless all.

    Parameters
    ----------
    ledger : Ledger
    console : Console
    every : bool
        A row for each entry, however many there are.
    """
    shown = every or len(ledger.entries) <= FEW
    rows = [entry for entry in sorted(ledger.entries, key=lambda e: e.as_expected) if shown or not entry.as_expected]
    grid = table("claim", "verdict", "grade", "value", "interval", right=("value",))
    for entry in rows:
        grid.add_row(*_cells(entry))
    if rows:
        console.print(grid)
    if not shown:
        _print_counts(ledger, console)
    later = [item["id"] for item in ledger.not_run if item["reason"].startswith("full only")]
    for item in ledger.not_run:
        if shown or item["id"] not in later:
            console.print(f"[yellow]not run[/]  {escape(item['id'])}: {escape(item['reason'])}", soft_wrap=True)
    if later and not shown:
        console.print(f"{len(later)} more take minutes: --level full")
    wrong = sum(not entry.as_expected for entry in ledger.entries)
    summary = f"[bold red]{wrong} unexpected[/]" if wrong else "[green]all as expected[/]"
    if ledger.entries:
        console.print(f"grades: {graded(ledger.grades)}")
    count = "1 verdict" if len(ledger.entries) == 1 else f"{len(ledger.entries)} verdicts"
    console.print(
        f"{count}, {summary}; level {ledger.level}, seed {ledger.seed}, "
        f"error budget {ledger.error_budget:.1e}, {ledger.seconds:.1f} s"
    )
    if not shown:
        console.print("next: dpbench show ID; dpbench errata PAPER; dpbench report; every row: dpbench verify -v")


def _print_counts(ledger: Ledger, console: Console) -> None:
    """Counts by paper and verdict, what a user of each has to know first, and what the committed evidence says."""
    from dpbench.ledger.evidence import committed
    from dpbench.report.errata import foremost

    counts = Counter((entry.claim.paper, entry.verdict) for entry in ledger.entries)
    verdicts = [verdict for verdict in ORDER if any(said == verdict for _, said in counts)]
    grid = table("paper", *verdicts, right=verdicts)
    for name in dict.fromkeys(entry.claim.paper for entry in ledger.entries):
        grid.add_row(name, *(str(counts[name, verdict] or "") for verdict in verdicts))
    console.print(grid)
    there = {entry.claim.id for entry in ledger.entries}
    for paper in all_papers():
        first = foremost(paper)
        if first is not None and first.id in there:
            said = first.consequence.partition(". ")[0].rstrip(".")
            console.print(f"{escape(first.id)}: {escape(said)}", no_wrap=True, overflow="ellipsis")
    kept = {name: record["verdict"] for name, record in committed().items() if name in there}
    other = [entry.claim.id for entry in ledger.entries if kept.get(entry.claim.id, entry.verdict) != entry.verdict]
    differs = f"; another in {', '.join(other[:3])}{' ...' * (len(other) > 3)}" if other else ""
    if kept:
        same = len(kept) - len(other)
        console.print(f"the committed evidence has the same verdict in {same} of {len(kept)}{escape(differs)}")


def _cells(entry: Entry) -> tuple[str | Text, ...]:
    evidence = entry.evidence
    return (
        entry.claim.id,
        verdict_text(entry.verdict, entry.claim.expected),
        entry.basis.grade,
        number(evidence.value),
        interval(evidence.interval),
    )


def print_entry(claim: Claim, results: Sequence[Shown], console: Console) -> None:
    """All that is said of one entry (`dpbench.report.view`)."""
    verdicts = (verdict_text(one.verdict, claim.expected) for one in results[-1:])
    console.print(Text.assemble((claim.id, "bold"), f": {claim.source}  ", *verdicts))
    for part in view(claim, results):
        _field(console, part.label, *part.lines)
    if not results:
        _field(console, "Measured", "nothing is stored")


def print_rows(rows: Sequence[Claim], results: Mapping[str, Shown], console: Console) -> None:
    """The rows of an entry beside each other; the entry's verdict is that of the first."""
    grid = table("row", "verdict", "grade", "value", "source")
    for claim in rows:
        one = results.get(claim.id)
        said = verdict_text(one.verdict, claim.expected) if one else Text("")
        grid.add_row(claim.row, said, *((one.grade, number(one.evidence["value"])) if one else ("", "")), claim.source)
    console.print(grid)


def _field(console: Console, name: str, *lines: str) -> None:
    console.print(Text(name, style="cyan"))
    for line in lines:
        console.print(Padding(Text("- " * (len(lines) > 1) + line), (0, 0, 0, 2), expand=False))


def print_audit(
    name: str, result: Any, console: Console, epsilons: list[float] | None = None, deltas: list[float] | None = None
) -> None:
    """The bound, the event that shows it, the verdict on the claim, what was checked, and the curve if it is asked."""
    style = {"refuted": "bold red", "blind": "bold yellow", "not refuted": "green"}.get(result.verdict or "", "")
    if result.verdict is None:
        head = Text(name, style="bold")
    else:
        said = result.claim if result.epsilon is None else f"epsilon {result.epsilon:g}, delta {result.delta:g}"
        said += "" if result.relation is None else f" under {result.relation.replace('_', '/')}"
        claim = f": claimed {said}: "
        head = Text.assemble((name, "bold"), claim, (result.verdict, style))
    console.print(head)
    over = ", over all events certified" if result.claim and result.certified is not None else ""
    runs = "canaries" if result.assumptions else "trials a side"
    bound = f"epsilon >= {number(result.epsilon_lower)} at delta {result.delta:g}, confidence {result.confidence:.12g}"
    _field(console, "lower bound", f"{bound}, {result.trials:,} {runs}{over}")
    if result.claim and result.bound is not None:
        _field(console, "in its unit", f"{result.unit} >= {number(result.bound)}")
    _field(console, "event", str(result.event))
    for name, text in (
        ("blind", result.blind),
        ("reading", result.convention),
        ("left out", ", ".join(result.ignored)),
    ):
        if text:
            _field(console, name, text)
    if epsilons is not None and deltas is not None:
        grid = table("epsilon", "delta at least")
        for epsilon, delta in zip(epsilons, deltas, strict=True):
            grid.add_row(f"{epsilon:g}", number(delta))
        console.print(grid)
    if result.pair is not None:
        _field(console, "data sets", " and ".join(" ".join(str(x).split()) for x in result.pair))
    for text in result.assumptions:
        _field(console, "assuming", text)
    if result.checks:
        least, kinds = min(check.p_value for check in result.checks), len(result.checks)
        _field(console, "independence", f"{kinds} kinds of dependence looked for, least p-value {least:.3g}")
    if result.verdict == "not refuted":
        _field(console, "power", result.power)
        _field(console, "note", "not refuted is not a proof: samples cannot show that a mechanism is private")


def print_status(rows: Sequence[Status], counts: Mapping[str, int], console: Console) -> None:
    """Entries whose evidence is of other code, with the modules that differ, and the counts."""
    grid = table("claim", "code", "because", "environment")
    for row in rows:
        if row.code != "current":
            shown = ", ".join(row.because[:4]) + (f" and {len(row.because) - 4} more" if len(row.because) > 4 else "")
            grid.add_row(row.id, row.code, shown, row.environment)
    if grid.row_count:
        console.print(grid)
    elsewhere = sum(row.environment == "other" for row in rows)
    console.print(
        f"{counts['current']} current, {counts['stale']} stale; {elsewhere} of another environment (versions or type "
        "of processor: current evidence stands there, but for last digits)"
    )


def print_differences(rows: Sequence[Difference], console: Console, *, every: bool) -> None:
    """Old and new verdicts and values of entries that differ (or of all), and the counts of each kind."""
    grid = table("claim", "is", "old", "new", "distance", "where", right=("distance",))
    for row in rows:
        if every or row.kind != "same":
            grid.add_row(row.id, row.kind, row.old, row.new, f"{row.distance:.1e}" if row.distance else "", row.where)
    if grid.row_count:
        console.print(grid)
    kinds = Counter(row.kind for row in rows)
    console.print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "no entries")
