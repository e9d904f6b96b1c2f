"""Text of a figure that is cut off, or lies on other text or on a curve."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.figure import Figure

SLACK = 0.75
"""Pixels by which boxes may touch."""


def problems(figure: Figure) -> list[str]:
    """What is wrong, in words."""
    figure.draw_without_rendering()
    written = [(text, box) for text in texts(figure) if (box := _box(text)) is not None]
    legends = [(legend, legend.get_window_extent()) for legend in _legends(figure)]
    whole = figure.bbox.padded(SLACK)
    found = [
        f"{_quoted(artist)} is cut off"
        for artist, box in (*written, *legends)
        if not (whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1)
    ]
    found += [
        f"{_quoted(one)} overlaps {_quoted(other)}"
        for (one, first), (other, second) in combinations(written, 2)
        if _meet(first, second)
    ]
    for axes in _axes(figure):
        legend = axes.get_legend()
        boxes = [(legend, legend.get_window_extent())] if legend is not None and legend.get_texts() else []
        boxes += [(text, box) for text, box in written if text in axes.texts]
        found += [
            f"{_quoted(artist)} lies on a curve"
            for artist, box in boxes
            if any(_on(box, points) for points in _curves(axes))
        ]
        found += ["a legend overlaps the axes" for _, box in legends if _meet(box, axes.bbox)]
    return found


def _axes(figure: Figure) -> list[Any]:
    return [axes for axes in figure.axes if axes.get_visible()]


def _parts(figure: Any) -> Iterator[Any]:
    yield figure
    for part in figure.subfigs:
        yield from _parts(part)


def _legends(figure: Figure) -> list[Any]:
    return [legend for part in _parts(figure) for legend in part.legends if legend.get_texts()]


def texts(figure: Figure) -> Iterator[Any]:
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


def _quoted(artist: Any) -> str:
    return repr(artist.get_text().replace("\n", " ")) if hasattr(artist, "get_text") else "the legend"
