"""`Case`: a mechanism of a library, what the library claims of it and pairs of neighbours; and its audit."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dpbench.auditing.audit import MOST_RUNS, RELATIONS, Progress, audit
from dpbench.auditing.bits import audit_bits
from dpbench.auditing.neighbours import Pair, telling_pair
from dpbench.auditing.result import AuditResult
from dpbench.core import validation
from dpbench.core.validation import InvalidInput, invalid

LOOK = 300
"""Runs a side with which each pair is looked at; the audit's own runs are others."""

READINGS = ("bug", "documented", "convention", "floating point")
"""What a refutation that is known can be: an error of the code; a limit that the library states or warns of; a claim
for other neighbours than the audit's; the sum of value and noise, which is rounded in floating point."""

GIVEN = "the pairs given are neighbours"
"""What an audit of pairs of the user's own rests on."""


def checked(pairs: Any) -> tuple[Pair, ...]:
    """The pairs, refused where there is none or one is not of two data sets.

    Raises
    ------
    InvalidInput
    """
    if not isinstance(pairs, (list, tuple)):
        raise invalid("pairs", "a sequence of (dataset, neighbour)", pairs)
    if not pairs:
        raise invalid("pairs", "at least one pair, (dataset, neighbour)", pairs)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise invalid("pairs", "a sequence of (dataset, neighbour)", pair)
    return tuple((one, other) for one, other in pairs)


def difference(one: Any, other: Any) -> tuple[int, int]:
    """How many records of the first list the second lacks, and the reverse; their order does not count."""
    left, right = Counter(map(_record, one)), Counter(map(_record, other))
    return sum((left - right).values()), sum((right - left).values())


def _record(record: Any) -> Any:
    """A record that can be compared: rows as tuples, and a NaN equals another."""
    if isinstance(record, (list, tuple)):
        return tuple(map(_record, record))
    return repr(record) if isinstance(record, dict) or record != record else record


ONE_RECORD = {"replace": [(1, 1)], "add": [(0, 1)], "remove": [(1, 0)], "add_remove": [(1, 0), (0, 1)]}
"""The `difference` of neighbours, by the relation."""


def refuse_others(pairs: tuple[Pair, ...], relation: str) -> None:
    """Refuse pairs of lists of records that are not neighbours by the relation.

    Raises
    ------
    InvalidInput
    """
    validation.choice("relation", relation, RELATIONS)
    for one, other in pairs:
        if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            gone, new = difference(one, other)
            if (gone, new) not in ONE_RECORD[relation]:
                raise InvalidInput(
                    f"pairs must be neighbours by the relation {relation!r}, got two data sets of which the second "
                    f"lacks {gone} of the first one's records and has {new} others"
                )


@dataclass(frozen=True)
class Known:
    """What is known of a refutation.

    Attributes
    ----------
    reading : str
        One of `READINGS`.
    why : str
        In words.
    url : str
        Where its maintainers or users speak of it, or "".
    """

    reading: str
    why: str
    url: str = ""

    def __post_init__(self) -> None:
        validation.choice("reading", self.reading, READINGS)


@dataclass(frozen=True)
class Case:
    """What is audited.

    Attributes
    ----------
    mechanism : str
        As the library calls it.
    relation : {"replace", "add", "remove", "add_remove"} or None
        Of the pairs, for which the library makes the claim.
    claim : mapping
        ``{"epsilon": ε, "delta": δ}`` or ``{"claim": ...}``, as `dpbench.audit` takes them.
    pairs : tuple of pairs
        Neighbours, of which the most telling one is audited.
    sampler : Any
        A sampler of `dpbench.audit`; of a library in an environment of its own a `dpbench_libraries.worker.Call`.
    about : str
        What is particular in the parameters or in the data.
    trials : int
        Runs a side.
    assumes : tuple of str
        What the reading of the claim rests on.
    known : Known or None
        What a refutation is, where it is known.
    bits : bool
        The last bits of the outputs are audited, not their values.
    """

    mechanism: str
    relation: str | None
    claim: Mapping[str, Any]
    pairs: tuple[Pair, ...]
    sampler: Any
    about: str = ""
    trials: int = 6_000
    assumes: tuple[str, ...] = ()
    known: Known | None = None
    bits: bool = False

    def __post_init__(self) -> None:
        checked(self.pairs)

    @property
    def name(self) -> str:
        """The mechanism and what is particular."""
        return f"{self.mechanism} ({self.about})" if self.about else self.mechanism


@dataclass(frozen=True)
class Audited(AuditResult):
    """The audit of a library's mechanism: an `AuditResult` with its `pair`, and what the claim was taken from.

    Attributes
    ----------
    mechanism : str
    assumes : tuple of str
        What the reading of the claim rests on.
    """

    mechanism: str = ""
    assumes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        rests = f"; if {' and '.join(self.assumes)}" if self.assumes else ""
        return f"{self.mechanism}: {super().__str__()}{rests}"


def audit_case(
    case: Case,
    *,
    trials: int | None = None,
    confidence: float = 1.0 - 1e-6,
    seed: int = 0,
    progress: Progress | None = None,
) -> Audited:
    """Audit a case on the most telling of its pairs, chosen by runs of their own.

    Parameters
    ----------
    case : Case
    trials : int, optional
        Runs a side, at least 100, in place of the case's own number.
    confidence, seed, progress
        As in `dpbench.audit`.

    Raises
    ------
    InvalidInput
        A parameter cannot be used; or the mechanism raised, or gave what cannot be used.
    DependentOutputs
    """
    runs = case.trials if trials is None else validation.integer("trials", trials, at_least=100, at_most=MOST_RUNS)
    asked: dict[str, Any] = {**case.claim, "confidence": confidence, "seed": seed}
    pair = case.pairs[0]
    if len(case.pairs) > 1:
        pair = telling_pair(case.sampler, case.pairs, trials=min(LOOK, runs), certify=runs, **asked)
    how: Callable[..., AuditResult] = audit_bits if case.bits else functools.partial(audit, relation=case.relation)
    result = how(case.sampler, *pair, trials=runs, progress=progress, **asked)
    kept = {f.name: getattr(result, f.name) for f in fields(AuditResult)}
    kept |= {"pair": pair, "relation": case.relation}
    return Audited(**kept, mechanism=case.mechanism, assumes=case.assumes)
