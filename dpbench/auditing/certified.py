"""The counts of an event on the runs that certify it, and where the event comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.auditing.claimed import Claim
from dpbench.bounds import Region, joint_region
from dpbench.core.validation import invalid

if TYPE_CHECKING:
    from dpbench.auditing.blocks import Runs
    from dpbench.auditing.outputs import Layout


@dataclass(frozen=True)
class Certified:
    """An event's counts on the certifying part.

    Attributes
    ----------
    hits : (int, int)
        On the side where the event is likelier, and on the other.
    trials : int
        Certifying runs on the likelier side.
    forward : bool
        The likelier side is the data set.
    alpha : float
        Error probability spent on it.
    angle : int
        Weights of the joint region (see `dpbench.bounds`).
    opposite : int or None
        Certifying runs on the other side, where they are not as many.
    """

    hits: tuple[int, int]
    trials: int
    forward: bool
    alpha: float
    angle: int
    opposite: int | None = None

    @property
    def both(self) -> tuple[int, int]:
        """Certifying runs on the likelier side, and on the other."""
        return self.trials, self.trials if self.opposite is None else self.opposite

    @property
    def frequencies(self) -> tuple[float, float]:
        """Of the event, on the likelier side and on the other."""
        return self.hits[0] / self.both[0], self.hits[1] / self.both[1]

    def region(self, cells: int = 256) -> Region:
        """The joint region for the event's two probabilities."""
        return joint_region(self.hits, self.both, self.alpha, self.angle, cells)

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε), at least 0, one for each ε."""
        return self.region(128).delta(epsilons)


@dataclass(frozen=True)
class Origin:
    """Where an event comes from: its score, and what was sampled (not where arrays were audited), in which part and in
    blocks of how many runs; and the claim that it is held against, if there is one."""

    score: Any
    event: Any
    runs: Runs | None
    layout: Layout | None
    part: str = ""
    block: int = 0
    claim: Claim | None = None


def least_excess(claim: Claim, certified: Certified) -> float:
    """The excess that every corner of the event's region has, at least."""
    region = certified.region()
    return float(claim.excess(region.low, region.high).min())


def counts_of(certified: Certified | None) -> Certified:
    """The counts of a result's event; a one-run audit is refused, which has none."""
    if certified is None:
        raise invalid("the result", "of an audit of two data sets", "a one-run audit")
    return certified
