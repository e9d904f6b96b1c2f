"""How often a bound that holds with probability 1 − η fails on data sets of `RECORDS` records."""

from __future__ import annotations

from dpbench import bounds
from dpbench.ledger.measurement import LEVEL, Evidence, Row, column

RECORDS = 200


def frequency(rows: list[Row], count: int, allowed: float) -> tuple[str, Evidence]:
    """Verdict of "at most `allowed` of the data sets fail" from the ``failures`` of `count` data sets for each θ."""
    tail, tops = 0.5 * LEVEL / len(rows), []
    for row in rows:
        failures = row.pop("failures")
        row["frequency"] = failures / count
        tops.append((float(bounds.lower(failures, count, tail)), float(bounds.upper(failures, count, tail))))
    return "refuted" if max(low for low, _ in tops) > allowed else "not refuted", Evidence(
        value=max(row["frequency"] for row in rows),
        interval=max(tops),
        level=LEVEL,
        trials=count * len(rows),
        tables={"rows": column(rows)},
        notes=(
            f"value: largest frequency of a violation, {count:,} data sets of n = {RECORDS} for each theta; the claim "
            f"is at most {allowed:g}. The bounds are far from tight on this design: only a gross error would be seen",
        ),
    )
