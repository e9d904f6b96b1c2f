"""Distinguishing attacks of entries, kept in the store: a resumed run does not repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dpbench.auditing.audit import Sampler, audit
from dpbench.ledger.measurement import LEVEL, Context


class Bound(float):
    """A lower bound on ε that an attack of this package found, at the level that it was asked for."""


def attack_bounds(
    context: Context,
    attacks: Sequence[tuple[Sampler, tuple[Any, Any]]],
    *,
    epsilon: float,
    delta: float,
    trials: int,
    level: float = LEVEL,
) -> list[float]:
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
    return [Bound(found) for found in context.map(unit, attack, range(len(attacks)))]


def attack_bound(
    attacks: Sequence[tuple[Sampler, tuple[Any, Any]]],
    epsilon: float,
    delta: float,
    trials: int,
    level: float,
    seed: int,
    block: int,
) -> float:
    """The bound of attack number `block`."""
    mechanism, (data, neighbour) = attacks[block]
    found = audit(
        mechanism, data, neighbour, epsilon=epsilon, delta=delta, trials=trials, confidence=1.0 - level, seed=seed
    )
    return float(found.epsilon_lower)
