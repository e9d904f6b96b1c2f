"""The figures of the GLM algorithms' risk: the crossover, the benign population, grid search and boosting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbench.papers.glm.drawings_floors import rows_of
from dpbench.report.figures import (
    BLUE,
    DASHED,
    GREEN,
    GREY,
    PAGE,
    PURPLE,
    VERMILION,
    columns,
    log_ticks,
    panels,
    styled,
    with_intervals,
)

STYLES = {
    "noisy GD": (BLUE, "o"),
    "JL method": (PURPLE, "D"),
    "output perturbation": (VERMILION, "s"),
}
"""Colour and marker of each algorithm."""


@styled
def crossover(evidence: Mapping[str, Any]) -> Figure:
    """Left: worst excess risks over d at one n, d* dotted; lines without marks are closed forms. Right: d* over n.

    Theory's d* stands beside the measured one, at theory's own height.

    Columns: of the curve n, epsilon, d, the closed forms, zero, theory and floor; excess and standard error measured
    on it; n, measured, standard error, ceiling.
    """
    names = ("noisy GD closed", "output perturbation closed", "zero", "theory", "floor")
    n, epsilon, d, *values = columns(evidence, "n", "epsilon", "d", *names, table="curve")
    curve = dict(zip(names, values, strict=True))
    run = rows_of(evidence, "algorithm", "d", "excess", "standard error", table="measured on the curve")
    figure, (left, right) = panels(1, 2, width=PAGE, height=2.9, width_ratios=(1.4, 1.0))
    for name, (colour, marker) in STYLES.items():
        mine = [row for row in run if row["algorithm"] == name]
        left.errorbar(
            [row["d"] for row in mine], [row["excess"] for row in mine],
            yerr=[1.96 * row["standard error"] for row in mine], color=colour, marker=marker, capsize=2,
            elinewidth=0.9, ls="none" if f"{name} closed" in curve else "-", label=name,
        )  # fmt: skip
        if f"{name} closed" in curve:
            left.plot(d, curve[f"{name} closed"], color=colour)  # the closed form, through what was measured
    left.plot(d, curve["zero"], color="black", marker="x", ls=DASHED, lw=1.0, label="zero, on noisy GD's scales")
    left.plot(d, curve["theory"], color=GREY, ls=DASHED, label="least ceiling, constants 1")
    left.plot(d, curve["floor"], color=GREEN, label="floor of Theorem 4, tight")
    left.set(xscale="log", yscale="log", xlabel="dimension $d$", ylabel="largest excess population risk")
    left.set_title(rf"Hard shape of Theorem 4, $n$ = {n[0]:,.0f}, $\varepsilon$ = {epsilon[0]:g}", loc="left")
    records, measured, error, theory = columns(evidence, "n", "measured", "standard error", "ceiling")
    slope = "slope {:.3f} [{:.3f}, {:.3f}]".format(evidence["value"], *evidence["interval"])
    right.errorbar(records, measured, yerr=1.96 * error, color=PURPLE, marker="D", capsize=2, label=slope)
    right.plot(records, theory, color="black", ls=DASHED, lw=1.0, label=r"theory: $(n\varepsilon)^{2/3}$")
    right.set(xscale="log", yscale="log", xlabel="number of records $n$", ylabel="$d^*$: noisy GD = JL method")
    left.axvline(float(measured[records == n[0]][0]), color=PURPLE, ls=":", lw=1.0)
    right.set_title("Where the curves cross", loc="left")
    right.legend(loc="lower right")
    for axes in (left, right):
        log_ticks(axes.xaxis, axes.yaxis)
    right.set_xticks(records[::2], [f"{count:g}" for count in records[::2]])
    low, high = right.get_ylim()
    right.set_ylim(low / (high / low) ** 0.35, high)  # room for the legend
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=1 + left.get_gridspec().ncols)
    return figure


@styled
def benign(evidence: Mapping[str, Any]) -> Figure:
    """Mean excess risk over d on one easy population, beside each theorem's ceiling and the zero predictor."""
    rows = rows_of(evidence, "algorithm", "d", "n", "excess", "standard error", "ceiling", "zero")
    figure, axes = panels(1, 1, height=3.1)
    for name, (colour, marker) in STYLES.items():
        mine = [row for row in rows if row["algorithm"] == name]
        d, mean, error, ceiling = (
            np.array([row[key] for row in mine]) for key in ("d", "excess", "standard error", "ceiling")
        )
        axes.errorbar(d, mean, yerr=1.96 * error, color=colour, marker=marker, capsize=2, elinewidth=0.9, label=name)
        axes.plot(d, ceiling, color=colour, ls=":")
    zero = [row["zero"] for row in rows if row["algorithm"] == rows[0]["algorithm"]]
    where = [row["d"] for row in rows if row["algorithm"] == rows[0]["algorithm"]]
    axes.plot(where, zero, color="black", marker="x", ls=DASHED, lw=1.0, label="zero predictor")
    axes.plot([], [], color=GREY, ls=":", label="ceiling, of each colour")
    axes.set(xscale="log", yscale="log", xlabel="dimension $d$", ylabel="excess population risk")
    axes.set_title(rf"Four coordinates carry all, $n$ = {rows[0]['n']:,}, $\varepsilon$ = 1", loc="left")
    log_ticks(axes.xaxis, axes.yaxis)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


@styled
def adaptation(evidence: Mapping[str, Any]) -> Figure:
    """Theorem 7: mean excess risk over ‖w*‖ for grid search and for the oracle with the right radius."""
    names = "norm", "grid search", "grid search error", "oracle", "oracle error", "bound", "zero predictor"
    norm, grid, grid_error, oracle, oracle_error, bound, zero = columns(evidence, *names)
    figure, axes = panels(1, 1, height=3.0)
    axes.plot(norm, bound, color=GREY, ls=DASHED, label="2 × oracle + selection terms")
    axes.plot(norm, zero, color="black", marker="x", ls=DASHED, lw=1.0, zorder=4, label="zero predictor")
    for mean, error, colour, marker, label in (
        (grid, grid_error, BLUE, "o", "grid search"),
        (oracle, oracle_error, VERMILION, "s", "oracle: right radius"),
    ):
        spread = np.minimum(1.96 * error, 0.9 * mean)
        axes.errorbar(norm, mean, yerr=spread, color=colour, marker=marker, capsize=2, elinewidth=0.9, label=label)
    axes.set(xscale="log", yscale="log", xlabel=r"$\|w^*\|$", ylabel="excess population risk")
    axes.set_title(r"Theorem 7: $\|\mathcal{Y}\|$ = 64, $n$ = $10^6$, $\varepsilon$ = 1", loc="left")
    axes.set_xticks(norm, [f"{value:g}" for value in norm])
    axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=2)
    return figure


@styled
def failures(evidence: Mapping[str, Any]) -> Figure:
    """Theorem 13: how often the selected model is bad, over β, beside one run of the base and the bound β/2."""
    runs = "failures", "of a single run"
    names = [f"{name}{end}" for name in runs for end in ("", " low", " high")]
    beta, allowed, *values = columns(evidence, "beta", "allowed", *names)
    found = dict(zip(names, values, strict=True))
    figure, axes = panels(1, 1, height=2.9)
    least = 0.3 * min(value for name in runs for value in (*found[name], *found[f"{name} high"]) if value > 0.0)
    for name, colour, marker, label in (
        ("of a single run", VERMILION, "s", "one run of the base"),
        ("failures", BLUE, "o", "boosting"),
    ):
        mean, low, high = (found[f"{name}{end}"] for end in ("", " low", " high"))
        with_intervals(axes, beta, mean, low, high, color=colour, marker=marker, label=label)
    axes.plot(beta, allowed, color="black", ls=DASHED, lw=1.0, label=r"allowed, $\beta/2$")
    axes.set(xscale="log", yscale="log", xlabel=r"$\beta$", ylabel="probability of a bad model", ylim=(least, 1.0))
    axes.set_title("Theorem 13: how often a bad model is chosen", loc="left")
    axes.set_xticks(beta, [f"{value:g}" for value in beta])
    log_ticks(axes.yaxis)
    axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=2)
    return figure
