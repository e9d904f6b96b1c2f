"""Formulas of a searched space: those of `dpbench.ledger.formula`, of integers alone, from texts.

The search reads the formulas of a declared space, which are part of a program; the checker reads files of anybody's,
parses them itself, and shares nothing with this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpbench.core import validation
from dpbench.ledger import formula

_DECIMAL = re.compile(r"(?<![A-Za-z0-9_])\d+[.eE]")
Values = Mapping[str, float]


def _read(text: str, comparison: bool | None = None) -> formula.Node:
    """The tree of what the checker reads as it stands, of integers alone: an expression, a comparison, or either."""
    if _DECIMAL.search(text):
        raise validation.invalid("a formula", "of integers: 1/10 for 0.1", text)
    if comparison is None:
        comparison = any(relation in text for relation in formula.RELATIONS)
    return formula.parse(text, comparison=comparison)


def names(text: str) -> set[str]:
    """Free symbols of an expression or a comparison, ``pi`` and running indices of sums left out."""
    return formula.names(_read(text))


def used(wanted: Sequence[str], definitions: Mapping[str, str]) -> set[str]:
    """Symbols and definitions that the expressions and comparisons lead to."""
    return formula.reached(map(_read, wanted), {name: _read(text) for name, text in definitions.items()})


def comparison(text: str) -> tuple[str, str, str]:
    """Left side, relation and right side of a condition such as ``n >= 2``."""
    relation = _read(text)[0]
    if relation not in formula.RELATIONS:
        raise validation.invalid("a condition", "one comparison by <=, >=, <, > or =", text)
    left, right = text.split(relation)
    return left.strip(), relation, right.strip()


def program(symbols: Sequence[str], definitions: Mapping[str, str], wanted: Sequence[str]) -> Callable[[Values], Any]:
    """A function from the values of `symbols` to the tuple of the `wanted` expressions.

    It raises ArithmeticError, TypeError or ValueError where an expression is undefined.
    """
    read = {name: _read(text, comparison=False) for name, text in definitions.items()}
    return formula.compiled(symbols, read, [_read(text, comparison=False) for text in wanted])
