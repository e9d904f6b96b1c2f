"""Certificates of inequalities that hold on a whole region: the statement's formulas, and the cuts that show it."""

from __future__ import annotations

from dpbench.certificates.build import Draft
from dpbench.certificates.judge_pieces import pieces, region
from dpbench.certificates.judge_regions import tree
from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.statement import Statement


def proof(statement: Statement) -> Draft:
    """The certificate of a statement whose claim is an inequality, for all values of its symbols.

    Raises
    ------
    InvalidInput
        Where the cells that the statement allows do not show it.
    """
    (piece,) = pieces(statement)
    (one,) = piece.inequalities
    ends = region(statement, piece)
    conditions = [condition for _, condition, _ in statement.conditions]
    cuts = tree(one, ends, definitions=statement.definitions, conditions=conditions, cells=statement.cells)
    if cuts is None:
        raise validation.invalid("cells", "enough for a proof over the region", statement.cells)
    sides = {
        name: ["-inf" if low is None else str(low), "inf" if high is None else str(high)]
        for name, (low, high) in ends.items()
    }
    parts = statement.claim.parts
    left, right = (formula.write(statement.claim_nodes[side]) for side in ("left", "right"))
    return Draft(
        verdict="proved", statement=statement.text,
        symbols={name: symbol.meaning for name, symbol in statement.symbols.items()},
        definitions={name: formula.write(node) for name, node in statement.definitions.items()},
        claim={"region": sides, "cuts": cuts, "given": [formula.write(condition) for condition in conditions],
               "left": left, "relation": parts["relation"], "right": right},
        instances=[({}, {})],
        derivation=[(step, []) for step in statement.steps if isinstance(step, str)],
    )  # fmt: skip
