"""Sampled entries: the counts of each attack and the lower bound on ε that they give (Clopper and Pearson).

An attack's row keeps ``runs`` (a side), ``hits`` and ``neighbour hits`` of the event, which was chosen on other runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from scipy.special import betainc
from scipy.stats import beta

from dpbench.certificates.build import Draft, above, below
from dpbench.ledger.words import ATTACKS
from tools.records import entries, record

LARGEST = 800_000  # runs a side of all attacks of a record: the checker's operations allow the tails of no more
COLUMNS = ("runs", "hits", "neighbour hits", "target_epsilon", "target_delta")


def attacks_of(entry: dict[str, Any]) -> list[tuple[Any, ...]]:
    """`COLUMNS` of each attack whose event was met on both data sets."""
    table = entry["evidence"]["tables"].get(ATTACKS, {})
    if not table.keys() >= {*COLUMNS}:
        return []
    rows = zip(*(table[name] for name in COLUMNS), strict=True)
    return [row for row in rows if row[1] > 0 and row[2] < row[0]]


def draft(claim: str) -> Draft:
    entry = entries()[claim]
    rows = attacks_of(entry)
    level = Fraction(str(entry["evidence"]["level"])) / len(rows)
    verdict = entry["verdict"] if entry["verdict"] == "refuted" else "not refuted"
    return Draft(
        verdict=verdict,
        statement="Counts of one event on both data sets, and the lower bound on epsilon that they give but for a "
        "chance of at most the level.",
        symbols={"k": "runs with the event on the first data set", "j": "runs with the event on the second",
                 "n": "runs a side", "p_lower": "lower bound on the first chance", "q_upper": "upper bound on the "
                     "second",
                 "bound": "lower bound on epsilon", "level": "error probability", "epsilon": "claimed",
                 "delta": "claimed"},
        claim={"first_count": "k", "first_runs": "n", "second_count": "j", "second_runs": "n", "p_lower": "p_lower",
               "q_upper": "q_upper", "level": "level", "bound": "bound", "epsilon": "epsilon", "delta": "delta"},
        instances=[_instance(row, level) for row in rows],
        derivation=[
            ("The event of each attack was chosen on other runs of the same pair.", []),
            ("Runs are independent, so the counts are binomial (Clopper and Pearson 1934). That the event happened "
             "so often is a matter of record: run the entry again.", []),
            *([] if verdict == "refuted" else [("The bound proves nothing: it would show an error.", [])]),
        ],
    )  # fmt: skip


def _instance(row: tuple[Any, ...], level: Fraction) -> tuple[dict[str, Any], dict[str, float]]:
    """Values of the symbols, and the two tails."""
    n, k, j, epsilon, delta = row
    half = 0.5 * float(level)
    p = below(float(beta.ppf(half, k, n - k + 1)) * (1 - 1e-9))
    q = above(float(beta.isf(half, j + 1, n - j)) * (1 + 1e-9))
    excess = float(p) - float(delta)
    bound = max(Fraction(0), below(math.log(excess / float(q)), 5)) if excess > 0.0 else Fraction(0)
    values = {"k": k, "j": j, "n": n, "p_lower": p, "q_upper": q, "bound": bound, "level": level,
              "epsilon": Fraction(str(epsilon)), "delta": Fraction(str(delta))}  # fmt: skip
    tails = {"first_tail": float(betainc(k, n - k + 1, float(p))),
             "second_tail": float(betainc(n - j, j + 1, 1 - float(q)))}  # fmt: skip
    return values, tails


def _maker(claim: str) -> Callable[[], Draft]:
    return lambda: draft(claim)


def register() -> None:
    """Register the makers of the entries whose attacks keep their counts."""
    for claim, entry in entries().items():
        if 0 < sum(runs for runs, *_ in attacks_of(entry)) <= LARGEST:
            record(claim, "sample")(_maker(claim))
