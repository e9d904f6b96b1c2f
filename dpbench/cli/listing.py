"""What ``dpbench list`` shows: the rows of all entries of this package's papers are kept (`dpbench.cli.answers`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dpbench.cli import answers

Row = dict[str, Any]
"""As `dpbench.report.listing.rows` makes it."""


def listed(
    patterns: Sequence[str] | None, papers: Sequence[str] | None, kind: str | None, store: Path | None
) -> list[Row]:
    """The entries that fit, as `dpbench.ledger.verify.select` finds them, which also says what is wrong with a request.

    Raises
    ------
    InvalidInput
    """
    alone = answers.usable()  # else a source may be named, which stands alone
    kept: list[Row] = json.loads(answers.answer("list", "rows", store, lambda: json.dumps(_rows(store))))
    found = [row for row in kept if _fits(row, patterns, papers, kind)]
    known = {row["paper"] for row in kept}
    asked = all(any(fnmatchcase(row["id"], pattern) for row in kept) for pattern in patterns or ())
    if alone and found and asked and known.issuperset(papers or ()):
        return found
    from dpbench.ledger.verify import select

    chosen = {claim.id for claim in select(list(patterns) if patterns else None, paper=papers or None, kind=kind)}
    return [row for row in kept if row["id"] in chosen]


def _rows(store: Path | None) -> list[Row]:
    from dpbench.ledger.verify import all_claims
    from dpbench.report.listing import rows
    from dpbench.report.stored import best, known

    claims = all_claims()
    return rows(claims, best(known(store), [claim.id for claim in claims], with_code=False))


def _fits(row: Row, patterns: Sequence[str] | None, papers: Sequence[str] | None, kind: str | None) -> bool:
    named = not patterns or any(fnmatchcase(row["id"], pattern) for pattern in patterns)
    return named and (not papers or row["paper"] in papers) and kind in (None, row["kind"])
