"""The documentation's page of results that is of this paper alone: its Table 1."""

from __future__ import annotations

import re

from dpbench.papers.glm import table1
from dpbench.report.pages import LEDGER, Page, Part
from dpbench.report.stored import Shown


def measured(found: dict[str, Shown]) -> str:
    """The table as Markdown, exponents raised."""
    verdicts = {name: (one.verdict, one.evidence) for name, one in found.items()}
    made = table1.table(verdicts, [name for name, one in found.items() if one.stale])
    return re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", made)


PAGES = (
    Page("table1", "Table 1 of the GLM paper, as measured", (
        Part(LEDGER, measured,
             "For each cell: the slope of the theorem's formula on the entry's grid, the slope measured with its "
             "interval, and the excess of the zero predictor over the measured one at the last point."),
    )),
)  # fmt: skip
