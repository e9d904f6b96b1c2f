"""Records of samples and fits: counts, sums and points, with seed, command, versions and the digest of the evidence.

A record decides nothing. It says which bound follows at which level, and what would have refuted the claim: the fewest
hits, the least mean, or the slope. `checker/dpbench_records.py` recomputes all of it.
``python -m tools.records FOLDER`` writes one file for each.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from scipy.stats import beta, norm

from dpbench.certificates.build import SCHEMA, Draft, plain_instances, seal, sentence
from dpbench.core import validation
from dpbench.ledger.evidence import committed

entries = cache(committed)
"""The committed evidence by claim id."""


@dataclass(frozen=True)
class Recorder:
    """The record of one entry: its kind, and the function that drafts it."""

    id: str
    kind: str
    draft: Callable[[], Draft]


RECORDERS: dict[tuple[str, str], Recorder] = {}
"""By claim id and kind."""
SOURCES = ("rates", "sampled", "samples")
"""Modules whose `register` names the recorders."""


def record(claim: str, kind: str) -> Callable[[Callable[[], Draft]], Callable[[], Draft]]:
    """Register a function of no arguments as the maker of a claim's record."""

    def register(function: Callable[[], Draft]) -> Callable[[], Draft]:
        if (claim, kind) in RECORDERS:
            raise validation.invalid("kind", "one record of a kind for each claim", (claim, kind))
        RECORDERS[claim, kind] = Recorder(claim, kind, function)
        return function

    return register


def recorders() -> list[Recorder]:
    """All of them, in order of id and kind."""
    _registered()
    return [RECORDERS[key] for key in sorted(RECORDERS)]


@cache
def _registered() -> None:
    for name in SOURCES:
        import_module(f"tools.records.{name}").register()


def recorded(one: Recorder) -> dict[str, Any]:
    """The record as plain types, with its digest."""
    draft = one.draft()
    _, text, place = sentence(one.id)
    instances = plain_instances(draft)
    fewest = [_fewest(one.kind, draft.claim, values) for values, _ in draft.instances]
    plain: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": one.kind,
        "id": one.id,
        "verdict": "not refuted" if draft.verdict == "proved" else draft.verdict,
        "quote": {"text": text, "place": place, "sha256": hashlib.sha256(text.encode()).hexdigest()},
        "statement": draft.statement,
        "symbols": dict(draft.symbols),
        "claim": dict(draft.claim),
        "instances": instances,
        "derivation": [{"says": step[0]} for step in draft.derivation],
        "made": {**_made(one), "fewest": fewest, "would_refute": _words(one.kind, draft, fewest)},
    }
    return {**plain, "digest": seal(plain)}


def _made(one: Recorder) -> dict[str, Any]:
    """Seed, command, versions and the digest of what the numbers were taken from."""
    entry = entries().get(one.id, {})
    versions = {name: str(value) for name, value in entry.get("environment", {}).items()}
    command = f"dpbench verify {one.id} --level {entry['level']} --seed {entry['seed']}"
    return {"seed": int(entry["seed"]), "command": command, "versions": versions,
            "evidence": _digest(entry["evidence"])}  # fmt: skip


def _digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the numbers, the seconds that they took left out."""
    kept = {name: value for name, value in document.items() if name != "seconds"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _fewest(kind: str, claim: Mapping[str, Any], values: Mapping[str, Any]) -> int | None:
    """The fewest hits whose Clopper-Pearson lower bound is beyond the claim; None: not even all, or no count."""
    at = {name: float(Fraction(value)) for name, value in values.items()}
    if kind == "sample":
        needed = math.exp(at["epsilon"]) * at["q_upper"] + at["delta"]
        return _hits(needed, int(at["n"]), at["level"] / 2.0)
    if kind == "sample-mean" and claim["family"] == "count" and claim["relation"] == "<=":
        return _hits(at["claimed"], int(at["runs"]), at["level"])
    return None


def _hits(chance: float, runs: int, level: float) -> int | None:
    if not 0.0 <= chance < 1.0 or float(beta.ppf(level, runs, 1)) < chance:
        return None
    low, high = 0, runs  # the bound at `high` is beyond, at `low` it is not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if float(beta.ppf(level, middle, runs - middle + 1)) >= chance else (middle, high)
    return high


def _words(kind: str, draft: Draft, fewest: list[int | None]) -> str:
    if kind == "rate":
        least, most = (Fraction(draft.claim["expected"]) + Fraction(draft.claim[n]) for n in ("faster", "slower"))
        below = f" or below {float(least):.4g}" if draft.claim["side"] == "tight" else ""
        return f"an interval of the slope above {float(most):.4g}{below}"
    if kind == "sample" or draft.claim["family"] == "count":
        runs = [values["n" if kind == "sample" else "runs"] for values, _ in draft.instances]
        if draft.claim.get("relation") == ">=":
            return "too few hits: an upper bound on the chance below what is claimed"
        rows = zip(fewest, runs, strict=True)
        return "; ".join(f"nothing: all {n} hits would not" if k is None else f"{k} hits of {n}" for k, n in rows)
    if draft.claim["family"] == "normal":
        sign = 1.0 if draft.claim["relation"] == "<=" else -1.0
        ends = []
        for values, _ in draft.instances:
            at = {name: float(Fraction(value)) for name, value in values.items()}
            ends.append(f"{at['claimed'] + sign * float(norm.isf(at['level'])) * at['error']:.4g}")
        return f"a mean {'above' if sign > 0 else 'below'} {', '.join(ends)}, at the errors recorded"
    return "a mean whose bound at this level is beyond what is claimed"


def make() -> dict[str, dict[str, Any]]:
    """All records, by file name ("ID.KIND.json")."""
    return {f"{one.id}.{one.kind}.json": recorded(one) for one in recorders()}


def write(folder: str | Path) -> list[Path]:
    """Write one file for each record into `folder`; files of records that are no longer made are removed."""
    target, drafts = Path(folder), make()
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.json"):
        if old.name not in drafts:
            old.unlink()
    paths = []
    for name, one in drafts.items():
        path = target / name
        path.write_text(json.dumps(one, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python -m tools.records FOLDER\n")
        return 2
    print(f"{len(write(arguments[0]))} records in {arguments[0]}")
    return 0
