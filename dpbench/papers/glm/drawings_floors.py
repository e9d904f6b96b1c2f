"""The figures of the lower bounds: errors between floor and ceiling, the two-point constant, power of the attack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    PURPLE,
    SKY,
    VERMILION,
    log_ticks,
    named,
    new_axes,
    panels,
    styled,
)

MARKERS = {
    "noisy GD": ("o", BLUE),
    "JL method": ("D", PURPLE),
    "output perturbation": ("s", VERMILION),
    "grid search": ("^", ORANGE),
    "boosting": ("v", SKY),
    "zero": ("x", "black"),
}
FLOORS = {"tight": (GREEN, "-"), "exact": (GREEN, DASHED), "printed": (GREEN, ":")}


@styled
def sandwich_records(evidence: Mapping[str, Any]) -> Figure:
    """Theorem 4: mean excess empirical risk over nε, in a low and in a high dimension."""
    rows = rows_of(evidence, "sweep", "algorithm", "n", "d", "epsilon", "error", "standard error", "ceiling")
    figure, both = panels(2, 1, height=4.6)
    for axes, sweep in zip(both, dict.fromkeys(row["sweep"] for row in rows), strict=True):
        mine = [row for row in rows if row["sweep"] == sweep]
        _sandwich(axes, mine, lambda row: row["n"] * row["epsilon"])
        axes.set_ylabel("excess empirical risk")
        axes.set_title(f"{sweep}, d = {int(mine[0]['d'])}, " rf"$\varepsilon$ = {mine[0]['epsilon']:g}", loc="left")
        log_ticks(axes.xaxis, axes.yaxis)
    both[-1].set_xlabel(r"$n\varepsilon$")
    _legend(figure, both[0])
    return figure


@styled
def sandwich_rank(evidence: Mapping[str, Any]) -> Figure:
    """Theorem 6: mean excess population risk over the rank; the measurements are on the tight floor's instances."""
    rows = rows_of(evidence, "algorithm", "rank", "n", "epsilon", "error", "standard error", "ceiling")
    figure, axes = panels(1, 1, height=3.4)
    _sandwich(axes, rows, lambda row: row["rank"])
    axes.set(xlabel="rank", ylabel="excess population risk")
    axes.set_title(rf"Theorem 6, $n\varepsilon$ = {rows[0]['n'] * rows[0]['epsilon']:g}", loc="left")
    log_ticks(axes.xaxis, axes.yaxis)
    _legend(figure, axes)
    return figure


@styled
def two_point(evidence: Mapping[str, Any]) -> Figure:
    """Lemma 1: the least sum of the two errors over Δ, in units of |τ − τ'|."""
    names = "distance", "printed", "exact", "tight", "attained"
    rows = rows_of(evidence, *names, table="curve")
    distance, printed, exact, tight, attained = (np.array([float(row[name]) for row in rows]) for name in names)
    figure, axes = new_axes()
    axes.plot(distance, tight, color=GREEN, label="tight")
    axes.plot(distance, attained, color="black", ls="", marker="x", label="attained by a private mechanism")
    axes.plot(distance, exact, color=GREEN, ls=DASHED, label="exact under group privacy")
    axes.plot(distance, printed, color=VERMILION, label=r"printed 1/4, to $\Delta\varepsilon$ = log 5")
    axes.set(
        xlabel=r"records that differ, $\Delta$",
        ylabel=r"least error sum / $|\tau-\tau'|$",
        ylim=(0.0, 1.0),
        xticks=[1, 4, 8, 12, 16],
    )
    axes.set_title(r"Lemma 1: two-point inequality, $\varepsilon$ = 0.25", loc="left")
    axes.legend(loc="upper right")
    return figure


@styled
def attack_power(evidence: Mapping[str, Any]) -> Figure:
    """Share of attacks that refute, over how many times too small the noise is."""
    rows = rows_of(evidence, *_SETTINGS, table="power")
    statistics = [name for name in rows[0] if name not in _SETTINGS]
    figure, both = panels(2, 1, height=4.2, sharex=True)
    for axes, noise in zip(both, dict.fromkeys(row["noise"] for row in rows), strict=True):
        mine = [row for row in rows if row["noise"] == noise]
        shrink = [row["shrink"] for row in mine]
        for name, colour, marker in zip(statistics, (BLUE, VERMILION, GREEN), "osD", strict=False):
            share = [row[name] for row in mine]
            axes.plot(shrink, share, color=colour, marker=marker, label=name)
        predicted = mine[0]["predicted"]
        axes.axvline(predicted, color="black", ls=DASHED, lw=1.0, label="predicted, unclipped")
        axes.set(xscale="log", ylabel="share refuted", ylim=(-0.04, 1.04))
        axes.set_title(rf"{noise.capitalize()}, $\varepsilon$ = 1: predicted {predicted:.3g}", loc="left")
        log_ticks(axes.xaxis)
    both[-1].set_xlabel("noise too small by this factor")
    _legend(figure, both[0])
    return named(figure, "glm.lemma1.floor.exact", _always_found(evidence))


_SETTINGS = ("noise", "shrink", "predicted")


def _always_found(evidence: Mapping[str, Any]) -> str:
    """From how many times too small a noise is on some statistic refutes it in every attack."""
    rows = rows_of(evidence, *_SETTINGS, table="power")
    statistics = [name for name in rows[0] if name not in _SETTINGS]
    said = []
    for noise in dict.fromkeys(row["noise"] for row in rows):
        always = [r["shrink"] for r in rows if r["noise"] == noise and max(r[s] for s in statistics) == 1.0]
        said.append(f"{noise} noise from {min(always):g}" if always else f"no {noise} noise")
    return f"always refuted: {', '.join(said)} times too small"


def rows_of(evidence: Mapping[str, Any], *names: str, table: str = ROWS) -> list[dict[str, Any]]:
    """Rows of a table of the evidence that has all these columns; a missing one is evidence of another version."""
    columns = having({table: evidence["tables"].get(table, {})}, *names)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _sandwich(axes: Any, rows: list[dict[str, Any]], place: Callable[[dict[str, Any]], float]) -> None:
    """Measured errors with 95% intervals, the three floors below and the theorem's ceiling above."""
    for name, (marker, colour) in MARKERS.items():
        mine = [row for row in rows if row["algorithm"] == name]
        if not mine:
            continue
        error = np.array([row["error"] for row in mine])
        spread = 1.96 * np.array([row["standard error"] for row in mine])
        axes.errorbar(
            [place(row) for row in mine], error, yerr=np.minimum(spread, 0.9 * error), color=colour, marker=marker,
            ls="-" if name != "zero" else DASHED, lw=1.0, capsize=2, elinewidth=0.9, label=name,
        )  # fmt: skip
    once = [row for row in rows if row["algorithm"] == "zero"]
    where = [place(row) for row in once]
    for constants, (colour, style) in FLOORS.items():
        values = [row[f"floor {constants}"] for row in once]
        axes.plot(where, values, color=colour, ls=style, label=f"floor, {constants}")
    axes.plot(where, [row["ceiling"] for row in once], color=GREY, ls=DASHED, label="ceiling, constants 1")
    axes.set(xscale="log", yscale="log")


def _legend(figure: Figure, axes: Any) -> None:
    """What was measured below the figure; the lines that it is held against, if there are any, in its axes."""
    found = list(zip(*axes.get_legend_handles_labels(), strict=True))
    lines = [(handle, label) for handle, label in found if label.startswith(("floor", "ceiling"))]
    measured = [(handle, label) for handle, label in found if (handle, label) not in lines]
    figure.legend(*zip(*measured, strict=True), loc="outside lower center", ncols=2)
    if lines:
        low, high = axes.get_ylim()
        axes.set_ylim(low / (high / low) ** 0.45, high)  # room for the lines' names
        axes.legend(*zip(*lines, strict=True), loc="lower left", ncols=2)
