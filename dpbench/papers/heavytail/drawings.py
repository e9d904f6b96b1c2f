"""The figures of the heavy-tailed paper: risk quantiles over n, privacy loss of both weights, boxes of the sampler.

The comparison on real data is `dpbench.papers.glm.drawings_bench`, fed by what ``dpbench bench --data 401ksubs
--json`` wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dpbench.report.figures import BLUE, DASHED, GREY, VERMILION, columns, log_ticks, new_axes, panels, styled


@styled
def risk_quantiles(evidence: Mapping[str, Any], *, title: str) -> Figure:
    """Mean with 95% intervals, median and 0.95-quantile of the excess risk over n; the theorem's formula, scaled.

    Columns: n, excess_risk, standard error (of the mean), excess_risk_median, excess_risk_quantile, theory.
    """
    names = "n", "excess_risk", "standard error", "excess_risk_median", "excess_risk_quantile", "theory"
    n, mean, error, median, quantile, theory = columns(evidence, *names)
    figure, axes = panels(1, 1, height=3.3)
    axes.set(xscale="log", yscale="log", xlabel="number of records $n$", ylabel="excess population risk")
    axes.plot(n, quantile, color=VERMILION, marker="^", label="0.95-quantile")
    value = f"mean (95%), slope {evidence['value']:.2f}".replace("-", "−")
    axes.errorbar(n, mean, 1.96 * error, color=BLUE, marker="o", capsize=2, elinewidth=0.9, label=value)
    axes.plot(n, median, color=GREY, marker="s", label="median")
    expected = float(np.polyfit(np.log(n), np.log(theory), 1)[0])
    scale = float(np.exp(np.mean(np.log(mean / theory))))
    label = f"theorem's formula, scaled, slope {expected:.2f}".replace("-", "−")
    axes.plot(n, scale * theory, color="black", ls=DASHED, lw=1.0, zorder=3, label=label)
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title(title.replace(": ", "\n", 1), loc="left")
    figure.legend(loc="outside lower center")
    return figure


@styled
def leaning(evidence: Mapping[str, Any]) -> Figure:
    """Exact privacy loss of a pair over the number of records that support one candidate, for both weights.

    Columns: lean, epsilon_claimed, loss_printed, loss_exact.
    """
    lean, claimed, printed, exact = columns(evidence, "lean", "epsilon_claimed", "loss_printed", "loss_exact")
    figure, axes = new_axes()
    axes.set(xlabel="records that support one candidate", ylabel=r"exact privacy loss $\varepsilon$ of the pair")
    top = np.maximum(printed, claimed)
    axes.fill_between(lean, claimed, top, where=printed > claimed, color=VERMILION, alpha=0.15, lw=0, interpolate=True)
    axes.plot(lean, printed, color=VERMILION, marker="o", label="printed weight")
    axes.plot(lean, exact, color=BLUE, marker="s", label="exact weight")
    axes.plot(lean, claimed, color="black", ls=DASHED, lw=1.0, label="claimed")
    axes.set_ylim(0.0, 2.1 * claimed[0])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("Algorithm 1: one record replaced, worst pair", loc="left")
    axes.legend(loc="lower right")
    return figure


@styled
def boxes_opened(document: Mapping[str, Any]) -> Figure:
    """Boxes opened by the tree sampler over d and over n: what ``python -m studies.heavytail --json`` wrote."""
    rows = [row for row in document["rows"] if row["theta"] == 2.0 and row["data"] == "student"]
    figure, places = panels(2, 1, width=3.4, height=4.2)
    for axes, axis, other, at, label, more in (
        (places[0], "d", "n", 10_000, "dimension $d$", r"net at $\zeta = 1/n$, $\theta$ = 2"),
        (places[1], "n", "d", 3, "number of records $n$", "median and range over data sets"),
    ):
        mine = sorted(
            (row[axis], row["boxes_median"], row["boxes_least"], row["boxes"]) for row in rows if row[other] == at
        )
        where, boxes, least, most = (np.array(column, dtype=float) for column in zip(*mine, strict=True))
        axes.errorbar(where, boxes, (boxes - least, most - boxes), color=BLUE, marker="o", capsize=2, elinewidth=0.9)
        axes.set(yscale="log", xlabel=label, ylabel="boxes opened")
        axes.set_title(f"${other}$ = {at:,}; {more}", loc="left")
        if axis == "n":
            axes.set_xscale("log")
            log_ticks(axes.xaxis, axes.yaxis)
        else:
            axes.set_xticks(where, [f"{int(v)}" for v in where])
            log_ticks(axes.yaxis)
    return figure
