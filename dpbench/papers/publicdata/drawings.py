"""The figures of the public-data paper: privacy of RRSPM, excess risks and stability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbench.report.figures import (
    BLUE,
    DASHED,
    GREY,
    VERMILION,
    columns,
    log_ticks,
    new_axes,
    panels,
    small,
    styled,
    with_intervals,
)


@styled
def privacy_over_m(evidence: Mapping[str, Any]) -> Figure:
    """Exact ε of the parity cube's tilted pair over the public points, for Gaussian and Laplace weights.

    Columns: m, gaussian, laplace, exact; tables: d = m, and d = 4096 with one public point a bit.
    """
    figure, axes = panels(1, 1, height=2.9)
    axes.set(xscale="log", yscale="log", xlabel="public points $m$", ylabel=r"exact $\varepsilon$ of the pair")
    for table in ("d = m", "d fixed"):
        dashed = {} if table == "d = m" else {"mfc": "white", "ls": DASHED}
        for name, colour, marker in (("gaussian", VERMILION, "o"), ("laplace", BLUE, "s"), ("exact", GREY, "D")):
            m, reached = columns(evidence, "m", name, table=table)
            axes.plot(m, reached, color=colour, marker=marker, **dashed)
    for text, at, colour in (
        ("printed Gaussian,\n$d=m$", (1.2e5, 30.0), VERMILION),
        ("the same, $d=4096$", (1.2e5, 4.0), VERMILION),
        ("Laplace, and\nexact Gaussian", (55.0, 0.12), BLUE),
        ("claimed", (2e6, 1.2), "black"),
    ):
        axes.annotate(text, at, color=colour, fontsize=small(7.0), va="center" if text != "claimed" else "bottom")
    axes.axhline(1.0, color="black", ls=DASHED, lw=1.0)
    axes.set_ylim(0.04, 100.0)
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title("RRSPM on the parity cube, tilted pair", loc="left")
    return figure


@styled
def risk(evidence: Mapping[str, Any], *, axis: str, title: str) -> Figure:
    """Mean excess risk with 95% intervals, that of non-private ERM, and the proven accuracy with constants 1.

    Columns: `axis`, measured, standard error, erm, erm standard error, theory.
    """
    x, mean, error, theory = columns(evidence, axis, "measured", "standard error", "theory")
    plain, plain_error = columns(evidence, "erm", "erm standard error")
    figure, axes = panels(1, 1, height=3.2)
    label = "number of records $n$" if axis == "n" else r"$1/\sigma$"
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel="excess population risk")
    slope = _slope(x, mean) if evidence["interval"] is None else f"{evidence['value']:.2f}".replace("-", "−")
    axes.errorbar(
        x, mean, 1.96 * error, color=BLUE, marker="o", capsize=2, elinewidth=0.9, label=f"measured, slope {slope}"
    )
    zero = (plain == 0.0) & (plain_error == 0.0)
    said = "ERM, not private" + (": 0" if zero.all() else " (0 elsewhere)" if zero.any() else "")
    spread = 1.96 * plain_error
    with_intervals(axes, x, plain, plain - spread, plain + spread, color=GREY, marker="s", label=said)
    proven = f"upper bound, constants 1, slope {_slope(x, theory)}"
    axes.plot(x, theory, color="black", ls=DASHED, lw=1.0, label=proven)
    axes.set_ylim(bottom=max(axes.get_ylim()[0], 1e-5 * mean.min()))
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title(title, loc="left")
    figure.legend(loc="outside lower center")
    return figure


def _slope(x: np.ndarray, y: np.ndarray) -> str:
    return f"{float(np.polyfit(np.log(x), np.log(y), 1)[0]):.2f}".replace("-", "−")


@styled
def nonconvex(evidence: Mapping[str, Any]) -> Figure:
    """Algorithm 2 on three functions: excess risk with 95% intervals beside 1/6, its limit in J, and ERM.

    Columns as `risk`.
    """
    n, mean, error, plain = columns(evidence, "n", "measured", "standard error", "erm")
    figure, axes = panels(1, 1, height=3.2)
    axes.set(xscale="log", xlabel="number of records $n$", ylabel="excess population risk", ylim=(-0.01, 0.2))
    axes.errorbar(
        n, mean, 1.96 * error, color=VERMILION, marker="o", capsize=2, elinewidth=0.9, label="Algorithm 2, $J$ = 25"
    )
    axes.plot(n, plain, color=GREY, marker="s", label="ERM, not private")
    axes.axhline(1.0 / 6.0, color="black", ls=DASHED, lw=1.0, label=r"1/6, as $J \to \infty$")
    log_ticks(axes.xaxis)
    axes.set_title("Theorem 6 on a class that is not convex", loc="left")
    figure.legend(loc="outside lower center")
    return figure


@styled
def stability_average(evidence: Mapping[str, Any]) -> Figure:
    """E‖f̄ − f̄'‖² of one call of Algorithm 2 on {f, −f} over nη, and its bounds. Columns: strength, square, bounds."""
    x, square, printed, sharp = columns(evidence, "strength", "square", "printed", "sharp")
    figure, axes = new_axes()
    axes.set(
        xscale="log",
        yscale="log",
        xlabel=r"$n\eta$",
        ylabel=r"$\mathrm{E}\Vert\bar{f}_j - \bar{f}_j^{\prime}\Vert_m^2$",
    )
    axes.plot(x, printed, color=VERMILION, ls=DASHED, label="Lemma 7, printed")
    axes.plot(x, sharp, color="black", ls=DASHED, label="coordinate by coordinate")
    axes.plot(x, square, color=BLUE, marker="o", label=r"$F = \{f, -f\}$, exact")
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title("Algorithm 2: stability of one oracle call", loc="left")
    axes.legend(loc="lower left")
    return figure


@styled
def stability_regularized(evidence: Mapping[str, Any]) -> Figure:
    """‖f̄ − f̄'‖ of Algorithm 3 over ηn: constants, linear functions, Lemma 2 and half of it.

    Columns: n, eta, moved, of constants and of linear functions.
    """
    n, eta, moved = columns(evidence, "n", "eta", "moved", table="rows")
    linear_n, linear_eta, linear = columns(evidence, "n", "eta", "moved", table="linear")
    figure, axes = new_axes()
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(0.08, 2e3),
        xlabel=r"$\eta n$",
        ylabel=r"$\Vert\bar{f} - \bar{f}^{\prime}\Vert_m$",
    )
    grid = np.geomspace(0.08, 2e3, 50)
    axes.plot(grid, 2.0 / np.sqrt(grid), color=VERMILION, ls=DASHED, label="Lemma 2")
    axes.plot(grid, np.minimum(2.0, 1.0 / np.sqrt(grid)), color="black", ls=DASHED, lw=1.0, label="as proved")
    order = np.argsort(n * eta)
    axes.plot((n * eta)[order], moved[order], color=BLUE, marker="o", label="constants, worst pair")
    axes.plot(linear_n * linear_eta, linear, color=GREY, marker="s", ls="", label="linear, worst of 20")
    axes.set_ylim(2e-4, 10.0)
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title("Algorithm 3: stability", loc="left")
    axes.legend(loc="lower left")
    return figure
