"""Verdicts to show: of each entry one, from a store or from a document of ``verify --json``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpbench.core import validation
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim
from dpbench.ledger.evidence import committed
from dpbench.ledger.grades import basis
from dpbench.ledger.index import Indexed
from dpbench.ledger.outcome import SCHEMA
from dpbench.ledger.premises import fallen, held_to
from dpbench.ledger.words import VERDICTS
from dpbench.runs.store import StoredVerdict, stored_verdicts


@dataclass(frozen=True)
class Shown:
    """A verdict to show.

    Attributes
    ----------
    claim, verdict, level : str
    seed : int
    evidence : dict
        `Evidence.to_dict()`.
    stale : bool
        Whether it is of other code than the present.
    recorded : str
        UTC, ISO 8601; empty where the source does not say.
    made_with : dict of str to str
        Versions and machine.
    grade : str
        What the verdict rests on (`dpbench.ledger.grades`); empty for an entry that is not known.
    """

    claim: str
    verdict: str
    level: str
    seed: int
    evidence: Mapping[str, Any]
    stale: bool
    recorded: str
    made_with: Mapping[str, str]
    grade: str = ""


_FIELDS: dict[str, Callable[[Any], bool]] = {
    "value": lambda v: _is_number(v),
    "interval": lambda v: v is None or (isinstance(v, (list, tuple)) and len(v) == 2 and all(map(_is_number, v))),
    "level": lambda v: isinstance(v, (int, float)),
    "trials": lambda v: isinstance(v, int),
    "seed": lambda v: isinstance(v, int),
    "seconds": lambda v: isinstance(v, (int, float)),
    "tables": lambda v: isinstance(v, dict) and all(isinstance(table, dict) for table in v.values()),
    "notes": lambda v: isinstance(v, (list, tuple)) and all(isinstance(note, str) for note in v),
}
"""What must hold of each field of `Evidence.to_dict` in strict JSON."""


def _is_number(value: Any) -> bool:
    """A number, or the text that stands for one that is not finite."""
    return isinstance(value, (int, float)) or value in ("inf", "-inf", "nan")


def _words() -> dict[str, tuple[str, ...]]:
    """The verdicts that each entry may have."""
    return {one.id: VERDICTS[one.kind] for one in ledger.all_claims()}


def check(claim: str, verdict: Any, evidence: Any, words: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse what no run can have recorded of an entry, which has one of these `words` as its verdict.

    Raises
    ------
    InvalidInput
        Which names the entry and the field.
    """
    allowed = words.get(claim) or tuple(sorted({word for kind in VERDICTS.values() for word in kind}))
    if verdict not in allowed:
        raise validation.invalid(f"the verdict of {claim}", f"one of {', '.join(allowed)}", verdict)
    if not isinstance(evidence, Mapping):
        raise validation.invalid(f"the evidence of {claim}", "a table of its fields", evidence)
    for name, holds in _FIELDS.items():
        if name not in evidence or not holds(evidence[name]):
            value = evidence.get(name, "nothing")
            raise validation.invalid(
                f"the evidence of {claim}", f"what `dpbench verify` writes, in its {name} too", value
            )


def sound(verdicts: Iterable[StoredVerdict]) -> list[StoredVerdict]:
    """The verdicts, all of which pass `check`."""
    checked, words = list(verdicts), _words()
    for one in checked:
        check(one.claim, one.verdict, one.evidence, words)
    return checked


def known(store: Path | None, place: Path | None = None, *, ids: Iterable[str] | None = None) -> list[StoredVerdict]:
    """Verdicts to show without running anything: those of the committed evidence, then those of a store, if it exists.

    Parameters
    ----------
    store : Path or None
        None: the committed evidence alone.
    place : Path, optional
        A folder of committed evidence; default that of `dpbench.ledger.places.folder`.
    ids : iterable of str, optional
        The entries whose committed evidence is read, and their premises; default all.

    Raises
    ------
    InvalidInput
        If the evidence or the store cannot be read, or is not what a run records.
    """
    wanted = _with_premises(ids, {claim.id: claim for claim in ledger.all_claims()})
    results = [
        StoredVerdict(
            claim=document["id"],
            level=document["level"],
            seed=document["seed"],
            code=document["code"]["key"],
            verdict=document["verdict"],
            evidence={
                **document["evidence"],
                "made_with": document["environment"],
                "commit": document.get("commit", ""),
            },
            recorded="",
        )
        for document in documents(place, wanted).values()
    ]
    committed = {_same(one) for one in results}
    later = stored_verdicts(store) if store is not None else []
    return sound(results + [one for one in later if _same(one) not in committed])


def _same(one: StoredVerdict) -> tuple[Any, ...]:
    """What two records of one measurement have in common."""
    return one.claim, one.level, one.seed, one.code, one.verdict, str(one.evidence.get("value"))


def documents(place: Path | None = None, wanted: set[str] | None = None) -> Mapping[str, Mapping[str, Any]]:
    """The committed evidence by row: of the index, without its tables, where the claims are of that."""
    indexed = [one for one in ledger.all_claims() if isinstance(one, Indexed)] if place is None else []
    if not indexed:
        return committed(place, wanted)
    return {one.id: one.found for one in indexed if one.found and (wanted is None or one.id in wanted)}


def best(
    verdicts: Iterable[StoredVerdict], ids: Iterable[str] | None = None, *, with_code: bool = True
) -> dict[str, Shown]:
    """For each claim one of its stored verdicts, given oldest first.

    Those of the present code go before stale ones, full runs before quick ones, and newer before older. What says
    "proved" is held to its premises among them (`dpbench.ledger.premises`).

    Parameters
    ----------
    verdicts : iterable of StoredVerdict
    ids : iterable of str, optional
        Those that are wanted, and their premises; default all.
    with_code : bool
        False: do not ask whether a verdict is of the present code, which takes seconds; none is called stale then.
    """
    known = {claim.id: claim for claim in ledger.all_claims()}
    wanted = _with_premises(ids, known)
    asked = [name for name in known if with_code and (wanted is None or name in wanted)]
    digests = {name: known[name].digest for name in asked}
    ranked: dict[str, tuple[tuple[bool, bool], Shown]] = {}
    for one in verdicts:
        if wanted is not None and one.claim not in wanted:
            continue
        fresh = not with_code or one.code == digests.get(one.claim)
        rank = fresh, one.level == "full"
        if one.claim not in ranked or rank >= ranked[one.claim][0]:
            ranked[one.claim] = rank, shown(one, stale=not fresh)
    chosen = {claim: one for claim, (_, one) in ranked.items()}
    rests_on = {name: claim.rests_on for name, claim in known.items()}
    down = fallen(rests_on, {claim: one.verdict for claim, one in chosen.items()})
    held = {claim: replace(one, verdict=held_to(claim, one.verdict, down)) for claim, one in chosen.items()}
    return {claim: _graded(one, known.get(claim)) for claim, one in held.items()}


def shown(one: StoredVerdict, *, stale: bool) -> Shown:
    """A stored verdict, to be shown, as yet without its grade."""
    versions = {name: what for name, what in one.evidence.get("made_with", {}).items() if name != "framework"}
    return Shown(one.claim, one.verdict, one.level, one.seed, one.evidence, stale, one.recorded, versions)


def _graded(shown: Shown, claim: Claim | None) -> Shown:
    """The verdict with its grade."""
    return shown if claim is None else replace(shown, grade=basis(claim, shown.verdict, shown.evidence).grade)


def _with_premises(ids: Iterable[str] | None, known: Mapping[str, Claim]) -> set[str] | None:
    if ids is None:
        return None
    premises: set[str] = set()
    waiting = list(ids)
    while waiting:
        name = waiting.pop()
        if name not in premises:
            premises.add(name)
            waiting += known[name].rests_on if name in known else ()
    return premises


def of_document(document: Any) -> dict[str, Shown]:
    """The verdicts of a document of ``verify --json``.

    Raises
    ------
    InvalidInput
        If it is not such a document.
    """
    try:
        if document["schema"] != SCHEMA:
            raise validation.invalid("the ledger", f"a document of schema {SCHEMA}", document["schema"])
        versions = {**document["versions"], **({"machine": document["machine"]} if "machine" in document else {})}
        level, seed = document["level"], document["seed"]
        verdicts = [
            StoredVerdict(
                claim=item["id"], level=level, seed=seed, code=item["evidence"]["digest"], verdict=item["verdict"],
                evidence={**item["evidence"], "made_with": versions}, recorded="",
            ) for item in document["claims"]
        ]  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise validation.invalid(
            "the ledger", f"a document of `dpbench verify --json` ({error!r})", document
        ) from error
    return best(sound(verdicts))
