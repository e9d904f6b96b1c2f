"""Two ledgers side by side: which verdicts differ, and which numbers moved by more than floating point explains.

At one seed, the value and every column of an entry agree within a relative difference of 1e-9 where the entry is exact
and 1e-6 where it samples.

Another type of processor, or other versions of the libraries, round differently: a parameter that differs in its last
bit names another seed. Between two such environments the numbers of an entry that samples are those of two independent
runs: its verdict must be the same, and each value must lie in the other's interval ("elsewhere").
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbench.core.validation import InvalidInput, invalid
from dpbench.ledger.core import Claim
from dpbench.ledger.entry import readdressed
from dpbench.ledger.evidence import committed
from dpbench.ledger.words import ROWS

EXACT, SAMPLED = 1e-9, 1e-6


@dataclass(frozen=True)
class Difference:
    """An entry in two ledgers.

    Attributes
    ----------
    id : str
    kind : {"same", "elsewhere", "differs", "verdict", "missing", "new"}
        "elsewhere": beyond the tolerance, of an entry that samples and was run on another type of processor or with
        other versions, with the same columns and each value in the other's interval; "differs": beyond both, or of
        other columns.
    old, new : str
        Verdict and value in each.
    distance : float
        The largest relative difference of a number.
    where : str
        The column with it.
    """

    id: str
    kind: str
    old: str = ""
    new: str = ""
    distance: float = 0.0
    where: str = ""

    @property
    def fails(self) -> bool:
        return self.kind in ("differs", "verdict", "missing")


def passes(differences: Iterable[Difference]) -> bool:
    """Whether no verdict and no evidence is lost, and no number differs."""
    return not any(row.fails for row in differences)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Entries by id, of a folder of evidence or of a file that ``dpbench verify --json`` wrote."""
    if path.is_dir():
        results = committed(path)
        if not results:
            raise invalid("a ledger", "a folder of evidence", str(path))
        return results
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        common = {name: document[name] for name in ("level", "seed")}
        common["environment"] = {**document.get("versions", {}), "processor": document.get("processor")}
        for item in document["claims"]:
            lacking = {"value", "interval", "tables", "level", "trials"} - item["evidence"].keys()
            if lacking:
                raise KeyError(f"evidence of {item['id']} without {', '.join(sorted(lacking))}")
        return {item["id"]: {**common, **item} for item in document["claims"]}
    except OSError as error:
        raise invalid("a ledger", f"a file or folder that can be read ({error.strerror})", str(path)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"a ledger must be a document of `dpbench verify --json`, got {path} ({error!r})") from error


def compare(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]], claims: Iterable[Claim]
) -> list[Difference]:
    """Each row of either ledger, in the order of the claims; ids that have gone stand for what they are now.

    Parameters
    ----------
    old, new : mapping of str to dict
        What `read` returns.
    claims : iterable of Claim
        For their order.
    """
    old, new = readdressed(old), readdressed(new)
    known = [claim.id for claim in claims]
    ids = [name for name in known if name in old or name in new]
    ids += sorted((old.keys() | new.keys()) - {*known})
    return [_difference(name, old.get(name), new.get(name)) for name in ids]


def _difference(name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Difference:
    if old is None or new is None:
        return Difference(name, "new" if old is None else "missing", _brief(old), _brief(new))
    said = _brief(old), _brief(new)
    if old["verdict"] != new["verdict"]:
        return Difference(name, "verdict", *said)
    if (old["level"], old["seed"]) != (new["level"], new["seed"]):
        return Difference(name, "same", *said)  # other sizes or seeds: the verdicts are what can be compared
    distance, where = _farthest(old["evidence"], new["evidence"])
    common = SAMPLED if new["evidence"]["level"] or new["evidence"]["trials"] else EXACT
    kind = "same" if distance <= common else "differs"
    if kind == "differs" and common == SAMPLED and _elsewhere(old, new) and _agree(old["evidence"], new["evidence"]):
        kind = "elsewhere"
    return Difference(name, kind, *said, distance, where)


def _elsewhere(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the two are known to be of different types of processor, or of different versions of a library."""
    sides = [dict(side.get("environment") or {}) for side in (old, new)]
    names = (sides[0].keys() & sides[1].keys()) - {"dpbench", "machine"}
    return any(sides[0][name] and sides[1][name] and sides[0][name] != sides[1][name] for name in names)


def _agree(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two independent runs say the same: equal columns, each value in the other's interval (else equal)."""
    if _columns(old).keys() != _columns(new).keys() or (old["interval"] is None) != (new["interval"] is None):
        return False
    if old["interval"] is None:
        return _distance(old["value"], new["value"]) <= SAMPLED
    return all(
        float(one["interval"][0]) <= float(other["value"]) <= float(one["interval"][1])
        for one, other in ((old, new), (new, old))
    )


def _farthest(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[float, str]:
    """The largest relative difference of the value, the interval or a column, and which it is."""
    pairs = [("value", old["value"], new["value"]), ("interval", old["interval"], new["interval"])]
    before, after = _columns(old), _columns(new)
    pairs += [(name, before.get(name), after.get(name)) for name in before | after]
    return max(((_distance(a, b), name) for name, a, b in pairs), key=lambda pair: pair[0])


def _columns(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of all tables, but for times."""
    named = {f"{table} {name}": values for table, part in evidence["tables"].items() for name, values in part.items()}
    return {name.removeprefix(f"{ROWS} "): values for name, values in named.items() if "seconds" not in name}


def _distance(a: Any, b: Any) -> float:
    """Relative difference; infinite between what cannot be compared. Numbers below 1e-12 of their column count as 0."""
    left, right = _numbers(a), _numbers(b)
    if len(left) != len(right):
        return math.inf
    sizes = [abs(x) for x in (*left, *right) if isinstance(x, float) and math.isfinite(x)]
    floor = 1e-12 * max(sizes, default=0.0)
    worst = 0.0
    for x, y in zip(left, right, strict=True):
        if x == y or (isinstance(x, float) and isinstance(y, float) and math.isnan(x) and math.isnan(y)):
            continue
        if not (isinstance(x, float) and isinstance(y, float) and math.isfinite(x) and math.isfinite(y)):
            return math.inf
        if abs(x - y) > floor:
            worst = max(worst, abs(x - y) / max(abs(x), abs(y)))
    return worst


def _numbers(value: Any) -> list[Any]:
    """The parts of a column, or of one value: numbers as floats (those written as text too), others as they are."""

    def is_number(part: Any) -> bool:
        return isinstance(part, (int, float)) and not isinstance(part, bool)

    parts = value if isinstance(value, (list, tuple)) else [value]
    return [float(part) if is_number(part) or part in ("nan", "inf", "-inf") else part for part in parts]


def _brief(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return ""
    value = entry["evidence"]["value"]
    return f"{entry['verdict']}, {value if isinstance(value, str) else format(value, '.6g')}"
