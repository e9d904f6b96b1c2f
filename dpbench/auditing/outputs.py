"""Outputs as columns of numbers, each with the name that its user would give it.

An output is taken apart, as a pytree is, into leaves: numbers and booleans, arrays of numbers, texts and bytes (which
are categories), None. Lists, tuples, dicts, dataclasses, named tuples, data frames and JSON texts of these are opened;
anything else is refused, with what to return instead. Rows of a table (a data frame, a list of records) are aligned by
their columns of texts where these tell them apart and recur; elsewhere they are read by their place, as the entries of
a list are, and beside them are counted the rows and the values that recur, whose order may then be any. A `Layout`,
learned from example outputs, says which leaves and which columns there are. Every column is a function of one output
alone, so that encoding is post-processing: no bound can become invalid by it.

Not read are types (1, 1.0 and True are one number), the order of a dict's keys, and digits beyond a float's. Of an
array of more than `WIDEST` entries are read means over a grid, the least and the largest. What a leaf says by identity
alone, a text that does not recur, is seen only where it recurs: `Layout.seen` says which columns tell that, and an
audit whose certifying runs are mostly of values never seen before is blind.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import numbers
import operator
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from itertools import accumulate
from typing import Any

import numpy as np

from dpbench.core.validation import InvalidInput, invalid

RECURRING = 5
"""Times that a value or a key is seen among the examples before it counts as known."""

WIDEST = 1024
"""Entries of an array that are kept one by one; a larger one is averaged over a grid."""

SIDE = 16  # cells of that grid along each of the two longest axes
LONGEST, ENDS = 256, 8  # first and last entries of an array of varying length that have columns
MOST_LEAVES = 1024
MOST_ITEMS = 256  # of a list that is not of numbers, by their place
KNOWN_VALUES = 4096  # values of a leaf that are told apart
COUNTED = 64  # values of a list, or rows of a table, that are counted
UNKNOWN = 0.1  # share of examples with a value that does not recur, from which that has a column

INSTEAD = {
    "set": "sorted(it)", "frozenset": "sorted(it)", "Decimal": "float(it)", "MaskedArray": "it.filled(nan)",
    "complex": "its real and its imaginary part", "datetime": "it.timestamp()", "Timestamp": "it.timestamp()",
    "datetime64": "it.astype(float)", "date": "it.toordinal()", "timedelta": "it.total_seconds()",
}  # fmt: skip
"""Of the types that people return most often."""

NUMERIC = frozenset({float, int, bool, np.float64, np.float32, np.int64, np.int32, np.bool_})


class Field(str):
    """A step of a path by an attribute."""


class Row(str):
    """A step by the row of a table, which its cell's column stands before."""


class About(str):
    """A step that is not into the output but about it: "length of"."""


LENGTH, ENTRIES, ROWS, PLACE = About("length of"), About("entries of"), About("rows of"), About("place of")
REST = About(f"what comes after the first {MOST_ITEMS} of")
Path = tuple[Any, ...]


class Node(dict[Any, "Node"]):
    """A place in outputs, which makes the places below it; known by itself, so that it is a quick key."""

    def __init__(self, path: Path = ()) -> None:
        self.path = path
        self.skipped: bool | None = None

    def __missing__(self, step: Any) -> Node:
        child = self[step] = Node((*self.path, step))
        return child

    def at(self, path: Path) -> Node:
        return reduce(operator.getitem, path, self)

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


Leaves = dict[Node, Any]
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()
"""A leaf that an output does not have."""


def name_of(path: Path) -> str:
    """What the user would call a leaf."""
    name = "output"
    for step in path:
        if isinstance(step, About):
            name = f"{step} {name}"
        elif isinstance(step, Row):
            name = f"{name} of row {step}"
        else:
            name = f"{name}.{step}" if isinstance(step, Field) else f"{name}[{step!r}]"
    return name


def dotted(path: Path) -> str:
    """As `ignore` takes it."""
    return ".".join(map(str, path))


class Refused(InvalidInput):
    """A part of an output that cannot be read."""

    @classmethod
    def at(cls, value: Any, path: Path, kind: str = "") -> Refused:
        """`kind`: of an array, its type."""
        kind = kind or type(value).__name__
        parts = "list(it)" if isinstance(value, Iterable) else "the numbers and texts that it is made of, as vars(it)"
        return cls(
            "outputs must be made of numbers, arrays, texts, bytes, booleans and None, in lists, tuples, dicts, "
            f"dataclasses, named tuples and data frames, got a {kind} as {name_of(path)}: return "
            f"{INSTEAD.get(kind, parts)}"
        )


class Walk:
    """One way of taking outputs apart: without the paths to `ignore`, and with some tables read `by_place`."""

    def __init__(self, ignore: Sequence[str] = (), by_place: frozenset[Path] = frozenset()) -> None:
        self.ignore, self.by_place, self.root = tuple(ignore), by_place, Node()
        self.unaligned = {self.root.at(path) for path in by_place}
        self.keys: dict[Path, list[Counter[Row]]] = {}
        self.ignored: set[str] = set()

    def __call__(self, output: Any) -> Leaves:
        leaves: Leaves = {}
        try:
            self.open(output, self.root, leaves)
        except RecursionError:
            raise invalid("outputs", "nested less deeply, and must not hold themselves", output) from None
        return leaves

    def open(self, value: Any, node: Node, leaves: Leaves) -> None:
        if self.ignore and self.skips(node):
            return
        kind = type(value)
        if kind is float:
            leaves[node] = value
        else:
            opener(kind)(self, value, node, leaves)

    def skips(self, node: Node) -> bool:
        if node.skipped is None:
            said = dotted(node.path), f"output.{dotted(node.path)}", name_of(node.path)
            self.ignored.update(set(said) & set(self.ignore))
            node.skipped = bool(set(said) & set(self.ignore))
        return node.skipped

    def number(self, value: Any, node: Node, leaves: Leaves) -> None:
        leaves[node] = as_number(value)

    def nothing(self, value: Any, node: Node, leaves: Leaves) -> None:
        leaves[node] = None

    def text(self, value: str, node: Node, leaves: Leaves) -> None:
        if value[:1] in _OF_JSON:
            with contextlib.suppress(ValueError):
                self.open(json.loads(value), node, leaves)
                return
        leaves[node] = str(value)

    def bytes(self, value: bytes, node: Node, leaves: Leaves) -> None:
        try:
            self.text(bytes(value).decode(), node, leaves)
        except UnicodeDecodeError:
            leaves[node] = bytes(value)

    def mapping(self, value: Mapping[Any, Any], node: Node, leaves: Leaves) -> None:
        leaves[node[LENGTH]] = float(len(value))
        for key, item in value.items():
            self.open(item, node[key], leaves)

    def fields(self, value: Any, node: Node, leaves: Leaves) -> None:
        for name, item in _record(value).items():
            self.open(item, node[Field(name)], leaves)

    def series(self, value: Any, node: Node, leaves: Leaves) -> None:
        items = value.to_list()
        if _counts_rows(value.index):
            self.sequence(items, node, leaves)
        else:
            self.mapping(dict(zip(value.index.tolist(), items, strict=True)), node, leaves)

    def frame(self, value: Any, node: Node, leaves: Leaves) -> None:
        self.table(*frame_rows(value), node, leaves)

    def array(self, value: Any, node: Node, leaves: Leaves) -> None:
        if isinstance(value, np.ma.MaskedArray):
            raise Refused.at(value, node.path)
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
        if array.dtype.names is not None:
            self.sequence(
                [dict(zip(array.dtype.names, row.item(), strict=True)) for row in array.ravel()], node, leaves
            )
        elif array.dtype.kind in "fiub":
            array = array.astype(np.float64)
            leaves[node] = array if array.ndim else float(array)
        elif array.dtype.kind in "USO":
            items = array.tolist()
            (self.sequence if isinstance(items, list) else self.open)(items, node, leaves)
        else:
            kind = {"c": "complex", "M": "datetime64"}.get(array.dtype.kind, array.dtype.name)
            raise Refused.at(value, node.path, kind)

    def sequence(self, value: Iterable[Any], node: Node, leaves: Leaves) -> None:
        items = list(value)
        kinds = set(map(type, items))
        if kinds and kinds <= NUMERIC:
            leaves[node] = _floats(items)
            return
        nested = bool(kinds) and all(issubclass(kind, list | tuple) for kind in kinds)
        alike = nested and len(set(map(len, items))) == 1
        if alike and {kind for row in items for kind in map(type, row)} <= NUMERIC and len(items[0]):
            leaves[node] = np.array([_floats(row) for row in items])
            return
        if len(kinds) == 1 and (_is_record(*kinds) or (alike and len(items[0]) > 1)):
            self.table([_record(item) for item in items], None, node, leaves)
            return
        leaves[node[LENGTH]] = float(len(items))
        for place, item in enumerate(items[:MOST_ITEMS]):
            self.open(item, node[place], leaves)
        if len(items) > MOST_ITEMS:
            leaves[node[REST]] = repr(items[MOST_ITEMS:])
        if items:
            leaves[node[ENTRIES]] = tuple(filter(_countable, items))

    def table(self, rows: list[dict[Any, Any]], key: Any, node: Node, leaves: Leaves) -> None:
        """Rows by their key (`key`, or the columns of texts), or by their place and with counts of what recurs."""
        leaves[node[LENGTH]] = float(len(rows))
        columns = list(dict.fromkeys(column for row in rows for column in row))
        if self.ignore:
            columns = [column for column in columns if not self.skips(node[column])]
            rows = [{column: row[column] for column in columns if column in row} for row in rows]
        named = [key] if key in columns else [c for c in columns if {type(row.get(c)) for row in rows} == {str}]
        if named and node not in self.unaligned:
            labels = [_label(*[row[c] for c in named]) for row in rows]
            times = Counter(labels)
            self.keys.setdefault(node.path, []).append(times)
            if len(times) == len(labels):
                for place, (label, row) in enumerate(zip(labels, rows, strict=True)):
                    leaves[node[label][PLACE]] = float(place)
                    for column, value in row.items():
                        if column not in named:
                            self.open(value, node[column][label], leaves)
                return
        for place, row in enumerate(rows[:MOST_ITEMS]):
            for column, value in row.items():
                self.open(value, node[column][Row(place)], leaves)
        if len(rows) > MOST_ITEMS:
            leaves[node[REST]] = repr(rows[MOST_ITEMS:])
        for column in columns:
            leaves[node[column][ENTRIES]] = tuple(row[column] for row in rows if _countable(row.get(column, [])))
        whole = (tuple(row.values()) for row in rows)
        leaves[node[ROWS]] = tuple(row for row in whole if all(map(_countable, row)))


_OF_JSON = frozenset("{[-0123456789")


def _countable(value: Any) -> bool:
    """Whether a value may be counted among others: it is a leaf."""
    kind = type(value)
    return kind is str or kind in NUMERIC or value is None or isinstance(value, str | bytes)


def _floats(items: Iterable[Any]) -> np.ndarray:
    try:
        return np.array(items, dtype=np.float64)
    except OverflowError:  # an integer beyond all doubles
        return np.array([as_number(x) for x in items])


def as_number(value: Any) -> float:
    """The float that is nearest to a number."""
    try:
        return float(value)
    except OverflowError:  # an integer beyond all doubles
        return math.inf if value > 0 else -math.inf


def _is_record(kind: type) -> bool:
    return issubclass(kind, Mapping) or hasattr(kind, "_fields") or dataclasses.is_dataclass(kind)


def _record(value: Any) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
    return dict(enumerate(value))


@lru_cache(KNOWN_VALUES)
def _label(*keys: Any) -> Row:
    return Row(", ".join(map(repr, keys)))


def _counts_rows(index: Any) -> bool:
    """Whether the labels of a series or a frame are 0, 1, 2, ..., and say nothing."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def is_frame(kind: type) -> bool:
    """Whether a type is a data frame of pandas, polars or pyarrow."""
    return any(hasattr(kind, name) for name in ("iterrows", "to_dicts", "to_pylist")) and hasattr(kind, "columns")


def frame_rows(value: Any) -> tuple[list[dict[Any, Any]], Any]:
    """The rows of a data frame, and the column of its index, if it is one."""
    if not hasattr(value, "iterrows"):
        return (value.to_dicts() if hasattr(value, "to_dicts") else value.to_pylist()), None
    columns = {column: value.iloc[:, k].tolist() for k, column in enumerate(value.columns)}
    key = None
    if not _counts_rows(value.index):
        key = value.index.name if value.index.name not in (None, *columns) else "index"
        columns = {key: value.index.tolist(), **columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], key


OPENERS: tuple[tuple[Callable[[type], bool], Callable[..., None]], ...] = (
    (lambda kind: issubclass(kind, numbers.Real | np.bool_), Walk.number),
    (lambda kind: kind.__name__ in ("NoneType", "NAType", "NaTType"), Walk.nothing),
    (lambda kind: issubclass(kind, str), Walk.text),
    (lambda kind: issubclass(kind, bytes | bytearray | memoryview), Walk.bytes),
    (lambda kind: issubclass(kind, Mapping), Walk.mapping),
    (_is_record, Walk.fields),
    (lambda kind: issubclass(kind, list | tuple | range), Walk.sequence),
    (is_frame, Walk.frame),
    (lambda kind: hasattr(kind, "to_list") and hasattr(kind, "index"), Walk.series),
    (lambda kind: hasattr(kind, "__array__"), Walk.array),
)
"""How a value is opened: by the first of these that its type is."""


_OPENED: dict[type, Callable[..., None]] = {}


def opener(kind: type) -> Callable[..., None]:
    """How values of a type are opened; what none of `OPENERS` takes is refused."""
    if kind not in _OPENED:
        _OPENED[kind] = next((opened for test, opened in OPENERS if test(kind)), _refuse)
    return _OPENED[kind]


def _refuse(walk: Walk, value: Any, node: Node, leaves: Leaves) -> None:
    raise Refused.at(value, node.path)


# Columns

Described = tuple[str, tuple[str, ...] | None]
"""The name of a column, and where it holds codes what they stand for."""


@dataclass(frozen=True)
class Leaf:
    """A leaf of a layout, and what its columns need to know.

    Attributes
    ----------
    path : Path
    kinds : tuple of str
        Of the examples: number, text (or bytes), array, none, counts, missing.
    shape : tuple of int or None
        Of arrays, where they have one shape.
    known : dict of content to int
        Texts, and digests of wide arrays, that recur, with their codes, most frequent first.
    counted : tuple
        Entries that recur, of which each has a count.
    longest : int
        First entries that have columns, of arrays of varying shapes.
    """

    path: Path
    kinds: tuple[str, ...]
    shape: tuple[int, ...] | None = None
    known: Mapping[Any, int] = field(default_factory=dict)
    counted: tuple[Any, ...] = ()
    longest: int = 0

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def wide(self) -> bool:
        """Whether arrays are known by more than their entries."""
        return "array" in self.kinds and (self.shape is None or math.prod(self.shape) > WIDEST)

    @property
    def can_be_new(self) -> bool:
        """Whether only equality of its values may be compared."""
        return "text" in self.kinds or self.wide

    def described(self) -> list[Described]:
        """The columns."""
        name, codes, entries = self.name, tuple(map(_short, self.known)), list[Described]()
        if len(self.kinds) > 1:
            kinds = ", ".join(f"{k}: {kind}" for k, kind in enumerate(self.kinds))
            entries.append((f"kind of {name} ({kinds})", None))
        if "number" in self.kinds:
            entries.append((name, None))
        if "text" in self.kinds:
            entries += [(name, codes), (f"length of {name}", None)]
        if "array" in self.kinds:
            entries += [(entry, codes if entry == name else None) for entry in self._entries()]
        return entries + [(f"count of {_short(value)} in {name}", None) for value in self.counted]

    def _entries(self) -> list[str]:
        name = self.name
        if self.shape is None:
            ends = [f"{name}[{k}]" for k in (*range(self.longest), *range(-ENDS, 0))]
            return [f"{what} of {name}" for what in ("size", "sum", "least", "largest")] + [name, *ends]
        if not self.wide:
            return [f"{name}[{', '.join(map(str, place))}]" for place in np.ndindex(*self.shape)]
        cells = [f"mean of cell {', '.join(map(str, p))} of {name}" for p in np.ndindex(*_grid(self.shape))]
        return [f"least of {name}", f"largest of {name}", name, *cells]

    def columns(self, values: Sequence[Any]) -> tuple[list[np.ndarray], np.ndarray]:
        """Columns, and whether a value is known by nothing but its identity, which does not recur."""
        new = np.zeros(len(values))
        if self.kinds == ("number",) and set(map(type, values)) == {float}:
            return [np.array(values)], new
        kinds = [_kind(value) for value in values]
        columns: list[np.ndarray] = []
        if len(self.kinds) > 1:
            place = {kind: float(k) for k, kind in enumerate(self.kinds)}
            columns.append(np.array([place.get(kind, -1.0) for kind in kinds]))
        if "number" in self.kinds:
            columns.append(np.array([v if k == "number" else math.nan for v, k in zip(values, kinds, strict=True)]))
        for kind, row in (("text", self._of_text), ("array", self._of_array)):
            if kind in self.kinds:
                rows = {j: row(values[j]) for j, k in enumerate(kinds) if k == kind}
                width = 3 if kind == "text" else len(self._entries()) + 1
                block = np.full((width, len(values)), math.nan)
                if rows:
                    block[:, list(rows)] = np.array(list(rows.values())).T
                columns += list(block[:-1])
                new += block[-1] == 1.0
        if self.counted:
            columns += list(np.array([self._counts(value) for value in values]).T)
        return columns, new

    def _of_text(self, text: str | bytes) -> list[float]:
        code = self.known.get(text, -1)
        return [float(code), float(len(text)), float(code < 0)]

    def _counts(self, value: Any) -> list[float]:
        times = Counter(
            value.ravel().tolist() if isinstance(value, np.ndarray) else value if _kind(value) == "counts" else ()
        )
        return [float(times[one]) for one in self.counted]

    def _of_array(self, array: np.ndarray) -> list[float]:
        flat = array.ravel()
        if self.shape is not None and array.shape != self.shape:
            return [math.nan] * len(self._entries()) + [1.0]
        if not self.wide:
            return [*flat.tolist(), 0.0]
        code = float(self.known.get(_digest(array), -1))
        ends = [float(flat.min()), float(flat.max())] if flat.size else [math.nan, math.nan]
        if self.shape is None:
            padded = np.full(self.longest + ENDS, math.nan)
            head, tail = flat[: self.longest], flat[-ENDS:]
            padded[: head.size] = head
            padded[self.longest + ENDS - tail.size :] = tail
            complete = flat.size <= self.longest or code >= 0.0
            return [float(flat.size), float(flat.sum()), *ends, code, *padded.tolist(), float(not complete)]
        cells = array
        for axis, parts in enumerate(_grid(self.shape)):
            cells = np.stack([part.mean(axis=axis) for part in np.array_split(cells, parts, axis=axis)], axis=axis)
        return [*ends, code, *cells.ravel().tolist(), float(code < 0.0)]


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "missing")


_KINDS = {float: "number", str: "text", bytes: "text", type(None): "none", np.ndarray: "array", tuple: "counts"}


def _short(value: Any) -> str:
    said = value if isinstance(value, _Digest) else repr(value)
    return said if len(said) <= 40 else f"{said[:37]}..."


class _Digest(str):
    """Of an array."""


def _digest(array: np.ndarray) -> _Digest:
    content = repr(array.shape).encode() + np.ascontiguousarray(array).tobytes()
    return _Digest(hashlib.blake2b(content, digest_size=8).hexdigest())


def _grid(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Cells along each axis of an array too wide to keep: two long axes at most, one cell along the others."""
    longest = sorted(range(len(shape)), key=lambda k: -shape[k])[:2]
    most = SIDE if len(shape) > 1 else WIDEST // 2
    return tuple(min(most, n) if k in longest else 1 for k, n in enumerate(shape))


def _leaf(path: Path, values: list[Any], least: int) -> Leaf:
    kinds = tuple(sorted({_kind(value) for value in values}))
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    shapes = {array.shape for array in arrays}
    leaf = Leaf(path, kinds, shapes.pop() if len(shapes) == 1 else None)
    sizes = [array.size for array in arrays]
    if "counts" in kinds or (arrays and max(sizes) > 1 and max(sizes) <= MOST_ITEMS and arrays[0].ndim == 1):
        leaf = dataclasses.replace(leaf, counted=_recurring(values, least))
    if leaf.can_be_new:
        contents = [_digest(v) if isinstance(v, np.ndarray) else v for v in values]
        times = Counter(c for c in contents if isinstance(c, str | bytes))
        known = {c: k for k, (c, n) in enumerate(times.most_common(KNOWN_VALUES)) if n >= least}
        leaf = dataclasses.replace(leaf, known=known, longest=min(LONGEST, max(sizes, default=0)))
    return leaf


def _recurring(values: list[Any], least: int) -> tuple[Any, ...]:
    """The entries that are counted: of lists most of whose entries recur, the most frequent ones."""
    if least == 1:
        return ()
    times: Counter[Any] = Counter()
    for value in values:
        entries = value.tolist() if isinstance(value, np.ndarray) else value
        times.update(entries if _kind(value) in ("counts", "array") else ())
    again = {entry: n for entry, n in times.most_common(COUNTED) if n >= least}
    return tuple(again) if sum(again.values()) > 0.5 * times.total() else ()


@dataclass(frozen=True)
class Layout:
    """Which leaves and columns outputs have; learned by `learn`.

    Attributes
    ----------
    leaves : tuple of Leaf
    by_place : frozenset of Path
        Tables whose rows are not aligned by their keys.
    ignore : tuple of str
    kept : tuple of int
        Of the leaves' columns and, behind them, one for each leaf that can be new, and one of further leaves.
    seen : tuple of (str, str, int)
        Of each leaf with values that do not recur: its name, its path as `ignore` takes it, and the column that is 1
        where its value was not seen before.
    """

    leaves: tuple[Leaf, ...]
    by_place: frozenset[Path] = frozenset()
    ignore: tuple[str, ...] = ()
    kept: tuple[int, ...] = ()
    seen: tuple[tuple[str, str, int], ...] = ()

    @cached_property
    def described(self) -> list[Described]:
        """The columns kept."""
        entries = [column for leaf in self.leaves for column in leaf.described()]
        entries += [(f"{leaf.name} hardly seen before", None) for leaf in self.leaves if leaf.can_be_new]
        entries.append((f"number of parts of the output that come up in less than {RECURRING} runs", None))
        return [entries[k] for k in self.kept]

    def encode(self, outputs: Sequence[Any]) -> np.ndarray:
        """float64[n] or float64[n, columns]."""
        walk = Walk(self.ignore, self.by_place)
        columns = np.stack(self.columns(map(walk, outputs), walk.root, set(self.kept)), axis=1)
        return columns[:, 0] if columns.shape[1] == 1 else columns

    def columns(self, walked: Iterable[Leaves], root: Node, wanted: Container[int]) -> list[np.ndarray]:
        """The columns wanted: of the leaves, what is new in each, and the number of further leaves."""
        starts = [0, *accumulate(self._widths)]
        new, further = starts[-1], starts[-1] + sum(leaf.can_be_new for leaf in self.leaves)
        used: list[tuple[Leaf, list[int]]] = []  # with the places of its columns
        for leaf, start, end in zip(self.leaves, starts, starts[1:], strict=False):
            places = [*range(start, end), *([new] if leaf.can_be_new else [])]
            new += leaf.can_be_new
            if any(place in wanted for place in places):
                used.append((leaf, places))
        nodes = [root.at(leaf.path) for leaf, _ in used]
        known = {root.at(leaf.path) for leaf in self.leaves}
        rows, rest = [], []
        for leaves in walked:
            rows.append([leaves.get(node, MISSING) for node in nodes])
            rest.append(float(len(leaves.keys() - known)) if further in wanted else 0.0)
        columns = {further: np.array(rest)}
        for (leaf, places), values in zip(used, zip(*rows, strict=True), strict=True):
            of_leaf, unseen = leaf.columns(values)
            columns.update(zip(places, [*of_leaf, unseen], strict=False))
        return [columns[place] for place in sorted(columns) if place in wanted]

    @cached_property
    def _widths(self) -> list[int]:
        return [len(leaf.described()) for leaf in self.leaves]


def learn(
    outputs: Sequence[Any], others: Sequence[Any] = (), ignore: Sequence[str] = (), least: int = RECURRING
) -> Layout:
    """The layout of examples of both sides of an audit: rows that certify nothing.

    What comes up fewer than `least` times does not recur.

    Raises
    ------
    InvalidInput
        An output cannot be read, a path to ignore is none of theirs, or those to ignore are all of them.
    """
    examples = [*outputs, *others]
    walk = Walk(ignore)
    walked = [walk(output) for output in examples]
    for _ in range(3):  # a table inside one that is read otherwise has another path
        unaligned = {path for path, keys in walk.keys.items() if _unaligned(keys, least)}
        if not unaligned:
            break
        walk = Walk(ignore, walk.by_place | unaligned)
        walked = [walk(output) for output in examples]
    times = Counter(node for one in walked for node in one)
    absent = [path for path in ignore if path not in walk.ignored]
    if absent:
        there = ", ".join(repr(dotted(node.path)) for node in list(times)[:12])
        raise InvalidInput(f"ignore must name leaves of the outputs, such as {there}; got {absent[0]!r}")
    if ignore and all(node.path[-1:] == (LENGTH,) for node in times) and all(one == walked[0] for one in walked):
        raise InvalidInput(f"ignore must leave something of the outputs to compare, got {list(ignore)}")
    often = {node for node, n in times.most_common(MOST_LEAVES) if n >= least}
    leaves = tuple(
        _leaf(node.path, [one.get(node, MISSING) for one in walked], least) for node in times if node in often
    )
    whole = Layout(leaves, walk.by_place, tuple(ignore))
    return _narrowed(whole, np.stack(whole.columns(walked, walk.root, range(sys.maxsize)), axis=1), least)


def _unaligned(keys: list[Counter[Row]], least: int) -> bool:
    """Whether rows have keys that come twice in an output, or more than a tenth of them do not recur."""
    times: Counter[Row] = Counter()
    for one in keys:
        times.update(one)
    twice = any(max(one.values(), default=0) > 1 for one in keys)
    return twice or sum(n for n in times.values() if n < least) > 0.1 * times.total() or len(times) > MOST_LEAVES


def _narrowed(layout: Layout, encoded: np.ndarray, least: int) -> Layout:
    """Without columns that never change, and with those of values that do not recur."""
    first = encoded[:1]
    changes = ~((encoded == first) | (np.isnan(encoded) & np.isnan(first))).all(axis=0)
    new = [(leaf.name, dotted(leaf.path)) for leaf in layout.leaves if leaf.can_be_new]
    wide = encoded.shape[1] - len(new) - 1
    keep = [k for k in range(wide) if least == 1 or changes[k]]
    tracked = [k for k in range(wide, encoded.shape[1]) if encoded[:, k].astype(bool).mean() > UNKNOWN]
    if wide and not keep:
        keep = [0]
    kept = (*keep, *tracked) or (encoded.shape[1] - 1,)
    names = [*new, ("parts of the output that hardly recur", "")]
    seen = tuple((*names[k - wide], kept.index(k)) for k in tracked)
    return dataclasses.replace(layout, kept=tuple(kept), seen=seen)


def paths(ignore: Any) -> tuple[str, ...]:
    """Paths of leaves to leave out, checked: a sequence of texts.

    Raises
    ------
    InvalidInput
    """
    named = tuple(ignore) if isinstance(ignore, Sequence | Set) and not isinstance(ignore, str) else (None,)
    if not all(isinstance(path, str) and path for path in named):
        raise invalid("ignore", 'a sequence of paths such as ["id"]', ignore)
    return named
