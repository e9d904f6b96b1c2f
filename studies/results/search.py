"""Markdown tables of the search for counterexamples, and of kernels beside what was before them."""

from __future__ import annotations

from typing import Any

from dpbench.report.markdown import escaped, table


def _number(value: float | str | None) -> str:
    """Four digits; text, which stands for what is not finite, as it is; nothing for None."""
    return "" if value is None else value if isinstance(value, str) else f"{value:.4g}"


def recall(document: dict[str, Any]) -> str:
    """The refuted entries, from what ``python -m studies.search --json`` wrote."""
    missed = document["recall"]["missed"]
    rows = [
        (
            f"`{row['id']}`",
            "found" if row["found"] else f"missed: {escaped(missed.get(row['id'], 'nothing accepted'))}",
            _number(row["ratio"]),
            f"{row['evaluations']:,}",
            f"{row['seconds']:.2f}",
        )
        for row in document["refuted"]
    ]
    return table(("entry", "without its known instance", "left/right", "points", "seconds"), rows)


def nearest(document: dict[str, Any]) -> str:
    """The entries that hold, from the same: how near their bound the search came, beside the entry's own instance."""
    rows = [
        (
            f"`{row['id']}`",
            _number(row["own_ratio"]),
            _number(row["ratio"]),
            escaped(", ".join(f"{name} = {value}" for name, value in row["instance"].items())),
        )
        for row in document["holds"]
    ]
    return table(("entry", "its own", "searched", "where"), rows)


def constructions(document: dict[str, Any]) -> str:
    """What ``python -m studies.constructions --json`` wrote."""
    rows = (
        (
            row["family"],
            f"{row['n']:,}",
            f"{row['ours_per_second']:,.0f}",
            f"{row['peer_per_second']:,.1f}",
            f"{row['median']:,.1f} [{row['low']:,.1f}, {row['high']:,.1f}]",
        )
        for row in document["rows"]
    )
    return table(("family", "n", "members a second", "one at a time", "ratio"), rows)


def solver(document: dict[str, Any]) -> str:
    """The ratios that ``python -m studies.solver --json`` wrote."""
    rows = (
        (
            row["what"] if row["what"] != "peer" else f"beside {row['peer']}",
            row.get("form", "dense"),
            row["loss"],
            f"{row['median']:.2f} [{row['low']:.2f}, {row['high']:.2f}]" if "median" in row else "never as near",
            "" if row["promised"] is None else f"{row['promised']:g}",
        )
        for row in document["rows"]
    )
    return table(("what", "records", "loss", "times as fast", "promised"), rows)


KERNELS = (
    (
        "constructions.json", constructions,
        "Members of hard families with one run of noisy gradient descent each, in one call and one at a time in NumPy, "
        "and targets of the membership test with output perturbation, in one call and in former code "
        "(`python -m studies.constructions --json evidence/constructions.json`):",
    ),
    (
        "solver.json", solver,
        "The solver of output perturbation and the scores of candidates, beside the commit before them, at n = 100,000 "
        "(`python -m studies.solver --json evidence/solver.json`):",
    ),
)  # fmt: skip
"""Evidence, table and what stands above it, on the page of kernels."""
