"""Tables of ``dpbench bench`` for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from dpbench.report.plain import table
from dpbench.report.view import interval, number

if TYPE_CHECKING:
    from dpbench.papers.glm.comparison import Fit, Row


def print_comparison(rows: Sequence[Row], best: Fit, zero: float, confidence: float, console: Console) -> None:
    """Mean empirical excess risk of each algorithm at each ε, beside the zero predictor's."""
    grid = table(
        "algorithm",
        "epsilon",
        "excess risk",
        "interval",
        "of zero's",
        right=("epsilon", "excess risk", "of zero's"),
    )
    for row in rows:
        share = f"{row.excess / zero:.0%}" if zero > 0.0 else ""
        style = "green" if row.high < zero else "red" if row.low > zero else "yellow"
        grid.add_row(
            row.algorithm,
            f"{row.epsilon:g}",
            number(row.excess),
            interval((row.low, row.high)),
            Text(share, style=style),
        )
    grid.add_row("zero predictor", "", number(zero), "", "100%" if zero > 0.0 else "")
    grid.add_row("non-private fit", "", "0", f"risk {number(best.risk)}", "0%" if zero > 0.0 else "")
    console.print(grid)
    if rows:
        console.print(
            f"empirical excess risk over the non-private fit (gap at most {max(best.gap, 1e-16):.0e}): "
            f"mean of {rows[0].trials} trials with its {confidence:.0%} t interval, delta = {rows[0].delta:g}"
        )


def print_radii(documents: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print mean empirical risks over a grid of radii; in each row the least over radii is bold.

    A document has "radius", "rows" (with "algorithm", "epsilon" and "excess", in one order) and "fit" (with "risk",
    that of the non-private minimiser): the risk is the excess plus the fit's.
    """
    radii = [f"radius {document['radius']:g}" for document in documents]
    grid = table("algorithm", "epsilon", *radii, right=("epsilon", *radii))
    for rows in zip(*(document["rows"] for document in documents), strict=True):
        risks = [row["excess"] + document["fit"]["risk"] for row, document in zip(rows, documents, strict=True)]
        cells = [Text(number(risk), style="bold" if risk == min(risks) else "") for risk in risks]
        grid.add_row(rows[0]["algorithm"], f"{rows[0]['epsilon']:g}", *cells)
    grid.add_row("non-private fit", "", *(number(document["fit"]["risk"]) for document in documents))
    console.print(grid)
    console.print("mean empirical risk; a radius chosen from this table is chosen with the data, which is not private")
    if any(row["algorithm"] == "grid-search" for row in documents[0]["rows"]):
        console.print("grid-search has radii of its own, 2, 4, 8, ..., and w = 0, among which it chooses privately")
