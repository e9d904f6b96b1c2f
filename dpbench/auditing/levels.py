"""The ledger of levels of an audit: each bound draws its error probability from it.

A result may say several things at once (a bound on ε, a curve, μ, one bound a round). All of them hold together with
the stated confidence if their error probabilities sum to at most 1 − confidence (the union bound). `Levels` keeps
that sum and refuses a draw that would exceed it; `Levels.settle` compares it with the levels at which certificates
were in fact made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

_ROUNDING = 1e-9  # relative

CURVE_SHARE = 0.05
"""Of the error probability goes to the events of the curve, where there is one; the rest is for the others."""


class LevelsExceeded(RuntimeError):
    """More error probability was spent than there is: a fault of this package, never of its user."""


@dataclass
class Levels:
    """Error probabilities that sum to at most `total`.

    Attributes
    ----------
    total : float
        1 − confidence, or what a round has drawn from the ledger of its audit.
    drawn : list of (str, float)
        What for, and how much.
    """

    total: float
    drawn: list[tuple[str, float]] = field(default_factory=list)

    @property
    def spent(self) -> float:
        """The sum of what was drawn."""
        return math.fsum(level for _, level in self.drawn)

    def draw(self, purpose: str, level: float) -> float:
        """Take `level` for one bound and return it.

        Raises
        ------
        LevelsExceeded
            All bounds together would fail more often than stated.
        """
        self.drawn.append((purpose, level))
        if not level >= 0.0 or self.spent > self.total * (1.0 + _ROUNDING):
            kept = ", ".join(f"{what} {much:g}" for what, much in self.drawn)
            raise LevelsExceeded(f"levels of an audit at {self.total:g} sum to {self.spent:g}: {kept}")
        return level

    def split(self, purpose: str, share: float, parts: int) -> list[float]:
        """`parts` equal levels that sum to `share` of the total."""
        return [self.draw(f"{purpose} {k + 1} of {parts}", share * self.total / parts) for k in range(parts)]

    def part(self, purpose: str, level: float) -> Levels:
        """A ledger of its own for a round, whose total is drawn here."""
        return Levels(self.draw(purpose, level))

    def settle(self, levels: Iterable[float]) -> None:
        """Compare with the levels that certificates were made at: none may be missing here.

        Raises
        ------
        LevelsExceeded
            The certificates' levels sum to more than was drawn.
        """
        within(min(self.spent, self.total), levels)


def within(total: float, levels: Iterable[float]) -> None:
    """Assert that certificates were made at levels that sum to at most `total`.

    Raises
    ------
    LevelsExceeded
    """
    used = math.fsum(levels)
    if used > total * (1.0 + _ROUNDING):
        raise LevelsExceeded(f"certificates at levels that sum to {used:g}, of {total:g} drawn")
