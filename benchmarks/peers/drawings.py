"""The peers' tables and figures, from the document of ``python -m benchmarks.peers --json``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from rich.console import Console

from dpbench.report.figures import BLUE, DASHED, GREY, PAGE, VERMILION, log_ticks, new_axes, panels, small, styled
from dpbench.report.markdown import table as markdown_table
from dpbench.report.plain import table
from dpbench.report.view import interval, number

Rows = Sequence[Mapping[str, Any]]
STYLES = {
    "noisy-gd": ("noisy GD", "o", BLUE),
    "output-perturbation": ("output perturbation", "s", "#E69F00"),
    "jl": ("JL method", "D", "#009E73"),
    "diffprivlib": ("diffprivlib", "^", VERMILION),
}

COLUMNS: dict[str, dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "speed": {
        "loss": lambda r: r["loss"],
        "peer": lambda r: r["peer"],
        "ours, trials a second": lambda r: f"{r['ours_per_second']:.0f}",
        "peer's": lambda r: f"{r['peer_per_second']:.0f}",
        "ratio": lambda r: f"{r['median']:.2f}",
        "95% interval": lambda r: f"{r['low']:.2f} to {r['high']:.2f}",
        "promised": lambda r: "" if r["promised"] is None else f"{r['promised']:g}",
    },
    "auditors": {
        "task": lambda r: r["task"],
        "mechanism": lambda r: r["mechanism"],
        "auditor": lambda r: r["auditor"],
        "true epsilon": lambda r: f"{r['truth']:.3g}",
        "mean bound": lambda r: f"{r['mean']:.4f}",
        "standard error": lambda r: f"{r['standard_error']:.4f}",
        "above the truth": lambda r: f"{r['above']} of {r['audits']}",
    },
    "held-out": {
        "data": lambda r: r["data"],
        "measure": lambda r: r["measure"],
        "algorithm": lambda r: r["algorithm"],
        "promise": lambda r: r["promise"],
        "epsilon": lambda r: "" if r["epsilon"] is None else f"{r['epsilon']:g}",
        "median": lambda r: number(r["value"], 3),
        "95% interval": lambda r: "" if r["epsilon"] is None else interval((r["low"], r["high"])),
    },
}


def line(part: str, row: Mapping[str, Any]) -> str:
    """A finished row, for the progress."""
    return f"{part}: " + "  ".join(cell for show in COLUMNS[part].values() if (cell := show(row)))


def print_peers(document: Mapping[str, Any]) -> None:
    """A table for each part that was measured."""
    console = Console()
    for part, rows in document["parts"].items():
        printed = table(*COLUMNS[part])
        for row in rows:
            printed.add_row(*(show(row) for show in COLUMNS[part].values()))
        console.print(f"[bold]{part}[/]")
        console.print(printed)
    console.print(document["machine"])


def markdown(part: str, rows: Rows) -> str:
    """The table of a part for the documentation."""
    return markdown_table(COLUMNS[part], ([show(row) for show in COLUMNS[part].values()] for row in rows))


@styled
def speed(parts: Mapping[str, Rows]) -> Figure:
    """How many times as many trials a second as each peer, with 95% intervals; ticks are what is promised."""
    rows = list(parts["speed"])[::-1]
    figure, axes = new_axes()
    centre, low, high = (np.array([row[key] for row in rows]) for key in ("median", "low", "high"))
    place = np.arange(len(rows))
    axes.errorbar(
        centre, place, xerr=(centre - low, high - centre), color=BLUE, marker="o", ls="none", capsize=2,
        label="measured, 95% interval",
    )  # fmt: skip
    promised = [(k, row["promised"]) for k, row in enumerate(rows) if row["promised"] is not None]
    axes.scatter([p for _, p in promised], [k for k, _ in promised], marker="|", s=120, color="black", label="promised")
    axes.axvline(1.0, color=GREY, lw=0.8)
    axes.set(xscale="log", xlabel="trials a second over the peer's")
    axes.set_yticks(place, [f"{row['loss']}, {row['peer']}" for row in rows])
    log_ticks(axes.xaxis)
    axes.set_title("Noisy GD, n = 1000, d = 50, T = 1000", loc="left")
    axes.set_ylim(-0.6, len(rows) - 0.4)
    figure.legend(loc="outside lower center", ncols=2)  # outside the axes, where no mark reads as a datum
    return figure


@styled
def held_out(parts: Mapping[str, Rows]) -> Figure:
    """Held-out accuracy or R² over ε on each set: medians with 95% intervals, the non-private fit and zero."""
    rows = parts["held-out"]
    names = list(dict.fromkeys(row["data"] for row in rows))
    figure, places = panels(2, -(-len(names) // 2), width=PAGE, height=4.4, squeeze=False)
    for axes, name in zip(np.ravel(places), names, strict=False):
        mine = [row for row in rows if row["data"] == name]
        measure = mine[0]["measure"]
        floor = -0.4 if measure == "R2" else 0.4  # a fit can be worse by any factor; the axis is not
        for algorithm, (label, marker, colour) in STYLES.items():
            curve = sorted((r for r in mine if r["algorithm"] == algorithm), key=lambda row: row["epsilon"])
            if curve:
                x, centre, low, high = (np.array([r[k] for r in curve]) for k in ("epsilon", "value", "low", "high"))
                seen = centre >= floor
                axes.errorbar(
                    x[seen], centre[seen], (centre[seen] - np.maximum(low[seen], floor), high[seen] - centre[seen]),
                    marker=marker, capsize=2, elinewidth=0.9, label=label, color=colour,
                )  # fmt: skip
        for algorithm, style, colour in LINES:
            for value in (r["value"] for r in mine if r["algorithm"] == algorithm):
                axes.axhline(value, color=colour, ls=style, lw=0.9, label=LABELS.get(algorithm, algorithm))
        shown = {r["algorithm"] for r in mine if r["epsilon"] is not None and r["value"] >= floor}
        run = {row["algorithm"] for row in mine}
        below = [STYLES[one][0] for one in STYLES if one in run - shown]
        absent = [STYLES[one][0] for one in STYLES if one not in run]
        notes = [
            f"{why}: {', '.join(found)}" for why, found in (("below the axis", below), ("not run", absent)) if found
        ]
        if notes:
            axes.set_title("\n".join(notes), loc="right", fontsize=small(5.0))
        axes.set(xscale="log", xlabel=r"$\varepsilon$", ylabel="accuracy" if measure == "accuracy" else "$R^2$")
        epsilons = sorted({row["epsilon"] for row in mine if row["epsilon"] is not None})
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons], minor=False)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_title(f"{name.replace('_', ' ')}, held out", loc="left")
    handles = {label: handle for a in figure.axes for handle, label in zip(*a.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3)
    return figure


LINES = (
    ("non-private fit", "-", "black"),
    ("unconstrained fit", "-", GREY),
    ("majority class", DASHED, "black"),
    ("training mean", DASHED, "black"),
    ("zero predictor", ":", "black"),
)
"""What is not private, each a line: the fit at the radius of the private ones, and the one without a radius."""
LABELS = {
    "non-private fit": "non-private fit at the same radius",
    "majority class": "majority class, training mean",
    "training mean": "majority class, training mean",
}

FIGURES: dict[str, Callable[[Mapping[str, Rows]], Figure]] = {"speed": speed, "held-out": held_out}
SAID = {
    "speed": "Noisy gradient descent compared with NumPy and JAX: trials a second of one core.",
    "held-out": "Scores on held-out records of real data, over ε: medians of 20 fits with 95% intervals, compared with "
    "the majority class or zero, non-private fits and diffprivlib. What lies below a panel's axis, or was not run, is "
    "named.",
}
"""What each figure shows."""


def figures(document: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], Figure], str, Mapping[str, Any]]]:
    """Those of the parts that were measured, each from the numbers of its part (`studies.command.Drawing`)."""
    for part in FIGURES.keys() & document["parts"].keys():
        numbers = {**document, "parts": {part: document["parts"][part]}}
        yield f"_{part.replace('-', '_')}", partial(FIGURES[part], document["parts"]), SAID[part], numbers
