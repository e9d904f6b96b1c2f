"""Sampled entries: the counts of an attack and the lower bound on ε that they give (Clopper and Pearson)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from scipy.special import betainc
from scipy.stats import beta

from dpbench.certificates.attack_counts import counts
from dpbench.certificates.build import Draft, above, below
from dpbench.ledger.registry import by_id
from tools.records import record

LEVEL = Fraction(1, 10**6)


def draft(claim: str) -> Draft:
    verdict = by_id()[claim].expected
    row = counts()[claim]
    k, j, n = row["first"], row["second"], row["runs"]
    half = 0.5 * float(LEVEL)
    p = below(float(beta.ppf(half, k, n - k + 1)) * (1 - 1e-9))
    q = above(float(beta.isf(half, j + 1, n - j)) * (1 + 1e-9))
    delta = Fraction(str(row["delta"]))
    bound = max(Fraction(0), below(math.log((float(p) - float(delta)) / float(q)), 5))
    tails = {
        "first_tail": float(betainc(k, n - k + 1, float(p))),
        "second_tail": float(betainc(n - j, j + 1, 1 - float(q))),
    }
    values = {"k": k, "j": j, "n": n, "p_lower": p, "q_upper": q, "bound": bound, "level": LEVEL,
              "epsilon": Fraction(str(row["epsilon"])), "delta": delta}  # fmt: skip
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
        instances=[(values, tails)],
        derivation=[
            (f"The pair: {row['pair']}. The event ({row['event']}) was chosen on other runs.", []),
            ("Runs are independent, so the counts are binomial (Clopper and Pearson 1934). That the event happened "
             "so often "
             "is a matter of record: run the attack again.", []),
            *([] if verdict == "refuted" else [("The bound proves nothing: it would show an error.", [])]),
        ],
    )  # fmt: skip


def _maker(claim: str) -> Callable[[], Draft]:
    return lambda: draft(claim)


def register() -> None:
    """Register the makers of the entries whose attacks keep their counts."""
    for claim in counts():
        if claim in by_id():
            record(claim, "sample")(_maker(claim))
