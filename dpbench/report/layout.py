"""Text of a figure that is cut off, or lies on other text or on a curve: found, mended, and else refused.

A figure is drawn for one width and one size of text. At others a legend that covers curves goes below the axes, long
lines are broken, every other tick is left out, and the figure grows; what is still wrong then is an error.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dpbench.core import validation
from dpbench.report.figures import in_style

SLACK = 0.75
"""Pixels by which boxes may touch."""
LEAST = 0.3
"""Inches of the least side of axes."""
ROUNDS = 40
GROWTH = 1.08
HIGHEST = 9.5
"""Inches up to which a figure grows: a page."""
_WORDS = re.compile(r"[A-Za-z]{3}")
_MATHEMATICS = re.compile(r"\$[^$]*\$")


@dataclass(frozen=True)
class Problem:
    """What is wrong, in words, and the artists that it is wrong with."""

    said: str
    artists: tuple[Any, ...]


def problems(figure: Figure) -> list[Problem]:
    """Text that is cut off, overlaps other text, or lies on a curve of its axes; and legends that do.

    Parameters
    ----------
    figure : Figure
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # said below, and mended
        figure.draw_without_rendering()
    if any(min(axes.bbox.width, axes.bbox.height) < LEAST * figure.dpi for axes in _axes(figure)):
        return [Problem("its axes have no room", tuple(_widest(figure)))]
    texts = [(text, box) for text in _texts(figure) if (box := _box(text)) is not None]
    whole = figure.bbox.padded(SLACK)
    found = [
        Problem(f"{_quoted(text)} is cut off", (text,))
        for text, box in texts
        if not (whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1)
    ]
    found += [
        Problem(f"{_quoted(one)} overlaps {_quoted(other)}", (one, other))
        for (one, first), (other, second) in combinations(texts, 2)
        if _meet(first, second)
    ]
    for axes in _axes(figure):
        legend = axes.get_legend()
        boxes = [(legend, legend.get_window_extent())] if legend is not None and legend.get_texts() else []
        boxes += [(text, box) for text, box in texts if text in axes.texts]
        for artist, box in boxes:
            if any(_on(box, points) for points in _curves(axes)):
                said = "the legend" if artist is legend else _quoted(artist)
                found.append(Problem(f"{said} lies on a curve", (artist,)))
    for part in _parts(figure):
        for legend in part.legends:
            box, room = legend.get_window_extent(), part.bbox.padded(SLACK)
            if not (room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1):
                found.append(Problem("the legend of the figure is cut off", (legend,)))
    for legend in _legends(figure):
        if any(_meet(legend.get_window_extent(), axes.bbox) for axes in _axes(figure)):
            found.append(Problem("the legend of the figure overlaps the axes", (legend,)))
    return found


def fit(figure: Figure, name: str, *, grow: bool = True) -> None:
    """Mend the figure until nothing is cut off or covered; one that is right already stays as it is.

    Parameters
    ----------
    figure : Figure
    name : str
        For the message.
    grow : bool
        Whether it may become higher.

    Raises
    ------
    InvalidInput
        If something is left, with the name of the figure.
    """
    with in_style():
        _fit(figure, grow)
    left = [problem.said for problem in problems(figure)]
    if left:
        width, height = figure.get_size_inches()
        size = f"{width:.3g} by {height:.3g} inches"
        raise validation.invalid(
            f"the size of {name}", "so large that its text has room", f"{size}, at which {left[0]}"
        )
    figure.set_layout_engine("none")  # each drawing would move it again by a little, and one format not as another


def _fit(figure: Figure, grow: bool) -> None:
    """Mend one thing after the other, as long as there is a way to."""
    for _ in range(ROUNDS):
        found = sorted(problems(figure), key=lambda problem: not any(map(partial(_of_legend, figure), problem.artists)))
        if not found:
            return
        mended = False
        for problem in found:
            if any(_mended(figure, artist, problem) for artist in problem.artists):
                mended = True
                break
        if not mended:
            width, height = figure.get_size_inches()
            if not grow or GROWTH * height > HIGHEST:
                break
            figure.set_size_inches(width, GROWTH * height)


def _widest(figure: Figure) -> list[Any]:
    """What can leave no room: legends that are wide, then all else from the widest on."""
    inside = [axes.get_legend() for axes in _axes(figure) if axes.get_legend() is not None]
    below = [
        legend
        for part in _parts(figure)
        for legend in part.legends
        if legend.get_window_extent().width > part.bbox.width
    ]
    upright = [(box.width, k, text) for k, text in enumerate(_texts(figure)) if (box := _box(text)) is not None]
    return [*inside, *below, *(text for _, _, text in sorted(upright, reverse=True))]


def _axes(figure: Figure) -> list[Any]:
    return [axes for axes in figure.axes if axes.get_visible()]


def _parts(figure: Any) -> Iterator[Any]:
    yield figure
    for part in figure.subfigs:
        yield from _parts(part)


def _legends(figure: Figure) -> list[Any]:
    return [legend for part in _parts(figure) for legend in part.legends if legend.get_texts()]


def _texts(figure: Figure) -> Iterator[Any]:
    """All text that is drawn."""
    for part in _parts(figure):
        yield from part.texts
    for legend in _legends(figure):
        yield from legend.get_texts()
    for axes in _axes(figure):
        yield from axes.texts
        for place in ("left", "center", "right"):
            yield _title(axes, place)
        if axes.get_legend() is not None:
            yield from axes.get_legend().get_texts()
        if axes.axison:
            for axis in (axes.xaxis, axes.yaxis):
                yield axis.label
                yield axis.get_offset_text()
                yield from _tick_labels(axis)


def _title(axes: Any, place: str) -> Any:
    return {"left": axes._left_title, "center": axes.title, "right": axes._right_title}[place]


def _tick_labels(axis: Any) -> Iterator[Any]:
    """The labels of ticks within the view."""
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if _in_view(axis, tick):
            yield tick.label1


def _in_view(axis: Any, tick: Any) -> bool:
    low, high, at = axis.get_transform().transform(np.array([*sorted(axis.get_view_interval()), tick.get_loc()]))
    return bool(low - 1e-9 * (high - low) <= at <= high + 1e-9 * (high - low))


def _box(text: Any) -> Any:
    """Where the text is; None where there is nothing to see."""
    if not text.get_visible() or not text.get_text().strip():
        return None
    return text.get_window_extent()


def _meet(first: Any, second: Any) -> bool:
    across = min(first.x1, second.x1) - max(first.x0, second.x0)
    along = min(first.y1, second.y1) - max(first.y0, second.y0)
    return bool(across > SLACK and along > SLACK)


def _curves(axes: Any) -> Iterator[np.ndarray]:
    """Points along every line of the axes, in pixels, close together; of a marker its middle."""
    with np.errstate(all="ignore"):
        for line in axes.lines:
            if line.get_visible():
                points = line.get_transform().transform(np.column_stack(line.get_data(orig=False)))
                yield _dense(points) if line.get_linestyle() not in ("None", "", " ") else points
        for collection in axes.collections:
            for segment in getattr(collection, "get_segments", list)():
                yield _dense(collection.get_transform().transform(segment))


def _dense(points: np.ndarray) -> np.ndarray:
    """Points at most some pixels apart on the way."""
    if len(points) < 2:
        return points
    steps = np.linspace(0.0, 1.0, 65)[:, None, None]
    return (points[:-1] + steps * (points[1:] - points[:-1])).reshape(-1, 2)


def _on(box: Any, points: np.ndarray) -> bool:
    x, y = points[:, 0], points[:, 1]
    inside = (x > box.x0 + SLACK) & (x < box.x1 - SLACK) & (y > box.y0 + SLACK) & (y < box.y1 - SLACK)
    return bool(inside.any())


def _quoted(text: Any) -> str:
    return repr(text.get_text().replace("\n", " "))


def _mended(figure: Figure, artist: Any, problem: Problem) -> bool:
    """Whether something was changed for this artist."""
    for axes in _axes(figure):
        legend = axes.get_legend()
        if legend is not None and (artist is legend or artist in legend.get_texts()):
            _below(axes, legend)
            return True
    for part in _parts(figure):
        for legend in part.legends:
            if artist is legend or artist in legend.get_texts():
                return _narrower(figure, part, legend, artist)
    for axes in _axes(figure):
        for axis in (axes.xaxis, axes.yaxis):
            if artist in list(_tick_labels(axis)):
                mine = list(_tick_labels(axis))
                beside = [other for other in problem.artists if other is not artist]
                if not beside:
                    return _shortened(axis)
                return all(other in mine for other in beside) and all(map(_is_number, mine)) and _thinned(axis)
    return _broken(figure, artist)


def _of_legend(figure: Figure, artist: Any) -> bool:
    """Whether this is a legend in axes, or text of one."""
    inside = [axes.get_legend() for axes in _axes(figure) if axes.get_legend() is not None]
    return any(artist is legend or artist in legend.get_texts() for legend in inside)


def _below(axes: Any, legend: Any) -> None:
    """The legend of the axes, below the figure or subfigure that they are in."""
    part, kept = axes.figure, [text.get_text() for text in legend.get_texts()]
    found = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    legend.remove()
    for other in part.legends:
        found = _handles(part.axes if hasattr(part, "axes") else [axes], other) | found
        kept = [text.get_text() for text in other.get_texts()] + kept
        other.remove()
    names = list(dict.fromkeys(name for name in kept if name in found))
    part.legend([found[name] for name in names], names, loc="outside lower center", ncols=2)


def _handles(all_axes: Any, legend: Any) -> dict[str, Any]:
    """What the legend's entries stand for, by label."""
    names = [text.get_text() for text in legend.get_texts()]
    found = dict(zip(names, legend.legend_handles, strict=False))
    for axes in all_axes:
        handles, labels = axes.get_legend_handles_labels()
        found |= {label: handle for handle, label in zip(handles, labels, strict=True) if label in found}
    return found


def _narrower(figure: Figure, part: Any, legend: Any, artist: Any) -> bool:
    """One column less; of one column, a broken line."""
    columns = min(legend._ncols, len(legend.get_texts()))
    if columns == 1:
        widest = max(legend.get_texts(), key=lambda text: text.get_window_extent().width)
        return _broken(figure, widest if artist is legend else artist)
    found = _handles(figure.axes, legend)
    legend.remove()
    part.legend(list(found.values()), list(found), loc="outside lower center", ncols=columns - 1)
    return True


def _is_number(label: Any) -> bool:
    return _WORDS.search(_MATHEMATICS.sub("", label.get_text())) is None


def _shortened(axis: Any) -> bool:
    """Names at the ticks on more lines; numbers stay as they are."""
    names = [label.get_text() for label in axis.get_ticklabels()]
    longest = max((len(line) for name in names for line in name.split("\n")), default=0)
    broken = [_filled(name, max(6, int(0.8 * longest))) for name in names]
    if broken == names or not any(map(_WORDS.search, names)):
        return False
    axis.set_ticks(axis.get_majorticklocs(), broken)
    return True


def _filled(said: str, wide: int) -> str:
    """The text in lines of at most so many characters, where it can be broken; mathematics stays whole."""
    whole = _MATHEMATICS.sub(lambda found: found[0].replace(" ", "\0"), said.replace("\n", " "))
    return textwrap.fill(whole, wide, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def _thinned(axis: Any) -> bool:
    """Every other tick."""
    labels = {tick.get_loc(): tick.label1.get_text() for tick in axis.get_major_ticks() if _in_view(axis, tick)}
    places = sorted(labels)
    if len(places) < 3:
        return False
    axis.set_ticks(places[::2], [labels[place] for place in places[::2]])
    return True


def _broken(figure: Figure, text: Any) -> bool:
    """The text on more lines; mathematics stays whole."""
    box, said = text.get_window_extent(), text.get_text().replace("\n", " ")
    upright = text.get_rotation() % 180 == 90
    length, room = (box.height, 0.9 * figure.bbox.height) if upright else (box.width, 0.92 * figure.bbox.width)
    if text.axes is not None and not upright:
        room = min(room, max(text.axes.bbox.width, 0.5 * length))
    lines = text.get_text().count("\n") + 1
    longest = max(map(len, text.get_text().split("\n")))
    wide = max(6, min(int(longest * room / length), -(-len(said) // (lines + 1)) + 4))
    broken = _filled(said, wide)
    if broken == text.get_text() or broken.count("\n") < lines:
        return False
    text.set_text(broken)
    return True
