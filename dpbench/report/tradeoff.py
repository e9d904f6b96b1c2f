"""The trade-off curve of an audit, as a figure and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from dpbench.report.figures import BLUE, DASHED, GREY, new_axes, styled

if TYPE_CHECKING:
    from dpbench.auditing.result import AuditResult

TABLE_RATES = np.concatenate([[0.0], np.geomspace(1e-6, 0.1, 26)[:-1], np.linspace(0.1, 1.0, 37)])
"""False-positive rates of the table."""

_DRAWN = np.linspace(0.0, 1.0, 1001)


@styled
def tradeoff(result: AuditResult) -> Figure:
    """The upper bound on the trade-off function, and random guessing.

    No f-DP guarantee holds whose f enters the tinted region.
    """
    figure, axes = new_axes()
    bound = result.tradeoff(_DRAWN)
    axes.fill_between(_DRAWN, bound, 1.0 - _DRAWN, color=BLUE, alpha=0.15, linewidth=0.0)
    axes.plot(_DRAWN, bound, color=BLUE, label=f"audit, confidence {result.confidence:g}")
    axes.plot(_DRAWN, 1.0 - _DRAWN, color=GREY, linestyle=DASHED, label="guessing")
    axes.set(xlabel="false-positive rate", ylabel="false-negative rate", xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    axes.legend(loc="upper right")
    return figure


def tradeoff_table(result: AuditResult) -> str:
    """CSV with the columns false_positive_rate, false_negative_rate_at_most, true_positive_rate_at_least."""
    bound = result.tradeoff(TABLE_RATES)
    lines = ["false_positive_rate,false_negative_rate_at_most,true_positive_rate_at_least"]
    lines += [f"{a:.6g},{b:.6g},{1.0 - b:.6g}" for a, b in zip(TABLE_RATES, bound, strict=True)]
    return "\n".join(lines)
