"""What `verify` returns: entries, each a claim with what was found of it, as JSON and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpbench.ledger.core import Claim
from dpbench.ledger.grades import Basis, basis, counts
from dpbench.ledger.measurement import Evidence, plain
from dpbench.runs.environment import machine, processor_type, versions

SCHEMA = 3


@dataclass(frozen=True)
class Entry:
    """A row of an entry with what was found of it."""

    claim: Claim
    verdict: str
    evidence: Evidence
    premises: tuple[tuple[str, str], ...] = ()
    """Each premise, with "stands" or why it does not; where one does not, the verdict is not "proved"."""
    stored: bool = False
    """Whether the verdict was read from the store, as an earlier run left it, and not found now."""

    @property
    def as_expected(self) -> bool:
        return self.verdict == self.claim.expected

    @property
    def basis(self) -> Basis:
        """What the verdict rests on."""
        return basis(self.claim, self.verdict, self.evidence)

    def to_dict(self) -> dict[str, Any]:
        c = self.claim
        return {
            "id": c.id,
            "entry": c.entry,
            "row": c.row,
            "paper": c.paper,
            "source": c.source,
            "kind": c.kind,
            "statement": c.statement,
            "verdict": self.verdict,
            "stored": self.stored,
            **self.basis.to_dict(),
            "origin": c.origin,
            "expected": c.expected,
            "weight": c.weight,
            "hurt": c.hurt,
            "quote": c.quote,
            "consequence": c.consequence,
            "holds": c.holds,
            "rests_on": list(c.rests_on),
            "premises": dict(self.premises),
            "evidence": {**self.evidence.to_dict(), "digest": self.claim.digest},
        }


@dataclass(frozen=True)
class Ledger:
    """The outcome of `verify`.

    Attributes
    ----------
    entries : tuple of Entry
    not_run : tuple of dict
        ``{"id", "reason"}`` of the selected claims without a verdict.
    level : str
    seed : int
    seconds : float
    """

    entries: tuple[Entry, ...]
    not_run: tuple[dict[str, str], ...]
    level: str
    seed: int
    seconds: float

    @property
    def reused(self) -> int:
        """Entries whose verdict was read from the store, not found again."""
        return sum(entry.stored for entry in self.entries)

    @property
    def error_budget(self) -> float:
        """Sum of the entries' levels: bounds the chance that sampling made any verdict wrong, as far as they are exact.

        Those of rates are nominal: see `dpbench.rates.slopes`.
        """
        return sum(entry.evidence.level for entry in self.entries)

    @property
    def as_expected(self) -> bool:
        """Whether every selected claim that could run at this level has its expected verdict."""
        failed = any(not item["reason"].startswith("full only") for item in self.not_run)
        return bool(self.entries) and not failed and all(entry.as_expected for entry in self.entries)

    def __repr__(self) -> str:
        wrong = sum(not entry.as_expected for entry in self.entries)
        summary = f"{wrong} unexpected" if wrong else "all as expected"
        return f"Ledger({len(self.entries)} verdicts, {summary}; {len(self.not_run)} not run; level {self.level})"

    def to_dict(self) -> dict[str, Any]:
        """The document of ``--json``: strict JSON types only."""
        return {
            "schema": SCHEMA,
            "claims": [entry.to_dict() for entry in self.entries],
            "not_run": [dict(item) for item in self.not_run],
            "level": self.level,
            "error_budget": plain(self.error_budget),
            "versions": versions(),
            "processor": processor_type(),
            "machine": machine(),
            "seed": self.seed,
            "seconds": self.seconds,
        }

    @property
    def grades(self) -> dict[str, dict[str, int]]:
        """How many entries of each verdict have each grade."""
        return counts((entry.verdict, entry.basis.grade) for entry in self.entries)

    def rows(self) -> list[tuple[str, ...]]:
        """Id, verdict, grade, expected, value, interval, error level: what tables show."""
        return [
            (
                e.claim.id,
                e.verdict,
                e.basis.grade,
                e.claim.expected,
                f"{e.evidence.value:.6g}",
                "" if e.evidence.interval is None else "[{:.4g}, {:.4g}]".format(*e.evidence.interval),
                f"{e.evidence.level:.0e}" if e.evidence.level else "exact",
            )
            for e in self.entries
        ]

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(c)}</th>" for c in COLUMNS)
        body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in self.rows())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


COLUMNS = ("claim", "verdict", "grade", "expected", "value", "interval", "error level")
