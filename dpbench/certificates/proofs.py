"""Certificates of inequalities that hold on a whole region: the statement's formulas, and the cuts that show it."""

from __future__ import annotations

from dpbench.certificates.build import Draft
from dpbench.certificates.judge_pieces import pieces, region
from dpbench.certificates.regions import Proof
from dpbench.core import validation
from dpbench.ledger.statement import Statement


def regional(statement: Statement) -> Proof:
    """What the statement claims on its region."""
    (piece,) = pieces(statement)
    nodes = statement.claim_nodes
    claim = (str(statement.claim.parts["relation"]), nodes["left"], nodes["right"])
    return Proof([claim], region(statement, piece), statement.definitions, [c for _, c, _ in statement.conditions])


def proof(statement: Statement) -> Draft:
    """The certificate of a statement whose claim is an inequality, for all values of its symbols.

    Raises
    ------
    InvalidInput
        Where the cells that the statement allows do not show it, or no point of the region is found at which it says
        something.
    """
    one = regional(statement)
    made = one.tree(statement.cells)
    if made.cuts is None:
        raise validation.invalid("cells", "enough for a proof over the region", statement.cells)
    witness = one.witness()
    if witness is None:
        raise validation.invalid("a region", "one with a point at which the hypotheses hold", statement.text)
    return one.draft(
        made.cuts, witness, statement=statement.text,
        symbols={name: symbol.meaning for name, symbol in statement.symbols.items()},
        derivation=[(step, []) for step in statement.steps if isinstance(step, str)],
    )  # fmt: skip
