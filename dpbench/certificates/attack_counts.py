"""Attacks run once for their counts: ``python -m dpbench.certificates.attack_counts evidence/attack_counts.json``.

With ids of entries after the file, these alone are run, and put beside what the file has.
Each attack is an `audit` (the event chosen on other runs than those counted); sampled entries rest on such counts, and
`tools.records` makes records of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbench.auditing.audit import audit
from dpbench.core import validation
from dpbench.ledger import registry
from dpbench.ledger.places import folder

TRIALS, FEW = 200_000, 10_000
CONFIDENCE = 1.0 - 1e-6


@dataclass(frozen=True)
class Attack:
    """A mechanism on a pair of data sets.

    Attributes
    ----------
    sampler : callable
    pair : (data set, neighbour)
    epsilon, delta : float
    about : str
        The pair in words.
    slow : bool
        Each run draws a map of its own: `FEW` runs a side instead of `TRIALS`.
    """

    sampler: Any
    pair: tuple[Any, Any]
    epsilon: float
    delta: float
    about: str
    slow: bool = False


ATTACKS: dict[str, Callable[[], Attack]] = {}
"""By claim id."""


def counted(claim: str) -> Callable[[Callable[[], Attack]], Callable[[], Attack]]:
    """Register a function of no arguments as the maker of the attack that is run once for a claim's counts."""

    def register(function: Callable[[], Attack]) -> Callable[[], Attack]:
        known = ATTACKS.setdefault(claim, function)
        if (known.__module__, known.__qualname__) != (function.__module__, function.__qualname__):
            raise validation.invalid("claim", "one attack for each claim", claim)
        ATTACKS[claim] = function
        return function

    return register


def attacks() -> dict[str, Attack]:
    """Entry to its attack, for all papers."""
    modules = registry.certifying()
    return {name: make() for name, make in ATTACKS.items() if make.__module__ in modules}


def count(claims: Collection[str] = (), write: Callable[[str], object] = print) -> dict[str, Any]:
    """Run the attacks named, or all: counts on both sides, and the event in words."""
    rows: dict[str, Any] = {}
    for claim, one in attacks().items():
        if claims and claim not in claims:
            continue
        found = audit(
            one.sampler, *one.pair, epsilon=one.epsilon, delta=one.delta, trials=FEW if one.slow else TRIALS,
            confidence=CONFIDENCE, seed=20,
        )  # fmt: skip
        if found.certified is None:
            continue
        first, second = found.certified.hits
        rows[claim] = {
            "epsilon": one.epsilon, "delta": one.delta, "pair": one.about, "event": found.event.split(" (")[0],
            "first": first, "second": second, "runs": found.certified.trials, "seed": 20,
        }  # fmt: skip
        write(f"{claim}: {first} and {second}")
    return {"schema": 1, "trials": TRIALS, "confidence": CONFIDENCE, "attacks": rows}


def counts() -> dict[str, dict[str, Any]]:
    """Claim id to the counts of its attack, or nothing where there is no such file."""
    path = folder().parent / "attack_counts.json"
    return json.loads(path.read_text(encoding="utf-8"))["attacks"] if path.is_file() else {}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-") or not set(arguments[1:]) <= attacks().keys():
        sys.stderr.write("usage: FILE [ENTRY ...]\n")
        return 2
    path, made = Path(arguments[0]), count(arguments[1:])
    if arguments[1:] and path.is_file():
        made["attacks"] = json.loads(path.read_text(encoding="utf-8"))["attacks"] | made["attacks"]
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":  # papers register with the module of this name, which is not `__main__`
    from dpbench.certificates import attack_counts

    sys.exit(attack_counts.main(sys.argv[1:]))
