"""``python -m studies.comparisons --json FILE``: does `benchmarks.compare` alarm on equal trees, and find ten percent?

The working tree beside itself many times, and beside itself with a tenth more processor time in every call
(`studies.slowed`). What was measured stays in FILE, and the command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.compare import LIMIT, PAIRS, compare
from benchmarks.headline import HEADLINE
from studies.slowed import MORE

EQUAL, PLANTED = 20, 3


def summary(document: dict[str, Any]) -> str:
    """Alarms on equal trees, and how often each benchmark's planted slowdown was found."""
    alarms = sum(any(row["slower"] for row in rows) for rows in document["equal"])
    found = {name: sum(row["slower"] for rows in document["planted"] for row in rows if row["name"] == name)
             for name in HEADLINE}  # fmt: skip
    said = ", ".join(f"{name} {count}" for name, count in found.items())
    return (
        f"alarms in {alarms} of {len(document['equal'])} comparisons of equal trees; "
        f"{100 * MORE:g}% more, found of {len(document['planted'])}: {said}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, write after each comparison, say what came out."""
    parser = argparse.ArgumentParser(prog="python -m studies.comparisons", description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True, metavar="FILE")
    parser.add_argument("--equal", type=int, default=EQUAL, help="comparisons of equal trees (default %(default)s)")
    parser.add_argument("--planted", type=int, default=PLANTED, help="comparisons with a planted slowdown")
    asked = parser.parse_args(arguments)
    document: dict[str, Any] = {"schema": 1, "limit": LIMIT, "pairs": PAIRS, "more": MORE, "equal": [], "planted": []}
    if asked.json.exists():
        document = json.loads(asked.json.read_text(encoding="utf-8"))
    for kind, count, work in (
        ("planted", asked.planted, "studies.slowed"),
        ("equal", asked.equal, "benchmarks.headline"),
    ):
        while len(document[kind]) < count:
            rows = compare(".", ".", names=list(HEADLINE), work=work)
            document[kind].append([asdict(row) for row in rows])
            asked.json.write_text(json.dumps(document, indent=None) + "\n", encoding="utf-8")
            print(summary(document), flush=True)
    print(summary(document))
    return 0


if __name__ == "__main__":
    sys.exit(main())
