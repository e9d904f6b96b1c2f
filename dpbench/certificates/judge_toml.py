"""A theorem from TOML: what each table holds, and one line with the place where a file is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from dpbench.core import validation
from dpbench.core.validation import InvalidInput, invalid
from dpbench.ledger import formula
from dpbench.ledger import statement as s
from dpbench.ledger.kinds import KINDS, NOTIONS, Conclusion
from dpbench.ledger.statement import Statement

KEYS = (
    "id", "says", "source", "symbols", "where", "given", "relation", "region", "pieces", "claim", "steps", "witness",
)  # fmt: skip
LONGEST = 20_000
"""Bytes of a file: reading TOML takes the square of the length of a key."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)


@dataclass(frozen=True)
class Theorem:
    """A statement with its name, the author's words, and where they stand."""

    id: str
    statement: Statement
    says: str = ""
    source: str = ""


def read(theorem: str | Path | Mapping[str, Any]) -> Theorem:
    """The theorem of a file, or of what one holds.

    Raises
    ------
    InvalidInput
        One line: the file, the place in it, what it must be and what it was.
    """
    if isinstance(theorem, Mapping):
        return _theorem(theorem, "theorem")
    if not isinstance(theorem, (str, Path)):
        raise invalid("theorem", "the path of a TOML file, or a mapping", theorem)
    path = Path(theorem)
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise InvalidInput(f"{path}: a theorem must be a file of at most {LONGEST:,} bytes")
        content = tomllib.loads(text.decode(), parse_float=Decimal)
    except FileNotFoundError:
        raise invalid("theorem", "a file that is there", str(path)) from None
    except InvalidInput:
        raise
    except RecursionError:
        raise InvalidInput(f"{path}: not TOML: tables or arrays too deep in each other") from None
    except ValueError as error:  # of TOML, of UTF-8, of an integer of thousands of digits
        raise InvalidInput(f"{path}: not TOML: {str(error).split(';')[0]}") from None
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from None
    try:
        return _theorem(content, path.stem)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _theorem(content: Mapping[str, Any], name: str) -> Theorem:
    _only("the theorem", content, KEYS)
    words = {key: _text(key, content.get(key, "")) for key in ("says", "source")}
    kind, conclusion = _claim(content.get("claim"), _table("pieces", content.get("pieces", {})))
    relation = content.get("relation", "add_remove" if kind == "mixture" else "replace")
    regions = _table("region", content.get("region", {}))
    statement = Statement(
        about="", symbols=_symbols(content.get("symbols")), claim=conclusion,
        where={k: _formula(f"where.{k}", v) for k, v in _table("where", content.get("where", {})).items()},
        given={k: _given(f"given.{k}", v) for k, v in _table("given", content.get("given", {})).items()},
        relation=relation, region={k: _text(f"region.{k}", v) for k, v in regions.items()},
        steps=_steps(content.get("steps", [])), witness=content.get("witness"),
    )  # fmt: skip
    for hole in s._HOLE.findall(words["says"]):
        if hole != "claim" and hole not in statement.symbols and hole not in statement.where:
            raise invalid("says", "a sentence whose holes are {claim}, symbols and definitions", f"{{{hole}}}")
    named = content.get("id", name)
    if not isinstance(named, str) or not _ID.fullmatch(named):
        raise invalid("id", "at most 80 letters, digits, dots, - and _", named)
    return Theorem(named, statement, words["says"], words["source"])


def _only(place: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            hint = validation.did_you_mean(str(key), list(keys))
            raise invalid(f"a key of {place}", f"one of {', '.join(keys)}{hint}", key)


def _table(place: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise invalid(place, "a table", value)
    return value


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(place, "a text", value)
    return value


def _formula(place: str, value: Any) -> str:
    """A formula; a bare number is one too."""
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        formula.number(value)  # of not too many digits
        return str(value)
    return _text(place, value)


def _given(place: str, value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        return value, "hypothesis"
    table = _table(place, value)
    _only(place, table, ("holds", "why"))
    if "holds" not in table:
        raise invalid(place, "a comparison, or {holds = comparison, why = text}", dict(table))
    return _text(f"{place}.holds", table["holds"]), _text(f"{place}.why", table.get("why", "hypothesis"))


def _symbols(value: Any) -> dict[str, s.Symbol]:
    symbols: dict[str, s.Symbol] = {}
    for name, entry in _table("symbols", value if value is not None else {}).items():
        place = f"symbols.{name}"
        table = _table(place, entry)
        _only(place, table, ("real", "integer", "meaning"))
        kinds = [key for key in ("real", "integer") if key in table]
        if len(kinds) != 1:
            raise invalid(place, "{real = [low, high]} or {integer = [low, high]}", dict(table))
        ends = table[kinds[0]]
        if not isinstance(ends, (list, tuple)) or len(ends) != 2 or any(isinstance(e, bool) for e in ends):
            raise invalid(f"{place}.{kinds[0]}", "[low, high]", ends)
        make = s.Real if kinds[0] == "real" else s.Integer
        meaning = _text(f"{place}.meaning", table.get("meaning", "a symbol"))
        symbols[name] = _placed(place, partial(make, meaning, *ends))
    return symbols


def _placed(place: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None


def _claim(value: Any, pieces: Mapping[str, Any]) -> tuple[str, Conclusion]:
    tables = _table("claim", value if value is not None else {})
    readable = {name: one for name, one in KINDS.items() if one.needed}
    if len(tables) != 1 or next(iter(tables)) not in readable:
        raise invalid("claim", f"one table, [claim.KIND] with KIND one of {', '.join(readable)}", list(tables))
    ((kind, content),) = tables.items()
    place, known = f"claim.{kind}", readable[kind]
    table = dict(_table(place, content))
    _only(place, table, (*known.needed, *known.beside))
    for key in known.needed:
        if key not in table:
            raise invalid(place, f"with {key}", list(table))
    if kind == "compose":
        often = table.get("times", [])
        table["times"] = often if isinstance(often, (list, tuple)) else [often]
        named = table["piece"] if isinstance(table["piece"], (list, tuple)) else [table["piece"]]
        table["piece"] = [_piece(name, pieces) for name in named]
        if unused := [name for name in pieces if name not in named]:
            raise invalid("claim.compose.piece", "a list of all pieces", unused)
    elif pieces:
        raise invalid("pieces", "those of a claim.compose", list(pieces))
    for key, part in table.items():
        if key == "piece":
            continue
        if key in known.lists:
            if not isinstance(part, (list, tuple)):
                raise invalid(f"{place}.{key}", "a list of formulas", part)
            table[key] = [_formula(f"{place}.{key}", weight) for weight in part]
        else:
            table[key] = _formula(f"{place}.{key}", part)
    return kind, _placed(place, lambda: known.read(table))


def _piece(name: Any, pieces: Mapping[str, Any]) -> dict[str, str]:
    """What a step is within."""
    if not isinstance(name, str) or name not in pieces:
        raise invalid("claim.compose.piece", f"one of pieces ({', '.join(pieces)}), or a list of them", name)
    place = f"pieces.{name}"
    table = _table(place, pieces[name])
    _only(place, table, tuple(key for keys in NOTIONS.values() for key in keys))
    if not table:
        raise invalid(place, "what a step is within, such as rho", {})
    return {key: _formula(f"{place}.{key}", part) for key, part in table.items()}


def _steps(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(step, str) for step in value):
        raise invalid("steps", "a list of sentences", value)
    return tuple(value)
