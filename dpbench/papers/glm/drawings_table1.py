"""The figure of Table 1: exponents expected and measured, values over ceilings and errors over floors, cell by cell."""

from __future__ import annotations

import functools
import re
import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpbench.ledger.registry import all_claims
from dpbench.papers.glm import table1
from dpbench.report.figures import BLUE, COLUMN, GREEN, GREY, PAGE, VERMILION, Summary, panels, small, styled

_TOLERANCE = 0.1  # of a rate verdict


@styled
def exponents(verdicts: table1.Verdicts, *, part: str = "") -> Figure:
    """Measured log-log slopes with the band of ±0.1 around the theorem's; right, measured over the theorem's bound,
    its hidden constants set to 1: an upper bound is not contradicted by a ratio above 1. d* is where the bounds for low
    and high d meet, rank* the same of the rank; small B is H‖w*‖²‖X‖² ≤ ‖Y‖².

    A lower bound has no slope.
    """
    everything = table1.rows(verdicts)
    height, width = (1.6 + 0.3 * len(everything), COLUMN) if part else (0.9 + 0.21 * len(everything), PAGE)
    figure, (axes, beside) = panels(1, 2, width=width, height=height, one_row=True, width_ratios=(2, 1))
    rates = [(i, row, row.expected) for i, row in enumerate(everything) if row.expected is not None]
    rows = [row for _, row, _ in rates]
    place = np.array([i for i, _, _ in rates], dtype=float)
    expected = np.array([slope for _, _, slope in rates])
    measured = np.array([row.measured for row in rows])
    band: dict[str, Any] = {"color": GREY, "alpha": 0.25, "lw": 0, "height": 0.7}
    upper = np.array([_side(row.claim) == "upper" for row in rows])
    axes.barh(place[~upper], 2.0 * _TOLERANCE, left=expected[~upper] - _TOLERANCE, label="tight: theory ± 0.1", **band)
    reach = 1.2 * max(np.ptp(np.r_[expected, measured]), 1.0)  # beyond the axis, whose limits are set below
    axes.barh(
        place[upper],
        _TOLERANCE + reach,
        left=expected[upper] - reach,
        label="upper: at most theory + 0.1",
        **(band | {"alpha": 0.12}),
    )
    limits = [row.interval or (row.measured, row.measured) for row in rows]
    inner = np.r_[expected - _TOLERANCE, expected + _TOLERANCE, np.ravel(limits)]
    axes.set_xlim(inner.min() - 0.15, inner.max() + 0.15)
    axes.vlines(expected, place - 0.35, place + 0.35, color="black", lw=1.0, label="slope of the theorem's formula")
    for as_theory, colour, marker, label in (
        (True, BLUE, "o", "measured, consistent"),
        (False, VERMILION, "X", "measured, not consistent"),
    ):
        mine = [i for i, row in enumerate(rows) if (row.verdict == "consistent") is as_theory]
        if not mine:
            continue
        ends = [rows[i].interval or (measured[i], measured[i]) for i in mine]
        bars = [
            [measured[i] - low for i, (low, _) in zip(mine, ends, strict=True)],
            [high - measured[i] for i, (_, high) in zip(mine, ends, strict=True)],
        ]
        axes.errorbar(
            measured[mine], place[mine], xerr=bars, color=colour, marker=marker, ls="none", capsize=2, label=label
        )
    said = [f"{_words(row.claim)}: {row.quantity}" for row in everything]
    if part:
        said = [textwrap.fill(one.replace("low meets high", "crossing"), 24) for one in said]
    axes.set_yticks(range(len(everything)), said, fontsize=small(7.0), linespacing=0.95)
    axes.set_ylim(len(everything) - 0.5, -0.5)
    axes.set_xlabel("log-log slope" if part else "log-log slope, intervals at 1e−6")
    axes.set_title(_HEADINGS[part], loc="left")
    _ratios(beside, everything)
    beside.set_xlabel("measured /\nbound" if part else "measured / bound")
    before = ""
    for i, row in enumerate(everything):
        if row.cell.place != before:
            if i:
                for panel in (axes, beside):
                    panel.axhline(i - 0.5, color=GREY, lw=0.4)
            if not part:
                beside.annotate(
                    row.cell.place.replace(", ", ",\n", 1), (1.0, i), xycoords=("axes fraction", "data"), xytext=(4, 0),
                    textcoords="offset points", va="center", fontsize=small(6.0), linespacing=1.0,
                )  # fmt: skip
            before = row.cell.place
    figure.legend(loc="outside lower center", ncols=1 if part else 3)
    return figure


_HEADINGS = {
    "": "Table 1 as measured; a = ‖w*‖‖X‖",
    "smooth": "Table 1: smooth losses",
    "lipschitz": "Table 1: Lipschitz losses",
    "beside": "Table 1: non-private, and beside it",
}
_RESULTS = {"thm": "Theorem", "cor": "Corollary", "alg": "Algorithm", "table": "Table"}
_VARIANTS = {
    "lipschitz": "Lipschitz",
    "small-radius": "small B",
    "crossover": "low meets high",
    "classical": "non-private",
}


def _words(claim: str) -> str:
    """The result that an id names, in words; what sets its entry apart in brackets, but one-letter axes as n, d and B.

    ``glm.thm2.rate.small-radius`` is "Theorem 2 (small radius)". The name must be a key of `_RESULTS` with a number.
    """
    result, _, *more = claim.removeprefix("glm.").split(".")
    name, number = re.fullmatch(r"([a-z]+)(\d+)", result).groups()  # type: ignore[union-attr]
    axis = ("epsilon", "rank", "beta", "radius")  # what a slope is over is said beside
    apart = [_VARIANTS.get(part, part.replace("-", " ")) for part in more if len(part) > 1 and part not in axis]
    return f"{_RESULTS[name]} {number}" + (f" ({', '.join(apart)})" if apart else "")


def _side(claim: str) -> str:
    return next(one.side for one in all_claims() if one.id == claim)


def _ratios(axes: Axes, rows: list[table1.Row]) -> None:
    """The range of value over ceiling, or of error over floor, of each entry, constants 1, on a logarithmic axis."""
    said = set()
    for at, row in enumerate(rows):
        if row.ratio is not None and row.ratio[0] > 0.0:
            floor = row.expected is None
            label = None if floor in said else "measured / lower bound" if floor else "measured / upper bound"
            axes.plot(row.ratio, (at, at), color=GREEN if floor else BLUE, marker="|", ms=4, label=label)
            said.add(floor)
    axes.axvline(1.0, color="black", lw=0.6)
    axes.set_xscale("log")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks([])


SUMMARIES = (
    Summary("table1", table1.chosen, exponents),
    *(
        Summary(f"table1_{part}", functools.partial(table1.chosen, part), functools.partial(exponents, part=part))
        for part in table1.PARTS
    ),
)
"""The whole for a page, and its parts for a column."""
