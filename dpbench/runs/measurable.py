"""What a run needs of an entry: nothing of ledgers, papers or privacy."""

from __future__ import annotations

from typing import Any, Protocol

from dpbench.core.sources import Code


class Measurable(Protocol):
    """Something that a run measures, stores and hands to worker processes (so it can be pickled)."""

    @property
    def id(self) -> str:
        """Name under which the outcome is stored."""

    @property
    def kind(self) -> str:
        """What entries of a similar cost share."""

    @property
    def module(self) -> str:
        """Dotted name of the module that measures it: entries of one module may share blocks."""

    @property
    def digest(self) -> str:
        """Key of that code and of what is bound to it."""

    @property
    def code(self) -> Code:
        """The modules that the outcome rests on, the framework left out."""

    @property
    def outside(self) -> bool:
        """Whether it is another package's: its faults are its own, and do not end a run."""

    def measure(self, context: Any) -> tuple[str, Any]:
        """Verdict and evidence; the evidence is a dataclass with `seconds` and a `to_dict` of plain types."""
