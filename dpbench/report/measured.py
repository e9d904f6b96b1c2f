"""Tables of the README that come from `benchmarks/` rather than from the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = tuple(header)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def bits(document: dict[str, Any]) -> str:
    """What ``python -m benchmarks.own_bits --json`` wrote."""
    return table(
        ("sampler", "exact ε", "at δ", "its bits show ε ≥", "broken", "runs a side"),
        (
            (
                row["name"],
                f"{row['epsilon']:.3g}",
                f"{row['delta']:g}",
                f"{row['epsilon_lower']:.3g}",
                "yes" if row["broken"] else "",
                f"{row['trials']:,}",
            )
            for row in document["rows"]
        ),
    )


def auditors(rows: Iterable[dict[str, Any]]) -> str:
    """The auditors among what ``dpbench bench --peers --json`` wrote."""
    return table(
        ("task", "mechanism", "auditor", "true ε", "mean bound (se)", "above the truth"),
        (
            (
                f"{row['task']}, {row['trials']:,}",
                row["mechanism"],
                row["auditor"],
                f"{row['truth']:.3g}",
                f"{row['mean']:.3f} ({row['standard_error']:.3f})",
                f"{row['above']} of {row['audits']}",
            )
            for row in rows
        ),
    )


def sampler(document: dict[str, Any]) -> str:
    """What ``python -m benchmarks.heavytail --json`` wrote: the rows with a promise."""
    return table(
        ("d", "n", "θ", "boxes opened", "envelope, s", "a further draw, s", "draws", "s a draw", "promised"),
        (
            (
                str(row["d"]),
                f"{row['n']:,}",
                f"{row['theta']:g}",
                f"{row['boxes']:,.0f}",
                f"{row['envelope_seconds']:.2f}",
                f"{row['draw_seconds']:.3f}",
                str(row["draws"]),
                f"{row['seconds']:.2f}",
                f"{row['promised']:g}",
            )
            for row in document["rows"]
            if row["promised"] is not None
        ),
    )


def sizing(document: dict[str, Any]) -> str:
    """What ``python -m benchmarks.sizing --json`` wrote."""
    return table(
        ("loss", "workers", "trials/s", "speed-up", "bytes once", "bytes a block", "a scheduler feeds", "a link feeds"),
        (
            (
                row["loss"],
                f"{row['workers']} {row['kind']}",
                f"{row['trials_per_second']:.0f}",
                f"{row['speed_up']:.2f}",
                f"{row['bytes_once']:,}" if "workers_a_link_feeds" in row else "0",
                f"{row['bytes_per_block']:,}" if "workers_a_link_feeds" in row else "0",
                f"{row['workers_a_scheduler_feeds']:.0f} workers" if "workers_a_scheduler_feeds" in row else "",
                f"{row['workers_a_link_feeds']:.0f} workers" if "workers_a_link_feeds" in row else "",
            )
            for row in document["rows"]
        ),
    )
