"""The figures of single entries: columns of the evidence as lines (`curves`), and the crossover, which has two tables.

A figure is what `curves` returns, or a function of the evidence; entries name it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbench.ledger.measurement import having
from dpbench.ledger.words import ROWS
from dpbench.report.figures import (
    BLUE,
    DASHED,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PURPLE,
    SKY,
    VERMILION,
    columns,
    label_ends,
    log_ticks,
    panels,
    styled,
    with_intervals,
)

LOOKS = {
    "noisy GD": {"color": BLUE, "marker": "o"},
    "JL method": {"color": PURPLE, "marker": "D"},
    "output perturbation": {"color": VERMILION, "marker": "s"},
    "grid search": {"color": ORANGE, "marker": "^"},
    "boosting": {"color": SKY, "marker": "v"},
}
"""Colour and marker of each algorithm."""
ZERO = {"color": "black", "marker": "x", "ls": DASHED, "lw": 1.0, "zorder": 4}
BOUND = {"color": GREY, "ls": DASHED}


@dataclass(frozen=True)
class Line:
    """A column as a line.

    Attributes
    ----------
    y, label : str
        The column; the name in the legend, empty for none.
    look : mapping
        Options of matplotlib's `plot`; colour and marker where there are `ends`.
    ends : tuple of str
        The column of standard errors, for 95% intervals, or those of the intervals' lower and upper ends.
    only : str
        The algorithm whose rows these are; empty: all rows.
    """

    y: str
    label: str
    look: Mapping[str, Any] = field(default_factory=dict)
    ends: tuple[str, ...] = ()
    only: str = ""

    def draw(self, axes: Any, rows: Sequence[Mapping[str, Any]], x: Sequence[str]) -> None:
        """Onto axes, over the product of the columns `x`."""
        rows = [row for row in rows if self.only in ("", row.get("algorithm"))]
        at = np.array([np.prod([float(row[name]) for name in x]) for row in rows])
        y, *ends = (np.array([float(row[name]) for row in rows]) for name in (self.y, *self.ends))
        if not ends:
            axes.plot(at, y, label=self.label, **self.look)
        elif rows:
            low, high = ends if len(ends) == 2 else (y - 1.96 * ends[0], y + 1.96 * ends[0])
            with_intervals(axes, at, y, low, high, label=self.label, **self.look)


def rows_of(evidence: Mapping[str, Any], *names: str, table: str = ROWS) -> list[dict[str, Any]]:
    """Rows of a table of the evidence that has all these columns; a missing one is evidence of another version."""
    table_found = having({table: evidence["tables"].get(table, {})}, *names)
    return [dict(zip(table_found, row, strict=True)) for row in zip(*table_found.values(), strict=True)]


def curves(
    caption: str,
    title: str,
    x: Sequence[str],
    lines: Sequence[Line],
    *,
    table: str = ROWS,
    each: str = "",
    vertical: tuple[str, str] | None = None,
    over: str = "",
    log: str = "xy",
    ticks: bool = False,
    height: float = 3.2,
    **axis: Any,
) -> Callable[[Mapping[str, Any]], Figure]:
    """A figure of columns.

    Parameters
    ----------
    caption : str
    title : str
        Of a panel, with fields of its first row.
    x : sequence of str
        Columns whose product is the horizontal axis.
    lines : sequence of Line
    table : str
    each : str
        A column each value of which has a panel of its own.
    vertical : (str, str), optional
        A column whose first value is marked on the horizontal axis, and the mark's name.
    over : str
        A column that all lines are divided by; these are named at their ends, without a legend.
    log : str
        Axes that are logarithmic.
    ticks : bool
        Whether the ticks are the places of the points.
    height : float
        Inches.
    **axis
        What `Axes.set` takes.
    """
    more = (each,) if each else ()
    heights = dict.fromkeys(name for line in lines for name in (line.y, *line.ends))
    names = dict.fromkeys((*more, *x, *heights, *((over,) if over else ())))

    @styled
    def draw(evidence: Mapping[str, Any]) -> Figure:
        rows = rows_of(evidence, *names, table=table)
        if over:
            rows = [row | {name: row[name] / row[over] for name in heights} for row in rows]
        values = dict.fromkeys(row.get(each) for row in rows)
        figure, grid = panels(len(values), 1, height=height)
        for axes, value in zip(np.ravel(grid), values, strict=True):
            mine = [row for row in rows if row.get(each) == value]
            for line in lines:
                line.draw(axes, mine, x)
            if vertical:
                axes.axvline(mine[0][vertical[0]], color="black", ls=DASHED, lw=1.0, label=vertical[1])
            axes.set(**{f"{name}scale": "log" for name in log}, **axis)
            axes.set_title(title.format(**mine[0]), loc="left")
            log_ticks(*(getattr(axes, f"{name}axis") for name in log))
            if ticks:
                places = list(dict.fromkeys(row[x[0]] for row in mine))
                axes.set_xticks(places, [f"{place:g}" for place in places])
                axes.minorticks_off()
            if over:
                label_ends(axes)
        if not over:
            figure.legend(*np.ravel(grid)[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
        return figure

    draw.__doc__ = caption
    return draw


FLOORS = [
    *(Line("error", name, look, ("standard error",), name) for name, look in LOOKS.items()),
    Line("error", "predict 0", ZERO, only="zero"),
    Line("floor tight", "lower bound", {"color": GREEN, "lw": 2.0}, only="zero"),
]
"""Measured errors, and the largest lower bound that is proved."""
_TIGHT: dict[str, Any] = {"over": "floor tight", "ylabel": "error / lower bound"}
sandwich_records = curves(
    "Theorem 4, corrected: mean excess empirical risk over nε on the hardest data sets, in units of the largest lower "
    "bound that is proved, with 95% intervals. Predicting 0, which ignores the data, is within 1.3 of it.",
    r"{sweep}, $d$ = {d:g}, $\varepsilon$ = {epsilon:g}",
    ("n", "epsilon"),
    FLOORS,
    each="sweep",
    height=4.4,
    xlabel=r"$n\varepsilon$",
    **_TIGHT,
)
sandwich_rank = curves(
    "Theorem 6: mean excess population risk over the rank on the hardest populations, in units of the largest lower "
    "bound that is proved, with 95% intervals. Predicting 0 ignores the data.",
    r"Theorem 6, $n$ = {n:g}, $\varepsilon$ = {epsilon:g}",
    ("rank",),
    FLOORS,
    height=2.5,
    xlabel="rank",
    **_TIGHT,
)
two_point = curves(
    "Lemma 1: the least sum of the two errors over Δ, in units of |τ − τ'|.",
    r"Lemma 1: two-point inequality, $\varepsilon$ = 0.25",
    ("distance",),
    [
        Line("tight", "tight", {"color": GREEN}),
        Line("attained", "attained", {"color": "black", "ls": "", "marker": "x"}),
        Line("exact", "by group privacy", {"color": GREEN, "ls": DASHED}),
        Line("printed", r"printed, $\Delta\varepsilon$ ≤ log 5", {"color": VERMILION}),
    ],
    table="curve",
    log="",
    xlabel=r"records that differ, $\Delta$",
    ylabel=r"least error sum / $|\tau-\tau'|$",
    ylim=(0.0, 1.0),
    xticks=[1, 4, 8, 12, 16],
)
attack_power = curves(
    "Share of attacks that refute, over how many times too small the noise is.",
    r"Noise: {noise}, claimed $\varepsilon$ = 1",
    ("shrink",),
    [
        Line("absolute error", "absolute error", {"color": BLUE, "marker": "o"}),
        Line("clipped to the targets", "clipped to the targets", {"color": VERMILION, "marker": "s"}),
        Line("rounded", "rounded", {"color": GREEN, "marker": "D"}),
    ],
    table="power",
    each="noise",
    vertical=("predicted", "Lemma 1's prediction\nfor absolute error"),
    log="x",
    height=4.4,
    xlabel="noise too small by this factor",
    ylabel="attacks that refute",
    ylim=(-0.04, 1.04),
)
benign = curves(
    "Mean excess risk over d on one easy population, beside each theorem's ceiling and the zero predictor.",
    r"Four coordinates carry all, $n$ = {n:,}, $\varepsilon$ = 1",
    ("d",),
    [
        *(Line("excess", name, LOOKS[name], ("standard error",), name) for name in list(LOOKS)[:3]),
        *(Line("ceiling", "", {"color": LOOKS[name]["color"], "ls": ":"}, only=name) for name in list(LOOKS)[:3]),
        Line("zero", "zero (dotted: ceilings)", ZERO, only="noisy GD"),
    ],
    xlabel="dimension $d$",
    ylabel="excess population risk",
)
adaptation = curves(
    "Theorem 7: mean excess risk over ‖w*‖ for grid search and for the oracle with the right radius.",
    r"Theorem 7: $\|\mathcal{{Y}}\|$ = 64, $n$ = $10^6$, $\varepsilon$ = 1",
    ("norm",),
    [
        Line("bound", "2 × oracle + selection terms", BOUND),
        Line("zero predictor", "zero predictor", ZERO),
        Line("grid search", "grid search", {"color": BLUE, "marker": "o"}, ("grid search error",)),
        Line("oracle", "oracle: right radius", {"color": VERMILION, "marker": "s"}, ("oracle error",)),
    ],
    ticks=True,
    xlabel=r"$\|w^*\|$",
    ylabel="excess population risk",
)
failures = curves(
    "Theorem 13: how often the selected model is bad, over β, beside one run of the base and the bound β/2.",
    "Theorem 13: how often a bad model is chosen",
    ("beta",),
    [
        Line(name, label, look, (f"{name} low", f"{name} high"))
        for name, label, look in (
            ("of a single run", "one run of the base", {"color": VERMILION, "marker": "s"}),
            ("failures", "boosting", {"color": BLUE, "marker": "o"}),
        )
    ]
    + [Line("allowed", r"allowed, $\beta/2$", {"color": "black", "ls": DASHED, "lw": 1.0})],
    ticks=True,
    xlabel=r"$\beta$",
    ylabel="probability of a bad model",
)


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
    for name, look in list(LOOKS.items())[:3]:
        Line("excess", name, look, ("standard error",), name).draw(left, run, ("d",))
        if f"{name} closed" in curve:
            left.plot(d, curve[f"{name} closed"], color=look["color"])  # the closed form, through what was measured
    left.plot(d, curve["zero"], label="zero, on noisy GD's scales", **ZERO)
    left.plot(d, curve["theory"], label="least ceiling, constants 1", **BOUND)
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
