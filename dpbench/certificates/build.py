"""Writing certificates: drafts in a paper's symbols, made strict, sealed, and kept in one table by claim id.

The format is described in ``checker/README.md``; `checker/dpbench_check.py` verifies it with nothing of this package.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpbench.certificates.evidence import claims
from dpbench.core import validation

SCHEMA = 1
DIGITS = 6
"""Significant digits of an enclosure."""

Number = int | str | Fraction
Shown = float | int | Fraction | Sequence[float]


@dataclass(frozen=True)
class Draft:
    """What a maker says; `sealed` makes it a certificate.

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
        What no program verifies, and the assumptions that each step needs.
    definitions : dict of str to str
        The paper's formulas, in order.
    assumptions : dict of str to (formula, why)
    theory : dict of str to callable
        For a definition that the project has as a function: the same from the values of the symbols, as floats.
    """

    verdict: str
    statement: str
    symbols: Mapping[str, str]
    claim: Mapping[str, Any]
    instances: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    derivation: Sequence[tuple[str, Sequence[str]]]
    definitions: Mapping[str, str] = field(default_factory=dict)
    assumptions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    theory: Mapping[str, Callable[[dict[str, float]], float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Maker:
    """The certificate of one entry: its kind, and the function that drafts it."""

    id: str
    kind: str
    draft: Callable[[], Draft]


MAKERS: dict[str, list[Maker]] = {}
"""By claim id; an entry may have certificates of several kinds."""


def certificate(claim: str, kind: str) -> Callable[[Callable[[], Draft]], Callable[[], Draft]]:
    """Register a function of no arguments as the maker of a claim's certificate."""

    def register(function: Callable[[], Draft]) -> Callable[[], Draft]:
        makers = MAKERS.setdefault(claim, [])
        if any(maker.kind == kind for maker in makers):
            raise validation.invalid("kind", "one certificate of a kind for each claim", (claim, kind))
        makers.append(Maker(claim, kind, function))
        return function

    return register


def rational(value: Number) -> str:
    """A number as the format has it: "p" or "p/q" in lowest terms."""
    return str(Fraction(value))


def enclosure(value: float | int | Fraction, digits: int = DIGITS) -> list[str]:
    """[low, high] of `digits` significant digits around a value known to about 1e-9 of it; exact where it is exact."""
    if isinstance(value, (int, Fraction)) or value == 0.0:
        return [rational(Fraction(value))] * 2
    exact = Fraction(value)
    unit = Fraction(10) ** (math.floor(math.log10(abs(value))) - digits + 1)
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


def sentence(claim: str) -> tuple[str, str]:
    """The sentence that a certificate is bound to, exactly as the ledger has it, and where it stands.

    The entry's own quotation; without one, that of an entry that it corrects; else the ledger's statement.
    """
    mine = claims()[claim]
    corrected = next((one.quote for one in claims().values() if one.holds == claim and one.quote), "")
    return mine.quote or corrected or mine.statement, mine.source


def sealed(maker: Maker) -> dict[str, Any]:
    """The certificate: plain types, rationals as text, the quote's SHA-256 and the digest of the whole."""
    return assembled(maker, *sentence(maker.id))


def assembled(maker: Maker, text: str, place: str) -> dict[str, Any]:
    """The certificate bound to a sentence, and where it stands."""
    draft = maker.draft()
    plain: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": maker.kind,
        "id": maker.id,
        "verdict": draft.verdict,
        "quote": {"text": text, "place": place, "sha256": hashlib.sha256(text.encode()).hexdigest()},
        "statement": draft.statement,
        "symbols": dict(draft.symbols),
        "definitions": [[name, formula] for name, formula in draft.definitions.items()],
        "assumptions": [
            {"id": name, "formula": formula, "why": why} for name, (formula, why) in draft.assumptions.items()
        ],
        "claim": dict(draft.claim),
        "instances": [
            {
                "values": {name: rational(value) for name, value in values.items()},
                "shows": {name: _shown(value) for name, value in shows.items()},
            }
            for values, shows in draft.instances
        ],
        "derivation": [{"says": says, "needs": list(needs)} for says, needs in draft.derivation],
    }
    return {**plain, "digest": seal(plain)}


def _shown(value: Shown) -> Any:
    if isinstance(value, (float, int, Fraction)):
        return enclosure(value)
    return [enclosure(part) for part in value]


def seal(certificate: Mapping[str, Any]) -> str:
    """SHA-256 of all parts but the digest, as JSON with sorted keys and no spaces."""
    rest = {key: value for key, value in certificate.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
