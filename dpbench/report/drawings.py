"""Every figure of the ledger, in two lists: those of one entry, and those of many."""

from dpbench.report import (
    figures,
    figures_heavytail,
    figures_lower_bounds,
    figures_publicdata,
    figures_risk,
    figures_table1,
)

DRAWINGS: tuple[figures.Drawing, ...] = (
    *figures.DRAWINGS,
    *figures_lower_bounds.DRAWINGS,
    *figures_risk.DRAWINGS,
    *figures_heavytail.DRAWINGS,
    *figures_publicdata.DRAWINGS,
)
SUMMARIES: tuple[figures.Summary, ...] = figures_table1.SUMMARIES
