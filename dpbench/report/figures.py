"""The figures: one function each, fed by stored evidence alone; nothing is run here.

A function takes the evidence of its entry (the dict of `Evidence.to_dict`) and returns a matplotlib figure;
`save` writes it as PDF (vector, TrueType fonts embedded) and PNG.
"""

from __future__ import annotations

import functools
import importlib
import io
import logging
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib
import matplotlib.font_manager
import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from dpbench.core import validation
from dpbench.ledger.measurement import having
from dpbench.ledger.words import FAILED

if TYPE_CHECKING:
    from dpbench.ledger.core import Claim

STYLE = Path(__file__).with_name("paper.mplstyle")
COLUMN, PAGE = 3.25, 6.75  # inches: one column of a paper, and both
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, GREY = "#E69F00", "#56B4E9", "#666666"
DASHED = (0, (4, 2))
_FLOOR = 1e-12  # δ below this is off the axis

P = ParamSpec("P")


_LOOK: Any = {}
_WIDTH: list[float] = []
"""The width in inches that the figure will have, where it is known when it is drawn."""
_PLACE: list[Any] = []
"""Where the next drawing goes: axes, a subfigure or a figure of the caller's; empty: a figure of its own."""
FORMATS = ("pdf", "png", "svg", "eps")
SERIF = ("STIXGeneral", "DejaVu Serif")
"""What "serif" is: the faces of Times, which come with matplotlib."""


@contextmanager
def in_style() -> Iterator[None]:
    """The project's style, with what a matplotlibrc of the user's and `look` say over it."""
    with matplotlib.rc_context(fname=str(STYLE)):
        theirs = matplotlib.matplotlib_fname()
        if not Path(theirs).is_relative_to(matplotlib.get_data_path()):
            matplotlib.rcParams.update(matplotlib.rc_params_from_file(theirs, use_default_template=False))
        matplotlib.rcParams.update(_LOOK)
        yield


@contextmanager
def look(
    font: str | None = None, size: float | None = None, style: str | None = None, width: float | None = None
) -> Iterator[None]:
    """Figures drawn within have this font family, and this size of text in points: those of the paper they go into.

    Parameters
    ----------
    font : str, optional
    size : float, optional
    style : str, optional
        A style of matplotlib: its name, or a file; what it says goes before the project's style, and after `font` and
        `size`.
    width : float, optional
        Inches that the figure will have: panels that stand beside each other at twice the width stand in a column.

    Raises
    ------
    InvalidInput
        For a font or a style that matplotlib does not find.
    """
    try:
        if style is not None:
            _LOOK.update(_styled_as(style))
        if font is not None and font not in ("serif", "sans-serif", "monospace"):
            try:
                matplotlib.font_manager.findfont(font, fallback_to_default=False)
            except ValueError:
                must_be = "serif, sans-serif, monospace or the name of an installed font"
                raise validation.invalid("font", must_be, font) from None
        if font is not None:
            installed = matplotlib.font_manager.get_font_names()  # by name: what is drawn later is in another style
            serif = next((name for name in SERIF if name in installed), font)
            _LOOK["font.family"] = serif if font == "serif" else font
            _LOOK["mathtext.fontset"] = "stix" if font == "serif" or "Times" in font else "dejavusans"
        if size is not None:
            points = validation.real("font_size", size, above=0.0)
            fonts = "font.size", "axes.labelsize", "axes.titlesize", "legend.fontsize"
            ticks = "xtick.labelsize", "ytick.labelsize"
            _LOOK.update(dict.fromkeys((*fonts, *ticks), points))
        if width is not None:
            _WIDTH.append(width)
        yield
    finally:
        _LOOK.clear()
        _WIDTH.clear()


def _styled_as(style: str) -> Any:
    """The parameters of a style of matplotlib's library, or of a file."""
    if style in matplotlib.style.library:
        return matplotlib.style.library[style]
    if not Path(style).is_file():
        raise validation.invalid("style", "a file, or the name of a style that matplotlib knows", style)
    return matplotlib.rc_params_from_file(style, use_default_template=False)


@contextmanager
def onto(place: Any) -> Iterator[None]:
    """Drawings made within go onto these axes, into this subfigure or figure, in the style that is in force there."""
    _PLACE.append(place)
    try:
        yield
    finally:
        _PLACE.pop()


def small(points: float) -> float:
    """The size of text that is smaller than the rest; where one size is asked for all text, that one."""
    return float(_LOOK.get("font.size", points))


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """A drawing made in the project's style, and where it has a place of the caller's, in the style there."""

    @functools.wraps(draw)
    def inner(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with nullcontext() if _PLACE else in_style():
            return draw(*args, **kwargs)

    return inner


@styled
def privacy(evidence: Mapping[str, Any], *, title: str) -> Figure:
    """Claimed against true δ over ε on a worst pair, for the printed and the exact calibration; the
    tinted region is where the printed noise breaks the claim.

    Columns: epsilon, delta_claimed, delta_true_printed, delta_true_exact.
    """
    names = "epsilon", "delta_claimed", "delta_true_printed", "delta_true_exact"
    epsilon, claimed, printed, exact = columns(evidence, *names)
    figure, axes = new_axes()
    axes.set(xscale="log", yscale="log", xlabel=r"$\varepsilon$", ylabel=r"$\delta$ at this $\varepsilon$")
    top = np.maximum(printed, claimed)
    axes.fill_between(
        epsilon, claimed, top, where=printed > claimed, color=VERMILION, alpha=0.15, lw=0, interpolate=True
    )
    for values, colour, marker, label in (
        (printed, VERMILION, "o", "true, printed noise"),
        (exact, BLUE, "s", "true, exact calibration"),
    ):
        shown = np.where(values >= _FLOOR, values, np.nan)
        axes.plot(epsilon, shown, color=colour, marker=marker, markevery=4, label=label)
    axes.plot(epsilon, claimed, color="black", ls=DASHED, lw=1.0, label=f"claimed, {power(claimed[0])}")
    low = min(float(v[v >= _FLOOR].min()) for v in (printed, exact, claimed))
    axes.set_ylim(low / 5.0, 3.0)
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title(title, loc="left")
    axes.legend(loc="upper left")
    return figure


@styled
def rate(evidence: Mapping[str, Any], *, title: str, measured: str = "excess population risk") -> Figure:
    """Mean excess risk against n with 95% intervals, and the theorem's formula scaled to the measurements.

    Columns: n (or what else is first), measured, standard error, ceiling. The interval of the slope has the entry's own
    level.
    """
    names = "measured", "standard error", "ceiling"
    axis = next(iter(having(evidence["tables"], *names)))
    n, risk, error, theory = columns(evidence, axis, *names)
    figure, axes = new_axes()
    label = "number of records $n$" if axis == "n" else axis
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel=measured)
    slope = f"measured, slope {evidence['value']:.3f}"
    if evidence["interval"] is not None:
        slope += " [{:.3f}, {:.3f}]".format(*evidence["interval"])
    axes.errorbar(
        n, risk, yerr=1.96 * error, color=BLUE, marker="o", capsize=2, elinewidth=0.9, label=slope.replace("-", "−")
    )
    expected = float(np.polyfit(np.log(n), np.log(theory), 1)[0])
    scale = float(np.exp(np.mean(np.log(risk / theory))))
    theorem = f"theorem's formula, scaled, slope {expected:.3f}"
    axes.plot(n, scale * theory, color="black", ls=DASHED, lw=1.0, zorder=3, label=theorem.replace("-", "−"))
    floor, ceiling = axes.get_ylim()
    axes.set_ylim(floor, ceiling * (ceiling / floor) ** 0.4)  # room for the legend
    log_ticks(axes.xaxis, axes.yaxis)
    axes.set_title(title, loc="left")
    axes.legend(loc="upper right")
    return figure


def named(figure: Figure, claim: str, finding: str = "") -> Figure:
    """The figure with the paper and what was found above all else, where something was."""
    if _PLACE or not finding or figure.get_suptitle():
        return figure
    with in_style():
        said = f"{claim.partition('.')[0]}: {finding}"
        text = figure.suptitle(said, fontsize=small(7.0), fontweight="bold", x=0.01, ha="left")
        width = _WIDTH[-1] if _WIDTH else figure.get_size_inches()[0]
        share = 0.97 * width * figure.dpi / text.get_window_extent().width
        if share < 1.0:
            text.set_text(textwrap.fill(said, int(share * len(said))))
    return figure


def finding(template: str, verdict: str, evidence: Mapping[str, Any], side: str = "") -> str:
    """What a figure's title says was found: never more than its evidence.

    Parameters
    ----------
    template : str
        With fields `value` and `margin` of the evidence, `over` = −margin, `share` = 1 − margin, and columns by
        their first values; empty: the slope of a rate beside the theorem's, or nothing.
    verdict : str
    evidence : mapping
    side : str
        "upper" where the theorem's slope is that of a bound.
    """
    value, margin, expected = (evidence.get(name) for name in ("value", "margin", "reference"))
    if not template:
        if expected is None or value is None:
            return ""
        theory = "the bound's" if side == "upper" else "the theorem's"
        template = f"slope {{value:.2f}}, {theory} {{expected:.2f}}: {{verdict}}"
    room = 0.0 if margin is None else float(margin)
    given = {"over": -room, "share": 1.0 - room, "expected": expected, "verdict": verdict}
    tables = reversed(evidence.get("tables", {}).values())
    first = {name: column[0] for table in tables for name, column in table.items() if len(column)}
    said = template.format_map({**first, "value": value, "margin": room, **given})
    said = re.sub(r"(?<=\d)e([+-]\d+)", lambda power: rf"·$\mathbf{{10^{{{int(power[1])}}}}}$", said)
    return said.replace("-", "−")


def _said(draw: Callable[..., Figure]) -> str:
    """The first sentence about a drawing, after its title where it has one."""
    given = draw.keywords if isinstance(draw, functools.partial) else {}
    function = draw.func if isinstance(draw, functools.partial) else draw
    first = " ".join((function.__doc__ or "").strip().split("\n\n")[0].split()).partition(" Columns:")[0]
    return f"{given['title']}. {first}" if "title" in given else first


def _side(claim: str) -> str:
    """Of the entry of this id: "upper" for a rate whose theory is a bound."""
    from dpbench.ledger.registry import all_claims

    return next((one.side for one in all_claims() if one.id == claim), "")


@dataclass(frozen=True)
class Drawing:
    """A figure of the ledger: the entry whose evidence it shows, the function that draws it, and what its title says.

    `says` is a template (see `finding`).
    """

    name: str
    claim: str
    draw: Callable[[Mapping[str, Any]], Figure]
    says: str = ""

    @property
    def claims(self) -> tuple[str, ...]:
        """The entries that must have been run."""
        return (self.claim,)

    @property
    def said(self) -> str:
        """What is drawn."""
        return _said(self.draw)

    def figure(self, results: Mapping[str, Any]) -> Figure:
        """The figure, from id to something with a `verdict` and an `evidence`."""
        mine = results[self.claim]
        said = finding(self.says, mine.verdict, mine.evidence, _side(self.claim))
        return named(self.draw(mine.evidence), self.claim, said)


def declared(claims: Iterable[Claim]) -> list[Drawing]:
    """The figures that are declared beside their entries."""
    from dpbench.ledger.registry import all_papers

    modules = {paper.name: (*paper.drawings, __name__) for paper in all_papers()}
    drawings = []
    for claim in claims:
        if (figure := claim.figure) is not None:
            draw = _function(claim.id, figure.draw, modules[claim.paper])
            drawings.append(
                Drawing(
                    figure.name,
                    claim.id,
                    functools.partial(draw, **figure.given) if figure.given else draw,
                    figure.says,
                )
            )
    return drawings


def _function(claim: str, name: str, modules: Iterable[str]) -> Callable[..., Figure]:
    functions = (getattr(importlib.import_module(module), name, None) for module in modules)
    draw = next((one for one in functions if callable(one)), None)
    if draw is None:
        raise validation.invalid(f"figure of {claim}", f"drawn by a function of {', '.join(modules)}", name)
    return draw


@dataclass(frozen=True)
class Summary:
    """A figure of many entries: which those are, and the function of id to (verdict, evidence) that draws it."""

    name: str
    choose: Callable[[], tuple[str, ...]]
    draw: Callable[[Mapping[str, tuple[str, Mapping[str, Any]]]], Figure]

    @property
    def claims(self) -> tuple[str, ...]:
        """The entries that must have been run."""
        return self.choose()

    @property
    def said(self) -> str:
        """What is drawn."""
        return _said(self.draw)

    def figure(self, results: Mapping[str, Any]) -> Figure:
        """The figure, from id to something with a `verdict` and an `evidence`."""
        figure = self.draw({name: (results[name].verdict, results[name].evidence) for name in self.claims})
        against = sum(results[name].verdict in FAILED for name in self.claims)
        said = f"{against or 'none'} of {len(self.claims)} rows contradicts what is printed"
        return named(figure, self.claims[0], said)


def columns(evidence: Mapping[str, Any], *names: str, table: str = "") -> list[np.ndarray]:
    """Columns of one table of the evidence as arrays: of the first that has them, or of this one."""
    tables = evidence["tables"]
    table_read = having({table: tables.get(table, {})} if table else tables, *names)
    return [np.array([float(value) for value in table_read[name]]) for name in names]


HOLDS_ZERO = "upper end, 0 is within"
"""Of points that `with_intervals` cannot draw whole."""


def label_ends(axes: Any) -> None:
    """The name of each labelled line beside its right end in its colour; where names would overlap, moved apart."""
    places = []
    for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
        line = handle if isinstance(handle, Line2D) else handle[0]
        end = axes.transData.transform((1.0, np.asarray(line.get_ydata(), dtype=float)[-1]))[1]
        places.append((axes.transAxes.inverted().transform((0.0, end))[1], label, line.get_color()))
    size = small(7.0)
    least = 1.5 * size * axes.figure.dpi / 72.0 / axes.get_window_extent().height  # constrained layout takes some of it
    at = -np.inf
    for height, label, colour in sorted(places):
        at = max(height, at + least)
        style: dict[str, Any] = {"xycoords": "axes fraction", "va": "center", "annotation_clip": False}
        axes.annotate(label, (1.03, at), color=colour, fontsize=size, **style)


def with_intervals(
    axes: Any, x: np.ndarray, mean: np.ndarray, low: np.ndarray, high: np.ndarray, *, color: str, marker: str,
    label: str,
) -> None:  # fmt: skip
    """Means with their intervals on a logarithmic axis; one whose interval reaches 0 is an open mark at its upper end.

    Parameters
    ----------
    axes : Axes
    x, mean, low, high : ndarray
    color, marker, label : str
    """
    whole = (low > 0.0) & (mean > 0.0)
    ends = (mean - low)[whole], (high - mean)[whole]
    axes.errorbar(x[whole], mean[whole], ends, color=color, marker=marker, capsize=2, elinewidth=0.9, label=label)
    if (reaching := ~whole & (high > 0.0)).any():
        axes.plot(x[reaching], high[reaching], ls="", marker="v", color=color, mfc="white", label=HOLDS_ZERO)


def resize(figure: Figure, width: float | None = None, height: float | None = None) -> None:
    """Another size in inches; of a width alone, the height follows."""
    wide, high = figure.get_size_inches()
    new = wide if width is None else validation.real("width", width, above=0.0)
    high = high * new / wide if height is None else validation.real("height", height, above=0.0)
    figure.set_size_inches(new, high)


def settle(figure: Figure) -> None:
    """Lay the figure out, once: each drawing would move it again by a little, and one format not as another."""
    with in_style():
        figure.draw_without_rendering()
    figure.set_layout_engine("none")


def untitled(figure: Figure) -> Figure:
    """The figure without titles of the result and the paper; of several panels, with those that tell them apart."""
    if figure.get_suptitle():
        figure.suptitle("")
    if len(figure.axes) == 1:
        untitle(figure.axes)
    return figure


def untitle(axes: Iterable[Any]) -> None:
    """Take the titles of axes away."""
    for one in axes:
        for place in ("left", "center", "right"):
            one.set_title("", loc=place)


def save(figure: Figure, paths: Iterable[Path], *, about: Mapping[str, str] | None = None) -> None:
    """Write the figure, in the format that each path's suffix names; equal evidence gives equal bytes.

    Parameters
    ----------
    figure : Figure
    paths : iterable of Path
    about : mapping of str to str, optional
        What the figure was made from (`dpbench.report.provenance`): goes into the metadata.
    """
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it warns of the fonts' own dates, which are left out
    for path in paths:
        kind = path.suffix.removeprefix(".")
        with in_style(), matplotlib.rc_context({"svg.hashsalt": "dpbench"}):
            figure.savefig(path, **_metadata(kind, about or {}))


def _metadata(kind: str, about: Mapping[str, str]) -> dict[str, Any]:
    """Undated, with what the figure was made from in the fields that the format has: an option of `savefig`."""
    said = "; ".join(f"{name}: {value}" for name, value in about.items())
    fields: dict[str, Any] = {"Creator": "dpbench"}
    if kind == "pdf":
        fields = {"CreationDate": None} | ({"Title": about["figure"], "Keywords": said} if about else {})
    elif kind == "png":
        fields = {"Software": None} | {f"dpbench {name}": value for name, value in about.items()}
    elif kind == "svg":
        fields = {"Date": None, "Creator": None} | ({"Description": said} if about else {})
    return {"metadata": fields}


def svg(figure: Figure) -> bytes:
    """The figure as SVG, its text as outlines; equal evidence gives equal bytes."""
    target = io.BytesIO()
    with in_style(), matplotlib.rc_context({"svg.hashsalt": "dpbench", "savefig.transparent": False}):
        figure.savefig(target, format="svg", **_metadata("svg", {}))
    return target.getvalue()


def power(value: float) -> str:
    """A power of ten as one; any other number as it is."""
    if value == 0.0:
        return "0"
    exponent = round(np.log10(value))
    return f"$10^{{{exponent}}}$" if np.isclose(value, 10.0**exponent, rtol=1e-9, atol=0.0) else f"{value:g}"


class _On:
    """Axes of the caller's in the part of a figure: what a drawing of one panel does to its figure is done to them."""

    def __init__(self, axes: Any) -> None:
        self.axes = axes

    def legend(self, *args: Any, **kwargs: Any) -> None:
        """A legend in the axes, where matplotlib finds room."""
        kwargs.pop("loc", None)
        self.axes.legend(*args, **kwargs)


def _given(rows: int, columns: int, **shared: Any) -> tuple[Any, Any]:
    """The place that the caller gave, and its axes."""
    place = _PLACE[-1]
    if not isinstance(place, Axes):
        return place, place.subplots(rows, columns, **shared)
    if rows * columns > 1:
        raise validation.invalid("ax", f"a Figure or SubFigure, for a drawing of {rows} by {columns} panels", place)
    return _On(place), place


def new_axes() -> tuple[Figure, Any]:
    """A figure with one pair of axes, or the place that the caller gave."""
    if _PLACE:
        return _given(1, 1)
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def panels(
    rows: int, columns: int, *, width: float = COLUMN, height: float, one_row: bool = False, **shared: Any
) -> tuple[Figure, Any]:
    """A figure of this size in inches with rows × columns axes, or the place that the caller gave.

    Of a row of axes, `one_row` says that they belong beside each other at every width.
    """
    if _PLACE:
        return _given(rows, columns, **shared)
    if rows == 1 < columns and not one_row and _WIDTH and _WIDTH[-1] < 0.6 * width:
        rows, columns, height = columns, 1, columns * height * width / _WIDTH[-1]
        shared.pop("width_ratios", None)
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **shared)


def log_ticks(*log_axes: Any) -> None:
    """Powers of ten where an axis spans two of them; else 1 and 3, or 1, 2 and 5 times those, written out."""
    for axis in log_axes:
        low, high = sorted(axis.get_view_interval())
        axis.set_minor_formatter(NullFormatter())
        if high / low >= 100.0:
            axis.set_major_locator(LogLocator(numticks=7))
            axis.set_minor_locator(NullLocator() if high / low > 1e6 else LogLocator(subs="auto"))
        else:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 20.0 else (1.0, 3.0)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_locator(NullLocator())
