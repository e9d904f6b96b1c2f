"""The rule of premises: an entry says "proved" only while the entries of the lemmas it rests on stand.

An entry names them in `rests_on`. A premise stands with a verdict that supports it (`STANDING`) and, where it rests on
others itself, with them. A premise that was refuted, was not run, or is unknown does not stand: what rests on it says
"not refuted" in place of "proved", and which premises failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STANDING = frozenset({"proved", "not refuted", "consistent"})
"""Verdicts of a premise on which a proof may rest."""
Fallen = dict[str, dict[str, str]]
"""Entries that may not say "proved", each with those of its own premises that do not stand, and why."""


def fallen(rests_on: Mapping[str, Iterable[str]], verdicts: Mapping[str, str | None]) -> Fallen:
    """The entries whose premises do not all stand.

    Parameters
    ----------
    rests_on : mapping from id to ids
        The premises of each entry; an entry that is left out has none.
    verdicts : mapping from id to verdict
        None, or no entry at all, where it was not run.

    Returns
    -------
    dict
        By id, then by premise, in the order in which the entry names them: "refuted" or another verdict, "not run",
        "unknown", or "rests on ..." where its own premises fail. Entries in a circle rest on themselves and fall.
    """
    known = {entry: tuple(premises) for entry, premises in rests_on.items()}
    reasons: dict[str, str] = {}

    def why(entry: str, path: tuple[str, ...] = ()) -> str:
        """Why an entry does not stand as a premise; empty where it does."""
        if entry in path:
            return "rests on itself"
        if entry not in reasons:
            weak = [premise for premise in known.get(entry, ()) if why(premise, (*path, entry))]
            verdict = verdicts.get(entry)
            if entry not in verdicts and entry not in known:
                reasons[entry] = "unknown"
            elif verdict not in STANDING:
                reasons[entry] = verdict or "not run"
            else:
                reasons[entry] = f"rests on {', '.join(weak)}" if weak else ""
        return reasons[entry]

    down = {entry: {one: said for one in premises if (said := why(one))} for entry, premises in known.items()}
    return {entry: failed for entry, failed in down.items() if failed}


def held_to(entry: str, verdict: str, down: Fallen) -> str:
    """The verdict that an entry may say, given what `fallen` returned: "not refuted" where "proved" lost a premise."""
    return "not refuted" if verdict == "proved" and entry in down else verdict
