"""Writing certificates: drafts in a paper's symbols, made strict and sealed.

The format is described in ``checker/README.md``; `checker/dpbench_check.py` verifies it with nothing of this package.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import dpbench_check

from dpbench.core import validation

SCHEMA = 3
DIGITS = 6
"""Significant digits of an enclosure."""

Number = int | str | Fraction
Shown = float | int | Fraction | Sequence[float]
Step = tuple[str, Sequence[str]]
ALONE = "it stands in the assumptions alone"
ALIKE = "doubling it moves both sides alike, or neither, at these values"


@dataclass(frozen=True)
class Draft:
    """What follows from a statement; `sealed` makes it a certificate.

    Attributes
    ----------
    verdict : str
        The ledger's.
    statement : str
        What the certificate shows, in words.
    symbols : dict of str to str
        Each symbol and what it means.
    claim : dict
        The parts that the kind asks for; expressions are texts.
    instances : list of (values, shows)
        Values are rationals (``int``, ``Fraction`` or "p/q"); what follows from them is enclosed in rationals, so a
        float here is one of ours, which the checker's own evaluation has to agree with.
    derivation : list of (text, ids of assumptions)
        The steps to what is decided, and the assumptions that each needs.
    definitions : dict of str to str
        The paper's formulas, in order.
    assumptions : dict of str to (formula, why)
    """

    verdict: str
    statement: str
    symbols: Mapping[str, str]
    claim: Mapping[str, Any]
    instances: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    derivation: Sequence[Step]
    definitions: Mapping[str, str] = field(default_factory=dict)
    assumptions: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Maker:
    """A certificate of an entry: its kind, and the function that drafts it."""

    id: str
    kind: str
    draft: Callable[[], Draft]


def rational(value: Number) -> str:
    """A number as the format has it: "p" or "p/q" in lowest terms."""
    return str(Fraction(value))


def enclosure(value: float | int | Fraction) -> list[str]:
    """[low, high] of `DIGITS` significant digits around a value known to about 1e-9 of it; exact where it is exact."""
    if isinstance(value, (int, Fraction)) or value == 0.0:
        return [rational(Fraction(value))] * 2
    exact = Fraction(value)
    unit = Fraction(10) ** (math.floor(math.log10(abs(value))) - DIGITS + 1)
    low, rest = divmod(exact, unit)
    below, above = (low - 1, low + 1) if rest < unit / 2 else (low, low + 2)
    return [rational(below * unit), rational(above * unit)]


def near(value: float, digits: int = 6) -> Fraction:
    """A rational of a few digits near a float."""
    return round_to(value, digits, 0)


def below(value: float, digits: int = 6) -> Fraction:
    """A rational of a few digits just below a positive float."""
    return round_to(value, digits, -1)


def above(value: float, digits: int = 6) -> Fraction:
    """A rational of a few digits just above a positive float."""
    return round_to(value, digits, 1)


def round_to(value: float, digits: int, side: int) -> Fraction:
    if value == 0.0:
        return Fraction(0)
    unit = Fraction(10) ** (math.floor(math.log10(abs(value))) - digits + 1)
    return (round(Fraction(value) / unit) + side) * unit


class Sentence(NamedTuple):
    """What a certificate is of: an id, the words that it is bound to, and where these stand."""

    id: str
    text: str
    place: str


def sentence(claim: str) -> Sentence:
    """The sentence that a certificate of an entry is bound to, exactly as the ledger has it.

    The entry's own quotation; without one, that of an entry that it corrects; else the ledger's statement.
    """
    from dpbench.ledger.registry import by_id  # the ledger: for those who seal, not for those who declare

    claims = by_id()
    mine = claims.get(claim)
    if mine is None:
        raise validation.invalid("claim", f"the id of an entry{validation.did_you_mean(claim, claims)}", claim)
    corrected = next((one.quote for one in claims.values() if one.holds == claim and one.quote), "")
    return Sentence(claim, mine.quote or corrected or mine.statement, mine.source)


def sealed(maker: Maker) -> dict[str, Any]:
    """The certificate: plain types, rationals as text, the quote's SHA-256 and the digest of the whole."""
    return assembled(maker.kind, maker.draft(), sentence(maker.id))


def assembled(kind: str, draft: Draft, of: Sentence) -> dict[str, Any]:
    """The certificate, bound to a sentence."""
    plain: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": kind,
        "id": of.id,
        "verdict": draft.verdict,
        "quote": {"text": of.text, "place": of.place, "sha256": hashlib.sha256(of.text.encode()).hexdigest()},
        "statement": draft.statement,
        "symbols": dict(draft.symbols),
        "inert": {},
        "definitions": [[name, formula] for name, formula in draft.definitions.items()],
        "assumptions": [
            {"id": name, "formula": formula, "why": why} for name, (formula, why) in draft.assumptions.items()
        ],
        "claim": ({"calibrated": ""} if kind == "guarantee" else {}) | dict(draft.claim),
        "instances": plain_instances(draft),
        "derivation": [{"says": says, "needs": list(needs)} for says, needs in draft.derivation],
    }
    still = report(plain | {"digest": seal(plain)}).get("vacuous", ())
    claimed = _names(json.dumps(plain["claim"]) + json.dumps(plain["definitions"]))
    plain["inert"] = {name: ALIKE if name in claimed else ALONE for name in still}
    return {**plain, "digest": seal(plain)}


def plain_instances(draft: Draft) -> list[dict[str, Any]]:
    """Values as rationals, what they show as enclosures."""
    return [
        {
            "values": {name: rational(value) for name, value in values.items()},
            "shows": {name: _shown(value) for name, value in shows.items()},
        }
        for values, shows in draft.instances
    ]


def _names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text))


def report(one: Mapping[str, Any]) -> dict[str, Any]:
    """The checker's report on a certificate: ``accepted``, what is decided, and why not."""
    return dict(_report(json.dumps(one)))


# Of the last text it is kept: a certificate without inert symbols is `assembled` from a report on itself.
_report = lru_cache(maxsize=1)(dpbench_check.report_on)


def _shown(value: Shown) -> Any:
    if isinstance(value, (float, int, Fraction)):
        return enclosure(value)
    return [enclosure(part) for part in value]


def seal(certificate: Mapping[str, Any]) -> str:
    """SHA-256 of all parts but the digest, as JSON with sorted keys and no spaces."""
    rest = {key: value for key, value in certificate.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
