"""Distinguishing attacks of entries, kept in the store: a resumed run does not repeat them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from dpbench.auditing.audit import Sampler, audit
from dpbench.auditing.result import AuditResult
from dpbench.ledger.measurement import LEVEL, Context


class Bound(float):
    """A lower bound on ε that an attack of this package found, at the level that it was asked for.

    Attributes
    ----------
    counts : dict of str to int
        Runs a side, and those with the event on the first data set and on its neighbour; zeros where nothing was kept.
    """

    counts: Mapping[str, int] = MappingProxyType({"runs": 0, "hits": 0, "neighbour hits": 0})

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Bound:
        """What `kept` gave."""
        bound = cls(kept["bound"])
        bound.counts = {name: int(number) for name, number in kept.items() if name != "bound"}
        return bound


def attack_bounds(
    context: Context,
    attacks: Sequence[tuple[Sampler, tuple[Any, Any]]],
    *,
    epsilon: float,
    delta: float,
    trials: int,
    level: float = LEVEL,
) -> list[Bound]:
    """Lower bounds on ε at `delta`, one for each attack, each at error probability `level`.

    Parameters
    ----------
    attacks : sequence of (mechanism, pair)
        Each with the two neighbouring data sets that it is attacked on.
    epsilon, delta : float
        The claim.
    trials : int
        Runs a side.
    """
    unit = {"what": "attacks", "epsilon": epsilon, "delta": delta, "trials": trials}
    attack = partial(attack_bound, tuple(attacks), epsilon, delta, trials, level, context.seed)
    return [Bound.of(value) for value in context.map(unit, attack, range(len(attacks)))]


def attack_bound(
    attacks: Sequence[tuple[Sampler, tuple[Any, Any]]],
    epsilon: float,
    delta: float,
    trials: int,
    level: float,
    seed: int,
    block: int,
) -> dict[str, Any]:
    """The bound of attack number `block`, with its counts."""
    mechanism, (data, neighbour) = attacks[block]
    result = audit(
        mechanism, data, neighbour, epsilon=epsilon, delta=delta, trials=trials, confidence=1.0 - level, seed=seed
    )
    return kept(result)


def kept(result: AuditResult) -> dict[str, Any]:
    """What the store keeps of an attack."""
    return {"bound": float(result.epsilon_lower), **counts_of(result)}


def counts_of(attack: Any) -> dict[str, int]:
    """Counts of the event of an attack: of `attack_bounds`, or an `AuditResult`; zeros where it is a number."""
    if isinstance(attack, Bound):
        return dict(attack.counts)
    certified = getattr(attack, "certified", None)
    hits, runs = ((0, 0), 0) if certified is None else (certified.hits, certified.trials)
    return {"runs": int(runs), "hits": int(hits[0]), "neighbour hits": int(hits[1])}
