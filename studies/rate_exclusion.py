"""``python -m studies.rate_exclusion``: what each rate row of the ledger excludes, from its committed evidence.

For every rate: its verdict; the verdict of a claim 0.15 faster, which is also that of a law measured 0.15 slower ("at
0.15"); the smallest error that the row would see; the slope above which it rejects a law; and the exponents compatible
with its data where the theory's logarithms are taken off (the bare exponent and the slope of the formula differ by what
logarithms and second terms add).
Before, a consistent row said "consistent"; now it says "not contradicted (would see 0.12)".
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from rich.table import Table

from dpbench.ledger.verify import all_claims
from dpbench.rates.exclusion import rate_verdict, slowest, would_see
from studies.command import Measured, command

EVIDENCE = Path(__file__).resolve().parent.parent / "evidence" / "ledger"
SHIFT = 0.15


def measured() -> Measured:
    """Every rate with an interval and a reference."""
    table = Table(
        "rate",
        "side",
        "verdict",
        f"at {SHIFT:g}",
        "would see",
        "rejects above",
        "slope",
        "expected",
        "compatible bare exponents",
    )
    rows, counts = [], Counter[str]()
    for claim in all_claims():
        path = EVIDENCE / f"{claim.id}.json"
        if claim.kind != "rate" or not path.is_file():
            continue
        found = json.loads(path.read_text(encoding="utf-8"))["evidence"]
        if found.get("reference") is None or found.get("interval") is None:
            continue
        low, high = map(float, found["interval"])
        expected = float(found["reference"])
        verdict = rate_verdict((low, high), expected, claim.side, claim.tolerance)
        shifted = rate_verdict((low + SHIFT, high + SHIFT), expected, claim.side, claim.tolerance)
        least = slowest((low, high), expected, claim.tolerance)
        seen = would_see((low, high), expected, side=claim.side, tolerance=claim.tolerance)
        bare = (
            ""
            if claim.exponent is None
            else f"{low - expected + claim.exponent:+.3f} to {high - expected + claim.exponent:+.3f}"
        )
        rows.append({
            "id": claim.id, "side": claim.side, "verdict": verdict, "shifted": shifted, "would see": seen,
            "rejects above": least, "value": found["value"], "expected": expected, "compatible": bare,
        })  # fmt: skip
        if verdict == "consistent":
            counts[f"{claim.side}: {shifted}"] += 1
        table.add_row(
            claim.id,
            claim.side,
            verdict,
            shifted,
            f"{seen:.2f}",
            f"{least:+.2f}",
            f"{found['value']:+.3f}",
            f"{expected:+.3f}",
            bare,
        )
    summary = Table("consistent rows, by side", f"told of an error of {SHIFT:g}", "rows")
    for name, count in sorted(counts.items()):
        summary.add_row(*name.split(": "), str(count))
    return {"shift": SHIFT, "rows": rows, "counts": counts}, (table, summary), bool(rows)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("studies.rate_exclusion", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
