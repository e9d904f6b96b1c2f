"""A figure for any claim, by its kind, from the columns that its rows give: for papers that bring no drawings.

- privacy: claimed and true privacy, as ε where δ = 0 is claimed and there is a column ``true_epsilon``, else as δ;
- rate: the measured means with 95% intervals beside the ceiling, scaled, on log axes;
- inequality, floor, stability: both sides.

The horizontal axis is the first column of numbers that vary, else the number of the row.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dpbench.ledger.core import Claim
from dpbench.ledger.words import ATTACKS, GUARANTEES, PAIRS, ROWS
from dpbench.report.figures import BLUE, DASHED, VERMILION, Drawing, columns, log_ticks, new_axes, rate, styled

_MADE = ("target_delta", "true_delta", "guaranteed_delta", "true_epsilon", "attack_epsilon_lower")
_SIDES = ("left", "right", "margin")


def drawing(claim: Claim) -> Drawing:
    """The figure of a claim: named and titled by its id."""
    draws: dict[str, Callable[..., Figure]] = {
        "privacy": privacy, "rate": functools.partial(rate, measured="measured mean"),
    }  # fmt: skip
    title = claim.id.replace("$", r"\$")
    return Drawing(claim.id.replace(".", "_"), claim.id, functools.partial(draws.get(claim.kind, sides), title=title))


@styled
def privacy(evidence: Mapping[str, Any], *, title: str) -> Figure:
    """Claimed against true privacy; the tinted region is where the claim fails."""
    tables = evidence["tables"]
    if PAIRS in tables or GUARANTEES in tables:
        name, reached = (PAIRS, "true_delta") if PAIRS in tables else (GUARANTEES, "guaranteed_delta")
        wanted, label = ("target_delta", reached), r"$\delta$"
        if "true_epsilon" in tables[name] and not any(map(float, tables[name]["target_delta"])):
            wanted, label = ("target_epsilon", "true_epsilon"), r"$\varepsilon$"
    else:
        name, wanted, label = ATTACKS, ("target_epsilon", "attack_epsilon_lower"), r"lower bound on $\varepsilon$"
    claimed, true = columns(evidence, *wanted, table=name)
    figure, axes = new_axes()
    at = _axis(tables[name], axes, len(true), besides=_MADE)
    shown = np.where(np.isfinite(true), true, np.nan)
    curve = "found" if name == ATTACKS else "true"
    infinite = int(np.isinf(true).sum())
    if infinite:
        curve += f" (infinite at {infinite} of {len(true)})"
    axes.plot(at, shown, color=VERMILION, marker="o", label=curve)
    axes.plot(at, claimed, color="black", ls=DASHED, lw=1.0, label="claimed")
    axes.fill_between(at, claimed, shown, where=shown > claimed, color=VERMILION, alpha=0.15, lw=0)
    axes.set(ylabel=label, title=None)
    if np.nanmin(np.r_[shown, claimed]) > 0.0:
        axes.set_yscale("log")
        log_ticks(axes.yaxis)
    return _finished(figure, axes, title)


@styled
def sides(evidence: Mapping[str, Any], *, title: str) -> Figure:
    """Both sides of left ≤ right; the tinted region is where it fails."""
    rows = evidence["tables"].get(ROWS, {})
    figure, axes = new_axes()
    if not {"left", "right"} <= rows.keys():
        name = "margin" if "margin" in rows else next(iter(rows), None)
        values = columns(evidence, name, table=ROWS)[0] if name else np.array([float(evidence["value"])])
        axes.plot(_axis(rows, axes, len(values), besides=(name or "",)), values, color=BLUE, marker="o", label=name)
        return _finished(figure, axes, title)
    left, right = columns(evidence, "left", "right", table=ROWS)
    at = _axis(rows, axes, len(left), besides=_SIDES)
    axes.plot(at, left, color=VERMILION, marker="o", label="left")
    axes.plot(at, right, color="black", ls=DASHED, marker="s", lw=1.0, label="right")
    axes.fill_between(at, right, left, where=left > right, color=VERMILION, alpha=0.15, lw=0)
    if min(left.min(), right.min()) > 0.0:
        axes.set_yscale("log")
        log_ticks(axes.yaxis)
    return _finished(figure, axes, title)


def _axis(table: Mapping[str, Any], axes: Any, rows: int, *, besides: tuple[str, ...]) -> np.ndarray:
    """Where the rows stand: the first column of numbers that vary, sorted as given."""
    for name, column in table.items():
        if name in besides or not all(isinstance(value, (int, float)) for value in column):
            continue
        values = np.array(column, dtype=float)
        if len(np.unique(values)) == rows:
            axes.set_xlabel(name.replace("_", " "))
            if values.min() > 0.0 and values.max() >= 30.0 * values.min():
                axes.set_xscale("log")
            return values
    axes.set_xlabel("row")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return np.arange(1.0, rows + 1.0)


def _finished(figure: Figure, axes: Any, title: str) -> Figure:
    axes.set_title(title, loc="left")
    if axes.get_legend_handles_labels()[1]:
        axes.legend()
    return figure
