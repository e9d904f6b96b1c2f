"""Events in words that a person can act on: sets of values, intervals, the columns behind a learned score, examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.auditing.certified import Certified
from dpbench.auditing.choose import Event, Own, Plain, Score, Trees, Values, identity
from dpbench.auditing.outputs import Layout

KEPT = 2_000  # outputs a side of the choosing part that words are made from
FEW = 6  # values, intervals or columns that are listed
EXAMPLES = 3
SHARE = 0.25  # of the most influential column's influence, for another to be named
WIDEST = 400  # columns whose influence is measured, the most telling by their means
SHUFFLED = 400  # outputs a side that influence is measured on,
MOVED = 20_000  # or fewer of wide outputs: this many by columns, but not below a quarter
LONGEST = 8  # numbers of an example that are shown


@dataclass(frozen=True)
class Seen:
    """What is kept of the choosing part: some outputs of each side, one output for each value of `Values`, and what
    the columns of outputs of any kind are called."""

    first: np.ndarray
    second: np.ndarray
    values: np.ndarray | None
    layout: Layout | None = None

    @classmethod
    def of(cls, score: Score, first: np.ndarray, second: np.ndarray, layout: Layout | None = None) -> Seen:
        values = None
        if isinstance(score, Values):
            pooled = np.concatenate([first, second])
            keys = identity(pooled)
            order = np.argsort(keys, kind="stable")
            values = pooled[order[np.searchsorted(keys[order], score.keys)]]
        return cls(first[:KEPT].copy(), second[:KEPT].copy(), values, layout)

    def called(self, column: int | None) -> str:
        """What a column is called, or the output that it is."""
        if self.layout is not None:
            return self.layout.names[column or 0]
        return "output" if column is None else f"column {column} of the output"

    def labels(self, column: int | None) -> tuple[str, ...] | None:
        """What the codes of a column stand for, if it holds codes."""
        return None if self.layout is None else self.layout.labels[column or 0]

    def shown(self, output: Any) -> str:
        """An output, short, with labels for codes."""
        if self.layout is None:
            return shown(output)
        if np.ndim(output) == 0:
            return self._cell(0, output)
        names = self.layout.names
        items = [
            f"{names[j]} = {self._cell(j, x)}"
            for j, x in enumerate(output)
            if not names[j].endswith("hardly seen before")
        ]
        return f"({', '.join(items[:LONGEST])}{', ...' if len(items) > LONGEST else ''})"

    def _cell(self, column: int, value: Any) -> str:
        labels = self.labels(column)
        if labels is None:
            return shown(value)
        return labels[int(value)] if 0 <= value < len(labels) else "another value"


@dataclass(frozen=True)
class Words:
    """An event in words, the columns that drive its score, and outputs in it."""

    event: str
    columns: tuple[int, ...] = ()
    examples: tuple[str, ...] = ()


def in_words(event: Event, certified: Certified, seen: Seen) -> Words:
    """The event, its frequencies, and for a learned score its columns and examples."""
    score = event.score
    p, q = certified.frequencies
    likely, other = ("dataset", "neighbour") if event.forward else ("neighbour", "dataset")
    frequencies = f"{p:.6g} of the runs on the {likely}, {q:.6g} on the {other}"
    sign = ">=" if event.above else "<"
    plain = f"{getattr(score, 'words', 'score')} {sign} {event.threshold:.6g}"
    if isinstance(score, Plain) and seen.layout is not None:
        return Words(f"{_of_column(score.column, event, seen)}: {frequencies}")
    if isinstance(score, Values):
        return Words(f"{_set(score, event, seen) or plain}: {frequencies}")
    if isinstance(score, Plain | Own):
        if seen.first.dtype.kind == "b" and isinstance(score, Plain):
            name = "output" if score.column is None else f"column {score.column} of the output"
            return Words(f"{name} in {{{event.above}}}: {frequencies}")
        lowest = "" if event.above or isinstance(score, Own) else _or_nan(seen, score.column)
        return Words(f"{plain}{lowest}: {frequencies}")
    side, away = (seen.first, seen.second) if event.forward else (seen.second, seen.first)
    examples = tuple(seen.shown(x) for x in side[_inside(score, event, side)][:EXAMPLES])
    if side.ndim == 1:
        name = seen.called(None)
        intervals = _intervals(score, event, np.concatenate([side, away]), name)
        return Words(f"{intervals or plain.replace('the output', name)}: {frequencies}", (), examples)
    columns = influential(score, event, side, away)
    if seen.layout is not None:
        drives = f", driven by {' and '.join(seen.called(c) for c in columns)}" if columns else ""
    else:
        drives = f", driven by {_listed('column', columns)}" if columns else ""
    instance = f"; for example {', '.join(examples)}" if examples else ""
    return Words(f"{plain}{drives}: {frequencies}{instance}", columns, examples)


def _of_column(column: int | None, event: Event, seen: Seen) -> str:
    """An event of one named column: a half-line, or a set where it holds codes."""
    name, labels = seen.called(column), seen.labels(column)
    if labels is None:
        lowest = "" if event.above else _or_nan(seen, column)
        return f"{name} {'>=' if event.above else '<'} {event.threshold:.6g}{lowest}"
    inside = [label for code, label in enumerate(labels) if (code >= event.threshold) == event.above]
    outside = [label for code, label in enumerate(labels) if (code >= event.threshold) != event.above]
    if (event.threshold > -1.0) == event.above:  # codes of values that hardly recur are -1
        return f"{name} in {{{_few(inside)}}}"
    return f"{name} not in {{{_few(outside)}}}"


def _few(labels: list[str]) -> str:
    return f"{', '.join(labels[:FEW])}{f' and {len(labels) - FEW} more' if len(labels) > FEW else ''}"


def _or_nan(seen: Seen, column: int | None) -> str:
    """NaN counts as the lowest number; said where some were seen."""
    if seen.first.dtype.kind != "f":
        return ""
    some = [side if side.ndim == 1 else side[:, column or 0] for side in (seen.first, seen.second)]
    return " or not a number" if any(np.isnan(x).any() for x in some) else ""


def _inside(score: Score, event: Event, outputs: np.ndarray) -> np.ndarray:
    return (score(outputs) >= event.threshold) == event.above


def _set(score: Values, event: Event, seen: Seen) -> str:
    """``output in {...}``, where few values are in it or few are not."""
    if seen.values is None:
        return ""
    inside = (score.log_ratios >= event.threshold) == event.above
    others = (score.other >= event.threshold) == event.above
    if seen.values.dtype.kind == "b" and seen.values.ndim == 1:
        others = False  # there are none
    if others and score.covers and 0 < inside.sum() <= min(FEW, (~inside).sum()):
        return f"output in {{{', '.join(seen.shown(x) for x in seen.values[inside])}}} or a value not seen before"
    chosen = seen.values[~inside if others else inside]
    if not 0 < len(chosen) <= FEW:
        return ""
    return f"output {'not ' if others else ''}in {{{', '.join(seen.shown(x) for x in chosen)}}}"


def _intervals(score: Score, event: Event, outputs: np.ndarray, name: str = "output") -> str:
    """The event as a few intervals between outputs of the choosing part."""
    values = np.unique(outputs[~np.isnan(outputs)] if outputs.dtype.kind == "f" else outputs)
    inside = np.concatenate([[False], _inside(score, event, values), [False]]).astype(np.int8)
    starts, ends = (np.flatnonzero(np.diff(inside) == step) for step in (1, -1))
    if not 0 < len(starts) <= FEW // 2:
        return ""
    parts = []
    for start, end in zip(starts, ends, strict=True):
        low = "" if start == 0 else f">= {values[start]:.6g}"
        high = "" if end == len(values) else f"<= {values[end - 1]:.6g}"
        parts.append(f"{name} {' and '.join(x for x in (low, high) if x)}" if low or high else f"any {name}")
    return f"{' or '.join(parts)}, about (a learned log-ratio {'>=' if event.above else '<'} {event.threshold:.6g})"


def influential(score: Score, event: Event, side: np.ndarray, away: np.ndarray) -> tuple[int, ...]:
    """The columns whose exchange between outputs moves most of them in or out of the event, most first.

    Parameters
    ----------
    side, away : array, shape (rows, k)
        Outputs of the two sides.
    """
    some = min(SHUFFLED, max(MOVED // side.shape[1], SHUFFLED // 4))
    rows = np.concatenate([side[:some], away[:some]])
    told = np.arange(rows.shape[1])
    if rows.shape[1] > WIDEST:
        means = [np.nan_to_num(np.asarray(x, dtype=np.float64)).mean(axis=0) for x in (side, away)]
        told = np.sort(np.argsort(-np.abs(means[0] - means[1]), kind="stable")[:WIDEST])
    before = _inside(score, event, rows)
    # One order for all columns; a row takes the value of a row from anywhere in the two sides.
    order = np.random.default_rng(0).permutation(len(rows))
    moved = np.empty(len(told))
    for place, column in enumerate(told):
        changed = rows.copy()
        changed[:, column] = rows[order, column]
        moved[place] = np.mean(_inside(score, event, changed) != before)
        if isinstance(score, Trees) and place >= WIDEST // 4:
            moved[place + 1 :] = 0.0
            break
    if not moved.any():
        return ()
    best = np.argsort(-moved, kind="stable")[:FEW]
    return tuple(int(told[k]) for k in best if moved[k] >= SHARE * moved.max())


def shown(output: Any) -> str:
    """An output, short."""
    if np.ndim(output) == 0:
        value = output.item() if isinstance(output, np.generic) else output
        return f"{value:.6g}" if isinstance(value, float) else repr(value)
    items = [shown(x) for x in output[:LONGEST]]
    return f"({', '.join(items)}{', ...' if len(output) > LONGEST else ''})"


def _listed(noun: str, numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    return f"{noun}s {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
