"""``python -m dpbench_libraries.known_bugs``: which known privacy bugs auditors find, in how many runs.

Exit code 1 if a mended version is refuted.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dpbench.core import validation
from dpbench.core.validation import InvalidInput
from dpbench.ledger.evidence import commit_now
from dpbench.runs.environment import machine, versions
from dpbench_libraries.environment import EnvironmentFailed
from dpbench_libraries.known_bugs.auditors import available
from dpbench_libraries.known_bugs.cases import CASES, named
from dpbench_libraries.known_bugs.measure import ALPHA, alarms, measure, spent
from dpbench_libraries.known_bugs.releases import ENVIRONMENTS, prepare

MOST = 64_000


def table(rows: list[dict[str, Any]], auditors: list[str]) -> Table:
    """What was found, on the terminal."""
    grid = Table("case", "software", *(f"{name}: runs, s" for name in auditors), "gray box: verdict, runs", "mended")
    grid.columns[0].no_wrap = True
    for row in rows:
        if "why" in row:
            grid.add_row(row["name"], row["software"], row["why"])
            continue
        verdicts = [
            "not found" if one is None else f"{one['runs']:,}, {one['seconds']:.1f}"
            for one in (row["found"][name] for name in auditors)
        ]
        gray = row["gray"]["broken"]
        grid.add_row(
            row["name"], row["software"], *verdicts, f"{gray['verdict']}, {gray['runs']}",
            "REFUTED" if alarms(row) else "not refuted",
        )  # fmt: skip
    return grid


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, keep; 1 if a mended version was refuted, 2 for bad use."""
    parser = argparse.ArgumentParser(prog="python -m dpbench_libraries.known_bugs", description=__doc__)
    parser.add_argument("--case", action="append", metavar="NAME", help="one of them, again for more (default: all)")
    parser.add_argument("--trials", type=int, default=MOST, help=f"runs a side at most (default {MOST})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    given = parser.parse_args(arguments)
    try:
        most = validation.integer("trials", given.trials, at_least=500)
        seed = validation.integer("seed", given.seed, at_least=0)
        cases = [named(name) for name in given.case] if given.case else list(CASES)
    except InvalidInput as error:
        parser.error(str(error))
    for case in cases:
        with contextlib.suppress(EnvironmentFailed):  # said in its row
            prepare(case, say)
    auditors, began, rows = available(), spent(), []
    if "jax-privacy" not in auditors:
        say("jax-privacy is not installed: pip install 'dpbench-suite[bench]'")
    for case in cases:
        row = measure(case, auditors, most, seed, say)
        said = {
            key: getattr(case, key)
            for key in ("name", "software", "bug", "mend", "source", "relation", "epsilon", "delta")
        }
        rows.append({**said, "released": case.released, **row})
    Console().print(table(rows, list(auditors)), soft_wrap=True)
    if given.json is not None:
        document = {
            "command": "python -m dpbench_libraries.known_bugs --json evidence/known_bugs.json",
            "alpha": ALPHA, "seed": seed, "date": datetime.date.today().isoformat(),
            "seconds": round(spent() - began, 1), "cases": rows,
            "commit": commit_now()[0], "machine": machine(),
            "versions": {**versions(), **_peer("jax-privacy")},
            "environments": {name: [*one.packages, *one.alone] for name, one in ENVIRONMENTS.items()},
        }  # fmt: skip
        given.json.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return 1 if any(alarms(row) for row in rows if "why" not in row) else 0


def say(text: str) -> None:
    """What is done, on standard error."""
    print(f"known_bugs: {text}", file=sys.stderr)


def _peer(name: str) -> dict[str, str]:
    try:
        return {name: importlib.metadata.version(name)}
    except importlib.metadata.PackageNotFoundError:
        return {}


if __name__ == "__main__":
    sys.exit(main())
