"""What the function of a claim is given and gives, and the rules that turn evidence into a verdict.

`Context` is what it may use, rows or `Evidence` what it gives (`dpbench.ledger.harness`). Everything that a figure or a
report needs is in the evidence.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol

from dpbench.core.validation import invalid
from dpbench.ledger.words import ROWS, UNDECIDED

if TYPE_CHECKING:
    from dpbench.privacy.profile import Profile

LEVEL = 1e-6
"""Error level of an entry's sampling tests, unless the entry states another."""
Row = dict[str, Any]
Table = dict[str, list[Any]]
"""Columns of one length, each of numbers, of texts, or of true and false."""
Rows = Generator[Row, None, Any]
"""What the function of a claim yields; the value it returns, if any, is its notes or a `Summary`."""


@dataclass(frozen=True)
class Evidence:
    """What was measured.

    Attributes
    ----------
    value : float
        The number the verdict rests on, named in `notes`.
    interval : (float, float) or None
        Confidence interval of `value`; None where it is exact.
    margin : float or None
        Of an inequality, floor or stability entry: the smallest relative margin (right - left)/|right| over the
        instances tried, with sampling errors allowed for. Below 0 the entry is refuted.
    reference : float or None
        Of a rate: the slope expected, that of the theory's full formula on the same grid.
    allowance : (float, float) or None
        Of a rate: the least and the largest slope that its nuisances add to the expected one on this grid.
    level : float
        Error level spent by sampling: 0 where nothing was sampled.
    trials, seed : int
    seconds : float
        Wall time of the entry; the only field that differs between two equal runs.
    tables : dict of str to Table
        What figures and reports need, by name; "rows" are those that the verdict rests on.
    notes : tuple of str
        The argument, in words.
    decided : {"", "certificate", "exact", "sampled", "tried"}
        How the verdict was decided (`dpbench.ledger.grades`); empty where it follows from the kind and the level.
    link : {"", "none", "derivation", "assumed"}
        What leads from the paper's objects to what was decided; empty where it follows from the entry.
    undecided : int
        Rows nearer to equality than the error of the computation.
    """

    value: float
    interval: tuple[float, float] | None = None
    level: float = 0.0
    trials: int = 0
    seed: int = 0
    seconds: float = 0.0
    tables: dict[str, Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    margin: float | None = None
    reference: float | None = None
    decided: str = ""
    link: str = ""
    undecided: int = 0
    allowance: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        tables = {name: typed(name, columns) for name, columns in self.tables.items() if columns}
        object.__setattr__(self, "tables", tables)

    @property
    def rows(self) -> Table:
        """The table that the verdict rests on."""
        return self.tables.get(ROWS, {})

    def column(self, name: str) -> list[Any]:
        """The column of this name, of the first table that has one."""
        return having(self.tables, name)[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain types only; infinities and NaN become text, so that the JSON is strict."""
        return plain(asdict(self))

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Evidence:
        """What `to_dict` gave, with numbers in the place of the text of infinities and NaN."""
        given = {name: stored[name] for name in (part.name for part in fields(cls)) if name in stored}
        for name in ("value", "level", "seconds", "margin", "reference"):
            if given.get(name) is not None:
                given[name] = float(given[name])
        for name in ("interval", "allowance"):
            if given.get(name) is not None:
                given[name] = tuple(float(end) for end in given[name])
        return cls(**given | {"notes": tuple(given.get("notes", ()))})


class Context(Protocol):
    """What a claim may use while it runs."""

    level: str
    seed: int
    workers: Any

    def map(self, unit: dict[str, Any], function: Callable[[int], Any], blocks: Iterable[int]) -> list[Any]:
        """`[function(b) for b in blocks]`, each block memoised in the store under (unit, seed, code digest, b).

        `unit` names what the blocks are of: everything that `function` depends on. `function` must be a
        module-level function or a partial of one, and return arrays, numbers, or dicts and lists of them.
        """
        ...

    def pick(self, *, quick: Any, full: Any) -> Any:
        """The size that belongs to the level of the run."""
        ...


Run = Callable[[Context], Any]
"""A measurement: it yields rows, or returns `Evidence` or (verdict, `Evidence`); see `dpbench.ledger.harness`."""


def column(rows: Sequence[Row]) -> Table:
    """Rows turned into named columns."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def having(tables: Mapping[str, Table], *names: str) -> Table:
    """The first table that has all these columns.

    Raises
    ------
    InvalidInput
        If there is none: the evidence is of another version.
    """
    for table in tables.values():
        if table.keys() >= {*names}:
            return table
    columns = "; ".join(f"{name}: {', '.join(table)}" for name, table in tables.items())
    raise invalid("evidence", f"of this version, with a table of {', '.join(names)}", columns)


def typed(name: str, columns: Mapping[str, Iterable[Any]]) -> Table:
    """The table in plain types.

    Raises
    ------
    InvalidInput
        If its columns have several lengths, or one has values of several types.
    """
    columns_typed = {key: _typed(f"column {key} of the table {name}", [*values]) for key, values in columns.items()}
    lengths = {key: len(values) for key, values in columns_typed.items()}
    if len({*lengths.values()}) > 1:
        raise invalid(f"the table {name}", "of columns of one length: what has another is another table", lengths)
    return columns_typed


_NOT_FINITE = {"inf", "-inf", "nan"}
"""Texts that stand for numbers in strict JSON."""


def _typed(what: str, values: list[Any]) -> list[Any]:
    plain_values = [value.item() if hasattr(value, "item") else value for value in values]
    kinds = {type(value) for value in plain_values}
    if kinds <= {bool} or kinds <= {int}:
        return plain_values
    if bool not in kinds and all(isinstance(v, numbers.Real) or str(v) in _NOT_FINITE for v in plain_values):
        return [float(value) for value in plain_values]
    if kinds == {str}:
        return plain_values
    raise invalid(what, "all numbers, all texts, or all true or false", values)


def privacy_verdict(
    targets: Sequence[tuple[Any, Any]],
    *,
    guarantees: Sequence[Profile] = (),
    pairs: Sequence[Profile] = (),
) -> str:
    """Verdict of "every pair is (ε, δ)-DP for each listed (ε, δ)", from profiles aligned with `targets`.

    ``guarantees[i]`` (exact or upper, over all neighbours) belongs to ``targets[i]``, and so does ``pairs[i]``
    (exact or lower, of one admissible pair). "refuted" iff one pair lies beyond its target; "proved" iff there are
    guarantees and all lie within theirs; "undecided" iff neither, and a profile and its target are nearer to each
    other than the error of the computation, in some row and beyond it in none; else "not refuted".
    """
    places = [
        pair.place(epsilon, delta) if pair.kind in ("exact", "lower") else "within"
        for (epsilon, delta), pair in zip(targets, pairs, strict=bool(pairs))
    ]
    if "beyond" in places:
        return "refuted"
    held = [
        g.place(epsilon, delta) if g.kind in ("exact", "upper") else "beyond"
        for (epsilon, delta), g in zip(targets, guarantees, strict=bool(guarantees))
    ]
    if held and set(held) == {"within"}:
        return "proved"  # a pair at a tie is one of those that the guarantee covers
    return UNDECIDED if UNDECIDED in (*places, *held) and "beyond" not in held else "not refuted"


def inequality_verdict(smallest_margin: float, undecided: int = 0) -> str:
    """Verdict of "left ≤ right" from the smallest relative margin (right − left)/right over the instances tried.

    `undecided` counts rows whose two sides are nearer to each other than their error: with one, and none beyond, the
    verdict is "undecided". A margin that is not a number (0/0) is no evidence: it raises.
    """
    if not smallest_margin == smallest_margin:
        raise ArithmeticError("the smallest margin is not a number")
    return "refuted" if smallest_margin < 0.0 else UNDECIDED if undecided else "not refuted"


def plain(value: Any) -> Any:
    """A value of strict JSON: NumPy scalars and arrays unpacked, non-finite numbers as text."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value
