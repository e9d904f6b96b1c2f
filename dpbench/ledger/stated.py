"""What is measured of a `Statement` alone: both sides of an inequality at points, or an order along its path.

`Paper.formula` and `Paper.slip` declare such entries: nobody types the formulas a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.measurement import Context, Evidence, Rows
from dpbench.ledger.statement import Statement

Points = Sequence[Mapping[str, Any]]
"""Values of a statement's symbols: numbers, or texts such as "1/2"."""


def measured(statement: Statement, points: Points = (), equality: str = "") -> dict[str, Any]:
    """The arguments of `sides` or `along`: an inequality is tried at its witnesses too."""
    witnesses = () if statement.claim.of.path else statement.instances
    points = tuple({name: _value(statement, name, value) for name, value in at.items()} for at in (*points, *witnesses))
    return {"statement": statement, "points": points, "equality": equality}


def _value(statement: Statement, name: str, value: Any) -> float:
    symbol = statement.symbols[validation.choice("a symbol of a point", name, statement.symbols)]
    exact = formula.number(value)
    return int(exact) if symbol.whole and exact.denominator == 1 else float(exact)


def rows_of(context: Context, statement: Statement, points: Points, equality: str) -> Rows | Evidence:
    """Rows of symbols, definitions and the two sides; of an order, evidence of their ratio.

    Raises
    ------
    InvalidInput
        Where a point is none of the statement, or nothing can be evaluated of its claim.
    """
    for at in points:
        if missing := statement.excluded(at):
            raise validation.invalid("a point", f"one at which {missing}", dict(at))
    if statement.claim.of.path:
        return _along(statement, points)
    relation, *sides = statement.comparison
    validation.choice("the relation of a formula's entry", relation, ("<=", ">="))
    ends = [formula.write(side) for side in (sides if relation == "<=" else sides[::-1])]
    return _sides(statement, ends, points, equality)


def _sides(statement: Statement, ends: Sequence[str], points: Points, equality: str) -> Rows:
    from dpbench.ledger.harness import summary

    for at in points:
        left, right = (statement.number(end, **at) for end in ends)
        yield {**at, **_defined(statement, at), "left": left, "right": right}
    return summary(equality=equality)


def _along(statement: Statement, points: Points) -> Evidence:
    """The ratio of what is claimed to the quantity: no constant lasts where it vanishes."""
    from dpbench.ledger.harness import vanishing

    variable, ratio = statement.claim.parts["in"], "({to})/({quantity})".format(**statement.claim.parts)
    rows = [{**at, **_defined(statement, at), "ratio": statement.number(ratio, **at)} for at in points]
    return vanishing(rows, f"value: right side over left side, at the last {variable}")


def _defined(statement: Statement, at: Mapping[str, float]) -> dict[str, float]:
    return {name: statement.number(name, **at) for name in statement.where}
