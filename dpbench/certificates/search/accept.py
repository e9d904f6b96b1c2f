"""What counts: the certificate of an instance, handed to the checker, which knows nothing of the search."""

from __future__ import annotations

import importlib
import importlib.util
import json
from typing import Any

from dpbench.certificates.build import Maker, assembled
from dpbench.certificates.search.question import Question
from dpbench.certificates.search.space import Exact
from dpbench.core.validation import MissingExtra
from dpbench.ledger.core import Claim


def checker() -> Any:
    """The checker's module.

    Raises
    ------
    MissingExtra
        Where it, or python-flint, is not installed: without it nothing that a search finds counts.
    """
    for module, where in (("dpbench_check", "the folder checker/ of the repository"), ("flint", "python-flint")):
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(f"a search needs the checker of certificates: pip install dpbench-check ({where})")
    return importlib.import_module("dpbench_check")


def certificate(claim: Claim, question: Question, exact: Exact) -> dict[str, Any]:
    """The sealed certificate of an instance, bound to the claim's quotation."""
    maker = Maker(claim.id, question.kind, lambda: question.draft(exact))
    return assembled(maker, claim.quote or claim.statement, claim.source)


def report(one: dict[str, Any]) -> dict[str, Any]:
    """The checker's report: ``accepted``, and why not."""
    return checker().report_on(json.dumps(one))
