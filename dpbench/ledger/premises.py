"""The rule of premises: an entry says "proved" only while the entries of the lemmas it rests on stand.

An entry names them in `rests_on`. A premise stands with a verdict that supports it (`STANDING`) and, where it rests on
others itself, with them. A premise that was refuted, was not run, or is unknown does not stand: what rests on it says
"not refuted" in place of "proved", and which premises failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STANDING = frozenset({"proved", "not refuted", "consistent"})
"""Verdicts of a premise on which a proof may rest."""


@dataclass(frozen=True)
class Fallen:
    """An entry whose premises do not all stand.

    Attributes
    ----------
    id : str
    premises : tuple of str
        Those of its own premises that do not stand, in the order in which it names them.
    why : tuple of str
        For each: "refuted", "not run", "unknown", another verdict, or "rests on ..." where its own premises fail.
    """

    id: str
    premises: tuple[str, ...]
    why: tuple[str, ...]


def fallen(rests_on: Mapping[str, Iterable[str]], verdicts: Mapping[str, str | None]) -> dict[str, Fallen]:
    """The entries that may not say "proved", by id.

    Parameters
    ----------
    rests_on : mapping from id to ids
        The premises of each entry; an entry that is left out has none.
    verdicts : mapping from id to verdict
        None, or no entry at all, where it was not run.

    Returns
    -------
    dict
        Every entry of `rests_on` with a premise that does not stand; entries in a circle rest on themselves and fall.
    """
    known = {entry: tuple(premises) for entry, premises in rests_on.items()}
    reasons: dict[str, str | None] = {}
    for entry in known:
        _judge(entry, known, verdicts, reasons, ())
    made = {}
    for entry, premises in known.items():
        failed = [(premise, why) for premise in premises if (why := reasons[premise]) is not None]
        if failed:
            made[entry] = Fallen(entry, tuple(p for p, _ in failed), tuple(why for _, why in failed))
    return made


def held_to(entry: str, verdict: str, down: Mapping[str, Fallen]) -> str:
    """The verdict that an entry may say, given what `fallen` returned: "not refuted" where "proved" lost a premise."""
    return "not refuted" if verdict == "proved" and entry in down else verdict


def _judge(
    entry: str,
    rests_on: Mapping[str, tuple[str, ...]],
    verdicts: Mapping[str, str | None],
    reasons: dict[str, str | None],
    path: tuple[str, ...],
) -> str | None:
    """Why an entry does not stand as a premise, or None where it does."""
    if entry in path:
        return "rests on itself"
    if entry in reasons:
        return reasons[entry]
    verdict = verdicts.get(entry)
    below = {p: _judge(p, rests_on, verdicts, reasons, (*path, entry)) for p in rests_on.get(entry, ())}
    weak = [premise for premise, why in below.items() if why is not None]
    why: str | None = None
    if entry not in verdicts and entry not in rests_on:
        why = "unknown"
    elif verdict is None:
        why = "not run"
    elif verdict not in STANDING:
        why = verdict
    elif weak:
        why = "rests on " + ", ".join(weak)
    reasons[entry] = why
    return why
