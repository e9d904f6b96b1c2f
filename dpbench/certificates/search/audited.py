"""A mechanism whose pairs of neighbours are the space: `find_neighbours` is its search, its final audit what counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbench.auditing.audit import Sampler
from dpbench.auditing.neighbours import Domain, find_neighbours
from dpbench.auditing.result import AuditResult
from dpbench.core import validation


@dataclass(frozen=True)
class Audited:
    """A sampler that is claimed to be (ε, δ)-DP on a domain.

    Attributes
    ----------
    sampler : callable
        As in `dpbench.audit`.
    domain : Domain or mapping
        As in `dpbench.find_neighbours`: the data sets, and what one record may be.
    epsilon, delta : float
        Claimed.
    trials, search_trials, mutations : int
        Of the final audit a side, of each pair that is looked at, and pairs made from the most promising ones.
    """

    sampler: Sampler
    domain: Domain | Mapping[str, Any]
    epsilon: float
    delta: float = 0.0
    trials: int = 100_000
    search_trials: int = 2_000
    mutations: int = 48

    def __post_init__(self) -> None:
        validation.epsilon(self.epsilon)

    def search(self, *, seconds: float, seed: int, level: float) -> AuditResult:
        """The pair that tells most, audited on runs that no search has seen, at confidence 1 - `level`."""
        return find_neighbours(
            self.sampler, self.domain, epsilon=self.epsilon, delta=self.delta,
            trials=self.trials, search_trials=self.search_trials, mutations=self.mutations, confidence=1.0 - level,
            seed=seed, seconds=seconds,
        )  # fmt: skip
