"""The figures of ``python -m studies.publicdata_risk``: excess risk of Algorithms 2 to 5 on one learning problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from dpbench.report.figures import BLUE, DASHED, GREEN, GREY, PAGE, PURPLE, VERMILION, log_ticks, panels, styled

ALGORITHMS = {
    "Algorithm 2": (VERMILION, "o"),
    "Algorithm 3": (GREEN, "^"),
    "Algorithm 4": (BLUE, "s"),
    "Algorithm 5": (PURPLE, "D"),
    "ERM": (GREY, "x"),
}
"""Colour and marker of each."""


@styled
def risks(document: Mapping[str, Any]) -> Figure:
    """Excess risk over n, 1/σ, m and ε, with the slopes over n; those of the upper bounds are given beside them."""
    figure, places = panels(2, 2, width=PAGE, height=5.4, sharey=True)
    floor, base = _floor(document["rows"]), document["base"]
    fixed = {
        "n": f"$n$ = {base['n']:,}",
        "sigma": rf"$\sigma$ = {base['sigma']:g}",
        "m": f"$m$ = {base['m']}",
        "epsilon": rf"$\varepsilon$ = {base['epsilon']:g}",
    }
    labels = "number of records $n$", r"$1/\sigma$", "public points $m$", r"$\varepsilon$"
    for place, axis, label in zip(places.flat, fixed, labels, strict=True):
        for name in ALGORITHMS:
            x = _curve(place, document, name, axis, floor, _slope(document, name))
        place.axhline(document["constant predictor"], color="black", ls=":", lw=1.0, label="zero or constant predictor")
        place.set(xscale="log", yscale="log", xlabel=label)
        others = [said for name, said in fixed.items() if name != axis and not (axis == "n" and name == "m")]
        place.set_title(", ".join(others) + (r"; $m$, $\eta$, $J$ follow $n$" if axis == "n" else ""), loc="left")
        if axis == "n":
            log_ticks(place.xaxis)
        else:
            place.set_xticks(x, [f"{value:g}" for value in x])
            place.xaxis.set_minor_locator(NullLocator())
    for place in places[:, 0]:
        place.set_ylabel("excess population risk")
    places[0, 0].set_ylim(floor, 2.0 * document["constant predictor"])
    log_ticks(places[0, 0].yaxis)
    handles, names = places[0, 0].get_legend_handles_labels()
    order = [*range(1, len(handles)), 0]  # matplotlib puts lines before error bars
    figure.legend([handles[k] for k in order], [names[k] for k in order], loc="outside lower center", ncols=2)
    return figure


@styled
def risk_of_rspm(document: Mapping[str, Any]) -> Figure:
    """Excess risk of Algorithm 5 and of ERM over n with their slopes, and the upper bound of Lemma 23."""
    figure, place = panels(1, 1, height=3.1)
    floor = _floor([row for row in document["rows"] if row["algorithm"] in ("Algorithm 5", "ERM")])
    fit = _fit(document, "Algorithm 5")
    name = "Algorithm 5" + _said(": slope", fit) + _said(f",\n    from $n$ = {document['late']:,} on", fit["late"])
    x = _curve(place, document, "Algorithm 5", "n", floor, name)
    _curve(place, document, "ERM", "n", floor, "ERM, not private" + _said(": slope", _fit(document, "ERM")))
    name = f"upper bound, slope {fit['proven']:.2f}".replace("-", "−")
    place.plot(x, fit["theory"], color="black", ls=DASHED, lw=1.0, label=name)
    place.axhline(document["constant predictor"], color="black", ls=":", lw=1.0, label="zero or constant predictor")
    place.set(xscale="log", yscale="log", xlabel="number of records $n$", ylabel="excess population risk")
    place.set_ylim(floor, 2.0 * max(fit["theory"]))
    log_ticks(place.xaxis, place.yaxis)
    place.set_title(f"Algorithm 5, identification set of {document['cells']} points", loc="left")
    figure.legend(loc="outside lower center", ncols=1)
    return figure


def _fit(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The slope of an algorithm."""
    (fit,) = (item for item in document["slopes"] if item["algorithm"] == name)
    return fit


def _slope(document: Mapping[str, Any], name: str) -> str:
    """The name, its slope over n with the interval, and the proven slope."""
    fit = _fit(document, name)
    said = "ERM, not private" if name == "ERM" else name
    said += _said(": slope in $n$", fit)
    return said if fit["proven"] is None else said + f", bound's {fit['proven']:.2f}".replace("-", "−")


def _said(before: str, fit: Mapping[str, Any]) -> str:
    """A slope and its interval; nothing where there is none."""
    if fit["value"] is None:
        return ""
    return f"{before} " + "{:.2f} [{:.2f}, {:.2f}]".format(fit["value"], *fit["interval"]).replace("-", "−")


def _floor(rows: list[dict[str, Any]]) -> float:
    """Half a decade below the least positive mean: a mean of 0 and ends of intervals below it are drawn there."""
    return float(10.0**-0.5 * min(row["mean"] for row in rows if row["mean"] > 0.0))


def _curve(place: Any, document: Mapping[str, Any], name: str, axis: str, floor: float, label: str) -> np.ndarray:
    """Means with their intervals, a hollow marker at the floor for a mean of 0; returns x."""
    rows = [row for row in document["rows"] if (row["algorithm"], row["axis"]) == (name, axis)]
    x, mean, low, high = (np.array([row[key] for row in rows], dtype=float) for key in ("x", "mean", "low", "high"))
    x = 1.0 / x if axis == "sigma" else x
    height = np.maximum(mean, floor)
    ends = height - np.clip(low, floor, height), np.maximum(high, height) - height
    colour, marker = ALGORITHMS[name]
    place.errorbar(x, height, ends, color=colour, marker=marker, capsize=2, elinewidth=0.9, label=label)
    if (mean <= 0.0).any():
        none = mean <= 0.0
        place.plot(x[none], height[none], color=colour, marker=marker, mfc="white", ls="none", clip_on=False, zorder=5)
    return x
