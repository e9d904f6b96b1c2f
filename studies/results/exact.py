"""Tables of what exact arithmetic costs, and of the hostile data that each mechanism has met."""

from __future__ import annotations

from typing import Any

from dpbench.report.markdown import table

DRAWS = (
    "What integer noise costs, from random words at hand (entropy apart; goal: 40 ns a draw), beside NumPy's "
    "floating-point draws, the words, and OpenDP's samplers of the same laws, which fetch their own entropy "
    "(`python -m studies.exact_noise --json evidence/exact_noise.json`; processor time; the p-value is of a "
    "two-sample Kolmogorov-Smirnov test on 50,000 draws a side):"
)
COSTS = "What exact arithmetic costs a mechanism (the same command):"
HOSTILE = (
    "Whether a mechanism answers must not depend on private values. Lattices at mixed scales, collinear, tied and "
    "nearly equal records, denormal numbers, records at the bounds, in at most three dimensions: on each data "
    "set, and on its neighbour of which one record differs, each mechanism ran once; none raised, gave NaN, "
    "missed its solver's bound, or answered one side alone. What each case has completed (half of the data sets are "
    "neighbours of the others); what is asked with n ≤ 8 is for a mechanism and loss, whose two arithmetics share it, "
    "each with data sets of its own: `pytest -m evidence tests/ledger/test_totality.py --counts "
    "evidence/totality.json`, which goes on where the file stops."
)
"""What stands above each table."""


def draws(document: dict[str, Any]) -> str:
    """Nanoseconds a draw, of what ``python -m studies.exact_noise --json`` wrote."""
    rows = (
        (row["name"], f"{row['nanoseconds']:,.0f}", "" if row["p"] is None else f"{row['p']:.2f}")
        for row in document["draws"]
    )
    return table(("draw", "ns", "same law as ours, p"), rows)


def costs(document: dict[str, Any]) -> str:
    """Mechanisms in exact arithmetic beside floating point, of the same document."""
    rows = (
        (
            row["name"],
            f"{row['milliseconds']:.1f}",
            f"{row['ratio']:.2f}",
            "reported" if row["most"] is None else f"{row['most']:g}",
        )
        for row in document["mechanisms"]
    )
    return table(("mechanism", "floating point, ms", "exact over floating point", "at most"), rows)


def hostile(document: dict[str, Any]) -> str:
    """Data sets that each mechanism met, of what ``tests/ledger/test_totality.py --counts`` wrote."""
    sizes = tuple(document["asked"])
    rows = (
        (name, *(f"{met[size]['sets']:,}" if size in met else "" for size in sizes))
        for name, met in document["cases"].items()
    )
    head = (f"data sets, {size} (asked: {document['asked'][size]:,})" for size in sizes)
    return table(("mechanism and loss or class", *head), rows)
