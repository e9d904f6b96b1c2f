"""Which claims have a space: their own ``space=``, or their statement's."""

from __future__ import annotations

from typing import Any

from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.registry import all_claims
from dpbench.ledger.statement import Statement


def questions() -> dict[str, Any]:
    """Claim id to its question, for every claim that has one."""
    asked = ((claim.id, _asked(claim)) for claim in all_claims())
    return {name: question for name, question in asked if question is not None}


def _asked(claim: Claim) -> Any:
    return claim.space if claim.space is not None else next(filter(None, map(_stated, claim.stated)), None)


def _stated(statement: Statement) -> Any:
    """The question of a statement that is an order, or one inequality, and is not shown to hold by its certificate."""
    from dpbench.certificates.judge_pieces import PIECES, growing, pieces, question

    if statement.cells or statement.computed:
        return None
    if statement.claim.kind in PIECES:
        parts = pieces(statement)
        return question(statement, parts[0]) if len(parts) == 1 else None
    return growing(statement) if statement.claim.of.path else None


def question_of(claim: Claim) -> Any:
    """The question of a claim.

    Raises
    ------
    InvalidInput
        If none is declared.
    """
    made = _asked(claim)
    if made is None:
        raise validation.invalid("claim", "one with a space to search (`dpbench hunt --list` names them)", claim.id)
    return made
