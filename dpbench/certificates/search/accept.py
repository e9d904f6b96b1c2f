"""What counts: the certificate of an instance, handed to the checker, which knows nothing of the search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpbench.certificates.build import Draft, Maker, assembled, checker, report
from dpbench.certificates.search.balls import Balls
from dpbench.certificates.search.question import Question
from dpbench.certificates.search.space import Exact
from dpbench.ledger.core import Claim

__all__ = ["certificate", "checker", "report"]


def certificate(claim: Claim, question: Question, exact: Exact, balls: Balls | None = None) -> dict[str, Any]:
    """The sealed certificate of an instance, bound to the claim's quotation."""

    def draft() -> Draft:
        made = question.draft(exact)
        shown = None if balls is None else balls.shows(exact)
        return made if shown is None else replace(made, instances=[(made.instances[0][0], shown)])

    maker = Maker(claim.id, question.kind, draft)
    return assembled(maker, claim.quote or claim.statement, claim.source)
