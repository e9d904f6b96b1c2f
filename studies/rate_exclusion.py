"""``python -m studies.rate_exclusion``: what each rate row of the ledger excludes, from its committed evidence.

For every rate: its verdict; the verdict of a claim 0.15 faster, which is also that of a law measured 0.15 slower ("at
0.15"), and what it would be if every slope within 0.1 of the expected one were allowed, whatever the claim leaves open
("flat"); what nuisances add to the expected slope at least and at most; the smallest error that the row would see; the
slope above which it rejects a law; and the exponents compatible with its data where the theory's logarithms are taken
off (the bare exponent and the slope of the formula differ by what logarithms and second terms add).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path

from rich.table import Table

from dpbench.ledger.verify import all_claims
from dpbench.rates.exclusion import rate_verdict, slowest, would_see
from studies.command import Measured, command

EVIDENCE = Path(__file__).resolve().parent.parent / "evidence" / "ledger"
SHIFT = 0.15


def measured() -> Measured:
    """Every rate with a reference."""
    table = Table(
        "rate",
        "side",
        "verdict",
        f"at {SHIFT:g}, flat",
        f"at {SHIFT:g}",
        "allowance",
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
        if found.get("reference") is None:
            continue
        low, high = map(float, found["interval"] or (found["value"], found["value"]))
        expected = float(found["reference"])
        faster, slower = map(float, found["allowance"])
        judged = partial(rate_verdict, expected=expected, side=claim.side)
        verdict = judged((low, high), allowance=(faster, slower), resolution=claim.resolution)
        moved = low + SHIFT, high + SHIFT
        shifted = judged(moved, allowance=(faster, slower), resolution=claim.resolution)
        flat = judged(moved, allowance=(-claim.resolution, claim.resolution), resolution=0.0)
        least = slowest((low, high), expected, (faster, slower))
        seen = would_see((low, high), expected, side=claim.side, allowance=(faster, slower))
        bare = (
            ""
            if claim.exponent is None
            else f"{low - slower - expected + claim.exponent:+.3f} to {high - faster - expected + claim.exponent:+.3f}"
        )
        rows.append({
            "id": claim.id, "side": claim.side, "verdict": verdict, "flat": flat, "shifted": shifted,
            "allowance": [faster, slower], "would see": seen,
            "rejects above": least, "value": found["value"], "expected": expected, "compatible": bare,
        })  # fmt: skip
        if verdict == "consistent":
            counts[f"{claim.side}: flat: {flat}"] += 1
            counts[f"{claim.side}: nuisances: {shifted}"] += 1
        table.add_row(
            claim.id,
            claim.side,
            verdict,
            flat,
            shifted,
            f"{faster:+.3f} {slower:+.3f}",
            f"{seen:.2f}",
            f"{least:+.2f}",
            f"{found['value']:+.3f}",
            f"{expected:+.3f}",
            bare,
        )
    summary = Table("consistent rows, by side", "allowed", f"verdict on an error of {SHIFT:g}", "rows")
    for name, count in sorted(counts.items()):
        summary.add_row(*name.split(": "), str(count))
    return {"shift": SHIFT, "rows": rows, "counts": counts}, (table, summary), bool(rows)


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("studies.rate_exclusion", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
