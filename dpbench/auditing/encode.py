"""`encode`: outputs of any shape as the array that an audit takes.

Every column is a function of one output alone, so that encoding is post-processing: no bound can become invalid by it.
A `Layout`, learned from example outputs, says which columns there are; an output that does not fit it is marked in the
columns, never dropped. Texts, sets and ragged lists keep a number made from their whole content (a hash), by which
equal ones are equal, beside a few plain features.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from dpbench.core.validation import invalid

WIDEST = 1024
"""Columns of an array-like output that are kept one by one; a larger one is averaged over a grid."""

SIDE = 16  # cells of that grid along each of the two longest axes
HEAD = 8  # first numbers of a ragged list that have columns of their own
BUCKETS = 32  # of a set, by the hashes of its members

NUMBER, TEXT, ARRAY, LIST, SET, RECORD, OTHER = "number", "text", "array", "list", "set", "record", "other"


@dataclass(frozen=True)
class Layout:
    """Which columns an output has.

    Attributes
    ----------
    kind : str
        What the outputs are.
    shape : tuple of int
        Of an array.
    parts : tuple of (str, Layout)
        Of a record: its fields in order.
    strict : bool
        All examples were of this kind and shape: no column says so.
    """

    kind: str
    shape: tuple[int, ...] = ()
    parts: tuple[tuple[str, Layout], ...] = ()
    strict: bool = True

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        own: list[str] = [] if self.strict else ["as expected"]
        if self.kind == NUMBER:
            return [*own, "value"]
        if self.kind == ARRAY:
            return [*own, *map(str, range(_kept(self.shape)))]
        if self.kind == TEXT:
            return [*own, "length", "identity"]
        if self.kind == LIST:
            return [*own, "length", "sum", "smallest", "largest", "identity", *map(str, range(HEAD))]
        if self.kind == SET:
            return [*own, "size", "identity", *(f"bucket {k}" for k in range(BUCKETS))]
        if self.kind == RECORD:
            return [*own, *(f"{name}.{inner}" for name, part in self.parts for inner in part.names), "other fields"]
        return [*own, "identity"]

    def row(self, output: Any) -> list[float]:
        """The columns of one output; NaN throughout where it does not fit."""
        own = [] if self.strict else [float(self._fits(output))]
        if not self._fits(output):
            return own + [math.nan] * (len(self.names) - len(own))
        if self.kind == NUMBER:
            return [*own, _number(output)]
        if self.kind == ARRAY:
            return [*own, *_flat(np.ma.filled(np.ma.array(output, dtype=np.float64), math.nan)).tolist()]
        if self.kind == TEXT:
            return [*own, float(len(output)), _identity(output)]
        if self.kind == LIST:
            return [*own, *_ragged(output)]
        if self.kind == SET:
            return [*own, *_members(output)]
        if self.kind == RECORD:
            given = _fields(output)
            known = {name for name, _ in self.parts}
            inner = [x for name, part in self.parts for x in part.row(given.get(name, _MISSING))]
            return [*own, *inner, float(sum(name not in known for name in given))]
        return [*own, _identity(output)]

    def _fits(self, output: Any) -> bool:
        found = _layout(output)
        if self.kind == ARRAY:
            return found.kind == ARRAY and found.shape == self.shape
        if self.kind == LIST:
            return found.kind in (ARRAY, LIST)
        if self.kind == OTHER:
            return output is not _MISSING
        return found.kind == self.kind


_MISSING = object()


def layout_of(outputs: Iterable[Any]) -> Layout:
    """The layout that examples share."""
    found: Layout | None = None
    for output in outputs:
        one = _layout(output)
        found = one if found is None else _joined(found, one)
    if found is None:
        raise invalid("outputs", "at least one output", [])
    return found


def encode(outputs: Any) -> np.ndarray:
    """Outputs of any kind as an array that `dpbench.audit` takes, one row an output.

    Parameters
    ----------
    outputs : sequence, array or table
        One item an output: numbers, texts, arrays or images of one shape, lists of any lengths, sets, dicts, named
        tuples or dataclasses (fields become columns), or a mixture; also a structured array and a data frame, whose
        rows are the outputs. Encode what belongs together in one call (``encode([*ours, *theirs])``), or use
        `dpbench.each`, which keeps one layout.

    Returns
    -------
    float64[rows] or float64[rows, columns], or fixed-width texts [rows]

    Raises
    ------
    InvalidInput

    Examples
    --------
    >>> from dpbench import encode
    >>> encode([{"count": 3, "best": "a"}, {"count": 4, "best": "b"}]).shape
    (2, 4)
    >>> encode([[1.0, 2.0], [3.0]]).shape[0]
    2
    """
    rows = _rows(outputs)
    if isinstance(rows, np.ndarray):
        return rows
    if all(isinstance(output, str) for output in rows):
        return np.array(rows, dtype=np.str_)
    return encoded(rows, layout_of(rows))


def encoded(rows: Sequence[Any], layout: Layout) -> np.ndarray:
    """Rows by a given layout, float64[rows] or float64[rows, columns]."""
    made = np.array([layout.row(output) for output in rows], dtype=np.float64).reshape(len(rows), -1)
    return made[:, 0] if made.shape[1] == 1 else made


def _rows(outputs: Any) -> Sequence[Any] | np.ndarray:
    if hasattr(outputs, "to_dict") and hasattr(outputs, "columns"):  # a data frame of pandas
        return list(outputs.to_dict(orient="records"))
    if isinstance(outputs, np.ndarray):
        if outputs.ndim == 0 or len(outputs) == 0:
            raise invalid("outputs", "at least one output, along the first axis", outputs)
        if outputs.dtype.names is not None:
            names = outputs.dtype.names
            return [{name: row[name] for name in names} for row in outputs]
        if outputs.dtype.kind in "fiub" and outputs.ndim > 2:
            return np.stack([_flat(x.astype(np.float64)) for x in outputs])
        if outputs.dtype.kind in "fiubSU" and outputs.ndim <= 2 - (outputs.dtype.kind in "SU"):
            return outputs
        return list(outputs)
    if isinstance(outputs, (str, bytes, Mapping)) or not isinstance(outputs, Iterable):
        raise invalid("outputs", "a sequence, one item an output (wrap a single one in a list)", outputs)
    made = list(outputs)
    if not made:
        raise invalid("outputs", "at least one output", outputs)
    return made


def _layout(output: Any) -> Layout:
    if output is _MISSING:
        return Layout(OTHER)
    if output is None or isinstance(output, (bool, int, float, np.bool_, np.integer, np.floating)):
        return Layout(NUMBER)
    if isinstance(output, (str, bytes)):
        return Layout(TEXT)
    if isinstance(output, Set):
        return Layout(SET)
    if isinstance(output, Mapping) or is_dataclass(output) or hasattr(output, "_fields"):
        return Layout(RECORD, parts=tuple((k, _layout(v)) for k, v in sorted(_fields(output).items())))
    if isinstance(output, (list, tuple)) or hasattr(output, "__array__"):
        try:
            array = np.asarray(output)
        except ValueError:
            return Layout(LIST)
        if array.dtype.kind in "fiub" and array.ndim >= 1 and array.size:
            return Layout(ARRAY, array.shape)
        return Layout(LIST if array.ndim else NUMBER if array.dtype.kind in "fiub" else OTHER)  # a date, say
    return Layout(OTHER)


def _joined(one: Layout, other: Layout) -> Layout:
    """A layout for outputs of either."""
    if one.kind == other.kind == RECORD:
        first, second = dict(one.parts), dict(other.parts)
        parts = []
        for name in sorted({*first, *second}):
            if name in first and name in second:
                parts.append((name, _joined(first[name], second[name])))
            else:
                part = first.get(name) or second[name]
                parts.append((name, Layout(part.kind, part.shape, part.parts, strict=False)))
        return Layout(RECORD, parts=tuple(parts), strict=one.strict and other.strict)
    strict = one.strict and other.strict
    if one.kind == other.kind and one.shape == other.shape:
        return Layout(one.kind, one.shape, strict=strict)
    if {one.kind, other.kind} <= {ARRAY, LIST}:
        return Layout(LIST, strict=strict)
    return Layout(OTHER, strict=strict)


def _fields(output: Any) -> dict[str, Any]:
    if isinstance(output, Mapping):
        return {str(name): value for name, value in output.items()}
    if hasattr(output, "_asdict"):
        return dict(output._asdict())
    if is_dataclass(output):
        return {f.name: getattr(output, f.name) for f in fields(output)}
    return {}


def _number(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:  # an integer beyond all doubles
        return math.inf if value > 0 else -math.inf


def _identity(value: Any) -> float:
    """A whole number below 2**52 made from the content: equal contents, equal numbers."""
    digest = hashlib.blake2b(_content(value).encode(), digest_size=8).digest()
    return float(int.from_bytes(digest, "big") >> 12)


def _content(value: Any) -> str:
    if isinstance(value, Set):
        return "{" + ",".join(sorted(map(_content, value))) + "}"
    if isinstance(value, Mapping) or is_dataclass(value) or hasattr(value, "_asdict"):
        return "{" + ",".join(f"{k}:{_content(v)}" for k, v in sorted(_fields(value).items())) + "}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_content, value)) + "]"
    if isinstance(value, (bool, np.bool_, int, np.integer, float, np.floating)):
        return _number(value).hex()
    if type(value).__repr__ is object.__repr__:  # its address, which is another in every run
        must_be = "a number, text, array, list, set, dict, dataclass, or of a type that repr shows"
        raise invalid("an output", must_be, value)
    return f"{type(value).__name__}:{value!r}"


def _ragged(output: Any) -> list[float]:
    items = list(output)
    numbers = [_number(x) if _layout(x).kind == NUMBER else _identity(x) for x in items]
    told = [float(np.sum(numbers)), min(numbers), max(numbers)] if numbers else [0.0, math.nan, math.nan]
    head = [*numbers[:HEAD], *([math.nan] * (HEAD - len(numbers)))]
    return [float(len(items)), *told, _identity(items), *head]


def _members(output: Any) -> list[float]:
    counts = [0.0] * BUCKETS
    for member in output:
        counts[int(_identity(member)) % BUCKETS] += 1.0
    return [float(len(output)), _identity(output), *counts]


def _kept(shape: tuple[int, ...]) -> int:
    size = math.prod(shape)
    if size <= WIDEST:
        return size
    return math.prod(_grid(shape)) + 1


def _grid(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Cells along each axis of an array too wide to keep: two long axes at most, one cell along the others."""
    longest = sorted(range(len(shape)), key=lambda k: -shape[k])[:2]
    most = SIDE if len(shape) > 1 else WIDEST // 2
    return tuple(min(most, n) if k in longest else 1 for k, n in enumerate(shape))


def _flat(array: np.ndarray) -> np.ndarray:
    """Its numbers in order, or, beyond `WIDEST`, means over the cells of a grid and the identity of the whole."""
    if array.size <= WIDEST:
        return array.ravel()
    made = array
    for axis, cells in enumerate(_grid(array.shape)):
        made = np.stack([part.mean(axis=axis) for part in np.array_split(made, cells, axis=axis)], axis=axis)
    return np.append(made.ravel(), _identity(array))
