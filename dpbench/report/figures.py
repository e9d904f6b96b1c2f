"""The figures: one function each, fed by stored evidence alone; nothing is run here.

A function takes the evidence of its entries (the dict of `Evidence.to_dict`) and returns a matplotlib figure;
`save` writes it as PDF (vector, TrueType fonts embedded) and PNG.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from dpbench import validation

STYLE = Path(__file__).with_name("paper.mplstyle")
BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"
_FLOOR = 1e-12  # δ below this is off the axis

Series = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Drawing:
    """A figure of the ledger: the entry whose evidence it shows, and the function that draws it."""

    name: str
    claim: str
    draw: Callable[[Mapping[str, Any]], Figure]


def privacy(evidence: Mapping[str, Any], *, theorem: str, pair: str) -> Figure:
    """Claimed against true δ over ε on a worst pair, for the printed and the exact calibration.

    Columns: epsilon, delta_claimed, delta_true_printed, delta_true_exact.
    """
    epsilon, claimed, printed, exact = columns(
        evidence, "epsilon", "delta_claimed", "delta_true_printed", "delta_true_exact"
    )
    figure, axes = _axes()
    axes.set(
        xscale="log", yscale="log", xlabel=r"$\varepsilon$ claimed", ylabel=r"$\delta$ at this $\varepsilon$"
    )
    broken = printed > claimed
    axes.fill_between(
        epsilon,
        claimed,
        np.maximum(printed, claimed),
        where=broken,
        color=VERMILION,
        alpha=0.15,
        lw=0,
        interpolate=True,
    )
    axes.plot(
        epsilon,
        claimed,
        color=GREY,
        ls="--",
        lw=1.0,
        label=f"claimed ({claimed[0]:.0e})".replace("e-0", "e-"),
    )
    for values, colour, marker, label in (
        (printed, VERMILION, "o", "true, printed noise"),
        (exact, BLUE, "s", "true, exact calibration"),
    ):
        shown = np.where(values >= _FLOOR, values, np.nan)
        axes.plot(epsilon, shown, color=colour, marker=marker, markevery=4, label=label)
    low = min(float(v[v >= _FLOOR].min()) for v in (printed, exact, claimed))
    axes.set_ylim(low / 5.0, min(3.0, 20.0 * float(max(printed.max(), claimed.max()))))
    _log_ticks(axes)
    axes.set_title(f"{theorem}: {pair}", loc="left")
    axes.legend(loc="upper left")
    return figure


def rate(evidence: Mapping[str, Any], *, theorem: str) -> Figure:
    """Mean excess risk against n with 95% intervals, and the theorem's formula scaled to the measurements.

    Columns: n, excess_risk, excess_risk_low, excess_risk_high, theory.
    """
    n, risk, low, high, theory = columns(
        evidence, "n", "excess_risk", "excess_risk_low", "excess_risk_high", "theory"
    )
    figure, axes = _axes()
    axes.set(xscale="log", yscale="log", xlabel="records $n$", ylabel="excess population risk")
    scale = float(np.exp(np.mean(np.log(risk / theory))))
    expected = float(np.polyfit(np.log(n), np.log(theory), 1)[0])
    axes.plot(n, scale * theory, color=GREY, ls="--", lw=1.0, label=f"theorem, scaled (slope {expected:.2f})")
    slope = f"{evidence['value']:.2f}"
    if evidence["interval"] is not None:
        slope += " [{:.2f}, {:.2f}]".format(*evidence["interval"])
    axes.errorbar(
        n, risk, yerr=(risk - low, high - risk), color=BLUE, marker="o", capsize=2, elinewidth=0.9,
        label=f"measured (slope {slope})",
    )  # fmt: skip
    _log_ticks(axes)
    axes.set_title(theorem, loc="left")
    axes.legend(loc="upper right")
    return figure


def comparison(document: Mapping[str, Any]) -> Figure:
    """Empirical excess risk of each algorithm over ε, beside the zero predictor (`dpbench bench`)."""
    rows, zero = document["rows"], document["zero_excess"]
    figure, axes = _axes()
    axes.set(xscale="log", xlabel=r"privacy $\varepsilon$", ylabel="empirical excess risk")
    axes.axhline(zero, color=GREY, ls="--", lw=1.0, label="zero predictor")
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    epsilons = sorted({row["epsilon"] for row in rows})
    for place, (name, marker) in enumerate(zip(names, "osD^v", strict=False)):
        mine = sorted((row for row in rows if row["algorithm"] == name), key=lambda row: row["epsilon"])
        centre = np.array([row["excess"] for row in mine])
        half = centre - np.array([row["low"] for row in mine])
        shift = 1.02 ** (
            place - (len(names) - 1) / 2
        )  # so that intervals of two algorithms do not hide each other
        axes.errorbar(
            [row["epsilon"] * shift for row in mine], centre, yerr=half, marker=marker, capsize=2,
            elinewidth=0.9, label=name,
        )  # fmt: skip
    lows = [row["low"] for row in rows]
    if zero > 0.0 and min(lows) > 0.0:
        axes.set_yscale("log")
        _log_ticks(axes, x=False)
    else:
        axes.axhline(0.0, color="black", lw=0.6)
    axes.set_xticks(epsilons, [f"{e:g}" for e in epsilons])
    axes.xaxis.set_minor_locator(LogLocator(subs=()))
    axes.set_xlim(epsilons[0] / 1.15, epsilons[-1] * 1.15)
    trials, delta = rows[0]["trials"], rows[0]["delta"]
    axes.set_title(
        f"{document['data']}: n = {document['n']:,}, d = {document['d']}, {document['loss']} loss\n"
        f"δ = {delta:g}, mean of {trials} runs, 95% t intervals",
        loc="left",
    )
    axes.legend(loc="best")
    return figure


DRAWINGS = (
    Drawing(
        "delta_thm1",
        "glm.thm1.privacy.printed",
        lambda evidence: privacy(evidence, theorem="Theorem 1", pair="noisy GD, all iterates, worst pair"),
    ),
    Drawing(
        "delta_thm5",
        "glm.thm5.privacy.printed",
        lambda evidence: privacy(evidence, theorem="Theorem 5", pair="output perturbation, worst pair"),
    ),
    Drawing(
        "rate_thm1",
        "glm.thm1.rate.n",
        lambda evidence: rate(evidence, theorem="Theorem 1: noisy GD"),
    ),
    Drawing(
        "rate_thm5",
        "glm.thm5.rate.n",
        lambda evidence: rate(evidence, theorem="Theorem 5: output perturbation"),
    ),
)


def columns(evidence: Mapping[str, Any], *names: str) -> list[np.ndarray]:
    """Columns of the evidence's series as arrays; a missing one is evidence of another version."""
    series: Series = evidence["series"]
    for name in names:
        if name not in series:
            known = ", ".join(series)
            raise validation.invalid("evidence", f"of this version, with a column {name}", known)
    return [np.array([float(v) for v in series[name]]) for name in names]


def drawn(drawing: Drawing, evidence: Mapping[str, Any]) -> Figure:
    """The figure in the project's style."""
    return drawing.draw(evidence)


def save(figure: Figure, paths: Iterable[Path]) -> None:
    """Write the figure, in the format that each path's suffix names; equal evidence gives equal bytes."""
    for path in paths:
        dateless = {"CreationDate": None} if path.suffix == ".pdf" else {"Software": None}
        with _style():
            figure.savefig(path, metadata=dateless)


def _style() -> Any:
    return matplotlib.rc_context(fname=str(STYLE))


def _axes() -> tuple[Figure, Any]:
    with _style():
        figure = Figure()
        FigureCanvasAgg(figure)
        return figure, figure.add_subplot()


def _log_ticks(axes: Any, *, x: bool = True) -> None:
    """Labels at powers of ten only, ticks between them."""
    for axis in (axes.xaxis, axes.yaxis) if x else (axes.yaxis,):
        low, high = sorted(axis.get_view_interval())
        decades = np.log10(high / low) if low > 0.0 else 0.0
        if decades >= 1.5:
            axis.set_major_locator(LogLocator(numticks=7))
            axis.set_minor_formatter(NullFormatter())
