"""Figures for papers, from evidence: drawn onto your axes, or put together from panels.

    from dpbench import evidence, plot

    fig = plot.compose(
        [["glm.thm5.privacy", "glm.thm5.rate"]],
        column="neurips",
        extra=[plot.Curve(n, risk, "ours", panel=1)],
    )
    plot.save(fig, "two.pdf")

Nothing is run: what is drawn is the committed evidence, or that of a store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from dpbench.core import validation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpbench.report.figures import Drawing, Summary
    from dpbench.report.stored import Shown

COLUMNS = {
    "neurips": 5.5, "iclr": 5.5, "jmlr": 6.0, "icml": 3.25, "icml page": 6.75, "aistats": 3.25, "aistats page": 6.75,
    "ieee": 3.48, "ieee page": 7.13, "acm": 3.33, "acm page": 7.0, "article": 4.77, "article column": 3.17,
}  # fmt: skip
"""Widths in inches of the text of common classes; of those in two columns, of a column and of the page."""
LEAST = 3.2
"""Inches that a panel of a row has at least; else panels stand below each other."""

__all__ = ["COLUMNS", "Curve", "Frame", "compose", "draw", "evidence", "save"]


@dataclass(frozen=True)
class Frame(Mapping[str, np.ndarray]):
    """Columns of the evidence of an entry, and what they come from.

    Attributes
    ----------
    id, verdict, level : str
    value : float
    interval : tuple of float or None
    digest : str
        SHA-256 of what was measured.
    commit : str
        Of the code that measured it; empty for a run in a store.
    seed : int
    command : str
        What measures it again.
    tables : dict of str to dict of str to ndarray
        Columns by name, of each table by name; ``frame[name]`` is the column of the first table that has one.
    """

    id: str
    verdict: str
    level: str
    value: float
    interval: tuple[float, float] | None
    digest: str
    commit: str
    seed: int
    command: str
    tables: dict[str, dict[str, np.ndarray]] = field(repr=False)
    shown: Shown = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"{self.id} has no column {name!r}; it has {', '.join(self.columns)}")
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns of all tables; of those of one name the first."""
        columns: dict[str, np.ndarray] = {}
        for table in self.tables.values():
            columns |= {name: column for name, column in table.items() if name not in columns}
        return columns

    def to_pandas(self) -> dict[str, Any]:
        """A DataFrame of each of the `tables`; its `attrs` say what it comes from."""
        pandas = validation.extra("pandas", "pandas")
        about = {name: getattr(self, name) for name in ("id", "verdict", "digest", "commit", "seed")}
        frames = {name: pandas.DataFrame(table) for name, table in self.tables.items()}
        for frame in frames.values():
            frame.attrs.update(about)
        return frames


def evidence(id: str, *, store: str | Path | None = None) -> Frame:
    """What was measured for an entry of the ledger, as tables with their provenance; nothing is run.

    Parameters
    ----------
    id : str
        Of the entry, as ``dpbench list`` prints it.
    store : path, optional
        A store of runs to look into besides the committed evidence.

    Returns
    -------
    Frame

    Raises
    ------
    InvalidInput
        If there is no such entry, or no evidence of it.

    Examples
    --------
    >>> import dpbench
    >>> frame = dpbench.evidence("glm.thm5.privacy")
    >>> frame.verdict
    'refuted'
    >>> list(frame)[:2]
    ['target_epsilon', 'target_delta']
    """
    from dpbench.ledger.entry import moved
    from dpbench.ledger.verify import all_claims
    from dpbench.report.provenance import digest

    id = moved().get(id, id)
    validation.choice("id", id, [claim.id for claim in all_claims()])
    shown = _found((id,), store)[id]
    document, level = shown.evidence, " --level full" if shown.level == "full" else ""
    interval = document["interval"]
    return Frame(
        id=id, verdict=shown.verdict, level=shown.level, value=float(document["value"]),
        interval=None if interval is None else (float(interval[0]), float(interval[1])), seed=shown.seed,
        digest=digest(document), commit=str(document.get("commit", "")),
        command=f"dpbench verify {id}{level} --seed {shown.seed}",
        tables={name: {key: _column(values) for key, values in table.items()} for name, table in
                document["tables"].items()}, shown=shown,
    )  # fmt: skip


def _column(values: Sequence[Any]) -> np.ndarray:
    """Numbers as floats, infinite ones too; anything else as it is."""
    try:
        return np.array([float(value) for value in values])
    except (TypeError, ValueError):
        return np.array(values, dtype=object)


def _found(ids: Sequence[str], store: str | Path | None) -> dict[str, Shown]:
    from dpbench.report.stored import best, known

    results = best(known(None if store is None else Path(store), ids=ids), ids, with_code=False)
    for name in ids:
        if name not in results:
            raise validation.invalid("id", f"that of an entry with evidence (dpbench verify {name})", name)
    return {name: results[name] for name in ids}


@dataclass(frozen=True)
class Curve:
    """A curve of one's own, for `compose`; panels are counted from 0 along the rows.

    Attributes
    ----------
    x, y : array_like
    label : str
    panel : int
    options : dict
        Of matplotlib's `plot`.
    """

    x: Any
    y: Any
    label: str = ""
    panel: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


def _drawing(what: str | Frame) -> tuple[Any, dict[str, Shown]]:
    """The drawing of a figure's name, an entry's id or a frame, and the evidence that it needs."""
    from dpbench.ledger.verify import all_claims
    from dpbench.report import by_kind
    from dpbench.report.drawings import of_many, of_one

    every: list[Drawing | Summary] = [*of_one(), *of_many()]
    name = what.id if isinstance(what, Frame) else what
    claims = {claim.id: claim for claim in all_claims()}
    validation.choice("evidence", name, [*(drawing.name for drawing in every), *claims])
    chosen = [drawing for drawing in every if drawing.name == name or drawing.claims == (name,)]
    drawing = chosen[0] if chosen else by_kind.drawing(claims[name])
    results = {what.id: what.shown} if isinstance(what, Frame) else _found(drawing.claims, None)
    return drawing, results


def draw(ax: Any, evidence: str | Frame, *, title: bool = True) -> Any:
    """Draw the figure of an entry onto axes of yours, in the style that is in force.

    Parameters
    ----------
    ax : Axes, SubFigure or Figure
        A drawing of several panels needs a figure, or a part of one.
    evidence : str or Frame
        The name of a figure (``dpbench figures``), the id of an entry, or what `evidence` returned.
    title : bool
        Whether panels have titles.

    Returns
    -------
    Axes, SubFigure or Figure
        What was given.
    """
    from dpbench.report.figures import onto, untitle

    drawing, results = _drawing(evidence)
    with onto(ax):
        drawing.figure(results)
    if not title:
        untitle(_axes(ax))
    return ax


def compose(
    panels: Sequence[Sequence[str | Frame]],
    *,
    column: str | float = "icml page",
    height: float | None = None,
    extra: Sequence[Curve] = (),
    size: float = 8.0,
    font: str | None = None,
    style: str | None = None,
    titles: bool = True,
) -> Figure:
    """A figure of panels, (a), (b) ..., each drawn from its evidence, with curves of one's own.

    Where a row leaves a panel less than `LEAST` inches, all stand below each other.

    Parameters
    ----------
    panels : rows of str or Frame
        As `draw` takes them.
    column : str or float
        One of `COLUMNS`, or a width in inches.
    height : float, optional
        Inches; default 0.72 of a panel's width a row, at most 2.7.
    extra : sequence of Curve
    size : float
        Points, of all text.
    font, style : str, optional
        A font family; a style of matplotlib or a file of one. A matplotlibrc of yours counts too.
    titles : bool

    Returns
    -------
    Figure
        Laid out by matplotlib; look whether its text has room at this size. `save` puts what it was made from into
        the metadata.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from dpbench.report.figures import look, settle, styled
    from dpbench.report.provenance import about

    width = _width(column)
    counts = {len(row) for row in panels}
    if len(counts) != 1 or 0 in counts:
        raise validation.invalid("panels", "rows of one length, at least 1", [len(row) for row in panels])
    flat = [what for row in panels for what in row]
    if width < LEAST * len(panels[0]):
        panels = [[what] for what in flat]

    @styled
    def composed(grid: str) -> Figure:
        high = height if height is not None else 0.72 * min(width / len(panels[0]), 3.75) * len(panels)
        figure = Figure(figsize=(width, high))
        FigureCanvasAgg(figure)
        parts = np.ravel(getattr(figure, grid)(len(panels), len(panels[0]), squeeze=False))
        for part, what in zip(parts, flat, strict=True):
            draw(part, what, title=titles)
        for letter, part in zip(ascii_lowercase, parts if len(parts) > 1 else (), strict=False):
            axes = _axes(part)[0]
            axes.set_title(f"({letter}) {axes.get_title(loc='left')}".strip(), loc="left")
        for curve in extra:
            axes = _axes(parts[validation.integer("panel", curve.panel, at_least=0, at_most=len(flat) - 1)])[0]
            axes.plot(curve.x, curve.y, label=curve.label or None, **{"color": "black", "marker": ".", **curve.options})
            if curve.label and axes.get_legend() is not None:
                axes.legend(loc="best")
        settle(figure)
        return figure

    with look(font, size, style):
        try:
            figure = composed("subplots")  # which makes axes of a row equally high
        except validation.InvalidInput:
            figure = composed("subfigures")  # a drawing has several panels
    drawn = [_drawing(what) for what in flat]
    results = {name: one for drawing, mine in drawn for name, one in mine.items() if name in drawing.claims}
    _MADE_FROM[figure] = about(" ".join(drawing.name for drawing, _ in drawn), results) | {
        "command": "dpbench.plot.compose, " + "; ".join(f"dpbench figures {drawing.name}" for drawing, _ in drawn)
    }
    return figure


def _axes(place: Any) -> list[Any]:
    return list(place.axes) if isinstance(place.axes, list) else [place]


_MADE_FROM: WeakKeyDictionary[Figure, dict[str, str]] = WeakKeyDictionary()
"""What `compose` made a figure from, for `save`."""


def _width(column: str | float) -> float:
    if isinstance(column, str):
        return COLUMNS[validation.choice("column", column, COLUMNS)]
    return validation.real("column", column, above=0.0)


def save(figure: Figure, *paths: str | Path) -> None:
    """Write the figure as PDF, PNG, SVG or EPS, by the ending; undated, fonts embedded.

    Parameters
    ----------
    figure : Figure
    *paths : path
    """
    from dpbench.report.figures import FORMATS
    from dpbench.report.figures import save as write

    for path in map(Path, paths):
        validation.choice("the ending of paths", path.suffix.removeprefix("."), FORMATS)
    write(figure, list(map(Path, paths)), about=_MADE_FROM.get(figure))
