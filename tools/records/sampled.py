"""Sampled entries, without a maker an entry: one-sided bounds on chances and means, from the evidence's own columns.

Columns that any entry may have, and that make a record by themselves:

- ``runs``, ``hits``, ``allowed``: counts of an event whose chance is claimed to be at most what is allowed
  (Clopper and Pearson); a row without runs is exact;
- ``runs``, ``total``, ``squares``, ``low``, ``high`` with ``allowed`` or ``floor``: sums of independent numbers in a
  range, whose mean is claimed to be at most what is allowed or at least the floor (Maurer and Pontil 2009, Theorem 4).

Older columns are read as well: means with their standard errors (the normal law, nominal).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy.special import betainc
from scipy.stats import beta, norm

from dpbench.certificates.build import Draft, Number, Shown, above, below, near
from dpbench.ledger.registry import by_id
from dpbench.ledger.words import ROWS
from tools.records import entries, record

MOST = 12
"""Rows of a certificate: those nearest to what is claimed."""
MEANING = {
    "runs": "independent runs", "hits": "runs with the event", "bound": "one-sided bound on the chance or the mean",
    "level": "error probability of the bound", "total": "sum over the runs", "squares": "sum of squares over the runs",
    "low": "least possible value", "high": "largest possible value", "mean": "mean over the runs",
    "error": "its standard error", "claimed": "what is claimed to bound the chance or the mean",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What was sampled at one row: its family (as in the checker), its numbers, and what is claimed of it."""

    family: str
    numbers: dict[str, Number]
    claimed: Number


def rows_of(record: dict[str, Any]) -> tuple[str, list[Row]]:
    """The relation claimed ("<=" or ">=") and the sampled rows; none where the evidence does not keep its sample."""
    series = record["evidence"]["tables"].get(ROWS, {})
    relation, right = (">=", "floor") if "floor" in series else ("<=", "allowed")
    if {"runs", "hits", right} <= series.keys():
        rows = _zip(series, "runs", "hits", right)
        return relation, [Row("count", {"runs": n, "hits": k}, _exact(claimed)) for n, k, claimed in rows if n]
    if {"runs", "total", "squares", "low", "high", right} <= series.keys():
        names = ("runs", "total", "squares", "low", "high", right)
        return relation, [
            Row("range", _sums(dict(zip(names, row, strict=True))), _exact(row[-1])) for row in _zip(series, *names)
        ]
    name = next((name for name in ("error", "excess", "measured") if name in series), "")
    right = next((name for name in ("floor", "ceiling", "theory") if name in series), "")
    if not {name, right, "standard error"} <= series.keys():
        return relation, []
    made = []
    for mean, error, claimed in _zip(series, name, "standard error", right):
        numbers: dict[str, Number] = {"mean": near(mean, 8), "error": above(max(error, 1e-6 * abs(mean)), 4)}
        made.append(Row("normal", numbers, near(claimed, 8)))
    return relation, made


def _sums(row: dict[str, float]) -> dict[str, Number]:
    """The five numbers, the squares rounded up: a variance a little larger than the sample's, never below 0."""
    sums: dict[str, Number] = {name: _exact(row[name]) for name in ("runs", "total", "squares", "low", "high")}
    return sums | {"squares": above(row["squares"] * (1.0 + 1e-9), 12)}


def _zip(series: dict[str, list[Any]], *names: str) -> list[tuple[Any, ...]]:
    """Rows of these columns; one with a value that is no finite number (a text) is left out."""
    rows = zip(*(series[name] for name in names), strict=True)
    return [row for row in rows if not any(isinstance(value, str) for value in row)]


def _exact(value: float) -> Fraction:
    return Fraction(value) if float(value).is_integer() else near(value, 12)


def bound_of(row: Row, relation: str, level: float) -> tuple[Fraction, dict[str, Shown]]:
    """The bound at this level, moved outwards to a few digits, and what its tail is there."""
    lower, given = relation == "<=", {name: float(Fraction(value)) for name, value in row.numbers.items()}
    if row.family == "count":
        n, k = given["runs"], given["hits"]
        if (k == 0) if lower else (k == n):
            return Fraction(0 if lower else 1), {}
        if lower:
            bound = below(float(beta.ppf(level, k, n - k + 1)) * (1 - 1e-9))
            return bound, {"tail": float(betainc(k, n - k + 1, float(bound)))}
        bound = above(float(beta.isf(level, k + 1, n - k)) * (1 + 1e-9))
        return bound, {"tail": float(betainc(n - k, k + 1, 1 - float(bound)))}
    if row.family == "normal":
        reach = float(norm.isf(level)) * given["error"]
        away = given["mean"] - reach if lower else given["mean"] + reach
        bound = below(away, 8) if lower else above(away, 8)
        return bound, {"tail": float(norm.sf(abs(given["mean"] - float(bound)) / given["error"]))}
    n, width, log = given["runs"], given["high"] - given["low"], math.log(2.0 / level)
    mean = given["total"] / n
    steady = math.sqrt(2.0 * max(given["squares"] - n * mean**2, 0.0) / (n - 1) / n)
    reach = steady * math.sqrt(log) + 7.0 * width * log / (3.0 * (n - 1))
    away = mean - reach if lower else mean + reach
    if (away <= given["low"]) if lower else (away >= given["high"]):
        return Fraction(row.numbers["low" if lower else "high"]), {}
    bound = below(away, 8) if lower else above(away, 8)
    gap, linear = abs(float(bound) - mean), 28.0 * width / (3.0 * (n - 1))
    root = (math.sqrt(steady**2 + gap * linear) - steady) * 3.0 * (n - 1) / (14.0 * width)
    return bound, {"tail": 2.0 * math.exp(-(root**2))}


def draft(claim: str) -> Draft | None:
    """The record's text; None where the evidence keeps no sample, or the rows decide otherwise."""
    record = entries()[claim]
    spent = record["evidence"]["level"]
    if not spent or record["verdict"] not in ("refuted", "not refuted", "proved"):
        return None
    relation, rows = rows_of(record)
    if not rows:
        return None
    level = Fraction(str(spent)) / len(rows)
    sign = 1.0 if relation == "<=" else -1.0
    rows = sorted(rows, key=lambda row: sign * (float(row.claimed) - _mean(row)))[:MOST]
    instances = []
    for row in rows:
        bound, shows = bound_of(row, relation, float(level))
        beyond = sign * (bound - Fraction(row.claimed)) > 0
        if beyond != (record["verdict"] == "refuted"):
            if beyond:
                return None
            continue
        instances.append(({**row.numbers, "bound": bound, "level": level, "claimed": row.claimed}, shows))
    if not instances:
        return None
    family = rows[0].family
    names = [*rows[0].numbers, "bound", "level", "claimed"]
    law = {
        "count": "counts of independent runs are binomial (Clopper and Pearson 1934)",
        "range": "the empirical Bernstein inequality of Maurer and Pontil (2009, Theorem 4)",
        "normal": "the normal law of a mean over independent runs: nominal, approximate under skewness",
    }[family]
    return Draft(
        verdict=record["verdict"],
        statement="One-sided bounds on what was sampled, each but for a chance of at most its level, beside what is "
        "claimed" + (": beyond it." if record["verdict"] == "refuted" else "; nothing is proved by them."),
        symbols={name: MEANING[name] for name in names},
        claim={"family": family, "relation": relation, "right": "claimed"},
        instances=instances,
        derivation=[
            (f"The bound holds but for the level: {law}. That the runs gave these numbers is a matter of record: run "
             "the entry again.", []),
            (f"The entry's level {spent:g} is shared by all its {round(Fraction(str(spent)) / level)} "
             f"rows; {len(instances)} of them are listed, the nearest to what is claimed.", []),
            *([] if record["verdict"] == "refuted" else [("The bounds prove nothing: they would show an error.", [])]),
        ],
    )  # fmt: skip


def _mean(row: Row) -> float:
    given = {name: float(Fraction(value)) for name, value in row.numbers.items()}
    if row.family == "normal":
        return given["mean"]
    return given["hits" if row.family == "count" else "total"] / given["runs"]


def _maker(claim: str) -> Callable[[], Draft]:
    def draft_of() -> Draft:
        found = draft(claim)
        assert found is not None
        return found

    return draft_of


def register() -> None:
    """Register the makers of the entries whose evidence keeps its sample."""
    for claim in entries():
        if claim in by_id() and by_id()[claim].kind != "rate" and draft(claim) is not None:
            record(claim, "sample-mean")(_maker(claim))
