"""Distinguishing attacks of entries, kept in the store: a resumed run does not repeat them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dpbench.auditing.audit import Sampler, audit
from dpbench.auditing.result import AuditResult
from dpbench.core import validation
from dpbench.ledger.measurement import LEVEL, Context


class Bound(float):
    """A lower bound on ε that an attack found, with its δ and its level.

    Attributes
    ----------
    delta, level : float
        `level` is the probability that the bound is wrong.
    counts : dict of str to int
        Runs a side, and those with the event on the first data set and on its neighbour; zeros where nothing was kept.
    """

    delta: float
    level: float
    counts: Mapping[str, int]

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Bound:
        """What `kept` gave."""
        bound = cls(kept["bound"])
        bound.delta, bound.level = kept["delta"], kept["level"]
        bound.counts = {name: kept[name] for name in ("runs", "hits", "neighbour hits")}
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
    """What the store keeps of an attack: what makes a `Bound`."""
    certified = result.certified
    hits, runs = ((0, 0), 0) if certified is None else (certified.hits, certified.trials)
    counts = {"runs": int(runs), "hits": int(hits[0]), "neighbour hits": int(hits[1])}
    return {"bound": float(result.epsilon_lower), "delta": result.delta, "level": 1.0 - result.confidence, **counts}


def bound_of(attack: Any, delta: float) -> Bound:
    """The bound of an attack on a claim at δ.

    Raises
    ------
    InvalidInput
        It is neither of `attack_bounds` nor an `AuditResult`, so that its level is not known; or its δ is below the
        claimed one, where it says nothing of the claim.
    """
    bound = Bound.of(kept(attack)) if isinstance(attack, AuditResult) else attack
    if not isinstance(bound, Bound):
        raise validation.invalid("attack", "an AuditResult, or of attack_bounds", attack)
    if bound.delta < delta:
        raise validation.invalid("the delta of an attack", f"the claimed {delta:g} or more", bound.delta)
    return bound
