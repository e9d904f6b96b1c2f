"""The figure of ``dpbench bench``: algorithms on one data set over ε."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from dpbench.report.figures import DASHED, GREY, log_ticks, new_axes, power, styled


@styled
def comparison(document: Mapping[str, Any]) -> Figure:
    """Empirical excess risk of each algorithm over ε, beside the zero predictor: the document of `bench`."""
    rows, zero = document["rows"], document["zero_excess"]
    figure, axes = new_axes()
    axes.set(xscale="log", xlabel=r"$\varepsilon$", ylabel="empirical excess risk")
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    epsilons = sorted({row["epsilon"] for row in rows})
    for place, (name, marker) in enumerate(zip(names, "osD^v", strict=False)):
        mine = sorted((row for row in rows if row["algorithm"] == name), key=lambda row: row["epsilon"])
        centre, low = (np.array([row[key] for row in mine]) for key in ("excess", "low"))
        aside = 1.02 ** (place - (len(names) - 1) / 2)  # so that intervals do not hide each other
        where = [row["epsilon"] * aside for row in mine]
        axes.errorbar(where, centre, centre - low, marker=marker, capsize=2, elinewidth=0.9, label=name)
    axes.axhline(zero, color="black", ls=DASHED, lw=1.0, label="zero predictor")
    if zero > 0.0 and min(row["low"] for row in rows) > 0.0:
        axes.set_yscale("log")
        log_ticks(axes.yaxis)
    else:
        axes.axhline(0.0, color=GREY, lw=0.6)
    axes.set_xticks(epsilons, [f"{e:g}" for e in epsilons])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(epsilons[0] / 1.15, epsilons[-1] * 1.15)
    data = Path(document["data"]).stem.replace("$", r"\$")
    axes.set_title(
        f"{data}: n = {document['n']:,}, d = {document['d']}, {document['loss']} loss\n"
        rf"$\delta$ = {power(rows[0]['delta'])}, mean of {rows[0]['trials']} runs, 95% t intervals",
        loc="left",
    )
    figure.legend(loc="outside lower center", ncols=3 if len(names) > 3 else 2)
    return figure
