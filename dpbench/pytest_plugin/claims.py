"""Claims as pytest items: what `dpbench.pytest_plugin` collects from files ``claims_*.py`` and from ``--dp-claims``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dpbench.core.printable import printable
from dpbench.core.validation import InvalidInput
from dpbench.ledger import sources
from dpbench.ledger.core import Claim
from dpbench.ledger.grades import basis
from dpbench.ledger.paper import Paper
from dpbench.pytest_plugin.settings import CLAIM, settings
from dpbench.runs.context import RunContext, attempt, limit

MARK = "dp_claim"
_ROWS = 8  # of a table that a failure shows


class UnexpectedVerdict(Exception):
    """A claim whose verdict is not the one its paper expects; the message has the evidence."""


def is_claims(path: Path) -> bool:
    """Whether a file is one of claims: by its name, and because it speaks of dpbench."""
    return path.match(sources.PATTERN) and b"dpbench" in path.read_bytes()


class ClaimsFile(pytest.File):
    """A file of claims."""

    def collect(self) -> Iterator[ClaimItem]:
        """An item for each claim of the papers that the file binds."""
        yield from items(self, sources.papers(str(self.path)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """One line for what the file itself says is wrong."""
        if isinstance(excinfo.value, InvalidInput):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class Named(pytest.Collector):
    """What one ``--dp-claims`` names."""

    def collect(self) -> Iterator[ClaimItem]:
        """An item for each claim."""
        for name in sources.expanded([self.name]):
            yield from items(self, sources.papers(name))


def items(parent: Any, papers: Iterable[Paper]) -> Iterator[ClaimItem]:
    """The claims of these papers."""
    for paper in papers:
        for claim in paper.claims:
            yield ClaimItem.from_parent(parent, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """A claim: it passes where its verdict is the expected one."""

    def __init__(self, *, claim: Claim, **options: Any) -> None:
        super().__init__(**options)
        self.claim = claim
        self.add_marker(MARK)

    def runtest(self) -> None:
        """Run the claim at the level and the seed of the session."""
        given = settings(self.config)
        if self.claim.full_only and given["level"] == "quick":
            pytest.skip("full only: run with --dp-level full")
        options = {"level": given["level"], "seed": given["seed"], "workers": given["workers"]}
        most = limit(self.claim, given["level"], given["max_seconds"] or None)
        with RunContext(**options, store=given["store"] or None) as context:
            outcome = attempt(self.claim, context, most)
        if isinstance(outcome, str):
            raise UnexpectedVerdict(f"{self.claim.id} has no verdict, expected {self.claim.expected}: {outcome}")
        verdict, evidence = outcome
        grade = basis(self.claim, verdict, evidence).grade
        said = f"{verdict}: {self.claim.id}: value {evidence.value:.6g}, grade {grade}"
        self.user_properties.append((CLAIM, {"line": said, "level": evidence.level}))
        if verdict != self.claim.expected:
            raise UnexpectedVerdict(_told(self.claim, verdict, evidence, options))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The verdict and its evidence; a traceback only for what is no verdict."""
        return str(excinfo.value) if isinstance(excinfo.value, UnexpectedVerdict) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where pytest says the item is."""
        return self.path, None, f"claim {self.claim.id}"


def _told(claim: Claim, verdict: str, evidence: Any, options: dict[str, Any]) -> str:
    """Verdict, expectation and evidence, in lines."""
    ends = "" if evidence.interval is None else " in [{:.6g}, {:.6g}]".format(*evidence.interval)
    lines = [
        f"{claim.id}: {verdict}, expected {claim.expected}",
        f"  grade      {basis(claim, verdict, evidence).grade}",
        f"  source     {claim.source}",
        f"  statement  {claim.statement}",
        f"  because    {claim.derivation}",
        f"  evidence   value {evidence.value:.6g}{ends}, level {options['level']}, seed {options['seed']}",
        *(f"             {note}" for note in evidence.notes),
    ]
    for name, table in evidence.tables.items():
        rows = [*zip(*table.values(), strict=True)]
        lines += [f"  {name}", "  " + "  ".join(f"{column:>14.14}" for column in table)] if rows else []
        lines += ["  " + "  ".join(f"{_cell(value):>14}" for value in row) for row in rows[:_ROWS]]
        lines += [f"  and {len(rows) - _ROWS} more rows"] * (len(rows) > _ROWS)
    return printable("\n".join(lines))


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)[:14]
