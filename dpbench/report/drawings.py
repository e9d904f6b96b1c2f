"""Every figure of the ledger, in one list."""

from dpbench.report import figures, figures_lower_bounds

DRAWINGS: tuple[figures.Drawing, ...] = (*figures.DRAWINGS, *figures_lower_bounds.DRAWINGS)
