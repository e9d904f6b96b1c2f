"""Which claims have a space: their own ``space=``, their statement's, or a row of `QUESTIONS` beside the claims."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.registry import all_claims, all_papers
from dpbench.ledger.statement import PRIVATE


def questions() -> dict[str, Any]:
    """Claim id to its question, for every claim that has one."""
    found: dict[str, Any] = {}
    for paper in all_papers():
        home = paper.package.rpartition(".")[0]
        name = f"{home}.spaces"
        if home and importlib.util.find_spec(name) is not None:
            found |= importlib.import_module(name).QUESTIONS
    claims = {claim.id: claim for claim in all_claims()}
    unknown = set(found) - set(claims)
    if unknown:
        raise validation.invalid("a question's id", "that of a claim", min(unknown))
    stated = {name: asked for name, claim in claims.items() if (asked := _stated(claim)) is not None}
    return stated | found | {name: claim.space for name, claim in claims.items() if claim.space is not None}


def _stated(claim: Claim) -> Any:
    """The question of a claim whose statement is formulas of one inequality, and has no proof over its region."""
    if claim.formal is None or claim.formal.cells or claim.formal.claim.kind not in (*PRIVATE, "inequality"):
        return None
    from dpbench.certificates.judge_pieces import pieces, question

    parts = pieces(claim.formal)
    return question(claim.formal, parts[0]) if len(parts) == 1 else None


def question_of(claim: Claim) -> Any:
    """The question of a claim.

    Raises
    ------
    InvalidInput
        If none is declared.
    """
    made = claim.space if claim.space is not None else _stated(claim) or questions().get(claim.id)
    if made is None:
        raise validation.invalid("claim", "one with a space to search (`dpbench hunt --list` names them)", claim.id)
    return made
