"""What the tests of admissibility share: columns of an entry's evidence, and the definition of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
from declared import found

from dpbench.ledger.core import Claim
from dpbench.ledger.stated import rows_of

Check = Callable[[], bool]
Assumptions = dict[str, dict[str, Check]]
"""Id of an entry: what its paper assumes, each with the check that the instance obeys it."""


@cache
def series(name: str) -> dict[str, list[Any]]:
    """The columns of an entry at level quick."""
    tables = found(name)[1].tables.values()
    return {name: column for table in reversed(tables) for name, column in table.items()}


def every(name: str, holds: Callable[..., bool], *columns: str) -> Check:
    """`holds` of these columns, row by row, of which there is at least one."""

    def check() -> bool:
        rows = list(zip(*(series(name)[column] for column in columns), strict=True))
        return bool(rows) and all(holds(*row) for row in rows)

    return check


def replaced(pair: Callable[[], tuple[Any, Any]]) -> Check:
    """Definition 1: as many records on both sides, all but one the same."""

    def check() -> bool:
        p, q = pair()
        x = (p.X, q.X) if hasattr(p, "X") else (p.x, q.x)
        apart = (np.reshape(x[0], (len(p.y), -1)) != np.reshape(x[1], (len(q.y), -1))).any(axis=1) | (p.y != q.y)
        return len(p.y) == len(q.y) and int(apart.sum()) == 1

    return check


def cases(assumptions: Assumptions) -> list[tuple[str, str]]:
    """Each entry with each of its assumptions, as a test's parameters."""
    return [(name, text) for name, checks in assumptions.items() for text in checks]


def assert_every_failing_row_is_listed(
    assumptions: Assumptions, claims: Iterable[Claim], traced: Iterable[str] = ()
) -> None:
    """All that a paper is said to have wrong, but for rows of formulas, whose points their `Statement` admits.

    Listed is nothing else, with at least one assumption each.
    """
    failing = {c.id: c for c in claims if c.expected in ("refuted", "inconsistent")}
    formulas = {name for name, c in failing.items() if getattr(c.run, "func", None) is rows_of}
    assert failing.keys() - formulas - set(traced) <= assumptions.keys() <= failing.keys() - set(traced)
    assert set(traced) <= failing.keys() and all(assumptions.values())
