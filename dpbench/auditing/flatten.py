"""Outputs of any kind as columns of numbers, each with the name that its user would give it.

An output is taken apart, as a pytree is, into leaves: numbers, texts, bytes, arrays, what is missing, what cannot be
looked into. Tuples, lists, dicts, dataclasses, named tuples, objects (by all of their attributes, and what pickle would
make a compiled one of), data frames and lists of records (rows aligned by their key columns), sets, dates, `Decimal`,
`Fraction` and complex numbers are all opened; a JSON text is parsed first. What is not opened (the items beyond the
first of a long list, the digits beyond a float's of a very large number, a function) is one leaf known by identity: a
digest of its content. Types (1, 1.0 or True, list or tuple), shapes of arrays and the order of a dict's keys are leaves
where they are seen to vary, among at least `ENOUGH` examples of which nine tenths have a type that recurs. Of an array
of more than `WIDEST` entries are read means over a grid, the least and the largest. A `Layout`, learned from example
outputs, says which leaves and which columns there are. Every column is a function of one output alone, so that
flattening is post-processing: no bound can become invalid by it.

What a leaf says by identity alone (a text none of whose words recurs, say) is seen only where it recurs. `Layout.seen`
says which columns tell that: an audit whose certifying runs are mostly of values never seen before is blind.
"""

from __future__ import annotations

import array as arrays
import collections
import dataclasses
import datetime
import enum
import fractions
import functools
import hashlib
import ipaddress
import itertools
import json
import math
import numbers
import pathlib
import pickle
import re
import sys
import types
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from dpbench.core.validation import InvalidInput, invalid

RECURRING = 5
"""Times that a value, a word or a key is seen among the examples before it counts as known."""

ENOUGH = 100
"""Examples below which everything seen once counts as known: too few for anything to recur."""

WIDEST = 1024
"""Entries of an array that are kept one by one; a larger one is averaged over a grid."""

EXACT = 2**53  # integers up to which are floats
SIDE = 16  # cells of that grid along each of the two longest axes
ENDS = 8  # last entries of an array of varying length that have columns of their own
LONGEST = 256  # first entries of such an array that have
MOST_LEAVES = 1024
MOST_RUNS = 16  # of entries of one type in a list that are written out
MOST_ITEMS = 256  # of a list that is not of numbers
DEEPEST = 24  # levels of nesting
KNOWN_VALUES = 4096  # values of a leaf that are told apart
KNOWN_WORDS = 20_000
NUMBERS_IN_TEXT = 256
WORDS, TELLING = 64, 32  # most frequent words, and most different words and n-grams, that have columns
GRAM = 3  # characters of an n-gram
GRAM_TEXTS = 4_000  # texts of a side in which n-grams are looked for
BYTES = 32  # of either end of a byte string that have columns
UNKNOWN = 0.1  # share of examples with a value that does not recur, from which that has a column

_SPLIT = re.compile(r"""[\s,;:()\[\]{}"'=<>|]+""")
_NUMBER = re.compile(r"^[^\w+\-.]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[^\d]{0,3}$")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_NAMES = (
    uuid.UUID,
    pathlib.PurePath,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
)
"""Types whose values are read as the texts that they stand for."""

_BY_NAME = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, np.ufunc)
_BUILT_IN = (
    str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, collections.deque, np.ndarray,
    fractions.Fraction, Decimal, datetime.date, datetime.timedelta,
)  # fmt: skip
"""Types of which a user may derive one whose values have attributes too."""

_NO_MORE = (enum.Enum, np.ma.MaskedArray)
_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "scipy", "torch", "jaxlib", "jax"})

Path = tuple[str, ...]


class _Missing:
    """A leaf that an output does not have."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


@dataclass(frozen=True)
class Opaque:
    """What cannot be looked into; `kind` names its type, `content` is equal for equal ones where that can be told."""

    kind: str
    content: str | None = None


@dataclass(frozen=True)
class Flat:
    """An output taken apart.

    Attributes
    ----------
    leaves : dict of Path to value
        Of float, str, bytes, None, float64 array, or `Opaque`.
    names : dict of Path to str
    keys : dict of Path to list of str
        Of each container whose keys may differ from output to output, in their order.
    types : dict of Path to str
        Of values and containers; under ``#keys``, ``#entries``, ``#array``, ``#columns`` and ``#order`` of keys and
        members, of a list's entries, of an array with all of its shape but the first axis, of a table's columns, and
        these columns in order.
    """

    leaves: dict[Path, Any] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)
    keys: dict[Path, list[str]] = field(default_factory=dict)
    types: dict[Path, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Opening:
    """How outputs are taken apart.

    Attributes
    ----------
    by_place : frozenset of Path
        Containers whose keys do not recur, opened in order.
    in_order : frozenset of Path
        Dicts of which each key's place is a leaf.
    typed : frozenset of Path
        What has its type as a leaf.
    """

    by_place: frozenset[Path] = frozenset()
    in_order: frozenset[Path] = frozenset()
    typed: frozenset[Path] = frozenset()


class _Walk:
    """One way of taking outputs apart."""

    def __init__(
        self, ignore: Sequence[str] = (), opening: Opening = Opening(), whole: bool = False, learning: bool = True
    ) -> None:
        """`whole`: of all items; `learning`: note the types of all, not of `Opening.typed` alone."""
        self.ignore, self.by_place = tuple(ignore), opening.by_place
        self.in_order, self.typed, self.learning = opening.in_order, opening.typed, learning
        self.items, self.deepest = (sys.maxsize, sys.maxsize) if whole else (MOST_ITEMS, DEEPEST)
        self.ignored: set[str] = set()

    def __call__(self, output: Any) -> Flat:
        self.flat = Flat()
        self.above: dict[int, str] = {}  # containers that the one at hand is in
        self.met: dict[int, tuple[Any, str]] = {}  # objects, kept so that no other one gets the same id
        self.open(output, (), "output", 0)
        return self.flat

    def lost(self, value: Any, number: float, path: Path, name: str) -> None:
        """What a float loses of a number, where it does."""
        lost = _lost(value, number)
        if lost is None:
            self.leaf((*path, "#exact"), f"all digits of {name}", Opaque("a number of many digits", repr(value)))
        elif any(lost):
            self.leaf((*path, "#lost"), f"what a float loses of {name}", lost[0])
            self.leaf((*path, "#lost", "again"), f"what two floats lose of {name}", lost[1])

    def all_lost(self, values: Iterable[Any], path: Path, name: str) -> None:
        """What floats lose of an array of numbers."""
        lost = [(v, () if as_number(v) is None else _lost(v, as_number(v) or 0.0)) for v in values]
        if any(x is None for _, x in lost):
            exact = identity([repr(v) for v, x in lost if x is None])
            self.leaf((*path, "#exact"), f"all digits of {name}", Opaque("numbers of many digits", exact))
        for k, again in enumerate(((), ("again",))):
            column = np.array([x[k] if x else 0.0 for _, x in lost])
            if column.any():
                self.leaf(
                    (*path, "#lost", *again), f"what {'two floats lose' if k else 'a float loses'} of {name}", column
                )

    def known(self, value: Any, path: Path, name: str, kind: str) -> None:
        """A leaf known by identity alone."""
        self.leaf(path, name, Opaque(kind, identity(value)))

    def leaf(self, path: Path, name: str, value: Any) -> None:
        while path in self.flat.leaves:  # rows or members of one name
            path = (*path, "again")
        self.flat.leaves[path] = value
        self.flat.names[path] = name

    def wants(self, path: Path) -> bool:
        """Whether the type at a path is asked for."""
        return self.learning or path in self.typed

    def of_type(self, said: str, path: Path, name: str) -> None:
        known = self.flat.types.get(path)
        if known is not None and known != said:  # two parts of one path
            said = f"{known}; {said}"
        self.flat.types[path] = said
        if path in self.typed and not (self.ignore and self.skips((*path, "#type"), f"type of {name}")):
            self.flat.leaves[(*path, "#type")] = Opaque("a type", said)
            self.flat.names[(*path, "#type")] = f"type of {name}"

    def skips(self, path: Path, name: str) -> bool:
        dotted = ".".join(path)
        for given in self.ignore:
            if given in (dotted, name, f"output{dotted}") or dotted.startswith(f"{given}."):
                self.ignored.add(given)
                return True
        return False

    def open(self, value: Any, path: Path, name: str, depth: int) -> None:
        if self.ignore and self.skips(path, name):
            return
        kind = type(value)
        if kind is float or (kind is int and -EXACT <= value <= EXACT):  # most of what there is: no further question
            if self.wants(path):
                self.of_type(kind.__name__, path, name)
            self.leaf(path, name, float(value))
            return
        if kind.__dictoffset__ and isinstance(value, _BUILT_IN) and not isinstance(value, _NO_MORE):
            self.attributes(vars(value), path, name, depth + 1)
        number = as_number(value)
        if self.wants(path):
            self.of_type(kind.__name__, path, name)
        if number is not None:
            self.leaf(path, name, number)
            self.lost(value, number, path, name)
        elif value is None or _absent(value):
            self.leaf(path, name, None)
        elif isinstance(value, complex | np.complexfloating):
            self.leaf((*path, "real"), f"{name}.real", float(value.real))
            self.leaf((*path, "imag"), f"{name}.imag", float(value.imag))
        elif isinstance(value, enum.Enum):
            self.leaf(path, name, value.name)
        elif isinstance(value, str):
            self.text(str(value), path, name, depth)
        elif isinstance(value, bytes | bytearray | memoryview):
            self.bytes(bytes(value), path, name, depth)
        elif isinstance(value, _NAMES):
            self.leaf(path, name, str(value))
        elif id(value) in self.above:
            self.leaf(path, name, Opaque("an output that holds itself", self.above[id(value)]))
        elif depth > self.deepest:
            self.known(value, path, name, f"a {type(value).__name__} more than {DEEPEST} levels down")
        else:
            self.above[id(value)] = ".".join(path)
            self.container(value, path, name, depth + 1)
            del self.above[id(value)]

    def text(self, value: str, path: Path, name: str, depth: int) -> None:
        if value[:1] in ("{", "[") and depth < DEEPEST:
            try:
                parsed = json.loads(value, object_pairs_hook=_unique, parse_float=_parsed)
            except (ValueError, RecursionError):
                pass
            else:
                self.container(parsed, path, name, depth + 1)
                return
        self.leaf(path, name, value)

    def bytes(self, value: bytes, path: Path, name: str, depth: int) -> None:
        try:
            decoded = value.decode("utf-8")
        except UnicodeDecodeError:
            self.leaf(path, name, value)
            return
        if decoded.isprintable() or all(c.isprintable() or c.isspace() for c in decoded):
            self.text(decoded, path, name, depth)
        else:
            self.leaf(path, name, value)

    def container(self, value: Any, path: Path, name: str, depth: int) -> None:
        frame = _frame(value)
        if frame is not None:
            self.labels(value, path, name, depth)
            if self.wants((*path, "#columns")):
                self.of_type(_types_of_columns(value), (*path, "#columns"), f"columns of {name}")
            self.table(frame[0], frame[1], path, name, depth)
        elif isinstance(value, Mapping):
            self.mapping(_keyed(value.items()), path, name, depth)
        elif hasattr(value, "index") and hasattr(value, "to_list") and hasattr(value, "items"):  # a pandas Series
            self.labels(value, path, name, depth)
            if self.wants((*path, "#columns")):
                self.of_type(_types_of_columns(value), (*path, "#columns"), f"values of {name}")
            if _counts_rows(value.index):
                self.sequence(value.to_list(), path, name, depth)
            else:
                self.mapping(_keyed(zip(value.index.tolist(), value.to_list(), strict=True)), path, name, depth)
        elif isinstance(value, Set):
            self.set_of(value, path, name, depth)
        elif hasattr(value, "_asdict"):
            self.attributes(value._asdict(), path, name, depth)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            self.object(value, path, name, depth)
        elif isinstance(value, list | tuple | range) or type(value).__name__ in ("deque", "dict_values", "dict_items"):
            self.sequence(list(value), path, name, depth)
        else:
            array = _array(value)
            if array is not None:
                self.array(array, path, name, depth)
            if array is None or not (isinstance(value, np.ndarray) or _of_library(value)):
                self.object(value, path, name, depth)

    def mapping(self, items: Mapping[str, tuple[Any, Any]], path: Path, name: str, depth: int) -> None:
        kept = {k: v for k, v in items.items() if not (self.ignore and self.skips((*path, k), f"{name}[{v[0]!r}]"))}
        self.flat.keys[path] = list(kept)
        self.leaf((*path, "#length"), f"length of {name}", float(len(kept)))
        if kept and self.wants((*path, "#keys")):
            self.of_type(_types_of_keys(kept), (*path, "#keys"), f"keys of {name}")
        if path in self.in_order:
            for place, (step, (key, _)) in enumerate(kept.items()):
                said = f"place of {key!r} in {name}"
                if not (self.ignore and self.skips((*path, "#place", step), said)):
                    self.leaf((*path, "#place", step), said, float(place))
        if path in self.by_place:
            for place, (key, item) in enumerate(kept.values()):
                if place >= self.items:
                    rest = list(kept.values())[place:]
                    self.known(rest, (*path, "#rest"), f"further items of {name}", "items beyond the first")
                    break
                self.open(key, (*path, f"key {place}"), f"key {place} of {name}", depth)
                self.open(item, (*path, f"value {place}"), f"value {place} of {name}", depth)
            return
        for step, (key, item) in kept.items():
            self.open(item, (*path, step), f"{name}[{key!r}]", depth)

    def labels(self, value: Any, path: Path, name: str, depth: int) -> None:
        """What a series or a frame is called, and what else a user wrote beside its numbers."""
        called = [
            getattr(part, "name", None) for part in (value, *(getattr(value, x, None) for x in ("index", "columns")))
        ]
        more = {
            "name": None if all(x is None for x in called) else called,
            "attrs": getattr(value, "attrs", None),
            "categories": _categories(value),
        }
        self.attributes({k: x for k, x in more.items() if isinstance(x, list | dict) and x}, path, name, depth)

    def attributes(self, given: Mapping[str, Any], path: Path, name: str, depth: int) -> None:
        for step, item in given.items():
            self.open(item, (*path, step), f"{name}.{step}", depth)

    def set_of(self, value: Set[Any], path: Path, name: str, depth: int) -> None:
        members = sorted(value, key=lambda m: (type(m).__name__, _content(m)))
        steps = list(_keyed((m, m) for m in members))
        self.flat.keys[path] = steps
        self.leaf((*path, "#length"), f"size of {name}", float(len(members)))
        if members and self.wants((*path, "#keys")):
            self.of_type(_types(members), (*path, "#keys"), f"members of {name}")
        if path in self.by_place:
            values = [as_number(m) for m in members]
            known = [v for v in values if v is not None]
            self.sequence(sorted(known) if len(known) == len(values) else members, path, f"sorted {name}", depth)
            return
        for step, member in zip(steps, members, strict=True):
            self.leaf((*path, step), f"{_short(member)} in {name}", 1.0)

    def sequence(self, items: list[Any], path: Path, name: str, depth: int) -> None:
        array = _numeric(items)
        if array is not None:
            self.array(array, path, name, depth)
            kinds = set(map(type, items))
            if self.wants((*path, "#entries")):
                said = "float" if kinds == {float} else _types(items)
                self.of_type(said, (*path, "#entries"), f"entries of {name}")
            if kinds == {float}:
                return
            small = kinds <= {float, int, bool} and bool((np.abs(array[np.isfinite(array)]) < EXACT).all())
            if not (small or all(kind is float or issubclass(kind, list | tuple | np.ndarray) for kind in kinds)):
                self.all_lost(items, path, name)
            return
        records = _records(items)
        if records is not None:
            if self.wants((*path, "#entries")):
                said = ", ".join(kind.__name__ for kind, _ in itertools.groupby(map(type, items)))
                self.of_type(said, (*path, "#entries"), f"rows of {name}")
            self.table(records, (), path, name, depth)
            return
        self.leaf((*path, "#length"), f"length of {name}", float(len(items)))
        for place, item in enumerate(items[: self.items]):
            self.open(item, (*path, str(place)), f"{name}[{place}]", depth)
        if len(items) > self.items:
            self.known(items[self.items :], (*path, "#rest"), f"{name}[{MOST_ITEMS}:]", "items beyond the first")
        texts = {m for m in items if isinstance(m, str)}
        if len(items) > 1 and len(texts) == len(items):
            self.flat.keys[(*path, "#members")] = sorted(texts)
            if (*path, "#members") not in self.by_place:
                for member in sorted(texts):
                    self.leaf((*path, "#members", member), f"{_short(member)} in {name}", 1.0)

    def table(
        self, records: list[dict[str, tuple[Any, Any]]], keys: Sequence[str], path: Path, name: str, depth: int
    ) -> None:
        """Rows aligned by their key columns (`keys`, or the columns of texts), if these are unique and recur; else by
        their place."""
        of = "" if name == "output" else f" of {name}"
        if self.ignore:
            records = [
                {c: v for c, v in r.items() if not self.skips((*path, c), f"column {v[0]!r}{of}")} for r in records
            ]
        self.leaf((*path, "#length"), f"number of rows{of}", float(len(records)))
        columns = list(dict.fromkeys(c for r in records for c in r))
        if self.wants((*path, "#order")):
            self.of_type(", ".join(columns), (*path, "#order"), f"order of columns{of}")
        named = [c for c in columns if c in keys] or [
            c for c in columns if all(isinstance(r.get(c, (0, 0))[1], str | enum.Enum | datetime.date) for r in records)
        ]
        labels = [_row_key([_key(r[c][1]) for c in named if c in r]) for r in records]
        by_key = bool(named) and len(set(labels)) == len(labels)
        if by_key:
            self.flat.keys[path] = labels
            by_key = path not in self.by_place
        for place, (label, record) in enumerate(zip(labels, records, strict=True)):
            if place >= self.items and not by_key:
                self.known(records[place:], (*path, "#rest"), f"further rows{of}", "rows beyond the first")
                break
            row = label if by_key else str(place)
            shown = _row_name([record[c][1] for c in named if c in record]) if by_key else str(place)
            if by_key:
                self.leaf((*path, "#place", row), f"place of row {shown}{of}", float(place))
            for column, (called, value) in record.items():
                if not (by_key and column in named):
                    self.open(value, (*path, column, row), f"column {called!r} of row {shown}{of}", depth)

    def array(self, array: np.ndarray, path: Path, name: str, depth: int) -> None:
        if isinstance(array, np.matrix):
            array = np.asarray(array)
        if self.wants((*path, "#array")):
            filled = f" filled with {array.fill_value}" if isinstance(array, np.ma.MaskedArray) else ""
            shape = array.shape[1:] if array.ndim else "()"
            self.of_type(f"{_name_of(array.dtype)}{shape}{filled}", (*path, "#array"), f"entries of {name} as an array")
        exact = array  # what is masked of it is no number, and loses nothing
        if isinstance(array, np.ma.MaskedArray):
            self.hidden(array, path, name, depth)
            if array.dtype.names is not None or array.dtype.kind not in "fiub":
                self.sequence(array.ravel().tolist(), path, name, depth)  # None where it is masked
                return
            array = np.ma.filled(array.astype(np.float64), math.nan)
        kind = array.dtype.kind
        if array.dtype.names is not None:
            flat = array.ravel()
            records = [{n: (n, row[n]) for n in array.dtype.names} for row in flat]
            self.table(records, (), path, name, depth)
        elif kind in "fiub":
            self.entries(array, exact, path, name, depth)
        elif kind == "c":
            self.array(np.ascontiguousarray(array.real), (*path, "real"), f"{name}.real", depth)
            self.array(np.ascontiguousarray(array.imag), (*path, "imag"), f"{name}.imag", depth)
        elif kind in "mM":
            self.array(_seconds(array), path, name, depth)
            below = _below_seconds(array)
            if below.any():
                self.array(below, (*path, "#lost"), f"what a float loses of {name}", depth)
        elif array.ndim == 0:
            self.open(array.item(), path, name, depth)
        elif array.ndim == 1:
            self.sequence(array.tolist(), path, name, depth)
        else:
            self.sequence([array[k] for k in range(len(array))], path, name, depth)

    def entries(self, array: np.ndarray, exact: np.ndarray, path: Path, name: str, depth: int) -> None:
        """An array of numbers, and of its exact form what floats lose."""
        if array.ndim == 0:
            self.open(array.item() if array.itemsize <= 8 else array[()], path, name, depth)
            return
        self.leaf(path, name, np.array(array, dtype=np.float64, subok=False))
        if exact.itemsize > 4 and exact.dtype != np.float64:
            if exact.dtype.kind == "f":
                self.all_lost(exact.ravel(), path, name)
            elif bool(((exact > EXACT) | (exact < -EXACT)).any()):
                self.all_lost(exact.ravel().tolist(), path, name)

    def hidden(self, array: np.ma.MaskedArray, path: Path, name: str, depth: int) -> None:
        """What a mask hides: it is no deletion, and whoever has the array has that too."""
        mask: Any = np.ma.getmaskarray(array)
        place, said = (*path, "#hidden"), f"what the mask hides of {name}"
        if array.dtype.names is not None:  # of a row where any of its fields is masked
            mask = np.ascontiguousarray(mask).view(np.uint8).reshape(mask.size, -1).any(axis=1).reshape(mask.shape)
        if not mask.any() or (self.ignore and self.skips(place, said)):
            return
        if array.dtype.kind in "fiub":
            self.array(np.where(mask, array.data, 0), place, said, depth)
        else:
            self.sequence(array.data[mask].tolist(), place, said, depth)

    def object(self, value: Any, path: Path, name: str, depth: int) -> None:
        """By all of its attributes, and by what pickle would make it of where that is more (a compiled type)."""
        kind = type(value).__name__
        if isinstance(value, (*_BY_NAME, Iterator)):
            self.leaf(path, name, Opaque(f"an object of type {kind}", _global_name(value)))
            return
        if id(value) in self.met:
            self.leaf(path, name, Opaque("an object met before", self.met[id(value)][1]))
            return
        self.met[id(value)] = value, ".".join(path)
        given = _attributes(value)
        try:
            made = {} if _plain_dataclass(type(value)) else _made_of(value, given)
        except Exception:  # whatever a type of the user's raises when it is pickled
            made = None
        if isinstance(made, str):
            self.leaf(path, name, Opaque(f"an object of type {kind}", made))
            return
        self.attributes({**given, **(made or {})}, path, name, depth)
        if made is None:
            self.leaf((*path, "state"), f"state of {name}" if given else name, Opaque(f"an object of type {kind}"))
            return
        if not given and not made:
            self.leaf(path, name, Opaque(f"an object of type {kind}", kind))


def as_number(value: Any) -> float | None:
    """The number that a value is; None if it is none."""
    if isinstance(value, bool | np.bool_):
        return float(value)
    if isinstance(value, np.datetime64 | np.timedelta64):  # before integers, of which NumPy counts durations
        return float(_seconds(np.asarray(value)))
    if isinstance(value, numbers.Real | Decimal | fractions.Fraction | np.integer | np.floating):
        try:
            return float(value)
        except OverflowError:  # an integer beyond all doubles
            return math.inf if value > 0 else -math.inf  # type: ignore[operator]
        except ValueError:  # a signalling NaN
            return math.nan
    if isinstance(value, datetime.datetime):
        if _absent(value):
            return None
        zone = value if value.tzinfo else value.replace(tzinfo=datetime.UTC)
        return zone.timestamp()
    if isinstance(value, datetime.date):
        return float(value.toordinal())
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.time):
        return value.hour * 3600.0 + value.minute * 60.0 + value.second + value.microsecond * 1e-6
    return None


def _lost(value: Any, number: float) -> tuple[float, float] | None:
    """What is left of a number beside the float nearest to it, and of that; None where these two are not all of it.

    Two numbers of at most 40 digits, or with denominators up to 2**53, differ by more than what is left then.
    """
    kind = type(value)
    if kind is float or kind is np.float64 or kind is np.bool_:
        return 0.0, 0.0
    if isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64):
        value = int(value)
        if -EXACT <= value <= EXACT:
            return 0.0, 0.0
    if isinstance(value, np.datetime64 | np.timedelta64):
        return float(_below_seconds(np.asarray(value))), 0.0
    if isinstance(value, datetime.date | datetime.timedelta | datetime.time):
        nanoseconds = getattr(value, "nanosecond", getattr(value, "nanoseconds", 0))
        parted = value.microsecond if isinstance(value, datetime.datetime) and abs(number) > 2**32 else 0
        return float(nanoseconds or 0), float(parted)
    if not math.isfinite(number):
        plain = isinstance(value, float | np.floating) and not isinstance(value, np.longdouble)
        return (0.0, 0.0) if plain or _infinite(value) else None
    if isinstance(value, Decimal):
        if value in (Decimal(repr(number)), Decimal(number)):  # a float's digits, short or all of them
            return 0.0, 0.0
        complete = len(value.as_tuple().digits) <= 40
    elif isinstance(value, float | np.float16 | np.float32):
        return 0.0, 0.0
    else:
        complete = True
    try:
        pair = value.as_integer_ratio() if isinstance(value, np.floating | Decimal) else None
        exact = fractions.Fraction(*pair) if pair else fractions.Fraction(value)
    except (TypeError, ValueError, OverflowError):  # a type of the user's
        return 0.0, 0.0
    first = float(exact - fractions.Fraction(number))
    rest = exact - fractions.Fraction(number) - fractions.Fraction(first)
    second = float(rest)
    if rest != fractions.Fraction(second) and not isinstance(value, Decimal):
        complete = exact.denominator <= EXACT and abs(exact) < 2**50
    return (first, second) if complete else None


def _infinite(value: Any) -> bool:
    """Whether a number is infinite, or none, itself."""
    try:
        return bool(value != value or value in (math.inf, -math.inf))
    except (ArithmeticError, TypeError, ValueError):  # a signalling NaN
        return True


def _below_seconds(array: np.ndarray) -> np.ndarray:
    """Of dates and durations in units below a microsecond, the last digits, which their seconds as a float lose."""
    unit, whole = np.datetime_data(array.dtype)[0], array.astype(np.int64)
    last = {"ns": 1_000, "ps": 2**14, "fs": 2**14, "as": 2**14}.get(unit, 1)
    return np.where(np.isnat(array), 0.0, (whole % last).astype(np.float64))


def _seconds(array: np.ndarray) -> np.ndarray:
    """Dates and durations in seconds, NaN where they are not a time."""
    unit = np.datetime_data(array.dtype)[0]
    if array.dtype.kind == "m" and unit == "generic":
        return np.where(np.isnat(array), math.nan, array.astype(np.int64).astype(np.float64))
    if unit in ("ns", "ps", "fs", "as"):
        step, count = np.datetime_data(array.dtype)[1], {"ns": 1e-9, "ps": 1e-12, "fs": 1e-15, "as": 1e-18}[unit]
        whole = array.astype(np.int64) * step * count
    elif array.dtype.kind == "m" and unit in ("Y", "M"):
        whole = array.astype(np.int64).astype(np.float64)
    else:
        whole = array.astype(f"{array.dtype.kind}8[us]").astype(np.int64) * 1e-6
    return np.where(np.isnat(array), math.nan, whole)


def _absent(value: Any) -> bool:
    return type(value).__name__ in ("NaTType", "NAType")


def _key(value: Any) -> str:
    return value if isinstance(value, str) else _content(value)


def _keyed(items: Iterable[tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """Keys and values by the keys' texts: with types where two keys have one text, and numbered if they do still."""
    pairs = list(items)
    times = Counter(_key(key) for key, _ in pairs)
    made: dict[str, tuple[Any, Any]] = {}
    for key, value in pairs:
        step = _key(key) if times[_key(key)] == 1 else f"{type(key).__name__} {_key(key)}"
        again = 2
        while step in made:
            step, again = f"{step} ({again})", again + 1
        made[step] = key, value
    return made


def _parsed(text: str) -> float | Decimal:
    """A number of a JSON text, with all of its digits."""
    number = float(text)
    return number if len(text) < 17 or Decimal(text) == Decimal(repr(number)) else Decimal(text)


def _unique(pairs: list[tuple[str, Any]]) -> Any:
    """The object of a JSON text; its pairs where a key comes twice, of which a dict keeps the last."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else pairs


def _counts_rows(index: Any) -> bool:
    """Whether the labels of a series or a frame are 0, 1, 2, ..., and say nothing."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _row_key(keys: list[str]) -> str:
    return keys[0] if len(keys) == 1 else ", ".join(map(repr, keys))


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 40 else f"{said[:37]}..."


def _row_name(values: list[Any]) -> str:
    return _short(values[0]) if len(values) == 1 else _short(tuple(values))


def _content(value: Any) -> str:
    """Equal for equal values, whatever the run."""
    number = as_number(value)
    if number is not None:
        return number.hex() if math.isfinite(number) and number != int(number) else f"{number:.0f}"
    if isinstance(value, Set):
        return "{" + ",".join(sorted(map(_content, value))) + "}"
    if isinstance(value, list | tuple):
        return "(" + ",".join(map(_content, value)) + ")"
    return _ADDRESS.sub("", repr(value))


def _frame(value: Any) -> tuple[list[dict[str, tuple[Any, Any]]], tuple[str, ...]] | None:
    """The rows of a data frame (pandas, polars, pyarrow), and its index, if it is one, as the key."""
    if not hasattr(value, "columns"):
        if hasattr(value, "to_pylist") and hasattr(value, "schema"):
            return [{k: (k, v) for k, v in row.items()} for row in value.to_pylist()], ()
        return None
    if hasattr(value, "to_dicts"):
        return [{k: (k, v) for k, v in row.items()} for row in value.to_dicts()], ()
    if not (hasattr(value, "to_dict") and hasattr(value, "index")):
        return None
    names = list(value.columns)
    cells = [value.iloc[:, j].tolist() for j in range(len(names))]
    steps = _keyed(zip(names, cells, strict=True))
    rows = [{step: (n, c[k]) for step, (n, c) in steps.items()} for k in range(len(value))]
    if _counts_rows(value.index):
        return rows, ()
    called = value.index.name if isinstance(value.index.name, str) else "index"
    while called in steps:
        called = f"{called} of rows"
    labels = value.index.tolist()
    return [{called: (called, label), **row} for label, row in zip(labels, rows, strict=True)], (called,)


def _array(value: Any) -> np.ndarray | None:
    """The array that a value is or can be made, without its gradient."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, arrays.array):
        return np.array(value)
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        return np.asarray(value.detach().cpu().numpy())
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        return np.asarray(value.toarray())
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        try:
            return np.asarray(value)
        except Exception:  # a type of the user's that cannot say
            return None
    return None


def _numeric(items: list[Any]) -> np.ndarray | None:
    """The array of numbers that a list is, nested ones of one shape too."""
    if not items or any(isinstance(x, str | bytes | Mapping | Set | np.ma.MaskedArray) or x is None for x in items):
        return None
    if all(isinstance(x, float | int | np.number | np.bool_) for x in items):
        return (
            np.array([as_number(x) if as_number(x) is not None else math.nan for x in items], dtype=np.float64)
            if not any(isinstance(x, complex | np.complexfloating) for x in items)
            else np.array(items)
        )
    if all(as_number(x) is not None for x in items):
        return np.array([as_number(x) for x in items], dtype=np.float64)
    try:
        array = np.asarray(items)
    except (ValueError, TypeError):
        return None
    return array if array.dtype.kind in "fiubc" and array.ndim > 0 else None


def _types(items: Iterable[Any]) -> str:
    """The types of entries in order, those of nested lists too, and how many of one follow each other if not all do."""
    runs = [(kind, list(group)) for kind, group in itertools.groupby(items, key=type)]
    said = []
    for kind, group in runs:
        within = "; ".join(dict.fromkeys(map(_types, group))) if issubclass(kind, list | tuple) else ""
        times = f" x {len(group)}" if len(runs) > 1 else ""
        said.append((f"{kind.__name__}({within})" if within else kind.__name__) + times)
    if len(said) <= MOST_RUNS:
        return ", ".join(said)
    return f"{len(said)} runs of types, {hashlib.blake2b(', '.join(said).encode(), digest_size=8).hexdigest()}"


def _types_of_keys(items: Mapping[str, tuple[Any, Any]]) -> str:
    """Of the keys in the order of their texts."""
    if all(type(key) is str for key, _ in items.values()):
        return "str"
    return _types(key for _, (key, _) in sorted(items.items()))


def _types_of_columns(frame: Any) -> str:
    """Of a data frame of pandas, polars or pyarrow, or of a series."""
    kinds = getattr(frame, "dtypes", None)
    if kinds is None:
        kinds = getattr(getattr(frame, "schema", None), "types", ())
    return ", ".join(map(str, kinds if isinstance(kinds, Iterable) else (kinds,)))


def _categories(value: Any) -> dict[str, list[Any]]:
    """Of categorical columns and labels of pandas all categories, of which some may be in no row."""
    kinds: Any = getattr(value, "dtypes", None)
    columns = [*kinds.items()] if hasattr(kinds, "items") else [("values", kinds)]
    found = [*columns, ("labels", getattr(getattr(value, "index", None), "dtype", None))]
    return {step: kind.categories.tolist() for step, (_, kind) in _keyed(found).items() if hasattr(kind, "categories")}


@functools.cache
def _name_of(kind: np.dtype[Any]) -> str:
    return str(kind)


def _records(items: list[Any]) -> list[dict[str, tuple[Any, Any]]] | None:
    """Rows of a table: mappings, or tuples and lists of one length of at least two, at least one of them with a
    text."""
    if not items:
        return None
    if all(isinstance(x, Mapping) for x in items):
        return [_keyed(x.items()) for x in items]
    if all(hasattr(x, "_asdict") for x in items):
        return [{k: (k, v) for k, v in x._asdict().items()} for x in items]
    if all(dataclasses.is_dataclass(x) and not isinstance(x, type) for x in items):
        return [{f.name: (f.name, getattr(x, f.name, None)) for f in dataclasses.fields(x)} for x in items]
    if all(isinstance(x, list | tuple) and len(x) > 1 for x in items) and len({len(x) for x in items}) == 1:
        return [{str(k): (k, v) for k, v in enumerate(x)} for x in items]
    return None


def _attributes(value: Any) -> dict[str, Any]:
    """All attributes of an object: fitted ones, public ones and private ones, fields and slots."""
    given = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name.startswith("__") and not name.endswith("__"):
                name = f"_{kind.__name__.lstrip('_')}{name}"
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                given.setdefault(name, getattr(value, name))
    return given


def _plain_dataclass(kind: type) -> bool:
    """Whether the attributes are all of a value: a dataclass over dataclasses, pickled as any object is."""
    above = kind.__mro__[:-1]
    own = {"__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__"}
    return all("__dataclass_fields__" in vars(k) and not own & vars(k).keys() for k in above)


def _made_of(value: Any, given: Mapping[str, Any]) -> dict[str, Any] | str:
    """What pickle makes an object of beside the attributes `given`: arguments and the state of a compiled type; or
    the name that it is known by."""
    made = value.__reduce_ex__(4)
    if isinstance(made, str):
        return made
    found = {f"argument {k}": x for k, x in enumerate(made[1]) if x is not type(value)}
    state = made[2] if len(made) > 2 else None
    parts = state if isinstance(state, tuple) and all(isinstance(x, dict | None) for x in state) else (state,)
    for k, part in enumerate(parts):
        more = {x: v for x, v in part.items() if x not in given} if isinstance(part, dict) else part
        found["state" if k == 0 else "state of slots"] = more
    found |= {what: list(x) for what, x in zip(("items", "entries"), made[3:5], strict=False) if x is not None}
    return {k: x for k, x in found.items() if not (x is None or (isinstance(x, tuple | list | dict) and not x))}


def _global_name(value: Any) -> str | None:
    """Of what pickle knows by name: functions, types, modules; None of a closure or an iterator."""
    try:
        return hashlib.blake2b(pickle.dumps(value), digest_size=8).hexdigest()
    except Exception:  # whatever pickle raises of what it cannot name
        return value.__name__ if isinstance(value, types.ModuleType) else None


def _of_library(value: Any) -> bool:
    """Whether it is an array of a library, all of whose content its numbers are."""
    return type(value).__module__.partition(".")[0] in _LIBRARIES


def taken_apart(output: Any, ignore: Sequence[str] = ()) -> Flat:
    """One output with all of its types, by no other one."""
    return _Walk(ignore)(output)


def identity(value: Any) -> str | None:
    """A digest of all that is in a value; None where not all of it can be read."""
    try:
        flat = _Walk(whole=True)(value)
    except RecursionError:
        return None
    if any(isinstance(leaf, Opaque) and leaf.content is None for leaf in flat.leaves.values()):
        return None
    digest = hashlib.blake2b(digest_size=16)
    for path, leaf in flat.leaves.items():
        said = _digest(leaf) if isinstance(leaf, np.ndarray) else leaf.hex() if isinstance(leaf, float) else repr(leaf)
        digest.update(repr((path, said)).encode(errors="surrogatepass"))
    digest.update(repr((flat.types, flat.keys)).encode(errors="surrogatepass"))
    return digest.hexdigest()


# Columns


@dataclass(frozen=True)
class Leaf:
    """A leaf of a layout, and what its columns need to know.

    Attributes
    ----------
    path, name
    kinds : tuple of str
        Of the examples: number, text, bytes, array, none, opaque, missing.
    shape : tuple of int or None
        Of arrays, where they have one shape.
    known : dict of str to int
        Contents that recur, with their codes, most frequent first; `labels` are they in words.
    numbers : int
        Of a text that have columns.
    words, grams : tuple of str
        That have columns.
    vocabulary : frozenset of str
        Words that recur.
    counted : bool
        Missing means 0: a member of a set.
    longest : int
        First entries that have columns, of arrays of varying shapes.
    """

    path: Path
    name: str
    kinds: tuple[str, ...]
    shape: tuple[int, ...] | None = None
    known: Mapping[str, int] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    numbers: int = 0
    words: tuple[str, ...] = ()
    grams: tuple[str, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    counted: bool = False
    longest: int = 0

    @property
    def dotted(self) -> str:
        """As `ignore` takes it."""
        return ".".join(self.path)

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        made = (
            [f"kind of {self.name} ({', '.join(f'{k}: {kind}' for k, kind in enumerate(self.kinds))})"]
            if len(self.kinds) > 1 and not self.counted
            else []
        )
        if "number" in self.kinds or self.kinds in (("none",), ("missing",), ("missing", "none")):
            made.append(self.name)
        if "array" in self.kinds:
            made += self._entries()
        if "text" in self.kinds:
            made += [self.name, f"length of {self.name}"]
            made += [f"number {k} in {self.name}" for k in range(self.numbers)]
            made += [f"word {w!r} in {self.name}" for w in self.words]
            made += [f"{g!r} in {self.name}" for g in self.grams]
        if "bytes" in self.kinds:
            made += [self.name, f"length of {self.name}"]
            made += [f"{self.name}[{k}]" for k in (*range(BYTES), *range(-BYTES, 0))]
            made += [f"float {k} of {self.name}" for k in range(self.numbers)]
        if "opaque" in self.kinds:
            made.append(self.name)
        return made

    def _entries(self) -> list[str]:
        if self.shape is None:
            ends = [f"{self.name}[{k}]" for k in (*range(self.longest), *range(-ENDS, 0))]
            return [f"{what} of {self.name}" for what in ("size", "sum", "least", "largest")] + [self.name, *ends]
        if math.prod(self.shape) <= WIDEST:
            return [f"{self.name}[{', '.join(map(str, place))}]" for place in np.ndindex(*self.shape)]
        cells = [f"mean of cell {', '.join(map(str, p))} of {self.name}" for p in np.ndindex(*_grid(self.shape))]
        return [*cells, self.name, f"least of {self.name}", f"largest of {self.name}"]

    def coded(self) -> list[bool]:
        """Which columns are codes of `labels`."""
        alone = set(self.kinds) & {"text", "bytes", "opaque"} or (
            "array" in self.kinds and (self.shape is None or math.prod(self.shape) > WIDEST)
        )
        made = [bool(alone) and name == self.name for name in self.names]
        if "number" in self.kinds:
            made[self.names.index(self.name)] = False  # the first one of that name
        return made

    def columns(self, values: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """float64[n, k], and bool[n]: known by nothing but its identity, which does not recur."""
        kinds = [_kind(v) for v in values]
        unseen = np.zeros(len(values), dtype=bool)
        if self.kinds == ("number",) and all(k == "number" for k in kinds):
            return np.array(values, dtype=np.float64)[:, None], unseen
        made: list[np.ndarray] = []
        if len(self.kinds) > 1 and not self.counted:
            place = {k: float(j) for j, k in enumerate(self.kinds)}
            made.append(np.array([[place.get(k, -1.0)] for k in kinds]))
        if "number" in self.kinds or self.kinds in (("none",), ("missing",), ("missing", "none")):
            other = 0.0 if self.counted else math.nan
            made.append(np.array([[v if k == "number" else other] for v, k in zip(values, kinds, strict=True)]))
        for kind, row in (("array", self._of_array), ("text", self._of_text), ("bytes", self._of_bytes)):
            if kind in self.kinds:
                rows = [row(v) if k == kind else None for v, k in zip(values, kinds, strict=True)]
                width = next((len(r) - 1 for r in rows if r is not None), self._width(kind))
                made.append(
                    np.array([r[:-1] if r is not None else [math.nan] * width for r in rows]).reshape(
                        len(values), width
                    )
                )
                unseen |= np.array([r is not None and bool(r[-1]) for r in rows])
        if "opaque" in self.kinds:
            codes = [self._code(v.content or "") if k == "opaque" else -1.0 for v, k in zip(values, kinds, strict=True)]
            made.append(np.array(codes)[:, None])
            unseen |= np.array([k == "opaque" and c < 0.0 for k, c in zip(kinds, codes, strict=True)])
        return np.concatenate(made, axis=1), unseen

    def _width(self, kind: str) -> int:
        if kind == "array":
            return len(self._entries())
        return 2 + self.numbers + (len(self.words) + len(self.grams) if kind == "text" else 2 * BYTES)

    def _code(self, content: str) -> float:
        return float(self.known.get(content, -1))

    def _of_array(self, array: np.ndarray) -> list[float]:
        flat = array.ravel()
        if self.shape is None:
            head = [*flat[: self.longest].tolist(), *[math.nan] * (self.longest - min(self.longest, flat.size))]
            tail = [*[math.nan] * (ENDS - min(ENDS, flat.size)), *flat[-ENDS:].tolist()]
            summaries = (
                [float(flat.sum()), float(flat.min()), float(flat.max())] if flat.size else [0.0, math.nan, math.nan]
            )
            code = self._code(_digest(array))
            complete = flat.size <= self.longest or code >= 0.0
            return [float(flat.size), *summaries, code, *head, *tail, float(not complete)]
        if array.shape != self.shape:
            return [math.nan] * len(self._entries()) + [1.0]
        if array.size <= WIDEST:
            return [*flat.tolist(), 0.0]
        cells = array
        for axis, parts in enumerate(_grid(self.shape)):
            cells = np.stack([part.mean(axis=axis) for part in np.array_split(cells, parts, axis=axis)], axis=axis)
        code = self._code(_digest(array))
        return [*cells.ravel().tolist(), code, float(flat.min()), float(flat.max()), float(code < 0.0)]

    def _of_text(self, text: str) -> list[float]:
        whole = _of_whole(text)
        chunks = [] if whole is not None else [c for c in _SPLIT.split(text) if c]
        found = [whole] if whole is not None else []
        # All of its words do, and its numbers have columns with all of their digits.
        recurs = bool(found or chunks) and (whole is None or _holds(text.strip(), whole))
        for chunk in chunks:
            number = text_number(chunk)
            if number is not None:
                found.append(number)
                recurs &= _holds(chunk, number)
                chunk = _affix(chunk)
            recurs &= not chunk or chunk in self.vocabulary
        recurs &= len(found) <= self.numbers
        padded = [*found[: self.numbers], *[math.nan] * (self.numbers - len(found))]
        present = {*chunks, *map(_affix, chunks)}
        code = self._code(text)
        return [
            code,
            float(len(text)),
            *padded,
            *(float(w in present) for w in self.words),
            *(float(g in text) for g in self.grams),
            float(code < 0.0 and not recurs),
        ]

    def _of_bytes(self, value: bytes) -> list[float]:
        code = self._code(value.hex())
        head = [*map(float, value[:BYTES]), *[math.nan] * (BYTES - min(BYTES, len(value)))]
        tail = [*[math.nan] * (BYTES - min(BYTES, len(value))), *map(float, value[-BYTES:])]
        floats = _floats(value)
        padded = [*floats[: self.numbers], *[math.nan] * (self.numbers - len(floats))]
        plain = self.numbers > 0 and bool(floats)
        return [code, float(len(value)), *head, *tail, *padded, float(code < 0.0 and not plain)]


def _kind(value: Any) -> str:
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "text"
    if value is None:
        return "none"
    if value is MISSING:
        return "missing"
    return {np.ndarray: "array", bytes: "bytes"}.get(type(value), "opaque")


def _digest(array: np.ndarray) -> str:
    return hashlib.blake2b(
        repr(array.shape).encode() + np.ascontiguousarray(array).tobytes(), digest_size=8
    ).hexdigest()


def _of_whole(text: str) -> float | None:
    """The number or the date that a whole text is."""
    number = text_number(text.strip())
    if number is not None and not _affix(text.strip()):
        return number
    if len(text) >= 8 and text[:1].isdigit():
        try:
            return as_number(datetime.datetime.fromisoformat(text.strip()))
        except ValueError:
            return None
    return None


def text_number(chunk: str) -> float | None:
    """The number that a word is, with a sign of currency before it or a unit of up to three characters behind."""
    found = _NUMBER.match(chunk)
    if found is not None:
        return float(found[1])
    if chunk[:2] in ("0x", "-0") and "p" in chunk:
        try:
            return float.fromhex(chunk)
        except ValueError:
            return None
    if chunk in ("nan", "NaN", "inf", "-inf", "Infinity", "-Infinity"):
        return float(chunk)
    return None


def _holds(chunk: str, number: float) -> bool:
    """Whether the float that was read from a word has all of its digits, or all of them are the float's."""
    found = _NUMBER.match(chunk)
    if found is None or (len(found[1]) < 17 and math.isfinite(number)):
        return True
    if not math.isfinite(number):
        return False
    mantissa, _, power = found[1].lower().lstrip("+").partition("e")
    places = len(mantissa.partition(".")[2])
    printed = format(number, f".{places}{'e' if power else 'f'}")
    return Decimal(found[1]) in (Decimal(repr(number)), Decimal(printed))


def _affix(chunk: str) -> str:
    """What is before and behind the number that a word is: a currency, a unit, a full stop."""
    found = _NUMBER.match(chunk)
    return "" if found is None else chunk[: found.start(1)] + chunk[found.end(1) :]


def _floats(value: bytes) -> list[float]:
    """The doubles that bytes may be, where all of them are of a usual size."""
    if not value or len(value) % 8 or len(value) > 8 * NUMBERS_IN_TEXT:
        return []
    for order in ("<", ">"):
        numbers_ = np.frombuffer(value, dtype=f"{order}f8")
        sizes = np.abs(numbers_)
        if ((sizes == 0.0) | ((sizes > 1e-30) & (sizes < 1e30))).all():
            return [float(x) for x in numbers_]
    return []


def _grid(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Cells along each axis of an array too wide to keep: two long axes at most, one cell along the others."""
    longest = sorted(range(len(shape)), key=lambda k: -shape[k])[:2]
    most = SIDE if len(shape) > 1 else WIDEST // 2
    return tuple(min(most, n) if k in longest else 1 for k, n in enumerate(shape))


@dataclass(frozen=True)
class Layout:
    """Which leaves and columns outputs have; learned by `learn`.

    Attributes
    ----------
    leaves : tuple of Leaf
    opening : Opening
    ignore : tuple of str
    kept : tuple of int
        Of the leaves' columns and, behind them, one column a leaf ("hardly seen before") and one of further leaves.
    seen : tuple of (str, str, int)
        Of each leaf with values that do not recur: its name, its path as `ignore` takes it, and the column that is 1
        where its value was not seen before.
    """

    leaves: tuple[Leaf, ...]
    opening: Opening
    ignore: tuple[str, ...]
    kept: tuple[int, ...] = ()
    seen: tuple[tuple[str, str, int], ...] = ()

    @property
    def names(self) -> list[str]:
        """Of the columns kept."""
        every = self._names()
        return [every[k] for k in self.kept]

    def _names(self) -> list[str]:
        made = [name for leaf in self.leaves for name in leaf.names]
        made += [f"{leaf.name} hardly seen before" for leaf in self.leaves]
        return [*made, f"number of parts of the output that come up in less than {RECURRING} runs"]

    @property
    def labels(self) -> list[tuple[str, ...] | None]:
        """Of each column kept that holds codes, what they stand for."""
        made: list[tuple[str, ...] | None] = []
        for leaf in self.leaves:
            made += [leaf.labels if coded else None for coded in leaf.coded()]
        made += [None] * (len(self.leaves) + 1)
        return [made[k] for k in self.kept]

    def encode(self, outputs: Sequence[Any]) -> np.ndarray:
        """float64[n] or float64[n, columns]."""
        made = self._encode(outputs)[:, list(self.kept)]
        return made[:, 0] if made.shape[1] == 1 else made

    def flat(self, outputs: Sequence[Any]) -> list[Flat]:
        """The outputs taken apart."""
        walk = _Walk(self.ignore, self.opening, learning=False)
        return [walk(output) for output in outputs]

    def _encode(self, outputs: Sequence[Any]) -> np.ndarray:
        return self.of_flat(self.flat(outputs))

    def of_flat(self, flat: Sequence[Flat]) -> np.ndarray:
        """All columns, kept or not."""
        known = {leaf.path for leaf in self.leaves}
        found = [leaf.columns([f.leaves.get(leaf.path, MISSING) for f in flat]) for leaf in self.leaves]
        rest = np.array([float(sum(not (path in known or _of_form(path)) for path in f.leaves)) for f in flat])
        unseen = [one.astype(np.float64)[:, None] for _, one in found]
        return np.concatenate([*(columns for columns, _ in found), *unseen, rest[:, None]], axis=1)


def learn(
    outputs: Sequence[Any], others: Sequence[Any] = (), ignore: Sequence[str] = (), least: int = RECURRING
) -> Layout:
    """The layout of examples of both sides of an audit (or of one collection of outputs).

    What comes up fewer than `least` times does not recur. Words and n-grams with columns are the most frequent ones,
    and those whose frequencies in the first halves of the two sides differ most.

    Raises
    ------
    InvalidInput
        There is no output, a path to ignore is none of theirs, or those to ignore are all of them.
    """
    examples = [*outputs, *others]
    if not examples:
        raise invalid("outputs", "at least one output", [])
    walk = _Walk(ignore)
    flat = [walk(output) for output in examples]
    opening = Opening()
    for _ in range(4):  # a container inside one that is opened otherwise has another path
        wanted = Opening(
            opening.by_place | _unaligned(flat, least),
            opening.in_order | _reordered(flat, least),
            opening.typed | _of_types(flat, least),
        )
        if wanted == opening:
            break
        opening = wanted
        walk = _Walk(ignore, opening)
        flat = [walk(output) for output in examples]
    absent = [path for path in ignore if path not in walk.ignored]
    if absent:
        there = ", ".join(repr(".".join(p)) for p in list(dict.fromkeys(p for f in flat for p in f.leaves))[:12])
        raise InvalidInput(f"ignore must name leaves of the outputs, such as {there}; got {absent[0]!r}")
    lengths = all(path[-1:] == ("#length",) for f in flat for path in f.leaves)
    if ignore and lengths and all(f.leaves == flat[0].leaves for f in flat):  # lengths that vary do tell something
        raise InvalidInput(f"ignore must leave something of the outputs to compare, got {list(ignore)}")
    times = Counter(path for f in flat for path in f.leaves)
    often = sorted((path for path, n in times.items() if n >= least), key=lambda p: (_of_form(p), -times[p]))
    often = often[:MOST_LEAVES]
    order = {path: k for k, path in enumerate(dict.fromkeys(p for f in flat for p in f.leaves))}
    names = {path: name for f in reversed(flat) for path, name in f.names.items()}
    sides = (slice(0, len(outputs)), slice(len(outputs), len(examples)))
    leaves = tuple(
        _leaf(path, names[path], [f.leaves.get(path, MISSING) for f in flat], sides, least)
        for path in sorted(often, key=order.__getitem__)
    )
    whole = Layout(leaves, opening, tuple(ignore))
    return _narrowed(whole, whole.of_flat(flat), least)


def _of_form(path: Path) -> bool:
    """Whether a leaf is the type of something, or a key's place: what comes last where there are too many leaves."""
    return "#type" in path[-1:] or "#place" in path[-2:-1]


def _narrowed(layout: Layout, made: np.ndarray, least: int) -> Layout:
    """Without columns that never change, and with those of values that do not recur."""
    few = least == 1
    first = made[:1]
    changes = ~((made == first) | (np.isnan(made) & np.isnan(first))).all(axis=0)
    tail = len(layout.leaves) + 1
    wide = made.shape[1] - tail
    keep = [k for k in range(wide) if few or changes[k]]
    tracked = [k for k in range(wide, made.shape[1]) if made[:, k].astype(bool).mean() > UNKNOWN]
    if wide and not keep:
        keep = [0]
    kept = (*keep, *tracked) or (made.shape[1] - 1,)
    names = [(leaf.name, leaf.dotted) for leaf in layout.leaves] + [("parts of the output that hardly recur", "")]
    seen = tuple((*names[k - wide], kept.index(k)) for k in tracked)
    return dataclasses.replace(layout, kept=tuple(kept), seen=seen)


def _unaligned(flat: Sequence[Flat], least: int) -> frozenset[Path]:
    """Containers more than a tenth of whose keys do not recur."""
    if least == 1:
        return frozenset()
    counts = _counted(one.keys for one in flat)
    return frozenset(
        path
        for path, times in counts.items()
        if sum(n for n in times.values() if n < least) > 0.1 * sum(times.values()) or len(times) > MOST_LEAVES
    )


def _counted(found: Iterable[Mapping[Path, Iterable[str]]]) -> dict[Path, Counter[str]]:
    """How often each text stands at each path."""
    counts: dict[Path, Counter[str]] = {}
    for one in found:
        for path, said in one.items():
            counts.setdefault(path, Counter()).update(said)
    return counts


def _reordered(flat: Sequence[Flat], least: int) -> frozenset[Path]:
    """Containers whose keys, where they are the same, come in more than one order."""
    if least == 1:
        return frozenset()
    orders: dict[tuple[Path, frozenset[str]], tuple[str, ...]] = {}
    found = set()
    for one in flat:
        for path, keys in one.keys.items():
            if path not in found:
                order = tuple(keys)
                if orders.setdefault((path, frozenset(order)), order) != order:
                    found.add(path)
    return frozenset(found)


def _of_types(flat: Sequence[Flat], least: int) -> frozenset[Path]:
    """What is of more than one type, nine tenths of the time of types that recur."""
    if least == 1:
        return frozenset()
    counts = _counted({path: (said,) for path, said in one.types.items()} for one in flat)
    return frozenset(path for path, times in counts.items() if _vary(times, least))


def _vary(times: Counter[str], least: int) -> bool:
    """Whether types vary, beyond what is read anyway (that there is nothing), and recur."""
    if len(times) == 1:
        return False
    recurring = [said for said, n in times.items() if n >= least]
    nothing = sum(said in ("NoneType", "NAType", "NaTType") for said in recurring)
    often = sum(times[said] for said in recurring) >= 0.9 * sum(times.values())
    return often and (nothing > 1 or len(recurring) - nothing > 1)


def _leaf(path: Path, name: str, values: list[Any], sides: tuple[slice, slice], least: int) -> Leaf:
    kinds = tuple(sorted({_kind(v) for v in values}))
    if kinds in (("number",), ("missing", "number")):
        counted = all(v is MISSING or v == 1.0 for v in values) and "missing" in kinds
        return Leaf(path, name, kinds, counted=counted)
    shapes = {v.shape for v in values if isinstance(v, np.ndarray)}
    shape = shapes.pop() if len(shapes) == 1 else None
    contents = [_content_of(v, shape) for v in values]
    times = Counter(c for c in contents if c is not None)
    known = {c: k for k, (c, n) in enumerate(times.most_common(KNOWN_VALUES)) if n >= least}
    shown = {c: _shown(v) for v, c in zip(values, contents, strict=True) if c in known}
    labels = tuple(shown[c] for c in known)
    texts = [v for v in values if isinstance(v, str)]
    blobs = [v for v in values if isinstance(v, bytes)]
    if blobs:
        found = [_floats(b) for b in blobs]
        usual = sum(map(bool, found)) > 0.99 * len(blobs)
        return Leaf(path, name, kinds, shape, known, labels, max(map(len, found)) if usual else 0)
    sizes = [v.size for v in values if isinstance(v, np.ndarray)]
    leaf = Leaf(path, name, kinds, shape, known, labels, longest=min(LONGEST, max(sizes, default=0)))
    if not texts:
        return leaf
    return _text_leaf(leaf, values, texts, sides, least)


def _content_of(value: Any, shape: tuple[int, ...] | None) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Opaque):
        return value.content
    if isinstance(value, np.ndarray) and (shape is None or value.size > WIDEST):
        return _digest(value)
    return None


def _shown(value: Any) -> str:
    if isinstance(value, Opaque):
        return _short(value.content)
    return f"{value:.6g}" if isinstance(value, float) else _short(value)


def _text_leaf(leaf: Leaf, values: list[Any], texts: list[str], sides: tuple[slice, slice], least: int) -> Leaf:
    """With the numbers, words and n-grams that have columns."""
    many: Counter[int] = Counter()
    chunks = {}
    for text in dict.fromkeys(texts):
        if _of_whole(text) is not None:
            chunks[text], number = frozenset[str](), 1
        else:
            parts = [c for c in _SPLIT.split(text) if c]
            plain = [c for c in parts if text_number(c) is None]
            units = [_affix(c) for c in parts if text_number(c) is not None]
            chunks[text], number = frozenset([*plain, *filter(None, units)]), len(units)
        many[min(number, NUMBERS_IN_TEXT)] += 1
    times: Counter[str] = Counter()
    for text in texts:
        times.update(chunks[text])
    vocabulary = frozenset(w for w, n in times.most_common(KNOWN_WORDS) if n >= least)
    enough = [k for k in range(1, NUMBERS_IN_TEXT + 1) if sum(n for j, n in many.items() if j >= k) >= least]
    words: tuple[str, ...] = ()
    grams: tuple[str, ...] = ()
    if len(leaf.known) > KNOWN_WORDS or sum(t in leaf.known for t in texts) < len(texts) or len(leaf.known) > 50:
        halves = [[v for v in values[s][: max(1, (s.stop - s.start) // 2)] if isinstance(v, str)] for s in sides]
        telling = _most_different([[chunks[t] for t in half] for half in halves])
        frequent = [w for w, n in times.most_common(WORDS) if least <= n < len(texts)]
        words = tuple(dict.fromkeys([*(w for w in telling if w in vocabulary), *frequent]))
        pieces = [[_grams(t) for t in half[:GRAM_TEXTS]] for half in halves]
        grams = tuple(g for g in _most_different(pieces) if g not in words)
    return dataclasses.replace(leaf, numbers=max(enough, default=0), words=words, grams=grams, vocabulary=vocabulary)


def _grams(text: str) -> frozenset[str]:
    return frozenset(text[k : k + GRAM] for k in range(min(len(text), 4_000) - GRAM + 1))


def _most_different(halves: list[list[frozenset[str]]]) -> list[str]:
    """The pieces whose shares of the two sides' texts differ by most standard errors (at least two)."""
    sizes = [len(half) for half in halves]
    if min(sizes) == 0:
        return []
    counts: list[Counter[str]] = [Counter(), Counter()]
    for count, half in zip(counts, halves, strict=True):
        for text in half:
            count.update(text)
    found = []
    for piece in counts[0].keys() | counts[1].keys():
        a, b = counts[0][piece], counts[1][piece]
        pooled = (a + b) / sum(sizes)
        error = math.sqrt(pooled * (1.0 - pooled) * (1.0 / sizes[0] + 1.0 / sizes[1])) or math.inf
        strength = abs(a / sizes[0] - b / sizes[1]) / error
        if strength > 2.0 and a + b >= RECURRING:
            found.append((-strength, piece))
    return [piece for _, piece in sorted(found)[:TELLING]]


def paths(ignore: Any) -> tuple[str, ...]:
    """Paths of leaves to leave out, checked: a sequence of texts.

    Raises
    ------
    InvalidInput
    """
    if isinstance(ignore, str) or not isinstance(ignore, Iterable):
        raise invalid("ignore", 'a sequence of paths such as ["id"]', ignore)
    made = tuple(ignore)
    if not all(isinstance(path, str) and path for path in made):
        raise invalid("ignore", 'a sequence of paths such as ["id"]', made)
    return made


class Encoded(np.ndarray):
    """What `encode` returns: an array of numbers that keeps the names of its columns, through slices of its rows."""

    layout: Layout | None = None

    def __array_finalize__(self, other: Any) -> None:
        self.layout = getattr(other, "layout", None)

    @property
    def names(self) -> list[str]:
        """Of the columns, as the user would call them."""
        return [] if self.layout is None else self.layout.names


def encode(outputs: Any, *, ignore: Sequence[str] = ()) -> np.ndarray:
    """Outputs of any kind as an array that `dpbench.audit` and `dpbench.audit_samples` take, one row an output.

    Parameters
    ----------
    outputs : sequence, array or table
        One item an output: numbers, texts, arrays or images, lists, sets, dicts, tuples, dataclasses, data frames,
        models, dates, or a mixture, to any depth; also a structured array and a data frame, whose rows are the outputs.
        Encode what belongs together in one call (``encode([*ours, *theirs])``), or use `dpbench.each`, whose outputs
        an audit encodes by one layout.
    ignore : sequence of str
        Leaves to leave out, by their paths, such as ``"id"`` or ``"table.time"``: identifiers and times that say
        nothing.

    Returns
    -------
    float64[rows] or float64[rows, columns], or fixed-width texts [rows]
        With the names of the columns as `names`, which an audit of it uses.

    Raises
    ------
    InvalidInput

    Examples
    --------
    >>> from dpbench import encode
    >>> encode([{"count": 3, "shares": [0.25, 0.75]}, {"count": 4, "shares": [0.5, 0.5]}])[:, -2:].tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    rows = as_rows(outputs)
    if isinstance(rows, np.ndarray) and rows.dtype.kind != "O":
        return rows
    rows = list(rows)
    if all(isinstance(output, str) for output in rows):
        return np.array(rows, dtype=np.str_)
    layout = learn(rows, ignore=paths(ignore), least=RECURRING if len(rows) >= ENOUGH else 1)
    made = layout.encode(rows).view(Encoded)
    made.layout = layout
    return made


def as_rows(outputs: Any) -> Sequence[Any] | np.ndarray:
    """One item an output; an array that an audit takes as it is comes back as it is."""
    frame = _frame(outputs)
    if frame is not None:
        return [{k: v for k, (_, v) in row.items()} for row in frame[0]]
    if isinstance(outputs, np.ndarray):
        if outputs.ndim == 0 or len(outputs) == 0:
            raise invalid("outputs", "at least one output, along the first axis", outputs)
        if outputs.dtype.names is not None:
            names = outputs.dtype.names
            return [{name: row[name] for name in names} for row in outputs]
        if outputs.dtype.kind in "fiubSU" and outputs.ndim <= 2 - (outputs.dtype.kind in "SU"):
            return outputs
        return list(outputs)
    if isinstance(outputs, str | bytes | Mapping) or not isinstance(outputs, Iterable):
        raise invalid("outputs", "a sequence, one item an output (wrap a single one in a list)", outputs)
    made = list(outputs)
    if not made:
        raise invalid("outputs", "at least one output", outputs)
    return made
